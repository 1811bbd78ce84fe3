#include "placer/sim/path_pieces.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

constexpr Picoseconds kSecond = 1'000'000'000'000;

std::vector<PathPiece> pieces_of(const Problem& problem, const Placement& placement,
                                 const std::vector<std::size_t>& units) {
  Schedule schedule;
  Simulator(problem, Order::kFifo).evaluate(placement, nullptr, &schedule);
  return path_pieces(problem, schedule, critical_path(problem, schedule), units);
}

/// A chain of four ops of 1 s, the last two on another device: transfer 2-3, step 5.
std::vector<PathPiece> pieces_of(const std::vector<std::size_t>& units) {
  return pieces_of(Problem(chain(4), alike()), on_devices({0, 0, 1, 1}), units);
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

TEST_CASE("Ops of a unit on two devices are two pieces where nothing travels between them") {
  const std::vector<PathPiece> pieces =
      pieces_of(Problem(chain(2, 0), alike()), on_devices({0, 1}), {0, 0});
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].device == DeviceId(0));
  CHECK(pieces[1].device == DeviceId(1));
  CHECK(pieces[1].begin_ps == kSecond);
}

TEST_CASE("Consecutive transfers from one device to another are one piece, whatever the units") {
  // a 0-1 and b 1-2 on 0; a's 4 bytes travel 1-5 and b's one 5-6; c 6-7 on 1.
  const Problem problem(graph_of(seconds_each({1, 1, 1}), {tensor(0, {2}, 4), tensor(1, {2}, 1)}),
                        alike());
  const std::vector<PathPiece> pieces = pieces_of(problem, on_devices({0, 0, 1}), {0, 1, 2});
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[1].is_transfer);
  CHECK(pieces[1].count() == 2);
  CHECK(pieces[1].unit == 0);
  CHECK(pieces[1].begin_ps == kSecond);
  CHECK(pieces[1].end_ps == 6 * kSecond);
}

TEST_CASE("Consecutive transfers to two devices are two pieces of the path") {
  // a 0-1 on 0; its 2 bytes travel 1-3 to 1 and, after them over the same wire, 3-5 to 2.
  const Problem problem(graph_of(seconds_each({1, 1, 1}), {tensor(0, {1, 2}, 2)}),
                        alike({.devices = 3, .contention = Contention::kEgress}));
  const std::vector<PathPiece> pieces = pieces_of(problem, on_devices({0, 1, 2}), {0, 0, 0});
  REQUIRE(pieces.size() == 4);
  CHECK(pieces[1].to == DeviceId(1));
  CHECK(pieces[2].to == DeviceId(2));
  CHECK(pieces[2].wait == Wait::kChannel);
  CHECK(pieces[2].begin_ps == 3 * kSecond);
}

TEST_CASE("Consecutive transfers from two devices to one are two pieces of the path") {
  // a on 0 and b on 1, 0-1; their 2 bytes each travel 1-3 and 3-5 through the one port of 2.
  const Problem problem(graph_of(seconds_each({1, 1, 1}), {tensor(0, {2}, 2), tensor(1, {2}, 2)}),
                        alike({.devices = 3, .contention = Contention::kPorts}));
  const std::vector<PathPiece> pieces = pieces_of(problem, on_devices({0, 1, 2}), {0, 0, 0});
  REQUIRE(pieces.size() == 4);
  CHECK(pieces[1].device == DeviceId(0));
  CHECK(pieces[2].device == DeviceId(1));
  CHECK(pieces[2].begin_ps == 3 * kSecond);
}

}  // namespace
}  // namespace placer::testing
