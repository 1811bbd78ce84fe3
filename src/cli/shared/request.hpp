#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/shared/command.hpp"
#include "cli/shared/import_options.hpp"
#include "cli/shared/outputs.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/model/formulas.hpp"
#include "placer/model/step_yield.hpp"
#include "placer/search/run.hpp"

namespace placer {

inline constexpr const char* kStandardDevices = "2gpu";  // and in words:
inline constexpr const char* kStandardMachine = "a Xeon E5 CPU and two K80 GPUs of 2014";
inline constexpr std::int64_t kStandardEvaluations = 2400;  // the budget of Post's paper

/// The graph and the devices: flags that every command that reads a graph has.
struct ProblemFlags {
  std::optional<std::string> devices, reserve;
  std::optional<TrainingRule> training;
  std::optional<std::string> profile, profile_device;
  std::optional<Objective> objective;
  bool contiguous = false;
  std::optional<std::string> stages, pin, together;
  std::optional<std::string> target;  // --for
  // Not of the rows below:
  std::optional<std::string> groups;  // of kSearchFlags, or a command's own
  bool ties_units = true;             // those of --for share devices
  bool is_to_run = false;             // runtimes take their part, as under --for
  std::string target_flag = "--for";
  ImportOptions import;                    // of kImportOptions
  std::string devices_from = "--devices";  // what named the devices
};
inline constexpr std::array<FlagRow<ProblemFlags>, 2> kDevicesFlags = {
    text_flag(
        "devices", 0, &ProblemFlags::devices, "FILE|NAME",
        "device spec: a file, a shipped name or a list such as 2xA100-80,1xCPU; else the graph "
        "file's own, else 2gpu"),
    text_flag(
        "reserve", 0, &ProblemFlags::reserve, "SIZE",
        "what the model may not have of each accelerator's memory, such as 1GiB, or of one as in "
        "1GiB,gpu:0=6GiB; unless given "
        "what a runtime takes under --for and in fit (1 GiB, but at most a tenth; vllm a "
        "tenth), of devices that the graph file does not bring itself, else nothing"),
};
/// What becomes of the graph's costs, and whether it is trained.
inline constexpr std::array<FlagRow<ProblemFlags>, 3> kCostFlags = {
    choice_flag<&ProblemFlags::training>(
        "training", "a step of training the inference graph, with this update rule"),
    text_flag("profile", 0, &ProblemFlags::profile, "FILE",
              "measured times by op name, which take the place of flops and bytes: CSV (name, "
              "seconds), JSON, or a Chrome trace"),
    text_flag("profile-device", 0, &ProblemFlags::profile_device, "TYPE",
              "the name or type of the device that was measured, where the profile does not say; "
              "gpu unless given"),
};
/// By what placements are judged, and what they may look like.
inline constexpr std::array<FlagRow<ProblemFlags>, 6> kGoalFlags = {
    choice_flag<&ProblemFlags::objective>(
        "objective",
        "what to minimise: the time of one step (latency, the default), the time per step of an "
        "endless pipeline (throughput), or of one step where each accelerator is called once "
        "(call-latency)"),
    switch_flag("contiguous", 0, &ProblemFlags::contiguous,
                "no path of forward ops leaves a device and comes back to it"),
    text_flag("stages", 0, &ProblemFlags::stages, "free|DEVICES",
              "the devices form a pipeline: tensors go to the same device or a later one, in an "
              "order that is found, or in that of a list of all devices (gpu:1,gpu:0,cpu:0)"),
    text_flag("pin", 0, &ProblemFlags::pin, "PATTERN=DEVICE,...",
              "ops whose names match a pattern, with * and ?, stay on the device, by name or type "
              "(layers.0.*=gpu:0)"),
    text_flag("together", 0, &ProblemFlags::together, "PATTERN,...",
              "ops whose names match a pattern share a device, those of each pattern one"),
    text_flag("for", 0, &ProblemFlags::target, "TARGET",
              "keep to what a framework can run, such as hf, vllm or llamacpp: layers stay whole, "
              "stages follow each other; 'placer export --help' lists the targets"),
};
inline constexpr auto kProblemFlags = joined(joined(kDevicesFlags, kCostFlags), kGoalFlags);

/// The flags of `arguments`, and whence the devices are.
ProblemFlags problem_flags(const Arguments& arguments);
/// The files that a command reads because of its positionals, these flags and --config, each with
/// its name for messages.
std::vector<NamedFile> problem_files(const Arguments& arguments);

/// How long, from where, and under which rules: shared by every command that searches.
struct SearchFlags {
  std::optional<std::int64_t> evaluations;
  std::optional<double> time_limit;
  std::optional<std::string> target;
  std::optional<std::int64_t> threads;
  std::optional<std::string> groups;
  std::optional<Order> order;
  bool as_published = false, no_single_devices = false, no_refinement = false;
};
inline constexpr std::array<FlagRow<SearchFlags>, 9> kSearchFlags = {
    flag("evaluations", &SearchFlags::evaluations, 1,
         "stop after this many simulated steps; 2400 unless a time limit is given"),
    flag("time-limit", &SearchFlags::time_limit, 0.001, "SECONDS",
         "stop after this much wall time; such results do not repeat exactly"),
    text_flag("target", 0, &SearchFlags::target, "SECONDS|GAP%",
              "stop at this step time, or this far above the lower bound; exit 3 when missed"),
    flag("threads", &SearchFlags::threads, 1,
         "at most this many; all cores by default; never changes a result"),
    text_flag("groups", 0, &SearchFlags::groups, "auto|none|N|layer|module[:DEPTH]",
              "merge groups of ops before the search: as the algorithm likes (auto, the default), "
              "not at all, or down to about N; or let the ops of a layer of the model share a "
              "device, or those of a module, such as a.b.c of a.b.c.d for depth 3"),
    choice_flag<&SearchFlags::order>("order",
                                     "in which order a device takes its ops; fifo by default"),
    switch_flag("as-published", 0, &SearchFlags::as_published,
                "as the algorithm's paper has it: its own values of the options, groups none, and "
                "the two below"),
    switch_flag("no-single-devices", 0, &SearchFlags::no_single_devices,
                "learners and genetic do not begin with everything on one device"),
    switch_flag("no-refinement", 0, &SearchFlags::no_refinement,
                "merged groups get the whole budget, and their best placement stays as it is"),
};

/// A problem and where its devices come from.
struct LoadedProblem {
  Problem problem;
  std::string graph_name;              // the graph's own, else the file's
  std::string devices_name;            // shipped name or file; "graph file" for the graph's own
  std::string devices_why;             // "from --devices", "the graph file's own", "the default"
  std::optional<std::string> shipped;  // the name, where the spec is a shipped one
  bool own_devices = false;            // the graph file's
  std::string graph_why;               // " (imported from onnx)"; empty for a file of ours
  bool standard_devices = false;       // neither --devices nor the graph file named any
  ProblemFlags flags;                  // with which it was read
  StepYield yield;                     // of the graph file
  std::string no_yield;                // why that is unknown; empty where it is not
  std::string graph_file;
};

/// Reads the graph and its devices, and tells `observer` which they are. Throws Error.
LoadedProblem load_problem(const std::string& graph_file, const ProblemFlags& flags,
                           const Observer& observer);
/// Its two parts: the file alone, and what the flags make of it.
GraphFile read_problem_graph(const std::string& graph_file, const ProblemFlags& flags,
                             const Observer& observer);
LoadedProblem load_problem(GraphFile read, const std::string& graph_file, const ProblemFlags& flags,
                           const Observer& observer);
/// The same for several graphs. Graphs that share a name get the names of their files.
std::vector<LoadedProblem> load_problems(const std::vector<std::string>& graph_files,
                                         const ProblemFlags& flags, const Observer& observer);

Order order_of(const SearchFlags& flags);

/// `--groups`, or what stands for it: "none" as published, else "auto".
std::string groups_of(const SearchFlags& flags);

/// The budget, grouping, additions, order and threads of the flags; the algorithm, its options and
/// the seed are the caller's to fill. Throws Error.
SearchRequest make_request(const SearchFlags& flags, const Problem& problem);

/// The step time of `--target`: seconds, or a gap over the lower bound. Throws Error.
Picoseconds parse_target(const std::string& text, const Problem& problem, Order order);

/// "auto" and "none", which may be called "op"; empty for another text.
std::optional<Grouping> named_grouping(std::string_view text);
/// "auto", "none" or a count; empty for another text.
std::optional<Grouping> named_or_counted_grouping(const std::string& text);
/// The same; "auto" for the units of the model. Throws Error.
Grouping parse_grouping(const std::string& text);

/// How many threads to use: as many as wanted, but no more than the machine has cores and than can
/// begin; all cores where nothing is wanted.
int thread_count(std::optional<std::int64_t> wanted);

}  // namespace placer
