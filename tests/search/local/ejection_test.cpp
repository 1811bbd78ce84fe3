// Room for changes in tight memory.
#include "search/local/ejection.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "search/local/memory_descent.hpp"
#include "support/agreement.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// An op of so many bytes of parameters, which takes a second, a tenth of one on `fast`.
Op held(const std::string& name, std::int64_t bytes, const std::string& fast = "") {
  Op op = timed_op(name, 1);
  op.params_bytes = bytes;
  if (!fast.empty()) op.seconds.emplace_back(fast, 0.1);
  return op;
}

/// What is lacking after room has been made for the first group on gpu:1, on devices that hold 100
/// bytes each and where group i is on device i.
double lacking_after(Search& search, Change& change) {
  const Problem& problem = search.problem();
  const Placement placement = on_devices({0, 1, 2});
  const Neighbours neighbours(problem);
  EstimatedMemory memory(problem, 3);
  memory.stand_at(agreed_schedule(problem, Order::kFifo, placement));
  const std::optional<Walk> walk = search.walk(placement);
  change.moves = {{GroupId(0), DeviceId(1)}};
  memory.ask(change.moves);
  return Ejection(problem, neighbours).make_room(memory, *walk, search, change);
}

TEST_CASE("what leaves an overfull device may drive another group from where it goes") {
  // On gpu:1 are then 140 bytes; when 60 of them have gone to gpu:2, 120 are there.
  const Problem problem(
      graph_of({held("a", 80), on(held("b", 60), {"gpu:1", "gpu:2"}), held("c", 60)}, {}),
      alike({.devices = 3, .memory_bytes = 100}));
  const auto check = [](Search& search) {
    Change change;
    CHECK(lacking_after(search, change) == Approx(0));
    REQUIRE(change.moves.size() == 3);
    CHECK(change.moves[1].group == GroupId(1));
    CHECK(change.moves[1].device == DeviceId(2));
    CHECK(change.moves[2].group == GroupId(2));
    CHECK(change.moves[2].device == DeviceId(0));
  };
  search_with(problem, check, 100);
}

TEST_CASE("where no group may leave, a change lacks what it lacked") {
  const Problem problem(graph_of({held("a", 80), on(held("b", 60), {"gpu:1"}), held("c", 60)}, {}),
                        alike({.devices = 3, .memory_bytes = 100}));
  const auto check = [](Search& search) {
    Change change;
    CHECK(lacking_after(search, change) == Approx(40));
    CHECK(change.moves.size() == 1);
  };
  search_with(problem, check, 100);
}

Problem full_in_a_ring() {
  return Problem(
      graph_of({held("a", 90, "gpu:1"), held("b", 90, "gpu:2"), held("c", 90, "gpu:0")}, {}),
      alike({.devices = 3, .memory_bytes = 100}));
}

TEST_CASE("full devices exchange groups in a descent, where none could move by itself") {
  const auto descended = [](void (*descend)(Search&)) {
    return search_with(full_in_a_ring(), descend, 1000);
  };
  const SearchResult alone = descended([](Search& search) {
    search.evaluate(on_devices({0, 1, 2}));
    refine(search);
  });
  CHECK(alone.placement == on_devices({0, 1, 2}));
  const SearchResult together = descended([](Search& search) {
    search.evaluate(on_devices({0, 1, 2}));
    descend_in_memory(search);
  });
  CHECK(together.placement == on_devices({1, 2, 0}));
  CHECK(together.evaluations < 1000);  // it ends where nothing gets better
}

}  // namespace
}  // namespace placer::testing
