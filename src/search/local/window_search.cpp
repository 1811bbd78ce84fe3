#include "search/local/window_search.hpp"

#include <algorithm>
#include <utility>

#include "search/local/critical_moves.hpp"

namespace placer {
namespace {

constexpr std::size_t kKick = 3;  // random changes before a new descent

class WindowSearch {
 public:
  WindowSearch(const WindowOptions& options, Search& search)
      : options_(options),
        search_(search),
        neighbours_(search.problem()),
        moves_(search.problem(), neighbours_) {}

  void run(Start start) {
    bool more = stand_at(std::move(start.placement), start.order);
    std::int64_t barren = 0;
    while (more && untried_ < kMostUntried) {
      const Score before = walk_->score();
      free_window();
      evaluations_ = 0;
      taken_.clear();
      least_ = before;
      more = branch(0, Change());
      ++untried_;
      if (more && !taken_.empty()) more = take();
      barren = walk_->score() < before ? 0 : barren + 1;
      if (barren == 0)
        size_ = std::max<std::int64_t>(size_ - 1, std::min<std::int64_t>(2, options_.window));
      if (barren < options_.patience) continue;
      barren = 0;
      if (more && size_ == options_.window) more = kick();
      size_ = std::min(size_ + 1, options_.window);
    }
  }

 private:
  static constexpr std::size_t kMostUntried = 2000;  // windows in a row without an alternative

  struct Freed {
    OpId op;
    std::vector<CriticalMoves::Place> places;  // besides its own, by estimate
  };

  bool stand_at(Placement placement, const OpOrder& order) {
    walk_ = moves_.walk_from(search_, std::move(placement), order);
    return walk_.has_value();
  }

  /// Ops in a row on the critical path and those that other devices run meanwhile.
  void free_window() {
    window_.clear();
    freed_ps_ = 0;
    const Timing& timing = moves_.timing();
    const std::vector<OpId>& path = moves_.path();
    if (path.empty()) return;
    const std::size_t first = search_.rng().below(path.size());
    for (std::size_t at = first; at < path.size() && 2 * window_.size() < size(); ++at) {
      add(path[at]);
    }
    const OpId middle = path[first];
    const std::size_t devices = search_.problem().device_count();
    for (std::size_t tries = 0; tries < 4 * devices && window_.size() < size(); ++tries) {
      const DeviceId device(search_.rng().below(devices));
      const std::size_t count = timing.ops_on(device).size();
      if (count == 0) continue;
      const std::size_t at =
          timing.first_from(device, timing.start_ps(middle)) + search_.rng().below(3);
      add(timing.ops_on(device)[std::min(at > 0 ? at - 1 : 0, count - 1)]);
    }
  }

  std::size_t size() const { return static_cast<std::size_t>(size_); }

  void add(OpId op) {
    const Groups& groups = search_.problem().groups();
    const bool there = std::ranges::any_of(
        window_, [&](const Freed& freed) { return groups.of(freed.op) == groups.of(op); });
    if (there) return;
    Freed freed{op, {}};
    moves_.places(*walk_, op, freed.places);
    std::ranges::stable_sort(freed.places, {}, &CriticalMoves::Place::estimate_ps);
    const auto most = static_cast<std::size_t>(options_.choices);
    if (freed.places.size() > most) freed.places.resize(most);
    freed_ps_ += moves_.timing().end_ps(op) - moves_.timing().start_ps(op);
    window_.push_back(std::move(freed));
  }

  /// Tries the places of the window's groups from `index` on after `change`; false once the budget
  /// is spent. The other freed groups can shorten the chain through one by no more than their
  /// times: where that is not enough, its place is not tried.
  bool branch(std::size_t index, const Change& change) {
    if (evaluations_ >= options_.per_window) return true;
    if (index == window_.size()) return change.empty() || leaf(change);
    if (!branch(index + 1, change)) return false;
    const Freed& freed = window_[index];
    const Timing& timing = moves_.timing();
    const Picoseconds others_ps = freed_ps_ - (timing.end_ps(freed.op) - timing.start_ps(freed.op));
    for (const CriticalMoves::Place& place : freed.places) {
      if (least_.fits() && place.estimate_ps - others_ps > least_.step_ps) break;
      Change longer = change;
      moves_.put(*walk_, freed.op, place, longer);
      if (!branch(index + 1, longer)) return false;
    }
    return true;
  }

  bool leaf(const Change& change) {
    const std::optional<Score> score =
        walk_->propose(change.moves, change.shifts, least_.longest_as_good());
    if (!score) return false;
    ++evaluations_;
    untried_ = 0;
    if (*score > least_ || (*score == least_ && !taken_.empty())) return true;
    least_ = *score;
    taken_ = change;
    return true;
  }

  bool take() {
    if (!walk_->propose(taken_.moves, taken_.shifts)) return false;
    walk_->accept();
    untried_ = 0;
    return moves_.update(*walk_, search_);
  }

  bool kick() {
    if (!stand_at(search_.own_best()->placement, search_.own_best()->order)) return false;
    for (std::size_t i = 0; i < kKick; ++i) {
      moves_.draw(*walk_, search_.rng(), 1, taken_);
      if (!taken_.empty() && !take()) return false;
    }
    return true;
  }

  const WindowOptions& options_;
  Search& search_;
  const Neighbours neighbours_;
  CriticalMoves moves_;
  std::optional<Walk> walk_;
  std::vector<Freed> window_;
  Picoseconds freed_ps_ = 0;  // the times of the window's ops
  std::int64_t size_ = 1, evaluations_ = 0;
  std::size_t untried_ = 0;
  Change taken_;
  Score least_;
};

}  // namespace

void search_windows(Search& search, Start start, const WindowOptions& options) {
  WindowSearch(options, search).run(std::move(start));
}

}  // namespace placer
