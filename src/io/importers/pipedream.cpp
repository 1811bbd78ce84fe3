// Profiles of PipeDream (graph.txt): a line for each module with the measured milliseconds of its
// forward and backward pass on a GPU and the bytes of its output and parameters, then a line for
// each edge. Every module becomes a forward op; one with parameters, a measured backward pass or a
// producer that has a backward op gets a backward op in the same group. The output is held until
// the module's backward op, as PipeDream accounts for it; gradients have the bytes of the outputs
// they belong to. Narayanan et al.: PipeDream: generalized pipeline parallelism for DNN training,
// SOSP 2019.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "io/importers/importer.hpp"
#include "io/importers/text_fields.hpp"

namespace placer {
namespace {

constexpr std::string_view kSeparator = " -- ";
constexpr std::string_view kMetrics = " -- forward_compute_time=";
constexpr double kMillisecondsPerSecond = 1e3;
constexpr double kMostMilliseconds = 1e12;
constexpr double kMostBytes = 1e15;

struct Module {
  std::string name, type;
  double forward_ms = 0, backward_ms = 0;
  std::int64_t output_bytes = 0, params_bytes = 0;
};

struct Edge {
  std::size_t from = 0, to = 0;
};

struct Profile {
  std::vector<Module> modules;
  std::vector<Edge> edges;
  std::size_t stages = 0;  // modules with a stage number
};

/// Takes apart "A=1, B=2"; every part is asked for by name, in order.
class Metrics {
 public:
  Metrics(const ImportSource& source, std::string place, std::string_view text)
      : source_(source), place_(std::move(place)), rest_(text) {}

  double number(std::string_view name, double most) {
    const std::string_view text = value(name);
    return parsed(name, text, most);
  }

  /// One number, or the sum of "[1.0; 2.0]".
  std::int64_t bytes(std::string_view name) {
    std::string_view text = value(name);
    double sum = 0;
    if (text.starts_with('[') && text.ends_with(']')) {
      text = text.substr(1, text.size() - 2);
      while (true) {
        const std::size_t end = text.find(';');
        sum += parsed(name, trimmed(text.substr(0, end)), kMostBytes);
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
      }
    } else {
      sum = parsed(name, text, kMostBytes);
    }
    if (sum > kMostBytes) source_.fail(place_, fmt::format("at most {} bytes", kMostBytes), "more");
    return static_cast<std::int64_t>(std::ceil(sum));
  }

  void end() const {
    if (rest_.empty()) return;
    source_.fail(place_, "the end of the line", fmt::format("'{}'", one_line(rest_, 60)));
  }

 private:
  std::string_view value(std::string_view name) {
    const std::size_t end = rest_.find(", ");
    const std::string_view part = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
    if (!part.starts_with(name) || part.substr(name.size(), 1) != "=") {
      source_.fail(place_, fmt::format("{}=NUMBER", name), fmt::format("'{}'", one_line(part, 60)));
    }
    return part.substr(name.size() + 1);
  }

  double parsed(std::string_view name, std::string_view text, double most) const {
    const auto number = parsed_number<double>(text);
    if (number && *number >= 0 && *number <= most) return *number;
    source_.fail(place_, fmt::format("{} as a number from 0 to {}", name, most),
                 fmt::format("'{}'", one_line(text, 60)));
  }

  const ImportSource& source_;
  std::string place_;
  std::string_view rest_;
};

class ProfileReader {
 public:
  explicit ProfileReader(const ImportSource& source) : source_(source), lines_(source.text()) {}

  Profile read() && {
    while (const std::optional<std::string_view> line = lines_.next()) {
      const std::string_view text = trimmed(*line);
      if (text.empty()) continue;
      if (text.find(kMetrics) != std::string_view::npos) {
        read_module(text);
      } else {
        edge_lines_.push_back({text, lines_.place()});
      }
    }
    for (const auto& [text, place] : edge_lines_) read_edge(text, place);
    return std::move(profile_);
  }

 private:
  void read_module(std::string_view text) {
    Module module;
    const std::string place = lines_.place();
    const std::size_t metrics_at = text.find(kMetrics);
    const std::size_t name_end = text.find(kSeparator);
    if (name_end == metrics_at) source_.fail(place, "NAME -- MODULE -- METRICS", "two parts");
    module.name = name_from(text.substr(0, name_end), place);
    const std::string_view described =
        text.substr(name_end + kSeparator.size(), metrics_at - name_end - kSeparator.size());
    module.type = one_line(trimmed(described.substr(0, described.find('('))), 100);
    Metrics metrics(source_, place, without_stage(text.substr(metrics_at + kSeparator.size())));
    module.forward_ms = metrics.number("forward_compute_time", kMostMilliseconds);
    module.backward_ms = metrics.number("backward_compute_time", kMostMilliseconds);
    module.output_bytes = metrics.bytes("activation_size");
    module.params_bytes = metrics.bytes("parameter_size");
    metrics.end();
    if (!ids_.emplace(module.name, profile_.modules.size()).second) {
      source_.fail(place, "a name of its own", fmt::format("'{}' again", module.name));
    }
    profile_.modules.push_back(std::move(module));
  }

  std::string name_from(std::string_view text, const std::string& place) const {
    if (one_line(text, 200) != text || text.empty()) {
      source_.fail(place, "a name of 1 to 200 printable characters",
                   fmt::format("'{}'", one_line(text, 60)));
    }
    return std::string(text);
  }

  /// A partitioned profile ends its lines in " -- stage_id=3".
  std::string_view without_stage(std::string_view metrics) {
    const std::size_t at = metrics.find(kSeparator);
    if (at == std::string_view::npos) return metrics;
    Metrics stage(source_, lines_.place(), metrics.substr(at + kSeparator.size()));
    stage.number("stage_id", 1e6);
    stage.end();
    ++profile_.stages;
    return metrics.substr(0, at);
  }

  void read_edge(std::string_view text, const std::string& place) {
    const std::size_t at = text.find(kSeparator);
    if (at == std::string_view::npos) {
      source_.fail(place, "NAME -- MODULE -- METRICS or NAME -- NAME",
                   fmt::format("'{}'", one_line(text, 60)));
    }
    const std::array<std::size_t, 2> ends = {
        module_named(text.substr(0, at), place),
        module_named(text.substr(at + kSeparator.size()), place)};
    if (ends[0] == ends[1]) source_.fail(place, "two modules", "the same one twice");
    if (!known_edges_.emplace(ends[0], ends[1]).second) {
      source_.fail(place, "each edge once", "the same edge again");
    }
    profile_.edges.push_back({ends[0], ends[1]});
  }

  std::size_t module_named(std::string_view name, const std::string& place) const {
    const auto at = ids_.find(std::string(name));
    if (at == ids_.end()) {
      source_.fail(place, "the name of a module", fmt::format("'{}'", one_line(name, 60)));
    }
    return at->second;
  }

  struct EdgeLine {
    std::string_view text;
    std::string place;
  };

  const ImportSource& source_;
  TextLines lines_;
  Profile profile_;
  std::vector<EdgeLine> edge_lines_;
  std::unordered_map<std::string, std::size_t> ids_;
  std::set<std::pair<std::size_t, std::size_t>> known_edges_;
};

Op op_of(const Module& module, bool backward) {
  Op op;
  op.name = backward ? module.name + "_backward" : module.name;
  op.type = backward ? module.type + "_backward" : module.type;
  const double ms = backward ? module.backward_ms : module.forward_ms;
  op.seconds = {{"gpu", ms / kMillisecondsPerSecond}};
  op.devices = {"gpu"};  // nothing else was measured
  op.params_bytes = backward ? 0 : module.params_bytes;
  op.backward = backward;
  return op;
}

Graph forward_graph(const ImportSource& source, const Profile& profile) {
  std::vector<Op> ops;
  std::vector<Tensor> tensors(profile.modules.size());
  for (std::size_t i = 0; i < profile.modules.size(); ++i) {
    ops.push_back(op_of(profile.modules[i], false));
    tensors[i].producer = OpId(i);
    tensors[i].bytes = profile.modules[i].output_bytes;
  }
  for (const Edge& edge : profile.edges) tensors[edge.from].consumers.emplace_back(edge.to);
  return imported_graph(source, source.stem(), std::move(ops), std::move(tensors));
}

/// By module: whether it has a backward op.
std::vector<char> trained(const Profile& profile, const Graph& forward) {
  std::vector<char> is_trained(profile.modules.size(), 0);
  for (const OpId op : forward.program_order()) {
    const Module& module = profile.modules[op.index()];
    bool any = module.params_bytes > 0 || module.backward_ms > 0;
    for (const TensorId input : forward.inputs(op)) {
      any = any || is_trained[forward.tensor(input).producer.index()] != 0;
    }
    is_trained[op.index()] = any ? 1 : 0;
  }
  return is_trained;
}

Graph training_graph(const ImportSource& source, const Profile& profile, const Graph& forward) {
  const std::vector<char> is_trained = trained(profile, forward);
  std::vector<Op> ops = forward.ops();
  std::vector<Tensor> tensors = forward.tensors();
  std::vector<OpId> backward(profile.modules.size());
  for (std::size_t i = 0; i < profile.modules.size(); ++i) {
    if (is_trained[i] == 0) continue;
    backward[i] = OpId(ops.size());
    tensors[i].consumers.push_back(backward[i]);
    ops.push_back(op_of(profile.modules[i], true));
    ops.back().group = ops[i].group = profile.modules[i].name;
  }
  for (const Edge& edge : profile.edges) {
    if (is_trained[edge.from] == 0) continue;
    Tensor& gradient = tensors.emplace_back();
    gradient.producer = backward[edge.to];
    gradient.consumers = {backward[edge.from]};
    gradient.bytes = profile.modules[edge.from].output_bytes;
  }
  return imported_graph(source, source.stem(), std::move(ops), std::move(tensors));
}

Imported read(ImportSource& source, const ImportOptions& options) {
  require_utf8(source);
  const Profile profile = ProfileReader(source).read();
  const Graph forward = forward_graph(source, profile);
  Imported imported{
      .format = {},
      .graph = options.inference ? forward : training_graph(source, profile, forward)};
  if (profile.stages > 0) {
    imported.notes.push_back(
        fmt::format("modules whose stage number is left out: {}", profile.stages));
  }
  return imported;
}

}  // namespace

Importer pipedream_importer() {
  return {.format = {.name = {},
                     .summary = "PipeDream profiles (graph.txt), measured on a GPU: forward and "
                                "backward ops, or with --inference the forward ones alone"},
          .recognises =
              [](ImportSource& source) {
                return !source.is_json() && source.text().find(kMetrics) != std::string::npos;
              },
          .read = read};
}

}  // namespace placer
