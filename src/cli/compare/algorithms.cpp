#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "cli/compare/runs.hpp"
#include "cli/shared/algorithm.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/text.hpp"
#include "placer/io/exec.hpp"
#include "placer/io/policy_file.hpp"

namespace placer {
namespace {

/// "as-published" and the like. False where `word` is none of them.
bool set_addition(const std::string& word, ComparedAlgorithm& algorithm) {
  Additions additions = algorithm.additions.value_or(Additions());
  if (word == "as-published") {
    additions = kAsPublished;
    if (!algorithm.grouping) algorithm.grouping = parse_grouping("none");
  } else if (word == "no-single-devices") {
    additions.single_devices = false;
  } else if (word == "no-refinement") {
    additions.refinement = false;
  } else {
    return false;
  }
  algorithm.additions = additions;
  return true;
}

/// Layers and modules are not among them: they are a matter of the problem, which all share.
Grouping own_grouping(const std::string& option, const std::string& text) {
  if (const std::optional<Grouping> found = named_or_counted_grouping(text)) return *found;
  throw Error(fmt::format("option {}: expected auto, none or an integer from 1, found '{}'", option,
                          one_line(text, 80)));
}

/// What is no option of the algorithm, but of how it runs.
constexpr std::array kRunOptions = {"groups", "evaluations", "policy-in"};

void set_policy(const std::string& option, const std::string& file, ComparedAlgorithm& algorithm) {
  Policy policy = read_policy(file);
  if (policy.algorithm != algorithm.optimizer->name) {
    throw Error(fmt::format("option {}: {}: expected a policy of {}, found one of {}", option, file,
                            algorithm.optimizer->name, policy.algorithm));
  }
  algorithm.policy_in = std::make_shared<const Policy>(std::move(policy));
}

/// False where `name` is none of them.
bool set_run_option(const std::string& name, const std::string& value, const std::string& option,
                    ComparedAlgorithm& algorithm) {
  if (name == "groups") {
    algorithm.grouping = own_grouping(option, value);
  } else if (name == "evaluations") {
    const OptionInfo budget{
        option, {}, IntegerRange{1, std::numeric_limits<std::int64_t>::max()}, std::int64_t{1}};
    algorithm.evaluations = std::get<std::int64_t>(parse_option(budget, value));
  } else if (name == "policy-in") {
    set_policy(option, value, algorithm);
  } else {
    return false;
  }
  return true;
}

void set_option(const std::string& text, ComparedAlgorithm& algorithm) {
  if (set_addition(text, algorithm)) return;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw Error(fmt::format(
        "option --algo: {}: expected NAME=VALUE, as-published, no-single-devices or no-refinement, "
        "found '{}'",
        algorithm.optimizer->name, text));
  }
  const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
  const std::string option_name = fmt::format("--algo: {}: {}", algorithm.optimizer->name, name);
  if (set_run_option(name, value, option_name, algorithm)) return;
  const std::vector<OptionInfo>& options = algorithm.optimizer->options;
  const auto option = std::ranges::find(options, name, &OptionInfo::name);
  if (option == options.end()) {
    std::vector<std::string> names(kRunOptions.begin(), kRunOptions.end());
    for (const OptionInfo& each : options) names.push_back(each.name);
    throw Error(fmt::format("option --algo: {}: expected one of {}, found '{}'{}",
                            algorithm.optimizer->name, join(names), name,
                            did_you_mean(name, names)));
  }
  OptionInfo named = *option;
  named.name = option_name;
  algorithm.options[name] = parse_option(named, value);
}

ComparedAlgorithm parse_algorithm(const std::string& text) {
  std::vector<std::string> parts = split(text, ':');
  if (text.starts_with(kExecPrefix)) {
    parts[0] += ":" + parts[1];
    parts.erase(parts.begin() + 1);
  }
  ComparedAlgorithm algorithm;
  algorithm.optimizer = &find_algorithm(parts[0]);
  algorithm.label = algorithm.optimizer->name;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    set_option(parts[i], algorithm);
    algorithm.label += ":" + parts[i];
  }
  return algorithm;
}

}  // namespace

std::vector<ComparedAlgorithm> parse_algorithms(const std::optional<std::string>& text) {
  std::vector<ComparedAlgorithm> chosen;
  if (!text) {
    for (const Optimizer& optimizer : all_optimizers()) {
      if (optimizer.info.unavailable.empty()) chosen.push_back({&optimizer, optimizer.name});
    }
    return chosen;
  }
  for (const std::string& part : split(*text, ',')) {
    ComparedAlgorithm algorithm = parse_algorithm(part);
    if (std::ranges::count(chosen, algorithm.label, &ComparedAlgorithm::label) > 0) {
      throw Error(fmt::format("option --algo: expected each algorithm once, found '{}' twice",
                              algorithm.label));
    }
    chosen.push_back(std::move(algorithm));
  }
  return chosen;
}

std::vector<Order> parse_orders(const std::optional<std::string>& text) {
  std::vector<Order> orders;
  const std::vector<std::string> known = all_names<Order>();
  for (const std::string& name : text ? split(*text, ',') : std::vector{known.front()}) {
    if (std::ranges::count(known, name) == 0) {
      throw Error(fmt::format("option --order: expected one or several of {}, found '{}'{}",
                              join(known), name, did_you_mean(name, known)));
    }
    const auto order = named<Order>(name);
    if (std::ranges::count(orders, order) > 0) {
      throw Error(fmt::format("option --order: expected each order once, found '{}' twice", name));
    }
    orders.push_back(order);
  }
  return orders;
}

std::vector<ComparedAlgorithm> under_orders(const std::vector<ComparedAlgorithm>& algorithms,
                                            std::size_t orders) {
  std::vector<ComparedAlgorithm> all;
  for (const ComparedAlgorithm& algorithm : algorithms) {
    for (std::size_t order = 0; order < orders; ++order) {
      all.push_back(algorithm);
      all.back().order = order;
    }
  }
  return all;
}

}  // namespace placer
