#include "placer/model/modules.hpp"

#include <algorithm>
#include <map>

#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

constexpr std::string_view kTracedRoot = "__module.";  // of OpenVINO's reader of PyTorch
constexpr std::string_view kTogether = "together ";    // before the names of joined groups

/// The scopes of a name without its own last part; dots where scopes have slashes. PyTorch's tracer
/// calls the members of a list that is called by the list's name, too: `layer1/layer1.0` is one.
std::string scopes_of(std::string_view name) {
  const std::size_t last = name.rfind('/');
  if (last == std::string_view::npos) return {};
  std::vector<std::string> scopes;
  for (std::string& scope : split(name.substr(0, last), '/')) {
    if (scope.empty() || scope.find("::") != std::string::npos) continue;
    if (!scopes.empty() && scope.starts_with(scopes.back() + ".")) scopes.pop_back();
    scopes.push_back(std::move(scope));
  }
  return join(scopes, ".");
}

}  // namespace

std::string module_path(const Op& op) {
  std::string path = op.module.empty() ? scopes_of(op.name) : op.module;
  if (path.empty() && op.params_bytes > 0 && op.group == op.name) return op.name;
  if (path.starts_with(kTracedRoot)) path.erase(0, kTracedRoot.size());
  return path;
}

std::vector<std::string> nodes_of(const Op& op) {
  if (op.nodes.empty() && op.type != "input") return {op.name};
  return op.nodes;
}

std::optional<OpId> reader_of_input(const Graph& graph, OpId op) {
  if (!nodes_of(graph.op(op)).empty()) return std::nullopt;
  for (const TensorId tensor : graph.outputs(op)) {
    const auto& readers = graph.tensor(tensor).consumers;
    if (!readers.empty()) return readers.front();
  }
  return std::nullopt;
}

std::string_view path_to_depth(std::string_view path, std::size_t depth) {
  std::size_t end = 0;
  for (std::size_t names = 0; names < depth; ++names) {
    end = path.find('.', names == 0 ? 0 : end + 1);
    if (end == std::string_view::npos) return path;
  }
  return path.substr(0, end);
}

bool is_within(std::string_view path, std::string_view module) {
  return path.starts_with(module) &&
         (module.empty() || path.size() == module.size() || path[module.size()] == '.');
}

std::vector<std::string> modules_of(const Graph& graph, std::size_t depth) {
  std::vector<std::string> modules;
  for (const Op& op : graph.ops()) {
    modules.emplace_back(path_to_depth(module_path(op), depth));
  }
  return modules;
}

void join_groups(std::vector<Op>& ops, const std::vector<std::string>& together) {
  std::map<std::string, std::string> joins;
  const auto joined = [&](std::string name) {
    for (auto at = joins.find(name); at != joins.end(); at = joins.find(name)) name = at->second;
    return name;
  };
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (together[i].empty()) continue;
    const std::string whole = joined(std::string(kTogether) + together[i]);
    if (ops[i].group.empty()) ops[i].group = whole;
    if (const std::string own = joined(ops[i].group); own != whole) joins[own] = whole;
  }
  for (Op& op : ops) op.group = joined(op.group);
}

std::string plain_group_name(const std::string& group) {
  return group.starts_with(kTogether) ? group.substr(kTogether.size()) : group;
}

}  // namespace placer
