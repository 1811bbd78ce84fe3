#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/shared/outputs.hpp"
#include "cli/shared/request.hpp"

namespace placer {

struct OptimizeFlags {
  std::optional<std::string> algo;
  std::optional<std::int64_t> seed;
  std::optional<std::string> start;
  std::optional<std::string> config;
  std::optional<std::string> policy_in, policy_out;
  std::optional<std::string> curve, updates;
  std::optional<std::string> resume, checkpoint;
  std::optional<std::string> plan, plan_out;
  std::optional<std::string> mps;
};
inline constexpr std::array<FlagRow<OptimizeFlags>, 13> kOptimizeFlags = {
    text_flag("algo", 0, &OptimizeFlags::algo, "NAME",
              "the algorithm, auto by default; 'placer algorithms' lists them; exec:COMMAND is a "
              "program of yours that prints placements (docs/exec.md)"),
    flag("seed", &OptimizeFlags::seed, 0, "of the random numbers; 1 by default"),
    text_flag("start", 0, &OptimizeFlags::start, "FILE",
              "a placement to start from; never returns a worse one"),
    text_flag("config", 0, &OptimizeFlags::config, "FILE",
              "a placer-config file, or a placement file whose request is run "
              "again; flags win"),
    text_flag("policy-in", 0, &OptimizeFlags::policy_in, "FILE",
              "a learnt policy to place this graph with, then to learn on with "
              "the budget left"),
    text_flag("policy-out", 0, &OptimizeFlags::policy_out, "FILE",
              "write what the algorithm has learnt here"),
    text_flag("curve", 0, &OptimizeFlags::curve, "FILE",
              "write best and mean step time against evaluations here: .svg or .csv"),
    text_flag("updates", 0, &OptimizeFlags::updates, "FILE",
              "write what each update of a learner was like here (mean cost, loss, entropy, "
              "divergence, beta): .svg or .csv"),
    text_flag("resume", 0, &OptimizeFlags::resume, "FILE",
              "a checkpoint of the same search to go on from"),
    text_flag("checkpoint", 0, &OptimizeFlags::checkpoint, "FILE",
              "write all that resuming needs here, every few seconds and at the end"),
    text_flag("plan", 0, &OptimizeFlags::plan, "FILE",
              "a plan of the framework of --for, such as the one that runs today, to compare with"),
    text_flag("plan-out", 0, &OptimizeFlags::plan_out, "FILE",
              "write the placement here as the framework of --for takes it; for onnx, a folder"),
    text_flag("mps", 0, &OptimizeFlags::mps, "FILE",
              "write the program that milp solves here, in MPS format"),
};

/// Throws Error for files that cannot be read or written, or that are two things at once.
void check_files(const Arguments& arguments, const OptimizeFlags& flags,
                 const OutputFlags& outputs);

/// Throws Error for what a search for a pipeline of micro-batches does not know.
void check_pipeline_flags(const OptimizeFlags& flags);

/// What the command line asks of one search.
struct Asked {
  OptimizeFlags flags;
  OutputFlags outputs;
  SearchFlags search;
};
Asked asked_of(const Arguments& arguments);

const Optimizer& algorithm_of(const OptimizeFlags& flags);

/// The search for `problem`, with the algorithm's options complete. `policy` may be null; it
/// outlives the request.
SearchRequest request_of(const Asked& asked, const OptionValues& options, const Policy* policy,
                         const Problem& problem, const Console& console);

/// Throws Error for what the optimizer cannot learn or go on with: before a long search, not after
/// it.
void check_learning(const OptimizeFlags& flags, const std::optional<Policy>& policy,
                    const Optimizer& optimizer, const Problem& problem);

}  // namespace placer
