#include "search/core/slice_news.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// What a run was told last of its slices.
struct Heard {
  int times = 0;
  Placement best;
  std::vector<double> seconds;  // of the scores that it could go on from
  std::int64_t evaluations = 0, improvements = 0;
};

SearchRequest told_to(Heard& heard) {
  SearchRequest request = request_for("random", 100);
  request.keeps_scores = true;
  request.on_state = [&heard](const SearchState& state) {
    ++heard.times;
    heard.best = state.best;
    heard.improvements = state.improvements;
    heard.seconds.clear();
    for (const Score& score : state.scores) heard.seconds.push_back(to_seconds(score.step_ps));
  };
  request.on_progress = [&heard](const SearchProgress& now) {
    heard.evaluations = now.evaluations;
  };
  return request;
}

Score taking(double seconds) { return {.step_ps = to_picoseconds(seconds)}; }

TEST_CASE("while slices are at work a run hears of the best of all and what it could go on from") {
  using Seconds = std::vector<double>;
  const Problem problem = fast_and_slow();
  Heard heard;
  const SearchRequest request = told_to(heard);
  Ledger books(problem, request);
  books.record(problem, on_devices({1}), {}, taking(2));
  SliceNews news(books, 2);
  const auto look = [&](std::size_t slice, const Placement& best,
                        const std::vector<Score>& scores) {
    const int before = heard.times;
    const SearchState state{.best = best, .order = {}, .score = scores.back(), .scores = scores};
    while (heard.times == before) news.look(slice, state);
  };
  look(1, on_devices({0}), {taking(1)});
  CHECK(heard.best == on_devices({0}));
  CHECK(heard.improvements == 2);
  CHECK(heard.evaluations == 2);
  CHECK(heard.seconds == Seconds{2});  // slice 0 comes before slice 1
  look(0, on_devices({1}), {taking(3), taking(3)});
  CHECK(heard.best == on_devices({0}));
  CHECK(heard.improvements == 2);
  CHECK(heard.evaluations == 4);
  CHECK(heard.seconds == Seconds{2, 3, 3});
  news.end(0, problem, {.evaluations = 3, .scores = {taking(3), taking(3), taking(3)}});
  look(1, on_devices({0}), {taking(1), taking(1)});
  CHECK(heard.evaluations == 6);
  CHECK(heard.seconds == Seconds{2, 3, 3, 3, 1, 1});
}

}  // namespace
}  // namespace placer::testing
