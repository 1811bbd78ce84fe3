// How learners run: on one graph, here; on several, training.cpp.
#include <fmt/format.h>

#include "placer/search/run.hpp"
#include "search/core/plain_placements.hpp"

namespace placer {
namespace {

std::vector<std::string> names_of_all(bool OptimizerInfo::*has) {
  std::vector<std::string> names;
  for (const Optimizer& optimizer : all_optimizers()) {
    if (optimizer.info.*has) names.push_back(optimizer.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> transferring_algorithms() {
  return names_of_all(&OptimizerInfo::transfers);
}

std::vector<std::string> learning_algorithms() { return names_of_all(&OptimizerInfo::learns); }

void check_policy(const Policy& policy, const Optimizer& optimizer, std::size_t devices) {
  if (!optimizer.info.transfers) {
    throw Error(
        fmt::format("policy: expected an algorithm whose policies serve other graphs ({}), "
                    "found {}",
                    join(transferring_algorithms()), optimizer.name));
  }
  if (policy.algorithm != optimizer.name) {
    throw Error(fmt::format("policy: expected one of {}, found one of {}", optimizer.name,
                            policy.algorithm));
  }
  if (policy.devices != devices) {
    throw Error(fmt::format("policy: expected one for {} devices, found one for {}", devices,
                            policy.devices));
  }
}

namespace {

void learn(Learner& learner, const Rng& rng, Search& search) {
  if (search.policy() != nullptr) learner.apply(search, rng.stream("apply"));
  begin_with_single_devices(search);
  for (std::int64_t number = 0; !search.spent(); ++number) {
    const std::int64_t left = search.evaluations_left();
    learner.update(search, {0, number, search.progress(),
                            rng.stream("update", static_cast<std::uint64_t>(number))});
    if (search.evaluations_left() == left) break;
  }
}

}  // namespace

void run_learner(const Optimizer::MakeLearner& make, const OptionValues& values, Search& search) {
  const Rng rng = search.rng().stream("learner");
  const std::unique_ptr<Learner> learner =
      make(values, std::span(&search.problem(), 1), rng.stream("weights"));
  if (search.policy() != nullptr) learner->load(search.policy()->without_state());
  try {
    learn(*learner, rng, search);
  } catch (const Stopped&) {
    // What was learnt before is kept.
  }
  Policy policy;
  learner->save(policy);
  search.keep_policy(policy.without_state());
}

}  // namespace placer
