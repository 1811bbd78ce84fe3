#include "search/lists/favourite_children.hpp"

#include <algorithm>

namespace placer {
namespace {

constexpr int kMostPaths = 100;

struct Edge {
  OpId producer, consumer;
  double transfer_ps = 0;
};

class Matching {
 public:
  Matching(const Problem& problem, const MeanCosts& costs)
      : problem_(problem),
        costs_(costs),
        favourite_(problem.op_count()),
        taken_(problem.op_count(), 0),
        upward_(problem.op_count(), 0),
        downward_(problem.op_count(), 0) {
    for (const OpId op : problem.graph().program_order()) {
      first_edge_.push_back(edges_.size());
      for (const TensorId tensor : problem.graph().outputs(op)) add_edges(op, tensor);
    }
    first_edge_.push_back(edges_.size());
  }

  FavouriteChildren run() {
    for (int paths = 0; paths < kMostPaths; ++paths) {
      measure_upward();
      if (!choose_longest_path()) break;
    }
    choose_rest();
    return std::move(favourite_);
  }

 private:
  void add_edges(OpId op, TensorId tensor) {
    const Groups& groups = problem_.groups();
    for (const OpId consumer : problem_.graph().tensor(tensor).consumers) {
      const bool together = groups.of(op) == groups.of(consumer);
      edges_.push_back({op, consumer, together ? 0 : costs_.tensor_ps[tensor.index()]});
    }
  }

  double length_ps(const Edge& edge) const {
    return favourite_[edge.producer.index()] == edge.consumer ? 0 : edge.transfer_ps;
  }

  void measure_upward() {
    Watch watch(problem_.deadline());
    for (std::size_t at = problem_.op_count(); at > 0; --at) {
      const OpId op = problem_.graph().program_order()[at - 1];
      watch.check(1 + first_edge_[at] - first_edge_[at - 1]);
      double longest_ps = 0;
      for (std::size_t e = first_edge_[at - 1]; e < first_edge_[at]; ++e) {
        longest_ps =
            std::max(longest_ps, length_ps(edges_[e]) + upward_[edges_[e].consumer.index()]);
      }
      upward_[op.index()] = costs_.op_ps[op.index()] + longest_ps;
    }
  }

  void measure_downward() {
    std::ranges::fill(downward_, 0);
    for (const Edge& edge : edges_) {
      const std::size_t from = edge.producer.index(), to = edge.consumer.index();
      downward_[to] =
          std::max(downward_[to], downward_[from] + costs_.op_ps[from] + length_ps(edge));
    }
  }

  bool is_free(const Edge& edge) const {
    return !favourite_[edge.producer.index()] && taken_[edge.consumer.index()] == 0;
  }

  void choose(const Edge& edge) {
    favourite_[edge.producer.index()] = edge.consumer;
    taken_[edge.consumer.index()] = 1;
  }

  /// False when the path has no transfer left to save.
  bool choose_longest_path() {
    const Graph& graph = problem_.graph();
    OpId op = *std::ranges::max_element(graph.program_order(), {},
                                        [&](OpId at) { return upward_[at.index()]; });
    bool saved = false;
    for (const Edge* next = next_edge(op); next != nullptr; next = next_edge(op)) {
      if (is_free(*next)) {
        saved = saved || next->transfer_ps > 0;
        choose(*next);
      }
      op = next->consumer;
    }
    return saved;
  }

  /// The one that the op's upward rank is due to.
  const Edge* next_edge(OpId op) const {
    const std::size_t at = problem_.graph().program_position(op);
    const Edge* best = nullptr;
    double longest_ps = -1;
    for (std::size_t e = first_edge_[at]; e < first_edge_[at + 1]; ++e) {
      const double found_ps = length_ps(edges_[e]) + upward_[edges_[e].consumer.index()];
      if (found_ps <= longest_ps) continue;
      longest_ps = found_ps;
      best = &edges_[e];
    }
    return best;
  }

  void choose_rest() {
    measure_upward();
    measure_downward();
    std::vector<Edge> rest;
    std::ranges::copy_if(edges_, std::back_inserter(rest),
                         [&](const Edge& edge) { return is_free(edge); });
    const auto through_ps = [&](const Edge& edge) {
      const std::size_t from = edge.producer.index();
      return downward_[from] + costs_.op_ps[from] + edge.transfer_ps +
             upward_[edge.consumer.index()];
    };
    std::ranges::stable_sort(rest, std::ranges::greater{}, through_ps);
    for (const Edge& edge : rest) {
      if (is_free(edge)) choose(edge);
    }
  }

  const Problem& problem_;
  const MeanCosts& costs_;
  std::vector<Edge> edges_;              // by program position of the producer
  std::vector<std::size_t> first_edge_;  // by program position
  FavouriteChildren favourite_;
  std::vector<char> taken_;  // is some op's favourite
  std::vector<double> upward_, downward_;
};

}  // namespace

FavouriteChildren favourites_along_paths(const Problem& problem, const MeanCosts& costs) {
  return Matching(problem, costs).run();
}

}  // namespace placer
