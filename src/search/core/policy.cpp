#include "placer/search/policy.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace placer {

const NamedMatrix& find_matrix(const std::vector<NamedMatrix>& among, std::string_view name,
                               std::size_t rows, std::size_t columns) {
  const auto at = std::ranges::find(among, name, &NamedMatrix::name);
  if (at == among.end()) {
    throw Error(
        fmt::format("policy: weights '{}': expected {} x {}, found none", name, rows, columns));
  }
  if (at->rows != rows || at->columns != columns) {
    throw Error(fmt::format("policy: weights '{}': expected {} x {}, found {} x {}", name, rows,
                            columns, at->rows, at->columns));
  }
  return *at;
}

const NamedCounters& find_counters(const std::vector<NamedCounters>& among, std::string_view name,
                                   std::size_t count) {
  const auto at = std::ranges::find(among, name, &NamedCounters::name);
  if (at == among.end() || at->values.size() != count) {
    throw Error(fmt::format("policy: counters '{}': expected {}, found {}", name, count,
                            at == among.end() ? 0 : at->values.size()));
  }
  return *at;
}

}  // namespace placer
