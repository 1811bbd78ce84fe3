#include "search/learned/hierarchical_network.hpp"

#include <algorithm>
#include <string_view>

#include "placer/base/hash.hpp"
#include "placer/base/real.hpp"
#include "search/groups/group_graph.hpp"

namespace placer {

using nn::Index;
using nn::Matrix;
using nn::Var;

namespace {

constexpr Index kBlock = 2048;  // items that go through the grouper together
constexpr double kNone = -1;
constexpr double kMostBytes = 1e4;  // that the largest output counts as: units do not matter

constexpr Index at(std::size_t index) { return static_cast<Index>(index); }

Index type_class(std::string_view type) {
  return at(fnv1a(type) % HierarchicalFeatures::kTypeClasses);
}

/// For each group, how many groups come before it in breadth-first order from those without
/// parents.
std::vector<std::size_t> breadth_first_positions(const GroupGraph& graph) {
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

HierarchicalFeatures::HierarchicalFeatures(const Problem& problem) {
  GroupGraph graph(problem);
  const std::vector<std::size_t> position = breadth_first_positions(graph);
  const std::size_t count = graph.size();
  types.resize(count);
  numbers = Matrix::Constant(at(count), kNumbers, kNone);
  shape_sums = Matrix::Zero(at(count), kDimensions + 1);
  const double most_bytes = std::ranges::max(graph.output_bytes);
  for (const GroupId group : IdRange<GroupId>(count)) {
    const Index row = at(group.index());
    types[group.index()] = type_class(problem.graph().op(problem.groups().ops(group).front()).type);
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
    for (const auto* neighbours : {&graph.parents[group.index()], &graph.children[group.index()]}) {
      const auto shown = std::min<std::size_t>(kNeighbours, neighbours->size());
      for (std::size_t i = 0; i < shown; ++i) {
        numbers(row, column + at(i)) =
            static_cast<double>(position[(*neighbours)[i]]) / static_cast<double>(count);
      }
      column += kNeighbours;
    }
  }
  children = std::move(graph.children);
}

HierarchicalNetwork::HierarchicalNetwork(const Shape& shape, Rng rng)
    : shape_(shape),
      types_(&parameters_.uniform("types", at(HierarchicalFeatures::kTypeClasses),
                                  shape.type_embedding, 0.5, rng)),
      grouper_hidden_(parameters_, "grouper/hidden",
                      shape.type_embedding + HierarchicalFeatures::kNumbers, shape.grouper_hidden,
                      rng),
      grouper_output_(parameters_, "grouper/output", shape.grouper_hidden, shape.groups, rng),
      placer_(parameters_,
              {.inputs = at(HierarchicalFeatures::kTypeClasses) +
                         HierarchicalFeatures::kDimensions + 1 + shape.groups,
               .devices = shape.devices,
               .hidden = shape.hidden,
               .attention = shape.attention,
               .bidirectional = true,
               .temperature = shape.temperature,
               .bound = shape.bound},
              rng) {}

Var HierarchicalNetwork::group_logits(const HierarchicalFeatures& features, Index first,
                                      Index count, const Draw& draw) {
  grouper_tape_.clear();
  const auto types = std::span(features.types)
                         .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  const Var embedded = gather_rows(grouper_tape_.parameter(*types_), types);
  const Var numbers = grouper_tape_.constant(features.numbers.middleRows(first, count));
  const Var hidden = relu(grouper_hidden_(nn::concat_columns({embedded, numbers})));
  const Var logits =
      scale(nn::tanh(scale(grouper_output_(hidden), 1 / shape_.temperature)), shape_.bound);
  if (draw.noise == 0) return logits;
  Rng rng = draw.noise_rng.stream("grouper", static_cast<std::uint64_t>(first));
  Matrix noise(count, shape_.groups);
  for (double& value : noise.reshaped<Eigen::RowMajor>()) {
    value = draw.noise * (2 * rng.uniform() - 1);
  }
  return add(logits, grouper_tape_.constant(noise));
}

std::vector<Index> HierarchicalNetwork::draw_groups(const HierarchicalFeatures& features,
                                                    const Draw& draw) {
  std::vector<Index> groups(features.size());
  const Index items = at(features.size());
  for (Index first = 0; first < items; first += kBlock) {
    const Index count = std::min(kBlock, items - first);
    const Matrix logits = group_logits(features, first, count, draw).value();
    draw_choices(logits, draw.rng,
                 std::span(groups).subspan(static_cast<std::size_t>(first),
                                           static_cast<std::size_t>(count)));
  }
  return groups;
}

void HierarchicalNetwork::add_group_gradient(const HierarchicalFeatures& features,
                                             std::span<const Index> groups, const Draw& draw,
                                             double weight) {
  const Index items = at(features.size());
  for (Index first = 0; first < items; first += kBlock) {
    const Index count = std::min(kBlock, items - first);
    const Var logits = group_logits(features, first, count, draw);
    const auto chosen =
        groups.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    const Matrix probabilities = softmax(nn::stop_gradient(logits)).value();
    grouper_tape_.backward(logits,
                           reinforce_gradient(probabilities, chosen, std::span(&weight, 1)));
  }
}

Matrix HierarchicalNetwork::group_items(const HierarchicalFeatures& features,
                                        std::span<const Index> groups) const {
  constexpr Index kTypes = at(HierarchicalFeatures::kTypeClasses);
  constexpr Index kSums = HierarchicalFeatures::kDimensions + 1;
  Matrix items = Matrix::Zero(shape_.groups, kTypes + kSums + shape_.groups);
  for (std::size_t item = 0; item < groups.size(); ++item) {
    items(groups[item], features.types[item]) += 1;
    items.row(groups[item]).segment(kTypes, kSums) += features.shape_sums.row(at(item));
    for (const std::uint32_t child : features.children[item]) {
      if (groups[child] == groups[item]) continue;
      items(groups[item], kTypes + kSums + groups[child]) = 1;
    }
  }
  // Counts and sums of large graphs would drown the rest.
  for (Index row = 0; row < items.rows(); ++row) {
    for (Index column = 0; column < kTypes + kSums; ++column) {
      items(row, column) = scaled_log(items(row, column));
    }
  }
  return items;
}

const Rollout& HierarchicalNetwork::draw_devices(const HierarchicalFeatures& features,
                                                 std::span<const Index> groups, Index rows,
                                                 const Draw& draw) {
  Matrix noise = Matrix::Zero(shape_.groups, shape_.devices);
  Rng rng = draw.noise_rng.stream("placer");
  for (double& value : noise.reshaped<Eigen::RowMajor>()) {
    value = draw.noise * (2 * rng.uniform() - 1);
  }
  placer_tape_.clear();
  const Var items = placer_tape_.constant(group_items(features, groups));
  rollout_ = placer_.draw(items, noise, rows, draw.rng);
  return rollout_;
}

void HierarchicalNetwork::add_device_gradient(std::span<const double> advantage) {
  const Matrix probabilities = softmax(nn::stop_gradient(rollout_.logits)).value();
  placer_tape_.backward(rollout_.logits,
                        reinforce_gradient(probabilities, rollout_.choices, advantage));
}

}  // namespace placer
