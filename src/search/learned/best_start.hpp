#pragma once

#include <optional>
#include <span>
#include <string>

#include "placer/base/names.hpp"
#include "placer/search/search.hpp"
#include "search/learned/placeto_episodes.hpp"

namespace placer {

/// Where Placeto's episodes begin while it learns: with everything on the device that computes
/// fastest, anywhere, or at the best placement so far.
enum class EpisodeStart { kSingle, kRandom, kBest };
constexpr Names<3> names_of(EpisodeStart) { return {"single", "random", "best"}; }

/// Where episodes begin that go on from the best placement of a graph so far.
class BestStart {
 public:
  bool is_known() const { return placement_.has_value(); }
  /// The best placement. Where the last episodes moved nothing, one group of 16 goes anywhere: from
  /// the same placement on, a policy that moves nothing would learn nothing any more.
  Placement draw(const Problem& problem, Rng& rng) const;
  /// After `episodes`, in a search whose best is `found`; null where it has scored nothing.
  void learn(const Candidate* found, std::span<const Episode> episodes);

  void save(const std::string& name, Policy& policy) const;
  void load(const std::string& name, std::size_t groups, const Policy& policy);

 private:
  std::optional<Placement> placement_;
  Score score_;
  bool is_stuck_ = false;  // the last episodes moved nothing
};

/// The start of the request, if it has one, else everything on the device that computes fastest.
Placement first_placement(const Search& search);
/// Where an episode begins. A request's own start comes before a random one.
Placement beginning(const Search& search, EpisodeStart start, const BestStart& best, Rng& rng);

}  // namespace placer
