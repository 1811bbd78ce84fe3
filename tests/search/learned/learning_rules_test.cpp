// The rule that makes each learner what it is, seen from outside.
#include <catch2/catch.hpp>

#include "support/problems.hpp"
#include "support/scheduling_data.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

SearchResult learnt(const Problem& problem, const char* name, std::int64_t evaluations,
                    const OptionValues& options) {
  SearchRequest request = request_for(name, evaluations);
  for (const auto& [option, value] : options) request.options[option] = value;
  return run_search(problem, request);
}

bool same_way(const SearchResult& a, const SearchResult& b) {
  return a.placement == b.placement && a.recent_mean_seconds == b.recent_mean_seconds &&
         a.history.size() == b.history.size();
}

TEST_CASE("post is cross-entropy where a round is one batch, and PPO where no round ends") {
  const Problem problem(chain(20), alike({.devices = 3}));
  const auto post = [&](std::int64_t round) {
    return learnt(problem, "post", 600, {{"batch", std::int64_t{30}}, {"round", round}});
  };
  const SearchResult rounds_alone = post(30), both = post(60), steps_alone = post(900);
  CHECK(
      same_way(rounds_alone, learnt(problem, "cross-entropy", 600, {{"round", std::int64_t{30}}})));
  CHECK(same_way(steps_alone, learnt(problem, "ppo", 600, {{"batch", std::int64_t{30}}})));
  CHECK_FALSE(same_way(both, rounds_alone));
  CHECK_FALSE(same_way(both, steps_alone));
}

TEST_CASE("placeto crosses a barrier where later rewards count, and where they do not it stays") {
  // Two ops in a chain of 10 s each on gpu:0 and 20 s on gpu:1, 14 s apart where they are cut: from
  // 40 s on gpu:1 the way to 20 s on gpu:0 leads over 44 s, and its mean is 34.7 s.
  const Problem problem(
      graph_of({timed_apart("a", 10, 20), timed_apart("b", 10, 20)}, {tensor(0, {1}, 14)}),
      alike());
  const auto mean_seconds = [&](double discount) {
    SearchRequest request = request_for("placeto", 800);
    request.start = on_devices({1, 1});
    request.options["discount"] = discount;
    request.options["entropy"] = 1.0;
    request.options["episode-start"] = std::string("single");
    return run_search(problem, request).recent_mean_seconds;
  };
  CHECK(mean_seconds(0) > 39);
  CHECK(mean_seconds(1) < 37);
}

}  // namespace
}  // namespace placer::testing
