#include "search/lists/memory_over_time.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "placer/base/rng.hpp"

namespace placer::testing {
namespace {

/// The same with a figure for each of `kTimes` instants.
class Plain {
 public:
  static constexpr Picoseconds kTimes = 3'000;
  explicit Plain(std::int64_t capacity) : capacity_(capacity), bytes_(kTimes, 0) {}

  void add(std::int64_t bytes, Picoseconds begin, Picoseconds end) {
    for (Picoseconds t = begin; t < std::min(end, kTimes); ++t) bytes_[index(t)] += bytes;
  }
  std::int64_t room(Picoseconds begin, Picoseconds end) const {
    std::int64_t most = bytes_[index(begin)];
    for (Picoseconds t = begin; t < std::min(end, kTimes); ++t)
      most = std::max(most, bytes_[index(t)]);
    return capacity_ - most;
  }
  std::optional<Picoseconds> earliest(Picoseconds ready, std::int64_t bytes) const {
    Picoseconds t = kTimes;
    while (t > ready && bytes_[index(t - 1)] + bytes <= capacity_) --t;
    if (t == kTimes) return std::nullopt;
    return t;
  }

 private:
  static std::size_t index(Picoseconds t) { return static_cast<std::size_t>(t); }
  std::int64_t capacity_;
  std::vector<std::int64_t> bytes_;
};

TEST_CASE("What is held over time is what a figure for each instant says") {
  Rng rng(3);
  MemoryOverTime memory(1'000'000);
  Plain plain(1'000'000);
  const auto time = [&] { return static_cast<Picoseconds>(rng.below(Plain::kTimes - 1)); };
  for (int round = 0; round < 4'000; ++round) {
    const auto bytes = static_cast<std::int64_t>(rng.below(1'000)) - 400;
    const Picoseconds begin = time();
    const Picoseconds end = rng.below(3) == 0 ? MemoryOverTime::kEver : time();
    memory.add(bytes, begin, end);
    plain.add(bytes, begin, end);
    const Picoseconds from = time(), to = from + 1 + static_cast<Picoseconds>(rng.below(2'000));
    CHECK(memory.room(from, to) == plain.room(from, to));
    CHECK(memory.room() == plain.room(0, MemoryOverTime::kEver));
    CHECK(memory.last_room() == plain.room(Plain::kTimes - 1, Plain::kTimes));
    const auto wanted = static_cast<std::int64_t>(rng.below(1'200'000));
    CHECK(memory.earliest(from, wanted) == plain.earliest(from, wanted));
  }
}

TEST_CASE("What does not fit now waits for memory, and what never fits is told") {
  MemoryOverTime memory(10);
  memory.add(8, 0, 5);
  memory.add(3, 7);
  CHECK(memory.earliest(0, 2) == 0);
  CHECK(memory.earliest(0, 3) == 5);
  CHECK(memory.earliest(6, 7) == 6);
  CHECK(memory.earliest(0, 8) == std::nullopt);
  CHECK(memory.last_room() == 7);
}

}  // namespace
}  // namespace placer::testing
