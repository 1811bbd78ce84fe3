#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nn/transformer.hpp"
#include "search/groups/group_graph.hpp"
#include "search/learned/index_rows.hpp"
#include "search/learned/op_types.hpp"

namespace placer {

/// What GDP's network sees of a graph: all relative, so that graphs of any size and speed compare.
struct GdpGraph {
  GdpGraph(const Problem& problem, const OpTypes& op_types);
  static std::size_t feature_count(std::size_t devices);

  std::size_t size() const { return nodes.size(); }

  std::vector<GroupId> nodes;  // in the order that the network reads them: by first op
  nn::Matrix features;         // by node
  IndexRows types;             // by node: the rows of its ops' types
  IndexRows neighbours;        // by node, either direction
  nn::Matrix barred;  // by node and device: 0 where it may go, else a large negative number

 private:
  struct Most {
    double ps, output_bytes, params_bytes;  // of any group
  };
  static Most most_of(const GroupGraph& graph);
  void describe(const Problem& problem, const GroupGraph& graph, const Most& most, std::size_t i);
};

/// Attention and two dense layers, each with normalized inputs and added to them: trained from
/// scratch by few samples, it ends better than with sums normalized afterwards.
class GdpBlock {
 public:
  GdpBlock(nn::Parameters& parameters, const std::string& name, nn::Index width, nn::Index heads,
           Rng& rng);
  nn::Var operator()(nn::Var segment, std::optional<nn::Var> before) const;

 private:
  nn::LayerNorm attention_norm_, dense_norm_;
  nn::MultiHeadAttention attention_;
  nn::Linear wide_, narrow_;
};

/// GraphSAGE over all nodes, then a segment-recurrent transformer whose features are gated by the
/// whole graph's embedding (superposition); logits of all nodes in one pass.
class GdpNetwork {
 public:
  struct Shape {
    std::size_t devices = 2;
    std::int64_t width = 64, heads = 4, sage_layers = 2, layers = 2, segment = 128;
    bool superposition = true;
  };
  GdpNetwork(const Shape& shape, const OpTypes& types, Rng rng);

  /// The logits of the devices for all nodes: nodes x devices.
  nn::Var logits(nn::Tape& tape, GdpGraph& graph) const;

  nn::Parameters& parameters() { return parameters_; }
  const nn::Parameters& parameters() const { return parameters_; }

 private:
  nn::Parameters parameters_;
  Shape shape_;
  nn::Parameter* types_;
  std::vector<nn::Linear> read_, sage_, gates_, out_;
  std::vector<GdpBlock> blocks_;
};

/// The weight of the mean entropy of `nodes` choices, which falls linearly with progress. Of many
/// choices, more than 16, each moves the step time the less, by the root of their number: a
/// constant weight would keep large graphs uniform.
double weight_of_entropy(double first, double progress, std::size_t nodes);

}  // namespace placer
