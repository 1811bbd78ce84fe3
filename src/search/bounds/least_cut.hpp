#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// The least that a set of groups with a given one can cost: a price for each of its groups, and of
/// each tensor that has ends in the set and outside, once, a copy (a cut of a hypergraph, by
/// maximum flow, Dinic 1970).
class LeastCut {
 public:
  /// `copies_ps` by tensor. The sum of all copies and prices is at most kMostPs.
  LeastCut(const Problem& problem, std::span<const Picoseconds> copies_ps);
  static constexpr Picoseconds kMostPs = 1'000'000'000'000'000'000;

  /// From now on.
  void set_prices(std::span<const Picoseconds> prices_ps);
  /// Of sets with `group`; less where `steps` did not suffice, from which those used are taken.
  Picoseconds with(GroupId group, std::int64_t& steps);

 private:
  using Node = std::uint32_t;  // groups, then two for each tensor, then the sink
  struct Arc {
    Node to;
    Picoseconds room_ps;  // at first
  };

  void add_arc(Node from, Node to, Picoseconds room_ps);
  bool find_levels(Node source, std::int64_t& steps);
  Picoseconds push(Node source, std::int64_t& steps);

  Node sink_;
  std::vector<Arc> arcs_;                            // each before its reverse
  std::vector<std::vector<std::uint32_t>> arcs_of_;  // by node
  std::vector<Picoseconds> room_ps_;                 // by arc
  std::vector<std::uint32_t> level_, next_;          // by node
  std::vector<Node> queue_;
  std::vector<std::uint32_t> path_;  // arcs
};

}  // namespace placer
