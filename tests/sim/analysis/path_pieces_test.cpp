#include "placer/sim/path_pieces.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

constexpr Picoseconds kSecond = 1'000'000'000'000;

/// A chain of four ops of 1 s, the last two on another device: transfer 2-3, step 5.
std::vector<PathPiece> pieces_of(const std::vector<std::size_t>& units) {
  const Problem problem(chain(4), alike());
  Schedule schedule;
  Simulator(problem, Order::kFifo).evaluate(on_devices({0, 0, 1, 1}), nullptr, &schedule);
  return path_pieces(problem, schedule, critical_path(problem, schedule), units);
}

TEST_CASE("Consecutive ops of a unit on one device are one piece of the path") {
  const std::vector<PathPiece> pieces = pieces_of({0, 0, 1, 1});
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0].count() == 2);
  CHECK(pieces[0].end_ps == 2 * kSecond);
  CHECK(pieces[1].is_transfer);
  CHECK(pieces[1].begin_ps == 2 * kSecond);
  CHECK(pieces[1].end_ps == 3 * kSecond);
  CHECK(pieces[1].to == DeviceId(1));
  CHECK(pieces[2].unit == 1);
  CHECK(pieces[2].wait == Wait::kData);
  CHECK(pieces[2].end_ps == 5 * kSecond);
}

TEST_CASE("Ops of two units on one device are two pieces of the path") {
  CHECK(pieces_of({0, 1, 1, 1}).size() == 4);
}

}  // namespace
}  // namespace placer::testing
