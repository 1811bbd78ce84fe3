#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "placer/base/options.hpp"

namespace placer {

struct NamedMatrix {
  std::string name;  // unique within its list, not empty
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;  // row after row, finite
  friend bool operator==(const NamedMatrix&, const NamedMatrix&) = default;
};

struct NamedCounters {
  std::string name;  // unique within its list, not empty
  std::vector<std::int64_t> values;
  friend bool operator==(const NamedCounters&, const NamedCounters&) = default;
};

/// What a learner has learnt: a plain value that files hold and that serves other graphs.
struct Policy {
  std::string algorithm;
  std::size_t devices = 0;           // that it chooses among
  OptionValues options;              // that it was trained with, complete
  std::vector<std::string> types;    // of ops that it tells apart, distinct; rows of some matrices
  std::vector<NamedMatrix> weights;  // of its network
  // What a training needs besides the weights to be resumed (moments, baselines, books). Empty in a
  // policy that is no checkpoint.
  std::vector<NamedMatrix> state;
  std::vector<NamedCounters> counters;

  /// The policy without what only resuming a training needs.
  Policy without_state() const { return {algorithm, devices, options, types, weights, {}, {}}; }
  friend bool operator==(const Policy&, const Policy&) = default;
};

/// The matrix of that name and shape. Throws Error that names it and says that it is missing, or
/// which shape was expected and found.
const NamedMatrix& find_matrix(const std::vector<NamedMatrix>& among, std::string_view name,
                               std::size_t rows, std::size_t columns);
/// The counters of that name, which are to be `count`. Throws Error where they are missing or
/// another number.
const NamedCounters& find_counters(const std::vector<NamedCounters>& among, std::string_view name,
                                   std::size_t count);

}  // namespace placer
