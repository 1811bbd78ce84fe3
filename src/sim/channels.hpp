#pragma once

#include <algorithm>
#include <vector>

#include "sim/compact_layout.hpp"

namespace placer {

/// From when to when a transfer is on its way.
struct TransferTime {
  Picoseconds begin_ps, end_ps;
};

/// The rule of channels (simulator.md): a transfer begins when all channels of its route are free,
/// and holds all of them until it ends. `free_at_ps` is indexed by what `route` is a range of.
template <class FreeAt, class Route>
TransferTime occupy_route(FreeAt& free_at_ps, const Route& route, Picoseconds now_ps,
                          Picoseconds transfer_ps) {
  Picoseconds begin_ps = now_ps;
  for (const auto channel : route) begin_ps = std::max(begin_ps, free_at_ps[channel]);
  const Picoseconds end_ps = begin_ps + transfer_ps;
  for (const auto channel : route) free_at_ps[channel] = end_ps;
  return {begin_ps, end_ps};
}

/// The same where every channel has one sender, so that a route is at most one channel. The last
/// channel stands for none and stays free.
inline TransferTime occupy_wire(std::vector<Picoseconds>& free_at_ps,
                                const CompactLayout::Wire& wire, Picoseconds now_ps,
                                Picoseconds transfer_ps) {
  Picoseconds& free_ps = free_at_ps[wire.channel];
  const Picoseconds begin_ps = std::max(now_ps, free_ps);
  const Picoseconds end_ps = begin_ps + transfer_ps;
  if (wire.channel + 1 < free_at_ps.size()) free_ps = end_ps;
  return {begin_ps, end_ps};
}

}  // namespace placer
