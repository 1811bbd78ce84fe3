#include "search/lists/occupancy.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

using Seconds = std::vector<double>;

/// Devices from 0 on and a tensor of op 0 to op 1 for each number of bytes; 1 byte takes 1 s.
Problem sending(const std::vector<std::int64_t>& bytes, Contention contention,
                std::size_t devices = 4) {
  std::vector<Tensor> tensors;
  for (const std::int64_t count : bytes) tensors.push_back(tensor(0, {1}, count));
  return Problem(graph_of({timed_op("a", 1), timed_op("b", 1)}, tensors),
                 alike({.devices = devices, .contention = contention}));
}

struct Way {
  std::size_t tensor, from, to;
};

double sent(Occupancy& occupancy, const Way& way, double at_seconds) {
  return to_seconds(occupancy.send(TensorId(way.tensor), DeviceId(way.from), DeviceId(way.to),
                                   to_picoseconds(at_seconds)));
}

TEST_CASE("a transfer waits for those that its contention lets it share a channel with") {
  // 3 s from 0 to 1, begun at 0; then 2 s, requested at 1.
  const auto second_ends = [](Contention contention, std::size_t from, std::size_t to) {
    const Problem problem = sending({3, 2}, contention);
    Occupancy occupancy(problem);
    CHECK(sent(occupancy, {0, 0, 1}, 0) == 3);
    return sent(occupancy, {1, from, to}, 1);
  };
  const auto ends = [&](Contention contention) {  // same pair, sender, receiver; onward; back
    return Seconds{second_ends(contention, 0, 1), second_ends(contention, 0, 2),
                   second_ends(contention, 2, 1), second_ends(contention, 1, 2),
                   second_ends(contention, 1, 0)};
  };
  CHECK(ends(Contention::kLink) == Seconds{5, 3, 3, 3, 3});
  CHECK(ends(Contention::kEgress) == Seconds{5, 5, 3, 3, 3});
  CHECK(ends(Contention::kPorts) == Seconds{5, 5, 5, 3, 3});
  CHECK(ends(Contention::kHalfDuplex) == Seconds{5, 5, 5, 5, 5});
  CHECK(ends(Contention::kNone) == Seconds{3, 3, 3, 3, 3});
}

TEST_CASE("a transfer over two channels waits for the later one and holds both") {
  // Device 0 is taken until 3 s, device 2 until 5 s; from 0 to 2 it then takes 1 s.
  const Problem problem = sending({3, 5, 1, 1}, Contention::kHalfDuplex);
  Occupancy occupancy(problem);
  CHECK(sent(occupancy, {0, 0, 1}, 0) == 3);
  CHECK(sent(occupancy, {1, 2, 3}, 0) == 5);
  CHECK(sent(occupancy, {2, 0, 2}, 0) == 6);
  CHECK(sent(occupancy, {3, 1, 0}, 0) == 7);
  const auto waited_for = [&](std::size_t tensor, std::size_t to) {
    return occupancy.arrival(occupancy.copy(TensorId(tensor), DeviceId(to)))->waited_for;
  };
  CHECK(waited_for(0, 1) == Occupancy::kNothing);
  CHECK(waited_for(2, 2) == occupancy.copy(TensorId(1), DeviceId(3)));
  CHECK(waited_for(3, 0) == occupancy.copy(TensorId(2), DeviceId(2)));
}

TEST_CASE("a tensor of no bytes comes at once over a busy channel and holds none") {
  const Problem problem = sending({3, 0, 2}, Contention::kLink);
  Occupancy occupancy(problem);
  CHECK(sent(occupancy, {0, 0, 1}, 0) == 3);
  CHECK(sent(occupancy, {1, 0, 1}, 1) == 1);
  CHECK(sent(occupancy, {2, 0, 1}, 1) == 5);
  CHECK(sent(occupancy, {1, 0, 1}, 9) == 9);
  CHECK(sent(occupancy, {0, 0, 1}, 6) == 9);
}

TEST_CASE("what was sent since a mark is taken back, channels and copies alike") {
  const Problem problem = sending({3, 2}, Contention::kEgress);
  Occupancy occupancy(problem);
  sent(occupancy, {0, 0, 1}, 0);
  const Occupancy::Mark mark = occupancy.mark();
  CHECK(sent(occupancy, {1, 0, 2}, 0) == 5);
  CHECK(sent(occupancy, {0, 0, 1}, 0) == 8);
  CHECK(occupancy.differs_since(mark));
  occupancy.take_back(mark);
  CHECK(occupancy.arrival(occupancy.copy(TensorId(0), DeviceId(1)))->time_ps == to_picoseconds(3));
  CHECK(occupancy.arrival(occupancy.copy(TensorId(1), DeviceId(2))) == nullptr);
  CHECK(sent(occupancy, {1, 0, 3}, 0) == 5);
}

TEST_CASE("of millions of channels those in use are kept, with the same times as of a few") {
  const Problem few = sending({3, 2, 4, 1}, Contention::kLink);
  const Problem many = sending({3, 2, 4, 1}, Contention::kLink, 1500);
  Occupancy dense(few), sparse(many);
  CHECK(dense.lanes().size() == 4 + 16);
  CHECK(sparse.lanes().size() == 1500);
  Rng rng(47);
  std::vector<std::pair<Occupancy::Mark, Occupancy::Mark>> marks;
  for (int step = 0; step < 2000; ++step) {
    if (rng.chance(0.01)) {
      dense.clear();
      sparse.clear();
      marks.clear();
    } else if (rng.chance(0.1)) {
      marks.emplace_back(dense.mark(), sparse.mark());
    } else if (!marks.empty() && rng.chance(0.1)) {
      const std::size_t back = rng.below(marks.size());
      dense.take_back(marks[back].first);
      sparse.take_back(marks[back].second);
      marks.resize(back);
    } else {
      const Way way{rng.below(4), rng.below(4), rng.below(4)};
      const double now = static_cast<double>(rng.below(20));
      REQUIRE(sent(dense, way, now) == sent(sparse, way, now));
    }
    CHECK(sparse.lanes().size() <= 1500 + 12);
  }
}

TEST_CASE("an op sends its tensors by id, each once to every other device, by device") {
  // Device 0 has one channel out. The first tensor goes to 1 and 2 (1-2 s, 2-3 s), then the second
  // to 1 (3-5 s).
  const Problem problem(graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("c", 1),
                                  timed_op("d", 1), timed_op("e", 1)},
                                 {tensor(0, {1, 2, 3, 4}, 1), tensor(0, {2, 4}, 2)}),
                        alike({.devices = 3, .contention = Contention::kEgress}));
  const std::vector<std::size_t> devices{0, 2, 1, 1, 0};
  Occupancy occupancy(problem);
  occupancy.send_outputs(OpId(0), to_picoseconds(1),
                         [&](OpId op) { return DeviceId(devices[op.index()]); });
  const auto came = [&](std::size_t tensor, std::size_t device) {
    return to_seconds(
        occupancy.arrival(occupancy.copy(TensorId(tensor), DeviceId(device)))->time_ps);
  };
  CHECK(Seconds{came(0, 1), came(0, 2), came(1, 1)} == Seconds{2, 3, 5});
  CHECK(occupancy.arrival(occupancy.copy(TensorId(0), DeviceId(0))) == nullptr);
  CHECK(occupancy.arrival(occupancy.copy(TensorId(1), DeviceId(2))) == nullptr);
  occupancy.clear();
  CHECK(occupancy.arrival(occupancy.copy(TensorId(0), DeviceId(1))) == nullptr);
  CHECK(sent(occupancy, {1, 0, 2}, 0) == 2);
}

TEST_CASE("the slot that is free first takes the next op") {
  std::vector<int> free_at{1, 4, 6};
  take_first_slot(std::span(free_at), 5);
  CHECK(free_at == std::vector{4, 5, 6});
  take_first_slot(std::span(free_at), 9);
  CHECK(free_at == std::vector{5, 6, 9});
  take_first_slot(std::span(free_at), 5);
  CHECK(free_at == std::vector{5, 6, 9});
}

}  // namespace
}  // namespace placer::testing
