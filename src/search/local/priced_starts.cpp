#include "search/local/priced_starts.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "search/local/memory_packing.hpp"
#include "search/local/priced_lists.hpp"

namespace placer {
namespace {

// Of the budget, before packings are scored: as much is held as is kept, and more and more.
constexpr double kKeptShare = 0.15, kPassingShare = 0.05;
constexpr std::array kPassing = {0.3, 0.4, 0.5, 0.2, 0.7, 0.1};  // the most promising first
constexpr std::size_t kMostPacked = 20'000;  // choices: of more, packing may take a second

class PricedStarts {
 public:
  PricedStarts(const Problem& problem, bool is_tight, bool is_busy)
      : problem_(problem), is_tight_(is_tight), is_busy_(is_busy) {
    if (problem.goal().is_step() && (is_tight || is_busy)) lists_.emplace(problem);
  }

  void run(Search& search) {
    const MemoryFit kept(problem_);
    {
      Search part = search.part(kKeptShare);
      if (kept.may_bind() || is_busy_) try_prices(part, kept, 0);
    }
    if (is_tight_ && lists_ && !search.spent()) {
      Search part = search.part(kPassingShare);
      for (auto share = kPassing.begin(); share != kPassing.end() && !part.spent(); ++share) {
        const MemoryFit fit = kept.with_passing(problem_, *share);
        if (fit.infeasible().empty() && fit.may_bind()) try_prices(part, fit, *share);
      }
    }
    if (!packings_.empty() && !search.spent()) try_memory_packings(search, packings_);
  }

 private:
  void try_prices(Search& part, const MemoryFit& fit, double passing_share) {
    const PathPrices prices = best_prices(problem_, fit, passing_share == 0);
    if (lists_) try_priced_lists(part, *lists_, fit, prices.loads(), passing_share);
    const bool is_worth_waiting_for = is_tight_ && passing_share == 0;
    if (!is_worth_waiting_for && prices.choices().size() > kMostPacked) return;
    for (Placement& packing : memory_packings(problem_, fit, prices)) {
      if (std::ranges::find(packings_, packing) != packings_.end()) continue;
      packings_.push_back(std::move(packing));
    }
  }

  const Problem& problem_;
  const bool is_tight_, is_busy_;
  std::optional<ListScheduler> lists_;  // where they may gain
  std::vector<Placement> packings_;
};

}  // namespace

void try_priced_starts(Search& search, bool is_tight, bool is_busy) {
  PricedStarts(search.problem(), is_tight, is_busy).run(search);
}

}  // namespace placer
