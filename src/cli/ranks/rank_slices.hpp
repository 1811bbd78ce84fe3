#pragma once

#include "cli/ranks/hand_out.hpp"
#include "placer/search/run.hpp"
#include "search/core/slices.hpp"

namespace placer {

/// Rank 0's part of a search in slices: hands them out to all ranks, each of which runs one at a
/// time.
class RankSlices : public SliceRunner {
 public:
  /// `problem` and `request` are those of the search; all references outlive the object.
  RankSlices(Transport& transport, const Problem& problem, const SearchRequest& request,
             RankRules rules = {});

  std::size_t at_once() override { return hand_out_.ready(); }
  /// Throws Error, or std::exception for a fault of ours, where a slice ended by one.
  void run(std::span<const SliceTask> tasks, const std::function<void(std::size_t, SliceEnd)>& take,
           const std::function<bool()>& stop) override;

 private:
  HandOut hand_out_;
};

/// Another rank's part: runs the slices that rank 0 hands out, until there are no more. Returns
/// whether rank 0 may hand out something else after that.
bool serve_slices(Transport& transport, const Problem& problem, SearchRequest request,
                  RankRules rules = {});

}  // namespace placer
