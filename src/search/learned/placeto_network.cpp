#include "search/learned/placeto_network.hpp"

#include <algorithm>
#include <deque>

#include "placer/base/real.hpp"
#include "search/learned/device_views.hpp"

namespace placer {
namespace {

constexpr std::size_t kSageHops = 3, kAnchorLayers = 2;

/// Hops in either direction; nodes that cannot be reached are `nodes` away.
std::vector<std::size_t> hops_from(const GroupGraph& graph, std::size_t from) {
  std::vector<std::size_t> hops(graph.size(), graph.size());
  std::deque<std::size_t> pending = {from};
  hops[from] = 0;
  while (!pending.empty()) {
    const std::size_t at = pending.front();
    pending.pop_front();
    for (const auto* lists : {&graph.parents, &graph.children}) {
      for (const std::uint32_t next : (*lists)[at]) {
        if (hops[next] < graph.size()) continue;
        hops[next] = hops[at] + 1;
        pending.push_back(next);
      }
    }
  }
  return hops;
}

}  // namespace

EmbeddedGraph::EmbeddedGraph(const GroupGraph& graph, PlacetoEmbedding embedding,
                             const Deadline& deadline)
    : nodes(graph.size()),
      ancestors(reachable(graph.parents, deadline)),
      descendants(reachable(graph.children, deadline)) {
  Watch watch(deadline);
  parallel.resize(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const std::array<std::uint32_t, 1> self = {node};
    const std::span<const std::uint32_t> none;
    watch.check(nodes);
    parents.add_row(graph.parents[node]);
    children.add_row(graph.children[node]);
    has_parents.add_row(graph.parents[node].empty() ? none : std::span<const std::uint32_t>(self));
    has_children.add_row(graph.children[node].empty() ? none
                                                      : std::span<const std::uint32_t>(self));
    if (embedding == PlacetoEmbedding::kGraphsage) {
      neighbours.add_row(evenly_spread(graph.around(node), kSampledNeighbours));
    }
    for (std::uint32_t other = 0; other < nodes; ++other) {
      if (other != node && !std::ranges::binary_search(ancestors[node], other) &&
          !std::ranges::binary_search(descendants[node], other)) {
        parallel[node].push_back(other);
      }
    }
  }
  if (embedding != PlacetoEmbedding::kPgnn) return;
  anchor_sets =
      std::max<std::size_t>(1, static_cast<std::size_t>(portable_log(static_cast<double>(nodes))));
  Rng rng(nodes);  // the same sets for the same graph, whoever asks
  std::vector<std::vector<std::size_t>> hops;
  for (std::size_t node = 0; node < nodes; ++node) {
    watch.check(nodes);
    hops.push_back(hops_from(graph, node));
  }
  for (std::size_t set = 0; set < anchor_sets; ++set) {
    std::vector<std::uint32_t> members(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) members[node] = node;
    rng.shuffle(std::span(members));
    members.resize(std::max<std::size_t>(1, nodes >> (set + 1)));
    for (std::uint32_t node = 0; node < nodes; ++node) {
      std::vector<double> near;
      double sum = 0;
      for (const std::uint32_t member : members) {
        near.push_back(1 / (1 + static_cast<double>(hops[node][member])) /
                       static_cast<double>(members.size()));
        sum += near.back();
      }
      anchor_near.add_row(members, near);
      anchor_self.add_row(std::array{node}, std::array{sum});
    }
  }
  for (std::uint32_t node = 0; node < nodes; ++node) {
    std::vector<std::uint32_t> rows;
    for (std::size_t set = 0; set < anchor_sets; ++set) {
      rows.push_back(static_cast<std::uint32_t>(set * nodes) + node);
    }
    over_sets.add_row(rows);
  }
}

PlacetoNetwork::Layer PlacetoNetwork::layer(const std::string& name, std::size_t from,
                                            std::size_t to, Rng& rng) {
  const auto rows = static_cast<nn::Index>(from), columns = static_cast<nn::Index>(to);
  nn::Parameter& weights = parameters_.glorot(name + "/weights", rows, columns, rng);
  return {&weights, &parameters_.zeros(name + "/bias", 1, columns)};
}

nn::Var PlacetoNetwork::apply(nn::Tape& tape, const Layer& layer, nn::Var x) {
  return nn::linear(x, tape.parameter(*layer.weights), tape.parameter(*layer.bias));
}

nn::Var PlacetoNetwork::apply_relu(nn::Tape& tape, const Layer& layer, nn::Var x) {
  return nn::linear_relu(x, tape.parameter(*layer.weights), tape.parameter(*layer.bias));
}

nn::Var PlacetoNetwork::apply_all(nn::Tape& tape, std::span<const Layer> layers, nn::Var x) {
  for (const Layer& layer : layers.first(layers.size() - 1)) x = apply_relu(tape, layer, x);
  return apply(tape, layers.back(), x);
}

PlacetoNetwork::PlacetoNetwork(const Shape& shape, Rng rng) : shape_(shape) {
  const std::size_t d = feature_count(shape.devices);
  for (const char* name : {"transform/0", "transform/1", "transform/2"}) {
    transform_.push_back(layer(name, d, d, rng));
  }
  if (shape.embedding == PlacetoEmbedding::kPlaceto) {
    up_ = {layer("up/out", d, d, rng), layer("up/in", d, d, rng)};
    down_ = {layer("down/out", d, d, rng), layer("down/in", d, d, rng)};
  } else if (shape.embedding == PlacetoEmbedding::kGraphsage) {
    for (std::size_t hop = 0; hop < kSageHops; ++hop) {
      const std::string name = "hop/" + std::to_string(hop);
      const std::size_t from = d, to = hop + 1 == kSageHops ? 2 * d : d;
      sage_.push_back(layer(name + "/out", from, d, rng));
      sage_.push_back(layer(name + "/in", from + d, to, rng));
    }
  } else {
    for (std::size_t i = 0; i < kAnchorLayers; ++i) {
      const std::size_t to = i + 1 == kAnchorLayers ? 2 * d : d;
      anchors_.push_back(layer("anchors/" + std::to_string(i), 2 * d, to, rng));
    }
  }
  const bool shared = shape.scorer == PlacetoScorer::kShared;
  classifier_ = {layer("classifier/0", 8 * d, 16 * d, rng),
                 layer("classifier/1", 16 * d, 8 * d, rng),
                 layer("classifier/2", 8 * d, shared ? 1 : shape.devices, rng)};
  classifier_.back().weights->value *= 0.1;  // nearly uniform at first
  if (shared) views_ = {layer("views", DeviceViews::kFeatures, 16 * d, rng)};
}

nn::Var PlacetoNetwork::messages(nn::Tape& tape, const Layer& out, const Layer& in,
                                 const nn::Sparse& neighbours, std::span<const nn::Index> receivers,
                                 nn::Var x) {
  nn::Var y = x;
  for (std::int64_t round = 0; round < shape_.rounds; ++round) {
    const nn::Var sent = apply_relu(tape, out, y);
    const nn::Var got =
        shape_.mean ? nn::segment_mean(neighbours, sent) : nn::segment_sum(neighbours, sent);
    y = nn::add_rows(x, apply_relu(tape, in, got), receivers);
  }
  return y;
}

nn::Var PlacetoNetwork::sage(nn::Tape& tape, EmbeddedGraph& graph, nn::Var x, std::size_t copies) {
  const nn::Sparse neighbours = graph.neighbours.copies(copies, graph.nodes);
  for (std::size_t hop = 0; hop < kSageHops; ++hop) {
    const nn::Var sent = apply_relu(tape, sage_[2 * hop], x);
    const nn::Var got = nn::segment_max(neighbours, sent);
    x = apply_relu(tape, sage_[2 * hop + 1], nn::concat_columns({x, got}));
  }
  return nn::normalize_rows(x);
}

nn::Var PlacetoNetwork::anchored(nn::Tape& tape, EmbeddedGraph& graph, nn::Var x,
                                 std::size_t copies) {
  const nn::Sparse near = graph.anchor_near.copies(copies, graph.nodes);
  const nn::Sparse self = graph.anchor_self.copies(copies, graph.nodes);
  const nn::Sparse sets = graph.over_sets.copies(copies, graph.nodes * graph.anchor_sets);
  for (const Layer& layer : anchors_) {
    const nn::Var messages =
        nn::concat_columns({nn::sparse_matmul(self, x), nn::sparse_matmul(near, x)});
    x = nn::segment_mean(sets, apply_relu(tape, layer, messages));
  }
  return x;
}

nn::Var PlacetoNetwork::embed(nn::Tape& tape, EmbeddedGraph& graph, nn::Var x, std::size_t copies) {
  if (shape_.embedding == PlacetoEmbedding::kGraphsage) return sage(tape, graph, x, copies);
  if (shape_.embedding == PlacetoEmbedding::kPgnn) return anchored(tape, graph, x, copies);
  const nn::Var from_parents =
      messages(tape, up_[0], up_[1], graph.parents.copies(copies, graph.nodes),
               graph.has_parents.copies(copies, graph.nodes).columns, x);
  const nn::Var from_children =
      messages(tape, down_[0], down_[1], graph.children.copies(copies, graph.nodes),
               graph.has_children.copies(copies, graph.nodes).columns, x);
  return nn::concat_columns({from_parents, from_children});
}

nn::Var PlacetoNetwork::context(nn::Tape& tape, const EmbeddedGraph& graph, nn::Var embedded,
                                std::span<const std::uint32_t> currents) {
  std::vector<nn::Index> offsets = {0}, columns, own;
  for (std::size_t copy = 0; copy < currents.size(); ++copy) {
    const auto first = static_cast<nn::Index>(copy * graph.nodes);
    const std::uint32_t node = currents[copy];
    for (const auto* lists : {&graph.ancestors, &graph.descendants, &graph.parallel}) {
      for (const std::uint32_t other : (*lists)[node]) columns.push_back(first + other);
      offsets.push_back(static_cast<nn::Index>(columns.size()));
    }
    own.push_back(first + node);
  }
  const nn::Sparse around{tape.keep(offsets), tape.keep(columns), {}};
  const nn::Var pooled =
      shape_.mean ? nn::segment_mean(around, embedded) : nn::segment_sum(around, embedded);
  const auto copies = static_cast<nn::Index>(currents.size());
  return nn::concat_columns(
      {nn::reshape(pooled, copies, 3 * embedded.columns()), nn::gather_rows(embedded, own)});
}

nn::Var PlacetoNetwork::shared_scores(nn::Tape& tape, nn::Var context, const nn::Matrix& views) {
  const nn::Index copies = context.rows(), devices = views.rows() / copies;
  std::vector<nn::Index> copy_of;
  for (nn::Index row = 0; row < views.rows(); ++row) copy_of.push_back(row / devices);
  const nn::Var whole = nn::gather_rows(apply(tape, classifier_[0], context), copy_of);
  const nn::Var each = apply(tape, views_[0], tape.constant(views));
  const nn::Var scores =
      apply_all(tape, std::span(classifier_).subspan(1), nn::relu(nn::add(whole, each)));
  return nn::reshape(scores, copies, devices);
}

nn::Var PlacetoNetwork::logits(nn::Tape& tape, EmbeddedGraph& graph, nn::Var features,
                               const nn::Matrix& views, std::span<const std::uint32_t> currents) {
  const nn::Var x = apply_all(tape, transform_, features);
  const nn::Var around = context(tape, graph, embed(tape, graph, x, currents.size()), currents);
  return views_.empty() ? apply_all(tape, classifier_, around) : shared_scores(tape, around, views);
}

}  // namespace placer
