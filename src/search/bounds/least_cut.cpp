#include "search/bounds/least_cut.hpp"

#include <algorithm>
#include <limits>

namespace placer {
namespace {

constexpr Picoseconds kEndless = 2 * LeastCut::kMostPs;
constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

}  // namespace

LeastCut::LeastCut(const Problem& problem, std::span<const Picoseconds> copies_ps) {
  const Groups& groups = problem.groups();
  const std::size_t count = groups.size();
  const auto node_of = [&](OpId op) { return static_cast<Node>(groups.of(op).index()); };
  sink_ = static_cast<Node>(count + 2 * copies_ps.size());
  arcs_of_.resize(sink_ + 1);
  for (Node group = 0; group < count; ++group) add_arc(group, sink_, 0);
  for (std::size_t tensor = 0; tensor < copies_ps.size(); ++tensor) {
    const Tensor& made = problem.graph().tensor(TensorId(tensor));
    const Node producer = node_of(made.producer);
    const auto leaves = static_cast<Node>(count + 2 * tensor), comes = leaves + 1;
    if (copies_ps[tensor] == 0) continue;
    add_arc(producer, leaves, copies_ps[tensor]);
    add_arc(comes, producer, copies_ps[tensor]);
    for (const OpId consumer : made.consumers) {
      if (node_of(consumer) == producer) continue;
      add_arc(leaves, node_of(consumer), kEndless);
      add_arc(node_of(consumer), comes, kEndless);
    }
  }
}

void LeastCut::add_arc(Node from, Node to, Picoseconds room_ps) {
  arcs_of_[from].push_back(static_cast<std::uint32_t>(arcs_.size()));
  arcs_.push_back({to, room_ps});
  arcs_of_[to].push_back(static_cast<std::uint32_t>(arcs_.size()));
  arcs_.push_back({from, 0});
}

void LeastCut::set_prices(std::span<const Picoseconds> prices_ps) {
  for (std::size_t group = 0; group < prices_ps.size(); ++group) {
    arcs_[2 * group].room_ps = prices_ps[group];
  }
}

Picoseconds LeastCut::with(GroupId group, std::int64_t& steps) {
  room_ps_.clear();
  for (const Arc& arc : arcs_) room_ps_.push_back(arc.room_ps);
  steps -= static_cast<std::int64_t>(arcs_.size());
  const auto source = static_cast<Node>(group.index());
  Picoseconds flow_ps = 0;
  while (steps > 0 && find_levels(source, steps)) flow_ps += push(source, steps);
  return flow_ps;
}

/// By hops from the source through arcs with room, until the sink is reached.
bool LeastCut::find_levels(Node source, std::int64_t& steps) {
  level_.assign(arcs_of_.size(), kUnseen);
  next_.assign(arcs_of_.size(), 0);
  level_[source] = 0;
  queue_.assign(1, source);
  for (std::size_t at = 0; at < queue_.size() && level_[sink_] == kUnseen; ++at) {
    const Node node = queue_[at];
    steps -= static_cast<std::int64_t>(arcs_of_[node].size());
    for (const std::uint32_t arc : arcs_of_[node]) {
      const Node to = arcs_[arc].to;
      if (room_ps_[arc] == 0 || level_[to] != kUnseen) continue;
      level_[to] = level_[node] + 1;
      queue_.push_back(to);
    }
  }
  return level_[sink_] != kUnseen;
}

/// Along paths whose levels rise, until there are no more.
Picoseconds LeastCut::push(Node source, std::int64_t& steps) {
  Picoseconds flow_ps = 0;
  path_.clear();
  for (Node node = source; steps > 0;) {
    --steps;
    if (node == sink_) {
      Picoseconds least_ps = kEndless;
      for (const std::uint32_t arc : path_) least_ps = std::min(least_ps, room_ps_[arc]);
      for (const std::uint32_t arc : path_) {
        room_ps_[arc] -= least_ps;
        room_ps_[arc ^ 1] += least_ps;
      }
      flow_ps += least_ps;
      path_.clear();
      node = source;
      continue;
    }
    if (next_[node] == arcs_of_[node].size()) {
      if (path_.empty()) break;
      node = arcs_[path_.back() ^ 1].to;
      path_.pop_back();
      ++next_[node];
      continue;
    }
    const std::uint32_t arc = arcs_of_[node][next_[node]];
    if (room_ps_[arc] > 0 && level_[arcs_[arc].to] == level_[node] + 1) {
      path_.push_back(arc);
      node = arcs_[arc].to;
    } else {
      ++next_[node];
    }
  }
  return flow_ps;
}

}  // namespace placer
