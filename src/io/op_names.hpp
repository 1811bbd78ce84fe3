#pragma once

#include <span>
#include <string>
#include <string_view>

#include "placer/io/json_reader.hpp"
#include "placer/model/graph.hpp"
#include "placer/model/op_index.hpp"

namespace placer {

/// Finds ops by name. The ops must outlive it; of equal names, which Graph refuses, the first
/// counts.
class OpNames {
 public:
  explicit OpNames(std::span<const Op> ops) : ops_(ops), index_(ops) {}

  /// The op that the string at `cursor` names; throws Error with the nearest name.
  OpId find(const JsonCursor& cursor) const;
  /// The op called `name`, which stands at `cursor`.
  OpId find(std::string_view name, const JsonCursor& cursor) const;

 private:
  std::span<const Op> ops_;
  OpIndex index_;
};

/// " (did you mean 'x'?)" among `ops`; looks at a limited number of them.
std::string suggested_op(std::string_view name, std::span<const Op> ops);

}  // namespace placer
