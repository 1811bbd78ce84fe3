#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placer/model/graph.hpp"

namespace placer {

/// The module that an op is part of, by its path from the model, joined by dots: what
/// `Op::module` says, else the scopes of the op's name: `/model/layers.0/mlp/Mul` and
/// `model/layers.0/mlp/mul` are of `model.layers.0.mlp`. An op without scopes that holds parameters
/// and is called like its group is a module of that name. Empty where nothing says.
std::string module_path(const Op& op);

/// The nodes of the file that the op stands for: `Op::nodes`, else the op alone; none for an input
/// of the model.
std::vector<std::string> nodes_of(const Op& op);

/// The first op that reads what `op` gives, where `op` is an input of the model, no node: plans of
/// nodes have it there. Empty for nodes, and for what nothing reads.
std::optional<OpId> reader_of_input(const Graph& graph, OpId op);

/// The first `depth` names of a path; the whole path where it has no more.
std::string_view path_to_depth(std::string_view path, std::size_t depth);

/// Whether `path` is `module` or inside of it.
bool is_within(std::string_view path, std::string_view module);

/// The modules of all ops, cut to `depth` names; empty for ops that say none.
std::vector<std::string> modules_of(const Graph& graph,
                                    std::size_t depth = std::numeric_limits<std::size_t>::max());

/// The layers of a model and what is around them. A layer is a module that its list counts
/// (`model.layers.0`, `block0`); in a list that holds nothing but lists (`stage1.block0`), the
/// inner ones. Where most ops say no module, layers are repetitions of the same sequence of ops,
/// called `repeat.0` and so on.
struct ModelUnits {
  struct Unit {
    std::string name;  // a module; "input" and "output" for what is before and after all layers
    bool is_layer = false;
  };
  std::vector<Unit> units;      // in the order of their first ops
  std::vector<std::size_t> of;  // by op
  bool are_modules = true;      // not repetitions
};

enum class UnitDetail {
  kModules,  // modules outside of the layers are units, too
  kLayers    // what is outside belongs to "input", "output" or the layer that it serves
};

/// Every op is in a unit: one that is in none by itself is where all that read it are, else with
/// the last of those it follows, else with the first.
ModelUnits model_units(const Graph& graph, UnitDetail detail);

/// Makes ops of the same name in `together` (empty: none) share a device. Groups that the ops have
/// already and that share an op with such a name join it.
void join_groups(std::vector<Op>& ops, const std::vector<std::string>& together);
/// The name of a group, without what tells groups that were joined from those of the file.
std::string plain_group_name(const std::string& group);

}  // namespace placer
