#include "search/learned/gdp_network.hpp"

#include <algorithm>
#include <cmath>

#include "placer/base/real.hpp"
#include "search/learned/group_features.hpp"

namespace placer {
namespace {

constexpr double kBarred = -300;
constexpr std::size_t kShapeSizes = 4;  // of the largest output

/// 0 for 0, 1 for the largest, and 1/10 less for each halving.
double halvings(double value, double largest) {
  if (value <= 0) return 0;
  return std::max(0.0, 1 + portable_log(value / largest) / portable_log(2) / 10);
}

}  // namespace

GdpGraph::Most GdpGraph::most_of(const GroupGraph& graph) {
  return {*std::ranges::max_element(graph.mean_ps), *std::ranges::max_element(graph.output_bytes),
          *std::ranges::max_element(graph.params_bytes)};
}

std::size_t GdpGraph::feature_count(std::size_t devices) { return kShapeSizes + 8 + 2 * devices; }

GdpGraph::GdpGraph(const Problem& problem, const OpTypes& op_types) {
  const GroupGraph graph(problem);
  nodes = graph.order;
  const auto rows = static_cast<nn::Index>(size());
  const std::size_t devices = problem.device_count();
  features.setZero(rows, static_cast<nn::Index>(feature_count(devices)));
  barred.setConstant(rows, static_cast<nn::Index>(devices), kBarred);
  std::vector<std::uint32_t> position(size());
  for (std::uint32_t i = 0; i < size(); ++i) position[nodes[i].index()] = i;
  const Most most = most_of(graph);
  for (std::size_t i = 0; i < size(); ++i) {
    describe(problem, graph, most, i);
    types.add_row(op_types.rows_of(problem, nodes[i]));
    std::vector<std::uint32_t> around = graph.around(nodes[i].index());
    for (std::uint32_t& other : around) other = position[other];
    neighbours.add_row(evenly_spread(std::move(around), kSampledNeighbours));
  }
  // Independent choices cannot say "together, anywhere": among identical devices the heaviest group
  // has but the first.
  const auto heaviest =
      static_cast<std::size_t>(std::ranges::max_element(graph.mean_ps) - graph.mean_ps.begin());
  for (const DeviceId device : problem.groups().allowed(GroupId(heaviest))) {
    if (problem.first_identical(device) == device) continue;
    barred(static_cast<nn::Index>(position[heaviest]), static_cast<nn::Index>(device.index())) =
        kBarred;
  }
}

/// The features of the node at position i, and where it may go.
void GdpGraph::describe(const Problem& problem, const GroupGraph& graph, const Most& most,
                        std::size_t i) {
  const GroupId group = nodes[i];
  const std::size_t node = group.index();
  const auto row = static_cast<nn::Index>(i);
  const auto ops = problem.groups().ops(group);
  double backward = 0;
  for (const OpId op : ops) {
    if (problem.graph().op(op).backward) backward += 1 / static_cast<double>(ops.size());
  }
  const std::array numbers = {
      most.ps > 0 ? graph.mean_ps[node] / most.ps : 0,
      halvings(graph.mean_ps[node], most.ps),
      halvings(graph.output_bytes[node], most.output_bytes),
      halvings(graph.params_bytes[node], most.params_bytes),
      static_cast<double>(i) / static_cast<double>(size()),
      portable_log(1 + static_cast<double>(graph.parents[node].size())) / 4,
      portable_log(1 + static_cast<double>(graph.children[node].size())) / 4,
      backward};
  if (const OutputShape* output = largest_output(problem, group)) {
    for (std::size_t d = 0; d < std::min(kShapeSizes, output->shape.size()); ++d) {
      const auto size = static_cast<double>(output->shape[d]);
      features(row, static_cast<nn::Index>(d)) = portable_log(1 + std::max(0.0, size)) / 16;
    }
  }
  nn::Index column = kShapeSizes;
  for (const double number : numbers) features(row, column++) = number;
  for (const DeviceId device : problem.groups().allowed(group)) {
    const auto at = static_cast<nn::Index>(device.index());
    const double ps = static_cast<double>(problem.group_ps(group, device));
    barred(row, at) = 0;
    features(row, column + 2 * at) = 1;
    features(row, column + 2 * at + 1) =
        graph.mean_ps[node] > 0 ? std::min(4.0, ps / graph.mean_ps[node]) : 1;
  }
}

GdpBlock::GdpBlock(nn::Parameters& parameters, const std::string& name, nn::Index width,
                   nn::Index heads, Rng& rng)
    : attention_norm_(parameters, name + "/attention_norm", width),
      dense_norm_(parameters, name + "/dense_norm", width),
      attention_(parameters, name + "/attention", width, heads, rng),
      wide_(parameters, name + "/wide", width, 2 * width, rng),
      narrow_(parameters, name + "/narrow", 2 * width, width, rng) {}

nn::Var GdpBlock::operator()(nn::Var segment, std::optional<nn::Var> before) const {
  if (before) before = attention_norm_(nn::stop_gradient(*before));
  const nn::Var mixed = nn::add(segment, attention_(attention_norm_(segment), before));
  return nn::add(mixed, narrow_(nn::relu(wide_(dense_norm_(mixed)))));
}

GdpNetwork::GdpNetwork(const Shape& shape, const OpTypes& types, Rng rng)
    : shape_(shape), types_(&types.add_rows(parameters_, "read", shape.width, 0.5, rng)) {
  const nn::Index width = shape.width;
  read_.emplace_back(parameters_, "read",
                     static_cast<nn::Index>(GdpGraph::feature_count(shape.devices)), width, rng);
  for (std::int64_t i = 0; i < shape.sage_layers; ++i) {
    const std::string name = "sage/" + std::to_string(i);
    sage_.emplace_back(parameters_, name + "/out", width, width, rng);
    sage_.emplace_back(parameters_, name + "/in", 2 * width, width, rng);
  }
  for (std::int64_t i = 0; i < shape.layers; ++i) {
    const std::string name = "block/" + std::to_string(i);
    blocks_.emplace_back(parameters_, name, width, shape.heads, rng);
    gates_.emplace_back(parameters_, name + "/gate", width, width, rng);
  }
  out_.emplace_back(parameters_, "out", width, static_cast<nn::Index>(shape.devices), rng);
  // Nearly uniform at first.
  for (nn::Parameter& parameter : parameters_.all()) {
    if (parameter.name.starts_with("out/")) parameter.value *= 0.1;
  }
}

nn::Var GdpNetwork::logits(nn::Tape& tape, GdpGraph& graph) const {
  const nn::Var typed = nn::segment_mean(graph.types.copies(1, 0), tape.parameter(*types_));
  nn::Var x = nn::relu(nn::add(read_[0](tape.constant(graph.features)), typed));
  const nn::Sparse neighbours = graph.neighbours.copies(1, graph.size());
  for (std::size_t i = 0; i < sage_.size(); i += 2) {
    const nn::Var around = nn::segment_max(neighbours, nn::relu(sage_[i](x)));
    x = nn::relu(sage_[i + 1](nn::concat_columns({x, around})));
  }
  const nn::Var whole = nn::scale(nn::sum_rows(x), 1 / static_cast<double>(graph.size()));
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (shape_.superposition) x = nn::multiply(x, nn::scale(nn::sigmoid(gates_[i](whole)), 2));
    std::vector<nn::Var> segments;
    std::optional<nn::Var> before;
    for (nn::Index first = 0; first < x.rows(); first += shape_.segment) {
      const nn::Var segment =
          nn::slice_rows(x, first, std::min<nn::Index>(shape_.segment, x.rows() - first));
      segments.push_back(blocks_[i](segment, before));
      before = segment;
    }
    x = segments.size() == 1 ? segments[0] : nn::concat_rows(segments);
  }
  return nn::add(out_[0](x), tape.constant(graph.barred));
}

double weight_of_entropy(double first, double progress, std::size_t nodes) {
  constexpr double kFew = 16;
  return first * (1 - progress) * std::min(1.0, std::sqrt(kFew / static_cast<double>(nodes)));
}

}  // namespace placer
