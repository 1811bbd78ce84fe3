#include "search/tree/placement_tree.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

#include "placer/model/alike_devices.hpp"
#include "search/tree/branching_order.hpp"
#include "search/tree/partial_bound.hpp"
#include "search/tree/renamed_devices.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostOps = 20'000, kMostDevices = 256;
constexpr double kRise = 1.001;                  // of a bound
constexpr std::int64_t kNodesPerEvaluation = 1;  // bounds of a node take as long

class PlacementTree {
 public:
  PlacementTree(Search& search, NodeBudget& nodes, std::int64_t most_in_vain, Picoseconds lower_ps)
      : search_(search),
        problem_(search.problem()),
        nodes_(nodes),
        most_in_vain_(most_in_vain),
        risen_ps_(lower_ps),
        fit_(problem_),
        order_(branching_order(problem_)),
        bound_(problem_, fit_),
        placement_{std::vector<DeviceId>(problem_.groups().size())} {
    tree_.push_back({lower_ps, 0, 0, DeviceId()});
    open_.push(0);
  }

  ExactEnd run() {
    if (!fit_.infeasible().empty()) return ExactEnd::kNothingFits;
    if (see_all()) {
      return search_.best_score().fits() ? ExactEnd::kProven : ExactEnd::kNothingFits;
    }
    search_.know_bound(tree_[open_.top()].bound_ps);
    return ExactEnd::kCutShort;
  }

 private:
  using Index = std::uint32_t;

  struct Node {
    Picoseconds bound_ps;
    Index parent;
    std::uint32_t depth;  // how many groups have devices, the first of order_
    DeviceId device;      // of the last of them
  };

  /// Of nodes with the same bound the deepest, and the first of these, come first.
  struct ComesLater {
    const std::vector<Node>* tree;
    bool operator()(Index a, Index b) const {
      const Node &one = (*tree)[a], &other = (*tree)[b];
      if (one.bound_ps != other.bound_ps) return one.bound_ps > other.bound_ps;
      return one.depth != other.depth ? one.depth < other.depth : a > b;
    }
  };

  bool is_open() const {
    if (open_.empty()) return false;
    const Score best = search_.best_score();
    return !best.fits() || tree_[open_.top()].bound_ps < best.step_ps;
  }

  /// False when it had to stop before all was seen.
  bool see_all() {
    while (is_open()) {
      const Index node = open_.top();
      move_to(node);
      if (tree_[node].depth == order_.size()) {
        if (!settle()) return false;
        open_.pop();
      } else {
        if (is_in_vain(tree_[node].bound_ps)) return false;
        open_.pop();
        if (!expand(node)) {
          open_.push(node);
          return false;
        }
      }
    }
    return true;
  }

  /// Scores the placement at hand, and those that differ by names alone. False where that is too
  /// much, or others may be better.
  bool settle() {
    if (!search_.evaluate(placement_) || search_.searches_orders()) return false;
    return evaluate_renamed(search_, placement_);
  }

  /// False when it had to stop before all devices were tried.
  bool expand(Index node) {
    const std::uint32_t depth = tree_[node].depth + 1;
    for (const DeviceId device : fit_.devices(order_[depth - 1])) {
      if (!is_first_of_its_kind(problem_, placed_, device)) continue;
      if (nodes_.left(kNodesPerEvaluation) <= 0 || search_.spent() || is_full()) return false;
      nodes_.take(1, kNodesPerEvaluation);
      put(device);
      const std::optional<Picoseconds> bound_ps = bound(tree_[node].bound_ps);
      take_back();
      if (!bound_ps) continue;
      tree_.push_back({*bound_ps, node, depth, device});
      open_.push(static_cast<Index>(tree_.size() - 1));
    }
    return true;
  }

  bool is_in_vain(Picoseconds least_ps) {
    if (static_cast<double>(least_ps) > kRise * static_cast<double>(risen_ps_)) {
      risen_ps_ = least_ps;
      risen_nodes_ = nodes_.taken();
    }
    return nodes_.taken() - risen_nodes_ > most_in_vain_;
  }

  bool is_full() const { return tree_.size() == std::numeric_limits<Index>::max(); }

  /// Of the placements that begin as `placed_`; none where no such placement fits and is
  /// better than the best.
  std::optional<Picoseconds> bound(Picoseconds known_ps) {
    if (!has_room(placed_.back())) return std::nullopt;
    const Score best = search_.best_score();
    if (!best.fits()) return known_ps;
    const Picoseconds bound_ps = std::max(known_ps, bound_.step_ps(best.step_ps));
    return bound_ps < best.step_ps ? std::optional(bound_ps) : std::nullopt;
  }

  /// Whether the device may be able to hold what the groups there hold at one instant, and their
  /// parameters while any op of theirs runs.
  bool has_room(DeviceId device) const {
    std::int64_t kept_bytes = 0, always_bytes = 0, passing_bytes = 0;
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      if (placed_[i] != device) continue;
      const GroupMemory& memory = fit_.memory(order_[i], device);
      kept_bytes += memory.kept_bytes;
      always_bytes += memory.always_bytes;
      passing_bytes = std::max(passing_bytes, memory.at_least_bytes - memory.always_bytes);
    }
    const std::int64_t room_bytes = problem_.topology().device(device).memory_bytes;
    return std::max(kept_bytes, always_bytes + passing_bytes) <= room_bytes;
  }

  /// Takes back what the two partial placements do not share, and places the rest.
  void move_to(Index node) {
    ahead_.clear();
    while (tree_[node].depth > path_.size()) step_back(node);
    while (path_.size() > tree_[node].depth) drop_last();
    while (!path_.empty() && path_.back() != node) {
      step_back(node);
      drop_last();
    }
    for (auto next = ahead_.rbegin(); next != ahead_.rend(); ++next) {
      put(tree_[*next].device);
      path_.push_back(*next);
    }
  }
  void step_back(Index& node) {
    ahead_.push_back(node);
    node = tree_[node].parent;
  }
  void drop_last() {
    take_back();
    path_.pop_back();
  }

  void put(DeviceId device) {
    const GroupId group = order_[placed_.size()];
    placed_.push_back(device);
    placement_[group] = device;
    bound_.place(group, device);
  }
  void take_back() {
    placed_.pop_back();
    bound_.take_back(order_[placed_.size()]);
  }

  Search& search_;
  const Problem& problem_;
  NodeBudget& nodes_;
  const std::int64_t most_in_vain_;
  Picoseconds risen_ps_;          // the least bound when it last rose
  std::int64_t risen_nodes_ = 0;  // the nodes that there were then
  const MemoryFit fit_;
  const std::vector<GroupId> order_;
  PartialBound bound_;
  std::vector<Node> tree_;
  std::priority_queue<Index, std::vector<Index>, ComesLater> open_{ComesLater{&tree_}};
  std::vector<Index> path_, ahead_;  // to the node at hand; to the next, from its end
  std::vector<DeviceId> placed_;     // of the first groups of order_
  Placement placement_;
};

}  // namespace

ExactEnd search_placement_tree(Search& search, NodeBudget& nodes, std::int64_t most_in_vain,
                               Picoseconds lower_ps) {
  const Problem& problem = search.problem();
  if (problem.op_count() > kMostOps || problem.device_count() > kMostDevices) {
    search.know_bound(lower_ps);
    return ExactEnd::kCutShort;
  }
  return PlacementTree(search, nodes, most_in_vain, lower_ps).run();
}

}  // namespace placer
