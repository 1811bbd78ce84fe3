#include "io/importers/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace placer {

void require_size(const JsonCursor& array, std::size_t size, std::string_view of_what) {
  if (array.size() == size) return;
  array.fail(fmt::format("an array of {}, one element for each {}", size, of_what),
             fmt::format("{}", array.size()));
}

void require_unique_names(const ImportSource& source, const std::vector<Op>& ops,
                          std::string_view place) {
  std::unordered_map<std::string_view, std::size_t> position_of;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto [first, is_new] = position_of.emplace(ops[i].name, i);
    if (is_new) continue;
    source.fail(fmt::format(fmt::runtime(place), i), "a name of its own",
                fmt::format("'{}' again (first at {})", one_line(ops[i].name, 60),
                            fmt::format(fmt::runtime(place), first->second)));
  }
}

void set_sequences(Imported& imported, const std::vector<double>& start) {
  std::vector<std::size_t> order(start.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t op) {
    const Op& timed = imported.graph.op(OpId(op));
    return std::pair(start[op], timed.seconds[imported.device_of[op].index()].second > 0);
  });
  imported.sequences.emplace(imported.devices->devices().size());
  for (const std::size_t op : order) {
    (*imported.sequences)[imported.device_of[op].index()].emplace_back(op);
  }
}

}  // namespace placer
