#include <catch2/catch.hpp>

#include "support/events.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer {
namespace {

using testing::tensor;
using testing::timed_op;

// Fisher and Thompson's ft06, 1963: for each job its machines and what it needs of them.
Problem six_jobs() {
  struct Task {
    std::size_t machine;
    double seconds;
  };
  const std::vector<std::vector<Task>> jobs = {{{2, 1}, {0, 3}, {1, 6}, {3, 7}, {5, 3}, {4, 6}},
                                               {{1, 8}, {2, 5}, {4, 10}, {5, 10}, {0, 10}, {3, 4}},
                                               {{2, 5}, {3, 4}, {5, 8}, {0, 9}, {1, 1}, {4, 7}},
                                               {{1, 5}, {0, 5}, {2, 5}, {3, 3}, {4, 8}, {5, 9}},
                                               {{2, 9}, {1, 3}, {4, 5}, {5, 4}, {0, 3}, {3, 1}},
                                               {{1, 3}, {3, 3}, {5, 9}, {0, 10}, {4, 4}, {2, 1}}};
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (const std::vector<Task>& job : jobs) {
    for (const Task& task : job) {
      if (&task != &job.front()) tensors.push_back(tensor(ops.size() - 1, {ops.size()}, 0));
      ops.push_back(testing::on(timed_op("op" + std::to_string(ops.size()), task.seconds),
                                {"gpu:" + std::to_string(task.machine)}));
    }
  }
  return Problem(testing::graph_of(std::move(ops), std::move(tensors)),
                 testing::alike({.devices = 6, .contention = Contention::kNone}));
}

TEST_CASE("auto finds the optimum of a job shop, 55, by one long annealing before its slices") {
  testing::Events events;
  SearchRequest request = testing::request_for("auto", 20'000);
  request.order = Order::kGiven;
  request.observer = events.from(EventLevel::kInfo);
  const SearchResult found = run_search(six_jobs(), request);
  CHECK(to_seconds(found.score.step_ps) == 55);
  CHECK(events.messages(EventLevel::kInfo, "auto", "annealing of a shop: ").size() == 1);
}

}  // namespace
}  // namespace placer
