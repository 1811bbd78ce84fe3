#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "io/onnx/model.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostNodes = 1'000'000;
constexpr int kMostDepth = 16;

using Renaming = std::map<std::string, std::string>;

class Inliner {
 public:
  Inliner(const ImportSource& source, const OnnxModel& model) : source_(source) {
    for (const OnnxFunction& function : model.functions) {
      functions_.emplace(std::pair(function.domain, function.name), &function);
    }
  }

  void append(const OnnxNode& node, int depth) {
    if (++appended_ > kMostNodes) {
      source_.fail(node.place(), fmt::format("at most {} nodes and calls", kMostNodes), "more");
    }
    const auto at = functions_.find(std::pair(node.domain, node.op));
    if (at != functions_.end()) return append_body(node, *at->second, depth);
    nodes_.push_back(node);
  }

  std::vector<OnnxNode> nodes() && { return std::move(nodes_); }

 private:
  void append_body(const OnnxNode& call, const OnnxFunction& function, int depth) {
    if (depth == kMostDepth) {
      source_.fail(call.place(), fmt::format("functions nested at most {} deep", kMostDepth),
                   "more");
    }
    if (call.inputs.size() > function.inputs.size() ||
        call.outputs.size() > function.outputs.size()) {
      source_.fail(call.place(),
                   fmt::format("at most {} inputs and {} outputs, as its function has",
                               function.inputs.size(), function.outputs.size()),
                   fmt::format("{} and {}", call.inputs.size(), call.outputs.size()));
    }
    const std::string prefix = unique_prefix(call);
    Renaming names;
    for (std::size_t i = 0; i < function.inputs.size(); ++i) {
      names[function.inputs[i]] = i < call.inputs.size() ? call.inputs[i] : "";
    }
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
      if (!call.outputs[i].empty()) names[function.outputs[i]] = call.outputs[i];
    }
    for (const OnnxNode& inner : function.nodes) {
      append(renamed(inner, call, function, prefix, names), depth + 1);
    }
  }

  /// The prefix of the names inside one call.
  std::string unique_prefix(const OnnxNode& call) {
    const std::string base = !call.name.empty()     ? call.name
                             : call.outputs.empty() ? call.op
                                                    : call.outputs.front();
    const std::size_t times = ++prefixes_[base];
    return times == 1 ? base : fmt::format("{}#{}", base, times);
  }

  OnnxNode renamed(OnnxNode node, const OnnxNode& call, const OnnxFunction& function,
                   const std::string& prefix, const Renaming& names) const {
    const auto rename = [&](std::string& name) {
      if (name.empty()) return;
      const auto at = names.find(name);
      name = at != names.end() ? at->second : prefix + "/" + name;
    };
    node.name = prefix + "/" + (node.name.empty() ? node.op : node.name);
    if (node.module.empty()) node.module = call.module;
    std::ranges::for_each(node.inputs, rename);
    std::ranges::for_each(node.outputs, rename);
    std::vector<OnnxAttribute> attributes;
    for (OnnxAttribute& attribute : node.attributes) {
      if (attribute.reference.empty()) {
        attributes.push_back(std::move(attribute));
      } else if (const auto given = from_caller(attribute, call, function)) {
        attributes.push_back(*given);
      }
    }
    node.attributes = std::move(attributes);
    return node;
  }

  std::optional<OnnxAttribute> from_caller(const OnnxAttribute& attribute, const OnnxNode& call,
                                           const OnnxFunction& function) const {
    const auto at = std::ranges::find(call.attributes, attribute.reference, &OnnxAttribute::name);
    if (at != call.attributes.end()) {
      OnnxAttribute given = *at;
      given.name = attribute.name;
      return given;
    }
    if (!function.has_defaults) return std::nullopt;
    source_.fail(call.place(),
                 fmt::format("the attribute '{}', as defaults of functions are not read",
                             one_line(attribute.reference, 60)),
                 "none");
  }

  const ImportSource& source_;
  std::map<std::pair<std::string, std::string>, const OnnxFunction*> functions_;
  std::map<std::string, std::size_t> prefixes_;
  std::vector<OnnxNode> nodes_;
  std::size_t appended_ = 0;  // nodes and calls
};

}  // namespace

void inline_functions(const ImportSource& source, OnnxModel& model) {
  if (model.functions.empty()) return;
  Inliner inliner(source, model);
  for (const OnnxNode& node : model.nodes) inliner.append(node, 0);
  model.nodes = std::move(inliner).nodes();
}

}  // namespace placer
