#include "search/learned/network_policy.hpp"

#include <algorithm>

namespace placer {
namespace {

NamedMatrix named(std::string name, const nn::Matrix& matrix) {
  return {std::move(name), static_cast<std::size_t>(matrix.rows()),
          static_cast<std::size_t>(matrix.cols()),
          std::vector<double>(matrix.data(), matrix.data() + matrix.size())};
}

void assign(const std::vector<NamedMatrix>& among, const std::string& name, nn::Matrix& matrix) {
  const NamedMatrix& found = find_matrix(among, name, static_cast<std::size_t>(matrix.rows()),
                                         static_cast<std::size_t>(matrix.cols()));
  std::ranges::copy(found.values, matrix.data());
}

}  // namespace

void save_network(const std::string& prefix, const nn::Parameters& parameters, const nn::Adam& adam,
                  Policy& policy) {
  for (const nn::Parameter& parameter : parameters.all()) {
    const std::string name = prefix + parameter.name;
    policy.weights.push_back(named(name, parameter.value));
    policy.state.push_back(named(name + "/first", parameter.first_moment));
    policy.state.push_back(named(name + "/second", parameter.second_moment));
  }
  policy.counters.push_back({prefix + "adam", {adam.steps}});
}

void load_network(const std::string& prefix, const Policy& policy, nn::Parameters& parameters,
                  nn::Adam& adam) {
  for (nn::Parameter& parameter : parameters.all()) {
    const std::string name = prefix + parameter.name;
    assign(policy.weights, name, parameter.value);
    if (policy.state.empty()) continue;
    assign(policy.state, name + "/first", parameter.first_moment);
    assign(policy.state, name + "/second", parameter.second_moment);
  }
  if (policy.state.empty()) return;
  adam.steps = find_counters(policy.counters, prefix + "adam", 1).values[0];
}

}  // namespace placer
