// Claims of Post and its ablations.
#include <catch2/catch.hpp>

#include "placer/io/devices_file.hpp"
#include "placer/model/zoo.hpp"
#include "support/problems.hpp"
#include "support/sanitizers.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

std::vector<std::string> learners() {
  std::vector<std::string> names;
  for (const Optimizer& optimizer : all_optimizers()) {
    if (optimizer.info.learns) names.push_back(optimizer.name);
  }
  return names;
}

TEST_CASE("one op that takes 1 s here and 2 s there: every learner ends on the fast device") {
  for (const std::string& name : learners()) {
    INFO(name);
    const SearchResult result = run_search(fast_and_slow(), request_for(name, 600));
    REQUIRE(result.recent_mean_seconds <= 1.02);
  }
}

TEST_CASE("seconds or twice the seconds: every learner takes the same path") {
  Rng rng(23);
  for (int round = 0; round < (kSanitized ? 1 : 5); ++round) {
    const Problem problem = random_problem(rng);
    for (const std::string& name : learners()) {
      INFO(name << ", problem " << round);
      const SearchResult once = run_search(problem, request_for(name, 300));
      const SearchResult twice = run_search(doubled(problem), request_for(name, 300));
      REQUIRE(once.placement == twice.placement);
      REQUIRE(2 * once.score.step_ps == twice.score.step_ps);
    }
  }
}

TEST_CASE("a batch in which nothing fits still teaches: the overflow shrinks") {
  std::vector<Op> ops;
  for (int i = 0; i < 12; ++i) {
    ops.push_back(timed_op("op" + std::to_string(i), 1));
    ops.back().params_bytes = 10;
  }
  const Problem problem(graph_of(ops, {}), alike({.devices = 4, .memory_bytes = 25}));
  for (const std::string& name : learners()) {
    INFO(name);
    const SearchResult result = run_search(problem, request_for(name, 1200));
    // 120 bytes over 4 x 25: at best 20 too many; a uniform draw averages 41.
    REQUIRE(result.score.overflow_bytes <= 30);
  }
}

TEST_CASE("post places Inception-V3 20 % better than random search and better than one GPU") {
  const Problem problem(generate_model("inception_v3", {}), find_devices("4gpu"));
  SearchRequest request = request_for("post", 2400);
  request.grouping = {};
  const SearchResult post = run_search(problem, request);
  const SearchResult random = run_search(problem, request_for("random", 2400));
  const SearchResult single = run_search(problem, request_for("single-device", 10));
  REQUIRE(post.score < single.score);
  REQUIRE(to_seconds(post.score.step_ps) < 0.8 * to_seconds(random.score.step_ps));
  REQUIRE(post.recent_mean_seconds < 0.8 * random.recent_mean_seconds);
}

TEST_CASE("a round of post ends with the batch that completes it: 60 samples of 7 are 63") {
  const Problem problem(generate_model("inception_v3", {}), find_devices("4gpu"));
  const auto found = [&](std::int64_t round) {
    SearchRequest request = request_for("post", 400);
    request.options = {{"batch", std::int64_t{7}}, {"round", round}};
    return run_search(problem, request).recent_mean_seconds;
  };
  CHECK(found(60) == found(63));
  CHECK(found(60) != found(56));
}

}  // namespace
}  // namespace placer::testing
