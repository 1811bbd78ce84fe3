#include "search/learned/hierarchical_network.hpp"

#include <algorithm>
#include <cmath>

#include "placer/base/real.hpp"
#include "search/groups/group_graph.hpp"

namespace placer {

using nn::at;
using nn::Index;
using nn::Matrix;
using nn::Var;

namespace {

constexpr Index kBlock = 2048;  // items that go through the grouper together
constexpr double kNone = -1;
constexpr double kMostBytes = 1e4;  // that the largest output counts as: units do not matter

/// For each group, how many groups come before it in breadth-first order from those without
/// parents.
std::vector<std::size_t> breadth_first_positions(const GroupGraph& graph, Watch& watch) {
  constexpr std::size_t kUnseen = static_cast<std::size_t>(-1);
  std::vector<std::size_t> position(graph.size(), kUnseen);
  std::vector<std::uint32_t> queue;
  const auto visit = [&](std::uint32_t group) {
    if (position[group] != kUnseen) return;
    position[group] = queue.size();
    queue.push_back(group);
  };
  const auto reach = [&](std::size_t from) {
    for (; from < queue.size(); ++from) {
      watch.check(1 + graph.children[queue[from]].size());
      for (const std::uint32_t child : graph.children[queue[from]]) visit(child);
    }
  };
  for (const GroupId group : graph.order) {
    if (graph.parents[group.index()].empty()) visit(static_cast<std::uint32_t>(group.index()));
  }
  reach(0);
  for (const GroupId group : graph.order) {  // cycles of merged groups have no beginning
    const std::size_t before = queue.size();
    visit(static_cast<std::uint32_t>(group.index()));
    reach(before);
  }
  return position;
}

double scaled_log(double x) { return portable_log(1 + std::max(0.0, x)) / 16; }

}  // namespace

HierarchicalFeatures::HierarchicalFeatures(const Problem& problem, const OpTypes& op_types)
    : deadline(problem.deadline()) {
  GroupGraph graph(problem);
  Watch watch(deadline);
  const std::vector<std::size_t> position = breadth_first_positions(graph, watch);
  const std::size_t count = graph.size();
  numbers.resize(at(count), kNumbers);
  shape_sums.resize(at(count), kDimensions + 1);
  const double most_bytes = std::ranges::max(graph.output_bytes);
  for (const GroupId group : IdRange<GroupId>(count)) {
    watch.check(kNumbers);
    const Index row = at(group.index());
    numbers.row(row).setConstant(kNone);
    shape_sums.row(row).setZero();
    types.add_row(op_types.rows_of(problem, group));
    Index output = 0;
    for (const OpId op : problem.groups().ops(group)) {
      for (const OutputShape& shape : problem.graph().op(op).outputs) {
        for (std::size_t d = 0; d < std::min<std::size_t>(kDimensions, shape.shape.size()); ++d) {
          const auto size = static_cast<double>(shape.shape[d]);
          shape_sums(row, at(d)) += size;
          if (output < kOutputs) numbers(row, output * kDimensions + at(d)) = scaled_log(size);
        }
        ++output;
      }
    }
    shape_sums(row, kDimensions) =
        most_bytes > 0 ? kMostBytes * graph.output_bytes[group.index()] / most_bytes : 0.0;
    Index column = kOutputs * kDimensions;
    for (const auto neighbours : {graph.parents[group.index()], graph.children[group.index()]}) {
      const auto shown = std::min<std::size_t>(kNeighbours, neighbours.size());
      for (std::size_t i = 0; i < shown; ++i) {
        numbers(row, column + at(i)) =
            static_cast<double>(position[neighbours[i]]) / static_cast<double>(count);
      }
      column += kNeighbours;
    }
  }
  place.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    place[graph.order[i].index()] = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
  }
  children = std::move(graph.children);
}

HierarchicalNetwork::HierarchicalNetwork(const Shape& shape, const OpTypes& types, Rng rng)
    : shape_(shape),
      grouper_types_(&types.add_rows(parameters_, "grouper", shape.type_embedding, 0.5, rng)),
      placer_types_(&types.add_rows(parameters_, "placer", shape.type_embedding, 0.5, rng)),
      grouper_hidden_(parameters_, "grouper/hidden",
                      shape.type_embedding + HierarchicalFeatures::kNumbers, shape.grouper_hidden,
                      rng),
      grouper_output_(parameters_, "grouper/output", shape.grouper_hidden, shape.groups, rng),
      placer_(parameters_,
              {.inputs =
                   shape.type_embedding + HierarchicalFeatures::kDimensions + 1 + 2 * shape.groups,
               .devices = shape.devices,
               .hidden = shape.hidden,
               .attention = shape.attention,
               .bidirectional = true,
               .temperature = shape.temperature,
               .bound = shape.bound},
              rng) {}

/// What the grouper's logits begin with: an item goes to the group at its place in program order,
/// or to that one's neighbour.
Matrix HierarchicalNetwork::start(const HierarchicalFeatures& features, Index first,
                                  Index count) const {
  Matrix start(count, shape_.groups);
  for (Index row = 0; row < count; ++row) {
    const double place = features.place[static_cast<std::size_t>(first + row)];
    for (Index group = 0; group < shape_.groups; ++group) {
      const double apart =
          place * static_cast<double>(shape_.groups) - static_cast<double>(group) - 0.5;
      start(row, group) = shape_.bound * std::max(-1.0, 1 - std::abs(apart));
    }
  }
  return start;
}

Var HierarchicalNetwork::group_logits(HierarchicalFeatures& features, Index first, Index count,
                                      const Draw& draw) {
  grouper_tape_.clear();
  grouper_tape_.within(features.deadline);
  nn::Sparse types = features.types.copies(1, 0);
  types.offsets =
      types.offsets.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count) + 1);
  const Var embedded = nn::segment_mean(types, grouper_tape_.parameter(*grouper_types_));
  const Var numbers = grouper_tape_.constant(features.numbers.middleRows(first, count));
  const Var hidden = relu(grouper_hidden_(nn::concat_columns({embedded, numbers})));
  const Var logits =
      add(scale(nn::tanh(scale(grouper_output_(hidden), 1 / shape_.temperature)), shape_.bound),
          grouper_tape_.constant(start(features, first, count)));
  if (draw.noise == 0) return logits;
  Rng rng = draw.noise_rng.stream("grouper", static_cast<std::uint64_t>(first));
  Matrix noise(count, shape_.groups);
  for (double& value : noise.reshaped<Eigen::RowMajor>()) {
    value = draw.noise * (2 * rng.uniform() - 1);
  }
  return add(logits, grouper_tape_.constant(noise));
}

std::vector<Index> HierarchicalNetwork::draw_groups(HierarchicalFeatures& features,
                                                    const Draw& draw) {
  std::vector<Index> groups(features.size());
  const Index items = at(features.size());
  Watch watch(features.deadline);
  for (Index first = 0; first < items; first += kBlock) {
    const Index count = std::min(kBlock, items - first);
    watch.check(static_cast<std::size_t>(count));
    const Matrix logits = group_logits(features, first, count, draw).value();
    draw_choices(logits, draw.rng,
                 std::span(groups).subspan(static_cast<std::size_t>(first),
                                           static_cast<std::size_t>(count)));
  }
  return groups;
}

void HierarchicalNetwork::add_group_gradient(HierarchicalFeatures& features,
                                             std::span<const Index> groups, const Draw& draw,
                                             double weight) {
  const Index items = at(features.size());
  Watch watch(features.deadline);
  for (Index first = 0; first < items; first += kBlock) {
    const Index count = std::min(kBlock, items - first);
    watch.check(static_cast<std::size_t>(count));
    const Var logits = group_logits(features, first, count, draw);
    const auto chosen =
        groups.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    const Matrix probabilities = softmax(nn::stop_gradient(logits)).value();
    grouper_tape_.backward(logits,
                           reinforce_gradient(probabilities, chosen, std::span(&weight, 1)));
  }
}

Var HierarchicalNetwork::group_items(HierarchicalFeatures& features,
                                     std::span<const Index> groups) {
  constexpr Index kSums = HierarchicalFeatures::kDimensions + 1;
  Matrix counts = Matrix::Zero(shape_.groups, placer_types_->value.rows());
  Matrix sums = Matrix::Zero(shape_.groups, kSums);
  Matrix adjacent = Matrix::Zero(shape_.groups, 2 * shape_.groups);
  const nn::Sparse types = features.types.copies(1, 0);
  Watch watch(features.deadline);
  for (std::size_t item = 0; item < groups.size(); ++item) {
    const Index group = groups[item];
    watch.check();
    for (Index i = types.offsets[item]; i < types.offsets[item + 1]; ++i) {
      counts(group, types.columns[static_cast<std::size_t>(i)]) += 1;
    }
    sums.row(group) += features.shape_sums.row(at(item));
    for (const std::uint32_t child : features.children[item]) {
      if (groups[child] == group) continue;
      adjacent(group, groups[child]) = 1;
      adjacent(groups[child], shape_.groups + group) = 1;
    }
  }
  // Counts and sums of large graphs would drown the rest.
  for (Matrix* matrix : {&counts, &sums}) {
    for (double& value : matrix->reshaped()) value = scaled_log(value);
  }
  return nn::concat_columns(
      {matmul(placer_tape_.constant(counts), placer_tape_.parameter(*placer_types_)),
       placer_tape_.constant(sums), placer_tape_.constant(adjacent)});
}

const Rollout& HierarchicalNetwork::draw_devices(HierarchicalFeatures& features,
                                                 std::span<const Index> groups, Index rows,
                                                 const Draw& draw) {
  Matrix noise = Matrix::Zero(shape_.groups, shape_.devices);
  Rng rng = draw.noise_rng.stream("placer");
  for (double& value : noise.reshaped<Eigen::RowMajor>()) {
    value = draw.noise * (2 * rng.uniform() - 1);
  }
  placer_tape_.clear();
  placer_tape_.within(features.deadline);
  const Var items = group_items(features, groups);
  rollout_ = placer_.draw(items, noise, rows, draw.rng);
  return rollout_;
}

void HierarchicalNetwork::add_device_gradient(std::span<const double> advantage,
                                              double entropy_weight) {
  const Matrix probabilities = softmax(nn::stop_gradient(rollout_.logits)).value();
  const Matrix gradient =
      reinforce_gradient(probabilities, rollout_.choices, advantage) +
      entropy_gradient(probabilities) * -entropy_weight / static_cast<double>(advantage.size());
  placer_tape_.backward(rollout_.logits, gradient);
}

}  // namespace placer
