#include "io/importers/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "placer/model/op_index.hpp"

namespace placer {

void require_size(const JsonCursor& array, std::size_t size, std::string_view of_what) {
  if (array.size() == size) return;
  array.fail(fmt::format("an array of {}, one element for each {}", size, of_what),
             fmt::format("{}", array.size()));
}

void require_unique_names(const ImportSource& source, const std::vector<Op>& ops,
                          std::string_view place) {
  const OpIndex index(ops);
  if (!index.repeated()) return;
  const auto [first, again] = *index.repeated();
  source.fail(fmt::format(fmt::runtime(place), again.index()), "a name of its own",
              fmt::format("'{}' again (first at {})", one_line(ops[again.index()].name, 60),
                          fmt::format(fmt::runtime(place), first.index())));
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
