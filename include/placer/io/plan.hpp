#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placer/io/import.hpp"
#include "placer/model/modules.hpp"
#include "placer/model/problem.hpp"

namespace placer {

/// A placement in the units of a target: what a plan is written from.
struct PlacedModel {
  const Problem& problem;
  const Placement& placement;
  ModelUnits units;               // empty where the target places each op by itself
  std::vector<DeviceId> devices;  // by unit
};

/// A placement that a framework makes by itself.
struct DefaultPlan {
  std::string name;
  std::vector<DeviceId> devices;  // by op
};

/// The file that a graph was imported from.
struct PlanSource {
  const std::string& text;
  const std::string& file;  // for messages
  const ImportOptions& import;
  std::string folder;  // in which it is, as seen from that of the plan: "", or ends with a slash
};

/// One of the files that make up a plan.
struct PlanFile {
  std::string name;  // in the plan's folder
  std::string bytes;
};

/// What a runtime takes of each accelerator's memory before the model: so many bytes, but not more
/// than a share of it. Unless a target says otherwise, about what PyTorch's context and kernels do
/// (huggingface.co/docs/accelerate, "Handling big models for inference": 1 to 2 GB).
struct RuntimeReserve {
  std::int64_t bytes = std::int64_t{1} << 30;
  double most_share = 0.1;
};

/// What a framework can run, and the form in which it is told. Each is defined by a file NAME.cpp
/// of src/io/plans and listed by a line of targets.def.
struct PlanTarget {
  enum class Cpus {
    kAny,      // take units like other devices
    kFirst,    // a CPU has the first units, other devices have those that follow, in their order
    kOffload,  // hold weights, which are copied to the first accelerator when they are needed
    kNone      // take none
  };

  std::string name;  // that of targets.def
  std::string summary;
  std::optional<UnitDetail> units;  // what stays whole; empty: ops
  bool parts_experts = false;  // the experts of a layer's mixture are a unit that may be anywhere
  bool needs_chain = false;    // layers are one list, and each reads from the one before
  bool joins_ends = false;  // what is before and after all layers goes with the first and the last
  bool starts_on_cpu = false;  // what is before all layers does, where there is a CPU
  bool in_stages = false;      // each device has units that follow each other
  bool in_order = false;       // in the order of the model, though they could run side by side
  bool runs_any = false;       // placements that break the rules above as well, if slower
  bool needs_modules = false;  // units are called by the model's own names
  Cpus cpus = Cpus::kAny;
  RuntimeReserve reserve = {};
  std::string source_format;  // of import_formats(): what graphs must come from; empty: anything
  std::string (*write)(const PlacedModel& model) = nullptr;
  /// What `write` leaves to its reader; empty: nothing. Null: never anything.
  std::string (*left_out)(const PlacedModel& model) = nullptr;
  /// Instead of `write`, where a plan is several files.
  std::vector<PlanFile> (*write_files)(const PlacedModel& model,
                                       const PlanSource& source) = nullptr;
  /// What the framework does where it is told nothing, each with its name there. Null: not known.
  std::vector<DefaultPlan> (*defaults)(const Problem& problem) = nullptr;
  /// The device of each op. Null where plans of the target are not read.
  std::vector<DeviceId> (*read)(const std::string& text, const std::string& file,
                                const Problem& problem) = nullptr;
};

const std::vector<PlanTarget>& plan_targets();
/// Throws Error for a name that is none.
const PlanTarget& find_plan_target(std::string_view name);

/// The graph by the rules of the target: where its CPUs may take nothing, ops are barred from them;
/// where they offload, ops on them take as long as on the first accelerator and the copy of their
/// parameters; where units keep their order, it is a control dependency; where they are stages,
/// groups of the file that reach over several units are parted, and each unit holds the parameters
/// that the group shares; experts that may be anywhere are out of the forward pass, of which alone
/// stages are asked. With `ties_units`, each unit shares a device. Throws Error for a model
/// that the target cannot run, and where no device is left.
Graph graph_for(const PlanTarget& target, Graph graph, const Topology& devices, bool ties_units);

/// The goal with the stages that the target needs.
Goal goal_for(const PlanTarget& target, Goal goal, const Topology& devices);

/// Throws Error: "FILE: PLACE: expected ..., found ..." for a plan that is none, names what the
/// problem does not have, or leaves parameters without a device; and where it parts ops that share
/// a device.
Placement read_plan(const PlanTarget& target, const std::string& text, const std::string& file,
                    const Problem& problem);

/// The placement of the problem whose ops are on `devices`; empty where that parts a group or bars
/// it.
std::optional<Placement> placement_on(const Problem& problem, const std::vector<DeviceId>& devices);

/// What the framework does by itself, as placements of the problem; those that part ops which share
/// a device, or bar them, are left out.
std::vector<std::pair<std::string, Placement>> default_placements(const PlanTarget& target,
                                                                  const Problem& problem);

/// The plan of a placement that keeps to the target's rules, of a target that has a `write`. Throws
/// Error where it does not.
std::string write_plan(const PlanTarget& target, const Problem& problem,
                       const Placement& placement);

/// What that plan leaves to whoever runs it; empty: nothing.
std::string left_out_of_plan(const PlanTarget& target, const Problem& problem,
                             const Placement& placement);

/// The plan of a target that has a `write_files`; each file comes after those that it names.
std::vector<PlanFile> write_plan_files(const PlanTarget& target, const Problem& problem,
                                       const Placement& placement, const PlanSource& source);

/// The files of stages that a pipeline.json of `write_plan_files` names; none in another text.
std::vector<std::string> stage_files(const std::string& chain);

/// What the first accelerator holds for units whose weights are on CPUs that offload: all but these
/// weights at the units' peak, and those of the largest unit. The simulator has it on the CPU.
struct OffloadNeed {
  DeviceId worker;
  std::int64_t needed_bytes = 0;
  std::int64_t left_bytes = 0;  // beside what is placed on it
};
/// Empty where the target does not offload, or nothing is offloaded.
std::optional<OffloadNeed> offload_need(const PlanTarget& target, const Problem& problem,
                                        const Placement& placement);
/// The most that it can come to: what the first accelerator holds where all that may be on CPUs is
/// there, of `placement` else.
std::int64_t most_offload_bytes(const PlanTarget& target, const Problem& problem,
                                Placement placement);

/// A placement of `problem` by the rules of the target that is like `devices`, by op: each unit
/// where most of its time is; stages in the order of their units, with as many units each.
Placement rounded_placement(const PlanTarget& target, const Problem& problem,
                            const std::vector<DeviceId>& devices);

}  // namespace placer
