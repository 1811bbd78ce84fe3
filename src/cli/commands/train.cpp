#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>

#include "cli/commands/commands.hpp"
#include "cli/commands/keeper.hpp"
#include "cli/commands/one_rank.hpp"
#include "cli/commands/train_report.hpp"
#include "cli/ranks/rank_scores.hpp"
#include "cli/ranks/serving.hpp"
#include "cli/report/curve_file.hpp"
#include "cli/report/policy_errors.hpp"
#include "cli/shared/outputs.hpp"
#include "cli/shared/progress.hpp"
#include "cli/shared/request.hpp"
#include "placer/io/files.hpp"
#include "placer/io/policy_file.hpp"
#include "placer/search/training.hpp"

namespace placer {
namespace {

struct TrainFlags {
  std::optional<std::string> algo;
  std::optional<std::int64_t> evaluations, seed, threads;
  std::optional<std::string> groups;
  std::optional<Order> order;
  std::optional<std::string> policy_in, policy_out, resume, checkpoint;
  std::optional<std::int64_t> checkpoint_every;
  std::optional<std::string> curve;
  bool json = false, quiet = false;
};
constexpr std::array<FlagRow<TrainFlags>, 14> kTrainFlags = {
    text_flag("algo", 0, &TrainFlags::algo, "NAME",
              "the learner: one that 'placer algorithms' says transfers"),
    flag("evaluations", &TrainFlags::evaluations, 1,
         "simulated steps over all graphs, shared evenly; 2400 for each graph by default"),
    flag("seed", &TrainFlags::seed, 0, "of the random numbers; 1 by default"),
    flag("threads", &TrainFlags::threads, 1,
         "at most this many; all cores by default; never changes a result"),
    text_flag("groups", 0, &TrainFlags::groups, "auto|none|N|layer|module[:DEPTH]",
              "merge groups of ops before the training, as in optimize"),
    choice_flag<&TrainFlags::order>("order",
                                    "in which order a device takes its ops; fifo by default"),
    text_flag("policy-in", 0, &TrainFlags::policy_in, "FILE", "a policy to begin with"),
    text_flag("policy-out", 0, &TrainFlags::policy_out, "FILE", "write the policy here"),
    text_flag("resume", 0, &TrainFlags::resume, "FILE",
              "a checkpoint of the same training to go on from"),
    text_flag("checkpoint", 0, &TrainFlags::checkpoint, "FILE",
              "write all that resuming needs here, now and then and at the end"),
    flag("checkpoint-every", &TrainFlags::checkpoint_every, 1,
         "evaluations between checkpoints; only at the end by default"),
    text_flag("curve", 0, &TrainFlags::curve, "FILE",
              "write best and mean step time against evaluations here: .svg or .csv"),
    switch_flag("json", 0, &TrainFlags::json, "print one JSON object instead of the table"),
    switch_flag("quiet", 'q', &TrainFlags::quiet, "no table and no progress"),
};

void check_files(const Arguments& arguments, const TrainFlags& flags) {
  const std::vector<NamedFile> outputs = {{"--policy-out", flags.policy_out},
                                          {"--curve", flags.curve}};
  std::vector<NamedFile> inputs = problem_files(arguments);
  inputs.push_back({"--policy-in", flags.policy_in});
  // A checkpoint may take the place of the one that the training went on from.
  std::vector<NamedFile> with_resume = inputs;
  with_resume.push_back({"--resume", flags.resume});
  check_outputs(outputs, with_resume);
  inputs.insert(inputs.end(), outputs.begin(), outputs.end());
  check_outputs({{"--checkpoint", flags.checkpoint}}, inputs);
  if (flags.json) check_json_alone(outputs);
  check_checkpoint_file(flags.checkpoint);
  if (flags.curve) check_curve_file("--curve", *flags.curve);
  if (flags.checkpoint_every && !flags.checkpoint) {
    throw Error("--checkpoint-every: expected --checkpoint FILE as well, found none");
  }
  if (flags.resume && flags.policy_in) {
    throw Error("--resume: expected no --policy-in, since a checkpoint has a policy; found both");
  }
}

const Optimizer& learner_of(const TrainFlags& flags) {
  const std::string known = join(transferring_algorithms());
  if (!flags.algo) throw Error(fmt::format("train: --algo: expected one of {}, found none", known));
  const Optimizer& optimizer = find_optimizer(*flags.algo);
  if (optimizer.learner) return optimizer;
  throw Error(fmt::format("train: --algo: expected one of {}, found {}", known, *flags.algo));
}

TrainingRequest request_of(const TrainFlags& flags, const Arguments& arguments,
                           const Console& console) {
  const std::size_t graphs = arguments.positionals.size();
  TrainingRequest request;
  request.optimizer = &learner_of(flags);
  request.options = arguments.options;
  request.order = order_of({.order = flags.order});
  request.grouping = parse_grouping(flags.groups.value_or("auto"));
  request.evaluations =
      flags.evaluations.value_or(kStandardEvaluations * static_cast<std::int64_t>(graphs));
  request.seed = static_cast<std::uint64_t>(flags.seed.value_or(1));
  request.threads = threads_of_rank(console, flags.threads);
  request.checkpoint_evaluations = flags.checkpoint_every.value_or(0);
  return request;
}

/// train(problems, request), with the policy's file in front of what is wrong with the policy.
TrainingResult train_with_files(std::span<const Problem> problems, const TrainFlags& flags,
                                TrainingRequest& request) {
  const std::optional<std::string> file = flags.resume ? flags.resume : flags.policy_in;
  if (!file) return train(problems, request);
  const Policy policy = read_policy(*file);
  (flags.resume ? request.resume : request.policy_in) = &policy;
  return with_policy_file(file, [&] { return train(problems, request); });
}

TrainingResult train_with_progress(std::span<const Problem> problems, const TrainFlags& flags,
                                   const Arguments& arguments, TrainingRequest& request,
                                   Console& console) {
  Progress progress(read_flags(kProgressFlags, arguments), flags.quiet, console);
  request.interrupt = console.interrupt;
  request.observer = console.log;
  request.on_progress = [&](const TrainingProgress& now) { progress.show(now); };
  request.on_checkpoint = [&](const Policy& policy) {
    const std::string fault = write_if_possible(*flags.checkpoint, write_policy(policy), console);
    if (fault.empty()) return;
    console.log.tell(EventLevel::kWarn, "train", [&] { return "no checkpoint for now: " + fault; });
  };
  return train_with_files(problems, flags, request);
}

/// Returns the policy's text where --json has to show it, since its file could not be written.
std::string write_files(const TrainFlags& flags, const TrainedGraphs& graphs,
                        const TrainingResult& result, Console& console) {
  if (flags.checkpoint) write_output(*flags.checkpoint, write_policy(result.policy), console);
  std::string unwritten;
  if (flags.policy_out) {
    const std::string text = write_policy(result.policy.without_state());
    if (!flags.json) {
      write_result(*flags.policy_out, text, console);
    } else if (!write_output(*flags.policy_out, text, console)) {
      unwritten = text;
    }
  }
  if (!flags.curve) return unwritten;
  std::vector<NamedCurve> curves;
  for (std::size_t i = 0; i < result.graphs.size(); ++i) {
    curves.push_back({graphs[i].graph_name, result.graphs[i].curve, result.graphs[i].samples});
  }
  write_output(*flags.curve, curve_text(*flags.curve, curves), console);
  return unwritten;
}

/// An interrupt ends no batch: what an update learns depends on all of its scores.
ScoreJob score_job(std::span<const Problem> problems, const TrainingRequest& request) {
  return {.problems = problems, .order = request.order, .threads = request.threads};
}

/// The same, with its batches on all ranks, where there are several.
TrainingResult train_on_ranks(std::span<const Problem> problems, const TrainFlags& flags,
                              const Arguments& arguments, TrainingRequest& request,
                              Console& console) {
  std::optional<RankScores> ranks;
  if (!request.optimizer->info.in_batches) {
    warn_of_one_rank(request.optimizer->name, console);
  } else if (console.ranks != nullptr) {
    ranks.emplace(*console.ranks, score_job(problems, request), console.log);
    for (std::size_t i = 0; i < problems.size(); ++i) request.scorers.push_back(&ranks->of(i));
  }
  TrainingResult result = train_with_progress(problems, flags, arguments, request, console);
  request.scorers.clear();
  return result;
}

std::vector<Problem> problems_of(const TrainedGraphs& graphs) {
  std::vector<Problem> problems;
  for (const LoadedProblem& graph : graphs) problems.push_back(graph.problem);
  return problems;
}

void serve(const Arguments& arguments, const TrainFlags& flags, const Console& console) {
  const TrainingRequest request = request_of(flags, arguments, console);
  if (!request.optimizer->info.in_batches) return;
  const std::vector<Problem> problems =
      problems_of(load_problems(arguments.positionals, problem_flags(arguments), console.log));
  serve_scores(*console.ranks, score_job(problems, request));
}

int train_graphs(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kTrainFlags, arguments);
  if (is_other_rank(console)) {
    return serve_on_rank(console, [&] { serve(arguments, flags, console); });
  }
  check_files(arguments, flags);
  TrainingRequest request = request_of(flags, arguments, console);
  console.doing = "reading " + join(arguments.positionals);
  const TrainedGraphs graphs =
      load_problems(arguments.positionals, problem_flags(arguments), console.log);
  const std::vector<Problem> problems = problems_of(graphs);
  if (!flags.policy_out && !flags.checkpoint) {
    console.log.tell(EventLevel::kWarn, "train",
                     [] { return "without --policy-out what is learnt is not kept"; });
  }
  console.search_begins();
  console.doing = "training " + request.optimizer->name;
  const TrainingResult result = train_on_ranks(problems, flags, arguments, request, console);
  console.doing = "the report";
  const std::string unwritten = write_files(flags, graphs, result, console);
  if (flags.json) {
    console.out << train_json(graphs, request, result, unwritten);
  } else if (!flags.quiet) {
    summary_stream(console) << train_text(graphs, request, result, console.look);
  }
  return result.interrupted ? kInterrupted : kDone;
}

}  // namespace

Command train_command() {
  return {
      .name = "train",
      .summary = "train one policy on several graphs, for optimize --policy-in",
      .positionals = {{"GRAPH", "op graphs, placer-graph files or others that import recognises",
                       Positional::Count::kMany}},
      .flags = flags_of(kTrainFlags, kProblemFlags, kImportOptions, kProgressFlags),
      .examples = {"placer train graph.json other.json --devices 2gpu --algo gdp \\",
                   "    --evaluations 200 --policy-out policy.json"},
      .takes_algorithm_options = true,
      .interruptible = true,
      .uses_ranks = true,
      .run = train_graphs};
}

}  // namespace placer
