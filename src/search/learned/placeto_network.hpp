#pragma once

#include <span>
#include <string>
#include <vector>

#include "nn/operations.hpp"
#include "nn/parameters.hpp"
#include "placer/base/names.hpp"
#include "search/groups/group_graph.hpp"
#include "search/learned/index_rows.hpp"

namespace placer {

/// How nodes are embedded: messages along and against the edges, sampled neighbours, or anchor
/// sets.
enum class PlacetoEmbedding { kPlaceto, kGraphsage, kPgnn };
constexpr Names<3> names_of(PlacetoEmbedding) { return {"placeto", "graphsage", "pgnn"}; }

/// Who scores devices: one scorer that sees what each is to the current node, or weights of its own
/// for each.
enum class PlacetoScorer { kShared, kSeparate };
constexpr Names<2> names_of(PlacetoScorer) { return {"shared", "separate"}; }

/// What embeddings need of a graph besides features.
struct EmbeddedGraph {
  /// Throws Stopped when `deadline` has passed.
  EmbeddedGraph(const GroupGraph& graph, PlacetoEmbedding embedding, const Deadline& deadline = {});

  std::size_t nodes = 0;
  IndexRows parents, children, neighbours;  // by node
  IndexRows has_parents, has_children;      // by node: itself, or nothing
  std::vector<std::vector<std::uint32_t>> ancestors, descendants, parallel;  // by node
  std::size_t anchor_sets = 0;
  IndexRows anchor_near, anchor_self, over_sets;  // P-GNN: by (set, node), and by node
};

/// The policy of Placeto: features of all nodes to the logits of the devices of one of them.
class PlacetoNetwork {
 public:
  struct Shape {
    std::size_t devices = 2;
    PlacetoEmbedding embedding = PlacetoEmbedding::kPlaceto;
    PlacetoScorer scorer = PlacetoScorer::kSeparate;
    std::int64_t rounds = 8;
    bool mean = false;  // over neighbours and contexts, instead of sums
  };
  PlacetoNetwork(const Shape& shape, Rng rng);

  /// How many features a node has: cost, output bytes, memory, whether it has been placed, whether
  /// it is the current one, its start, the free share of its device's memory, and a 1 for its
  /// device among 0s for the others.
  static std::size_t feature_count(std::size_t devices) { return 7 + devices; }

  /// `features` has the rows of currents.size() copies of the graph below each other; currents[i]
  /// is the node that is placed in copy i. `views` has a row for each device of each copy, as
  /// DeviceViews fills them; a separate scorer reads none. currents.size() x devices.
  nn::Var logits(nn::Tape& tape, EmbeddedGraph& graph, nn::Var features, const nn::Matrix& views,
                 std::span<const std::uint32_t> currents);

  nn::Parameters& parameters() { return parameters_; }
  const nn::Parameters& parameters() const { return parameters_; }

 private:
  struct Layer {
    nn::Parameter *weights, *bias;
  };
  Layer layer(const std::string& name, std::size_t from, std::size_t to, Rng& rng);
  static nn::Var apply(nn::Tape& tape, const Layer& layer, nn::Var x);
  static nn::Var apply_relu(nn::Tape& tape, const Layer& layer, nn::Var x);
  /// Applies the layers one after the other, with relu between them.
  static nn::Var apply_all(nn::Tape& tape, std::span<const Layer> layers, nn::Var x);

  nn::Var embed(nn::Tape& tape, EmbeddedGraph& graph, nn::Var x, std::size_t copies);
  nn::Var messages(nn::Tape& tape, const Layer& out, const Layer& in, const nn::Sparse& neighbours,
                   std::span<const nn::Index> receivers, nn::Var x);
  nn::Var sage(nn::Tape& tape, EmbeddedGraph& graph, nn::Var x, std::size_t copies);
  nn::Var anchored(nn::Tape& tape, EmbeddedGraph& graph, nn::Var x, std::size_t copies);
  nn::Var shared_scores(nn::Tape& tape, nn::Var context, const nn::Matrix& views);
  nn::Var context(nn::Tape& tape, const EmbeddedGraph& graph, nn::Var embedded,
                  std::span<const std::uint32_t> currents);

  Shape shape_;
  nn::Parameters parameters_;
  std::vector<Layer> transform_, up_, down_, sage_, anchors_, classifier_, views_;
};

}  // namespace placer
