#include "cli/ranks/score_text.hpp"

#include <catch2/catch.hpp>

#include "placer/io/devices_file.hpp"
#include "placer/model/zoo.hpp"

namespace placer {
namespace {

TEST_CASE("Placements for a rank read back as they were written") {
  const std::vector<Placement> placements = {{{DeviceId(0), DeviceId(127)}},
                                             {{DeviceId(128), DeviceId(70000)}}};
  const std::vector<OpOrder> orders = {{}, {OpId(2), OpId(300), OpId(0)}};
  const ScoreUnit read = score_unit(score_text(3, std::string("a\0b", 3), placements, orders));
  CHECK(read.graph == 3);
  CHECK(read.groups == std::string("a\0b", 3));
  CHECK(read.placements == placements);
  CHECK(read.orders == orders);
  CHECK(score_unit(score_text(0, "", placements, {})).orders.empty());
}

TEST_CASE("A device among 128 takes a byte, so that a placement of 40 groups takes 41") {
  const Placement one{std::vector<DeviceId>(40, DeviceId(127))};
  const std::vector<Placement> two = {one, one};
  const std::size_t bytes = score_text(0, "", std::span(two).first(1), {}).size();
  CHECK(score_text(0, "", two, {}).size() == bytes + 41);
}

TEST_CASE("Scores read back as they were written") {
  const std::vector<Score> scores = {
      {0, 5, 0}, {1LL << 40, 1LL << 62, 2}, Score::deadlock(), {-1, 128, 127}};
  CHECK(scores_of(score_text(scores)) == scores);
  CHECK(scores_of("").empty());
}

TEST_CASE("The groups of merged ops read back as they were written") {
  const Problem problem(generate("layered", {{"ops", std::int64_t{300}}}).graph,
                        find_devices("2gpu"));
  const Problem same = problem.with_groups(groups_of_ops(group_text(problem)));
  CHECK(same.groups().size() == problem.groups().size());
  CHECK(group_text(same) == group_text(problem));
}

TEST_CASE("Bytes that end too early or never are refused") {
  const std::vector<Placement> placements = {{{DeviceId(0), DeviceId(1)}}};
  const std::string text = score_text(0, "g", placements, {});
  for (std::size_t length = 0; length < text.size(); ++length) {
    CHECK_THROWS_WITH(score_unit(text.substr(0, length)), "a message between ranks is too short");
  }
  CHECK_THROWS_WITH(scores_of(std::string(20, '\xff')),
                    "a number between ranks has too many bytes");
}

}  // namespace
}  // namespace placer
