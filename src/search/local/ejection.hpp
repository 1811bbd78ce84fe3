#pragma once

#include "placer/base/rng.hpp"
#include "search/core/group_changes.hpp"
#include "search/local/estimated_memory.hpp"

namespace placer {

/// Makes room for changes in tight memory by ejection chains (Glover 1996): of the device that a
/// change would overfill most, another group goes elsewhere, mostly to a device on which it has
/// neighbours, where in turn another may have to leave.
class Ejection {
 public:
  /// Both arguments must outlive it.
  Ejection(const Problem& problem, const Neighbours& neighbours)
      : problem_(problem), neighbours_(neighbours) {}

  /// Adds moves to `change` of `walk`, about which `memory` was asked last, until no more bytes are
  /// lacking than before it; or some, where that is not found. Of those drawn it takes the ones
  /// that cost `search` least in transfers and in memory. Returns how many bytes more are lacking.
  double make_room(EstimatedMemory& memory, const Walk& walk, Search& search, Change& change);

 private:
  struct Candidate {
    Move move;
    double transfer_seconds;  // how much more is sent
  };

  void draw_candidates(DeviceId full, const Placement& placement, Rng& rng, const Change& change);
  double more_transfer_seconds(const Move& move, const Placement& placement,
                               const Change& change) const;

  const Problem& problem_;
  const Neighbours& neighbours_;
  std::vector<Candidate> candidates_;
};

}  // namespace placer
