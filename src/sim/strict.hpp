#pragma once

#include <optional>
#include <vector>

#include "sim/commits.hpp"
#include "sim/fast_path.hpp"
#include "sim/rank_keys.hpp"

namespace placer {

/// The fast path for order program: every device runs its ops in the program order. Gives up where
/// memory may be short and the step is too long for the keys.
class ProgramPath : public FastPath {
 public:
  /// For layouts in which every channel has one sender (CompactLayout::sole_senders()).
  explicit ProgramPath(const CompactLayout& layout) : layout_(layout), commits_(layout) {}
  std::optional<Score> evaluate(const Placement& placement, const Sequences* sequences,
                                Picoseconds most_ps) override;

 private:
  const CompactLayout& layout_;
  Commits<Rounds::kIgnored> commits_;
};

/// The fast path for order given: every device runs its ops in its sequence. Gives up as
/// ProgramPath does, and where a rank is too large for a key.
class GivenPath : public FastPath {
 public:
  /// Senders are alone.
  explicit GivenPath(const CompactLayout& layout);
  std::optional<Score> evaluate(const Placement& placement, const Sequences* sequences,
                                Picoseconds most_ps) override;
  std::optional<Score> evaluate(const Placement& placement, const OpOrder& order,
                                Picoseconds most_ps) override;

 private:
  bool commit_sequences(const Sequences& sequences);

  const CompactLayout& layout_;
  Commits<Rounds::kIgnored> commits_;
  RankOrder by_rank_;
  std::vector<std::size_t> committed_;  // by device
};

}  // namespace placer
