#include "search/learned/op_types.hpp"

#include <algorithm>
#include <set>

namespace placer {
namespace {

constexpr std::string_view kPrefix = "types/";

NamedMatrix with_rows(const NamedMatrix& matrix, std::span<const nn::Index> rows) {
  NamedMatrix result{matrix.name, rows.size(), matrix.columns, {}};
  for (const nn::Index row : rows) {
    const auto begin = matrix.values.begin() + row * static_cast<nn::Index>(matrix.columns);
    result.values.insert(result.values.end(), begin,
                         begin + static_cast<std::ptrdiff_t>(matrix.columns));
  }
  return result;
}

}  // namespace

OpTypes::OpTypes(std::span<const Problem> problems) {
  std::set<std::string> names;
  for (const Problem& problem : problems) {
    for (const Op& op : problem.graph().ops()) names.insert(op.type);
  }
  for (const std::string& name : names) add(name);
}

OpTypes::OpTypes(std::span<const std::string> names) {
  for (const std::string& name : names) add(name);
}

void OpTypes::add(const std::string& name) {
  if (!row_of_.emplace(name, rows()).second) return;
  names_.push_back(name);
}

nn::Index OpTypes::row(std::string_view type) const {
  const auto found = row_of_.find(type);
  return found == row_of_.end() ? 0 : found->second;
}

std::vector<std::uint32_t> OpTypes::rows_of(const Problem& problem, GroupId group) const {
  std::vector<std::uint32_t> result;
  for (const OpId op : problem.groups().ops(group)) {
    result.push_back(static_cast<std::uint32_t>(row(problem.graph().op(op).type)));
  }
  return result;
}

nn::Parameter& OpTypes::add_rows(nn::Parameters& parameters, const std::string& name,
                                 nn::Index columns, double bound, Rng& rng) const {
  nn::Parameter& made =
      parameters.uniform(std::string(kPrefix) + name, rows(), columns, bound, rng);
  made.value.row(0).setZero();
  return made;
}

Policy OpTypes::adopt(const Policy& policy, nn::Parameters& parameters) {
  const OpTypes known(policy.types);
  for (const std::string& name : known.names_) add(name);
  std::vector<nn::Index> sources = {0};
  for (const std::string& name : names_) sources.push_back(known.row(name));
  for (nn::Parameter& parameter : parameters.all()) {
    if (!parameter.name.starts_with(kPrefix)) continue;
    for (nn::Matrix* matrix : {&parameter.value, &parameter.gradient, &parameter.first_moment,
                               &parameter.second_moment}) {
      matrix->setZero(rows(), matrix->cols());
    }
  }
  Policy adopted = policy;
  for (auto* list : {&adopted.weights, &adopted.state}) {
    for (NamedMatrix& matrix : *list) {
      if (!matrix.name.starts_with(kPrefix)) continue;
      find_matrix(*list, matrix.name, static_cast<std::size_t>(known.rows()), matrix.columns);
      matrix = with_rows(matrix, sources);
    }
  }
  return adopted;
}

}  // namespace placer
