#include "cli/ranks/slice_text.hpp"

#include <catch2/catch.hpp>

namespace placer {
namespace {

const Candidate kFound = {{{DeviceId(1), DeviceId(0)}}, {OpId(2), OpId(0), OpId(1)}, {7, -1, 3}};

TEST_CASE("A task of a slice reads back as it was written") {
  SliceTask task;
  task.slice = {3, "levels", kFound, 0xfedcba9876543210, 500, 0.1};
  task.group_of = {GroupId(0), GroupId(1), GroupId(0)};
  task.bound_ps = 12;
  task.keeps_elites = 4;
  const SliceTask read = slice_task(slice_text(task));
  CHECK(read.slice.strategy == 3);
  CHECK(read.slice.strategy_name == "levels");
  REQUIRE(read.slice.start);
  CHECK(read.slice.start->placement == kFound.placement);
  CHECK(read.slice.start->order == kFound.order);
  CHECK(read.slice.start->score == kFound.score);
  CHECK(read.slice.seed == 0xfedcba9876543210);
  CHECK(read.slice.evaluations == 500);
  CHECK(read.slice.seconds == 0.1);
  CHECK(read.group_of == task.group_of);
  CHECK(read.bound_ps == task.bound_ps);
  CHECK(read.keeps_elites == 4);
  CHECK(read.seconds_left == std::numeric_limits<double>::infinity());
}

TEST_CASE("The end of a slice reads back as it was written") {
  const SliceEnd end = {.best = kFound,
                        .elites = {kFound, kFound},
                        .evaluations = 3,
                        .scores = {{0, 5, 0}, {1LL << 40, 1LL << 60, 2}},
                        .other_work = 6,
                        .proven = true,
                        .ends_run = true,
                        .is_cut = true,
                        .wall_seconds = 0.3};
  const SliceEnd read = slice_end(slice_text(end));
  REQUIRE(read.best);
  CHECK(read.best->placement == kFound.placement);
  REQUIRE(read.elites.size() == 2);
  CHECK(read.elites[1].order == kFound.order);
  CHECK(read.evaluations == 3);
  CHECK(read.scores == end.scores);
  CHECK(read.other_work == 6);
  CHECK((read.proven && read.ends_run && read.is_cut));
  CHECK(read.wall_seconds == 0.3);
}

TEST_CASE("A slice that begins anew and found nothing reads back so") {
  CHECK_FALSE(slice_task(slice_text(SliceTask())).slice.start);
  CHECK_FALSE(slice_task(slice_text(SliceTask())).bound_ps);
  const SliceEnd read = slice_end(slice_text(SliceEnd()));
  CHECK_FALSE(read.best);
  CHECK(read.scores.empty());
  CHECK_FALSE((read.proven || read.ends_run || read.is_cut));
}

TEST_CASE("Bytes that are no slice are refused") {
  CHECK_THROWS(slice_end("x"));
  CHECK_THROWS(slice_task(slice_text(SliceEnd())));
}

}  // namespace
}  // namespace placer
