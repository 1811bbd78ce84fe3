#include <algorithm>
#include <map>
#include <set>

#include "model/repetitions.hpp"
#include "placer/base/text.hpp"
#include "placer/model/modules.hpp"

namespace placer {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// What is left of a name without the digits at its end.
std::string_view stem_of(std::string_view name) {
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  return name;
}

/// Which names count the members of a list: numbers, and names of modules with modules inside that
/// differ in the number at their end.
class Lists {
 public:
  explicit Lists(const std::vector<std::vector<std::string>>& paths) {
    for (const auto& path : paths) {
      std::string parent;
      for (const std::string& name : path) {
        children_[parent].insert(name);
        stems_[parent + "." + std::string(stem_of(name))].insert(name);
        parent += "." + name;
      }
    }
  }

  /// The names of `path` that lead to its layer; 0: it is in none.
  std::size_t layer_depth(const std::vector<std::string>& path) const {
    std::string parent;
    for (std::size_t depth = 1; depth <= path.size(); ++depth) {
      const std::string& name = path[depth - 1];
      if (counts(parent, name)) {
        while (depth < path.size() && holds_lists_alone(parent + "." + path[depth - 1])) {
          parent += "." + path[depth - 1];
          ++depth;
        }
        return depth;
      }
      parent += "." + name;
    }
    return 0;
  }

 private:
  bool counts(const std::string& parent, const std::string& name) const {
    const std::string_view stem = stem_of(name);
    if (stem.empty()) return true;
    return stem.size() < name.size() && children_.contains(parent + "." + name) &&
           stems_.at(parent + "." + std::string(stem)).size() > 1;
  }

  bool holds_lists_alone(const std::string& parent) const {
    return std::ranges::all_of(children_.at(parent), [&](const std::string& name) {
      return counts(parent, name) && children_.contains(parent + "." + name);
    });
  }

  std::map<std::string, std::set<std::string>> children_, stems_;  // by path
};

using OpNames = std::vector<std::string>;  // by op

struct Named {
  OpNames names;
  std::set<std::string> layers;
  bool are_modules = true;
};

/// The layer of each op, else its module.
Named layers_and_modules(const Graph& graph) {
  std::vector<std::vector<std::string>> paths;
  for (const Op& op : graph.ops()) {
    const std::string path = module_path(op);
    paths.push_back(path.empty() ? std::vector<std::string>() : split(path, '.'));
  }
  const Lists lists(paths);
  Named named;
  std::size_t nameless = 0;
  for (const auto& path : paths) {
    const std::size_t depth = lists.layer_depth(path);
    std::string name;
    for (std::size_t i = 0; i < (depth > 0 ? depth : path.size()); ++i) {
      name += (i > 0 ? "." : "") + path[i];
    }
    if (depth > 0) named.layers.insert(name);
    nameless += path.empty();
    named.names.push_back(std::move(name));
  }
  named.are_modules = nameless * 2 <= paths.size() || !named.layers.empty();
  if (named.are_modules) return named;
  OpNames repeated = repetitions(graph);
  std::set<std::string> layers(repeated.begin(), repeated.end());
  layers.erase("");
  if (layers.empty()) return named;
  return {std::move(repeated), std::move(layers), false};
}

/// Empties the names of modules that hold units of their own: no unit is inside of another.
void drop_containers(Named& named) {
  std::set<std::string> containers;
  for (const std::string& name : named.names) {
    for (std::size_t dot = name.find('.'); dot != std::string::npos;
         dot = name.find('.', dot + 1)) {
      containers.insert(name.substr(0, dot));
    }
  }
  for (std::string& name : named.names) {
    if (containers.contains(name)) name.clear();
  }
}

/// Units of ops that have none, from those around them.
class Closing {
 public:
  Closing(const Graph& graph, OpNames& names) : graph_(graph), names_(names) {
    for (const OpId op : graph.program_order()) {
      const std::string& name = names[op.index()];
      if (!name.empty()) rank_.emplace(name, rank_.size());
    }
  }

  void close() {
    const auto& order = graph_.program_order();
    for (auto op = order.rbegin(); op != order.rend(); ++op) join_only_reader(*op);
    for (const OpId op : order) join_last_source(op);
    if (rank_.empty()) return;
    const auto first =
        std::ranges::min_element(rank_, {}, [](const auto& each) { return each.second; });
    for (std::string& name : names_) {
      if (name.empty()) name = first->first;
    }
  }

 private:
  void join_only_reader(OpId op) {
    if (!names_[op.index()].empty() || !graph_.inputs(op).empty()) return;
    std::set<std::string> readers;
    for (const TensorId tensor : graph_.outputs(op)) {
      for (const OpId reader : graph_.tensor(tensor).consumers) {
        readers.insert(names_[reader.index()]);
      }
    }
    if (readers.size() == 1) names_[op.index()] = *readers.begin();
  }

  void join_last_source(OpId op) {
    if (!names_[op.index()].empty()) return;
    const std::string* last = nullptr;
    for (const TensorId tensor : graph_.inputs(op)) {
      const std::string& source = names_[graph_.tensor(tensor).producer.index()];
      if (source.empty() || (last != nullptr && rank_.at(source) <= rank_.at(*last))) continue;
      last = &source;
    }
    if (last != nullptr) names_[op.index()] = *last;
  }

  const Graph& graph_;
  OpNames& names_;
  std::map<std::string, std::size_t> rank_;  // by first op
};

/// Backward ops without a name get that of the forward ops of their group.
void name_backward_ops(const Graph& graph, OpNames& names) {
  std::map<std::string, std::string> of_group;
  for (const OpId op : graph.program_order()) {
    const Op& each = graph.op(op);
    if (each.backward || each.group.empty() || names[op.index()].empty()) continue;
    of_group.emplace(each.group, names[op.index()]);
  }
  for (const OpId op : graph.program_order()) {
    const auto known = of_group.find(graph.op(op).group);
    if (!graph.op(op).backward || !names[op.index()].empty() || known == of_group.end()) continue;
    names[op.index()] = known->second;
  }
}

/// In the forward pass, which ops layers lead to, and which lead to layers.
struct Reach {
  std::vector<char> follows, leads;  // by op
};

Reach reach_of(const Graph& graph, const Named& named) {
  const std::size_t count = graph.ops().size();
  Reach reach{std::vector<char>(count, 0), std::vector<char>(count, 0)};
  const auto is_layer = [&](OpId op) { return named.layers.contains(named.names[op.index()]); };
  const auto& order = graph.program_order();
  for (const OpId op : order) {
    if (graph.op(op).backward) continue;
    for (const TensorId tensor : graph.inputs(op)) {
      const OpId source = graph.tensor(tensor).producer;
      if (is_layer(source) || reach.follows[source.index()] != 0) reach.follows[op.index()] = 1;
    }
  }
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    if (graph.op(*op).backward) continue;
    for (const TensorId tensor : graph.outputs(*op)) {
      for (const OpId reader : graph.tensor(tensor).consumers) {
        if (graph.op(reader).backward) continue;
        if (is_layer(reader) || reach.leads[reader.index()] != 0) reach.leads[op->index()] = 1;
      }
    }
  }
  return reach;
}

/// What no layer is becomes "input" where no layer comes before it, "output" where none follows,
/// and nameless between them; backward ops become what the forward ops of their module do.
void name_ends(const Graph& graph, Named& named) {
  const Reach reach = reach_of(graph, named);
  const OpNames modules = named.names;
  std::map<std::string, std::string> of_module;
  for (const OpId op : graph.program_order()) {
    std::string& name = named.names[op.index()];
    if (named.layers.contains(name) || graph.op(op).backward) continue;
    const bool follows = reach.follows[op.index()] != 0, leads = reach.leads[op.index()] != 0;
    const bool is_free = graph.inputs(op).empty() && name.empty();
    name = is_free || (follows && leads) ? "" : follows ? "output" : "input";
    if (!modules[op.index()].empty()) of_module.emplace(modules[op.index()], name);
  }
  for (const OpId op : graph.program_order()) {
    std::string& name = named.names[op.index()];
    if (named.layers.contains(name) || !graph.op(op).backward) continue;
    const auto known = of_module.find(name);
    name = known == of_module.end() ? "" : known->second;
  }
}

}  // namespace

ModelUnits model_units(const Graph& graph, UnitDetail detail) {
  Named named = layers_and_modules(graph);
  drop_containers(named);
  if (detail == UnitDetail::kLayers && !named.layers.empty()) name_ends(graph, named);
  name_backward_ops(graph, named.names);
  Closing(graph, named.names).close();
  ModelUnits units;
  units.are_modules = named.are_modules;
  units.of.resize(graph.ops().size());
  std::map<std::string, std::size_t> known;
  for (const OpId op : graph.program_order()) {
    const std::string& name = named.names[op.index()];
    const auto [at, is_new] = known.emplace(name, units.units.size());
    if (is_new) units.units.push_back({name, named.layers.contains(name)});
    units.of[op.index()] = at->second;
  }
  return units;
}

}  // namespace placer
