#include "cli/commands/optimize_flags.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cli/commands/plan_files.hpp"
#include "cli/measure/measure.hpp"
#include "cli/ranks/serving.hpp"
#include "cli/report/curve_file.hpp"
#include "cli/report/deliver.hpp"
#include "cli/report/policy_errors.hpp"
#include "cli/shared/algorithm.hpp"

namespace placer {

void check_files(const Arguments& arguments, const OptimizeFlags& flags,
                 const OutputFlags& outputs) {
  std::vector<NamedFile> written = output_files(outputs);
  written.push_back({"--policy-out", flags.policy_out});
  written.push_back({"--curve", flags.curve});
  written.push_back({"--updates", flags.updates});
  written.push_back(plan_output("--plan-out", flags.plan_out, problem_flags(arguments).target));
  written.push_back({"--mps", flags.mps});
  for (const NamedFile& file : measure_files(read_flags(kMeasureFlags, arguments))) {
    written.push_back(file);
  }
  std::vector<NamedFile> read = problem_files(arguments);
  read.push_back({"--start", flags.start});
  read.push_back({"--plan", flags.plan});
  read.push_back({"--policy-in", flags.policy_in});
  // A checkpoint may take the place of the one that the search went on from.
  const NamedFile resume = {"--resume", flags.resume};
  check_outputs(written, {resume});
  written.push_back({"--checkpoint", flags.checkpoint});
  check_outputs(written, read);
  read.push_back(resume);
  check_inputs(read);
  if (outputs.json) check_json_alone(written);
  if (flags.curve) check_curve_file("--curve", *flags.curve);
  if (flags.updates) check_curve_file("--updates", *flags.updates);
}

void check_pipeline_flags(const OptimizeFlags& flags) {
  for (const auto& [name, file] : {std::pair("--start", flags.start),
                                   {"--policy-in", flags.policy_in},
                                   {"--policy-out", flags.policy_out},
                                   {"--curve", flags.curve},
                                   {"--updates", flags.updates},
                                   {"--resume", flags.resume},
                                   {"--checkpoint", flags.checkpoint},
                                   {"--plan", flags.plan},
                                   {"--plan-out", flags.plan_out},
                                   {"--mps", flags.mps}}) {
    if (file) throw Error(fmt::format("{}: expected none with --microbatches", name));
  }
}

Asked asked_of(const Arguments& arguments) {
  return {read_flags(kOptimizeFlags, arguments), read_flags(kOutputFlags, arguments),
          read_flags(kSearchFlags, arguments)};
}

const Optimizer& algorithm_of(const OptimizeFlags& flags) {
  return find_algorithm(flags.algo.value_or(kStandardAlgorithm));
}

SearchRequest request_of(const Asked& asked, const OptionValues& options, const Policy* policy,
                         const Problem& problem, const Console& console) {
  const auto& [flags, outputs, search] = asked;
  SearchRequest request = make_request(search, problem);
  request.optimizer = &algorithm_of(flags);
  request.options = options;
  request.policy_in = policy;
  request.keeps_scores = flags.checkpoint.has_value();
  request.options = completed_options(request);
  if (is_shared(request.optimizer->info)) {
    request.threads = threads_of_rank(console, search.threads);
  }
  request.seed = static_cast<std::uint64_t>(flags.seed.value_or(1));
  if (request.optimizer->info.proves && !search.evaluations && !search.time_limit) {
    request.budget.evaluations = Budget().evaluations;
  }
  return request;
}

void check_learning(const OptimizeFlags& flags, const std::optional<Policy>& policy,
                    const Optimizer& optimizer, const Problem& problem) {
  if (policy) {
    with_policy_file(flags.policy_in,
                     [&] { check_policy(*policy, optimizer, problem.device_count()); });
  }
  if (flags.updates && !optimizer.info.learns) {
    throw Error(fmt::format("--updates: expected an algorithm that learns ({}), found {}",
                            join(learning_algorithms()), optimizer.name));
  }
  if (flags.policy_out && !optimizer.info.transfers) {
    throw Error(
        fmt::format("--policy-out: expected an algorithm whose "
                    "policies serve other graphs ({}), found {}",
                    join(transferring_algorithms()), optimizer.name));
  }
}

}  // namespace placer
