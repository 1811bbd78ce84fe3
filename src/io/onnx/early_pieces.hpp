#pragma once

#include <cstddef>
#include <vector>

#include "placer/base/units.hpp"

namespace placer {

/// A node as it is shared out.
struct EarlyNode {
  /// Nodes before it, each once, those that copied ones read instead of these. A copied one has
  /// none.
  std::vector<std::size_t> producers;
  std::size_t device = 0;
  Picoseconds end_ps = 0;  // when it is expected to have run
  bool is_free = false;    // takes no time, such as a view: where its first producer is
  bool is_copied = false;  // part of every piece that needs it
};

/// Which piece each node is in, and the devices of the pieces, in an order in which they can run.
struct PieceShares {
  std::vector<std::size_t> piece_of;  // 0 for what is copied
  std::vector<std::size_t> devices;
};

/// Shares nodes, which are in topological order, out to pieces that take their inputs when they
/// begin and give their outputs when they end, so that nobody waits longer for a piece than for its
/// nodes one by one: a node goes on with a piece only if all else that it reads is there when the
/// piece begins, and if all others that read the piece wait for the node anyway. What waits so is
/// known from all paths, above 30,000 nodes from single edges, which gives more pieces. Of the
/// pieces that can run the one whose last node is expected to end first comes next.
PieceShares share_early(const std::vector<EarlyNode>& nodes);

}  // namespace placer
