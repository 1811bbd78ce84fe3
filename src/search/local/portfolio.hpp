#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "placer/search/search.hpp"
#include "search/core/slices.hpp"

namespace placer {

/// When a strategy has its turns: once before all others, in successive halving or after that.
enum class Turns { kOpening, kHalving, kImproving };

/// A way of searching that takes turns with others.
struct Strategy {
  std::string_view name;
  Turns turns = Turns::kImproving;
  void (*run)(Search& search) = nullptr;
  /// Whether it begins anew, with nothing scored yet; otherwise it improves `search.best()`.
  bool begins_anew = false;
  /// Comes before the others, however few evaluations there are for it.
  bool leads = false;
};

/// Searches by several strategies in turn with the whole budget. One that opens has the first share
/// of it. Those of successive halving have the next, each once or several times from seeds of their
/// own, unless it is too small for one of them to come near to what is known; the rest goes in
/// rounds of slices, half of them to what gained most for its evaluations of late and half to each
/// in turn, from the best few that were found. The slices of a round run side by side
/// (`SideBySide`); their number is chosen by the budget and the groups, under a time limit by how
/// many run at once as well. Returns when the budget is spent or nothing has anything to try any
/// more.
class Portfolio {
 public:
  Portfolio(Search& search, std::string_view subject, std::vector<Strategy> strategies);
  void run();

 private:
  enum class Starts { kDrawn, kEach };  // of slices that improve: of the elites

  struct Row {
    Strategy strategy;
    double credit = 0;  // what it gained of late: a share of the best for each evaluation
    int in_vain = 0;    // slices in a row that gained nothing
  };

  double evaluations_ahead() const;
  std::size_t rounded_up(double slices) const;
  void open();
  void try_starts();
  void halve();
  void improve();
  /// The strategies of the next slices, by what they gained.
  std::vector<std::size_t> choose(std::size_t slices);
  struct RoundEnd {
    std::int64_t evaluations = 0;
    bool has_gained = false;        // a better placement than the best before
    std::vector<std::size_t> rows;  // of the slices that scored anything, the best first
  };
  /// Runs each of `chosen` for an equal part of `share` of what is left.
  RoundEnd run_round(const std::vector<std::size_t>& chosen, double share,
                     Starts starts = Starts::kDrawn);
  std::vector<Slice> slices_of(const std::vector<std::size_t>& chosen, double share, Starts starts);
  std::size_t draw_elite();
  std::string names_of(const std::vector<std::size_t>& chosen) const;
  void keep(const Candidate& found);

  Search& search_;
  const std::string_view subject_;
  SideBySide side_by_side_;
  std::vector<Row> rows_;
  std::vector<std::size_t> opening_, halving_, improving_;  // of the rows
  std::vector<Candidate> elites_;                           // the best first, no two of one score
  double evaluations_per_second_ = 0;
  std::size_t turns_ = 0;  // of choice
  std::uint64_t slices_ = 0;
};

}  // namespace placer
