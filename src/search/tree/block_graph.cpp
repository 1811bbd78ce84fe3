#include "search/tree/block_graph.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace placer {
namespace {

constexpr std::size_t kMostReachable = 10'000;  // ops, whose square is a table of bits
constexpr int kMostPasses = 100;                // one for each level of branches within branches

/// The graph while ops are merged.
class Merging {
 public:
  using Edge = BlockGraph::Edge;

  struct Merged {
    GroupId group;
    std::vector<Edge> inputs, outputs;          // the latter sorted
    std::vector<Picoseconds> work_ps, path_ps;  // by kind
    bool is_gone = false;
  };

  explicit Merging(const Problem& problem)
      : problem_(problem), blocks_(problem.op_count()), watch_(problem.deadline()) {
    std::vector<DeviceId> of_kind(problem.costs().kind_count());
    for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
      of_kind[problem.costs().kind(device)] = device;
    }
    for (const DeviceId device : of_kind) {
      one_slot_.push_back(problem.topology().device(device).slots == 1);
    }
    for (const OpId op : IdRange<OpId>(problem.op_count())) {
      Merged& block = blocks_[op.index()];
      block.group = problem.groups().of(op);
      for (const DeviceId device : of_kind) {
        block.work_ps.push_back(problem.costs().op_ps(op, device));
      }
      block.path_ps = block.work_ps;
      for (const TensorId tensor : problem.graph().inputs(op)) {
        const OpId producer = problem.graph().tensor(tensor).producer;
        block.inputs.push_back({number(producer), tensor});
        blocks_[producer.index()].outputs.push_back({number(op), tensor});
      }
    }
    for (Merged& block : blocks_) {
      for (std::vector<Edge>* edges : {&block.inputs, &block.outputs}) {
        std::ranges::sort(*edges);
        edges->erase(std::unique(edges->begin(), edges->end()), edges->end());
      }
    }
  }

  void merge() {
    drop_implied();
    for (int pass = 0; pass < kMostPasses; ++pass) {
      const bool has_chains = merge_chains();
      if (!merge_twins() && !has_chains) return;
    }
  }

  const std::vector<Merged>& blocks() const { return blocks_; }

  /// Those that are left, each after all that it waits for.
  std::vector<std::uint32_t> order() const {
    std::vector<std::size_t> waits(blocks_.size());
    std::vector<std::uint32_t> order;
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
      waits[b] = blocks_[b].inputs.size();
      if (!blocks_[b].is_gone && waits[b] == 0) order.push_back(b);
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
      for (const Edge& output : blocks_[order[next]].outputs) {
        if (--waits[output.other] == 0) order.push_back(output.other);
      }
    }
    return order;
  }

 private:
  static std::uint32_t number(OpId op) { return static_cast<std::uint32_t>(op.index()); }

  bool is_within(std::uint32_t block, const Edge& edge) const {
    return blocks_[block].group == blocks_[edge.other].group;
  }

  /// Edges within a group beside which another way leads from the one op to the other.
  void drop_implied() {
    const std::size_t count = blocks_.size();
    if (count > kMostReachable) return;
    const std::size_t words = (count + 63) / 64;
    std::vector<std::uint64_t> after(count * words, 0);  // by op, those that wait for it
    const auto has = [&](std::uint32_t from, std::uint32_t other) {
      return (after[from * words + other / 64] >> (other % 64) & 1) != 0;
    };
    const std::vector<OpId>& order = problem_.graph().program_order();
    for (auto op = order.rbegin(); op != order.rend(); ++op) {
      watch_.check(words);
      const std::uint32_t from = number(*op);
      std::vector<Edge>& outputs = blocks_[from].outputs;
      for (const Edge& output : outputs) {
        for (std::size_t word = 0; word < words; ++word) {
          after[from * words + word] |= after[output.other * words + word];
        }
      }
      const auto is_implied = [&](const Edge& edge) {
        return is_within(from, edge) && has(from, edge.other);
      };
      for (const Edge& edge : outputs) {
        if (is_implied(edge)) std::erase(blocks_[edge.other].inputs, Edge{from, edge.tensor});
      }
      std::erase_if(outputs, is_implied);
      for (const Edge& output : outputs) {
        after[from * words + output.other / 64] |= std::uint64_t{1} << (output.other % 64);
      }
    }
  }

  static bool is_all(const std::vector<Edge>& edges, std::uint32_t other) {
    return !edges.empty() &&
           std::ranges::all_of(edges, [&](const Edge& edge) { return edge.other == other; });
  }

  bool merge_chains() {
    bool changed = false;
    for (std::uint32_t first = 0; first < blocks_.size(); ++first) {
      watch_.check();
      while (!blocks_[first].is_gone && !blocks_[first].outputs.empty()) {
        const Edge edge = blocks_[first].outputs.front();
        if (!is_within(first, edge) || !is_all(blocks_[first].outputs, edge.other) ||
            !is_all(blocks_[edge.other].inputs, first)) {
          break;
        }
        append(first, edge.other);
        changed = true;
      }
    }
    return changed;
  }

  void append(std::uint32_t first, std::uint32_t last) {
    Merged &one = blocks_[first], &other = blocks_[last];
    for (std::size_t kind = 0; kind < one.work_ps.size(); ++kind) {
      one.work_ps[kind] += other.work_ps[kind];
      one.path_ps[kind] += other.path_ps[kind];
    }
    for (const Edge& output : other.outputs) {
      rename(blocks_[output.other].inputs, last, first);
    }
    one.outputs = std::move(other.outputs);
    leave(other);
  }

  static void leave(Merged& block) {
    block.is_gone = true;
    block.inputs.clear();
    block.outputs.clear();
  }

  void rename(std::vector<Edge>& edges, std::uint32_t from, std::uint32_t to) {
    watch_.check(edges.size());
    for (Edge& edge : edges) {
      if (edge.other == from) edge.other = to;
    }
  }

  void drop(std::vector<Edge>& edges, std::uint32_t other) {
    watch_.check(edges.size());
    std::erase_if(edges, [&](const Edge& edge) { return edge.other == other; });
  }

  /// Ops for which the same ops wait, all of their group, and that wait for the same tensors or ops
  /// of the group.
  bool merge_twins() {
    using Key = std::tuple<GroupId, std::vector<Edge>, std::vector<std::uint32_t>>;
    std::map<Key, std::uint32_t> known;
    bool changed = false;
    for (std::uint32_t block = 0; block < blocks_.size(); ++block) {
      watch_.check(10);
      const Merged& at = blocks_[block];
      if (at.is_gone || !std::ranges::all_of(
                            at.outputs, [&](const Edge& edge) { return is_within(block, edge); })) {
        continue;
      }
      Key key{at.group, at.inputs, {}};
      for (Edge& input : std::get<1>(key)) {
        if (is_within(block, input)) input.tensor = TensorId();
      }
      auto& inputs = std::get<1>(key);
      std::ranges::sort(inputs);
      inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
      auto& waiting = std::get<2>(key);
      for (const Edge& output : at.outputs) {
        if (waiting.empty() || waiting.back() != output.other) waiting.push_back(output.other);
      }
      const auto [twin, is_new] = known.emplace(std::move(key), block);
      if (is_new) continue;
      unite(twin->second, block);
      changed = true;
    }
    return changed;
  }

  void unite(std::uint32_t one, std::uint32_t other) {
    Merged &kept = blocks_[one], &gone = blocks_[other];
    for (std::size_t kind = 0; kind < kept.work_ps.size(); ++kind) {
      kept.work_ps[kind] += gone.work_ps[kind];
      kept.path_ps[kind] = one_slot_[kind] ? kept.path_ps[kind] + gone.path_ps[kind]
                                           : std::max(kept.path_ps[kind], gone.path_ps[kind]);
    }
    for (const Edge& input : gone.inputs) drop(blocks_[input.other].outputs, other);
    for (const Edge& output : gone.outputs) drop(blocks_[output.other].inputs, other);
    leave(gone);
  }

  const Problem& problem_;
  std::vector<Merged> blocks_;
  std::vector<bool> one_slot_;  // by kind
  Watch watch_;
};

}  // namespace

BlockGraph::BlockGraph(const Problem& problem) : kinds_(problem.costs().kind_count()) {
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    kind_.push_back(problem.costs().kind(device));
  }
  Merging merging(problem);
  merging.merge();
  const std::vector<std::uint32_t> order = merging.order();
  std::vector<Block> block_of(problem.op_count());
  for (Block block = 0; block < order.size(); ++block) block_of[order[block]] = block;
  for (const std::uint32_t at : order) {
    const Merging::Merged& merged = merging.blocks()[at];
    groups_.push_back(merged.group);
    inputs_.push_back(merged.inputs);
    outputs_.push_back(merged.outputs);
    for (std::vector<Edge>* edges : {&inputs_.back(), &outputs_.back()}) {
      for (Edge& edge : *edges) edge.other = block_of[edge.other];
    }
    work_ps_.insert(work_ps_.end(), merged.work_ps.begin(), merged.work_ps.end());
    path_ps_.insert(path_ps_.end(), merged.path_ps.begin(), merged.path_ps.end());
  }
}

}  // namespace placer
