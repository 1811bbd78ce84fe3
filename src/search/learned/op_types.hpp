#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/parameters.hpp"
#include "placer/model/problem.hpp"
#include "placer/search/policy.hpp"

namespace placer {

/// The types of ops that a network tells apart. Each has a row of its own in the parameters whose
/// names begin with "types/"; row 0, which is 0 at first, stands for the types of no problem that
/// was learnt on.
class OpTypes {
 public:
  /// Those of the problems' ops, sorted.
  explicit OpTypes(std::span<const Problem> problems);
  explicit OpTypes(std::span<const std::string> names);

  nn::Index rows() const { return static_cast<nn::Index>(names_.size()) + 1; }
  nn::Index row(std::string_view type) const;
  /// Those of all of the group's ops.
  std::vector<std::uint32_t> rows_of(const Problem& problem, GroupId group) const;

  /// Adds a parameter with a row for each type, drawn uniformly within +-`bound`.
  nn::Parameter& add_rows(nn::Parameters& parameters, const std::string& name, nn::Index columns,
                          double bound, Rng& rng) const;
  void save(Policy& policy) const { policy.types = names_; }
  /// Adds the types that only `policy` knows after the others, here and in the parameters. Returns
  /// the policy with the rows of its types in this order; a type that it does not know has those of
  /// its row 0. Throws Error where rows and types do not match.
  Policy adopt(const Policy& policy, nn::Parameters& parameters);

 private:
  void add(const std::string& name);

  std::vector<std::string> names_;
  std::map<std::string, nn::Index, std::less<>> row_of_;
};

}  // namespace placer
