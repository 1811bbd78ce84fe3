#include "io/op_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/base/errors.hpp"

namespace placer {

OpId OpNames::find(const JsonCursor& cursor) const { return find(cursor.name(), cursor); }

OpId OpNames::find(std::string_view name, const JsonCursor& cursor) const {
  if (const std::optional<OpId> op = index_.find(name)) return *op;
  const std::string shown = one_line(name, 60);
  cursor.fail("the name of an op", fmt::format("'{}'{}", shown, suggested_op(shown, ops_)));
}

std::string suggested_op(std::string_view name, std::span<const Op> ops) {
  constexpr std::size_t kMostCompared = 20'000;
  std::vector<std::string> near;
  for (const Op& op : ops.first(std::min(ops.size(), kMostCompared))) {
    const std::size_t length = op.name.size();
    if (length <= 2 * name.size() + 2 && name.size() <= 2 * length + 2) near.push_back(op.name);
  }
  return did_you_mean(name, near);
}

}  // namespace placer
