#include "placer/base/rng.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <vector>

namespace placer {
namespace {

std::vector<std::uint64_t> draws(Rng rng, int count = 4) {
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(rng.next());
  return numbers;
}

// The reference: prng.di.unimi.it's splitmix64.c fills the state of xoshiro256plusplus.c.
std::vector<std::uint64_t> reference(std::uint64_t seed, int count) {
  std::uint64_t s[4];
  for (std::uint64_t& word : s) {
    std::uint64_t z = (seed += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    word = z ^ (z >> 31);
  }
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < count; ++i) {
    numbers.push_back(std::rotl(s[0] + s[3], 23) + s[0]);
    const std::uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = std::rotl(s[3], 45);
  }
  return numbers;
}

TEST_CASE("The generator is xoshiro256++ seeded by splitmix64", "[base]") {
  // The test vector of the Rust crate rand_xoshiro for this seeding.
  CHECK(draws(Rng(0)) == std::vector<std::uint64_t>{0x53175d61490b23df, 0x61da6f3dc380d507,
                                                    0x5c0fdf91ec9a7bfc, 0x02eebf8c3bbe5e1a});
  for (const std::uint64_t seed : {0ull, 1ull, 20240607ull, ~0ull}) {
    CHECK(draws(Rng(seed), 100) == reference(seed, 100));
  }
}

TEST_CASE("Streams repeat by purpose and index, and differ otherwise", "[base]") {
  const Rng rng(7);
  CHECK(draws(rng.stream("search", 3)) == draws(Rng(7).stream("search", 3)));
  CHECK(draws(rng.stream("search", 3)) != draws(rng.stream("search", 4)));
  CHECK(draws(rng.stream("search", 3)) != draws(rng.stream("start", 3)));
  CHECK(draws(rng.stream("search", 3)) != draws(Rng(8).stream("search", 3)));
  CHECK(draws(rng.stream("search")) != draws(rng));
}

TEST_CASE("A stream is the same however much its parent has drawn", "[base]") {
  Rng parent(7);
  const auto before = draws(parent.stream("x"));
  const auto parent_next = draws(parent);
  CHECK(draws(parent) == parent_next);
  parent.next();
  CHECK(draws(parent.stream("x")) == before);
}

TEST_CASE("Each number below six comes equally often", "[base]") {
  Rng rng(11);
  std::vector<int> counts(6);
  for (int i = 0; i < 60'000; ++i) ++counts.at(rng.below(6));
  // 10,000 expected each, standard deviation 91.
  CHECK(std::ranges::min(counts) > 9'600);
  CHECK(std::ranges::max(counts) < 10'400);
}

TEST_CASE("below() has no bias where the count is near the range of 64 bits", "[base]") {
  // A third of [0, 3 * 2^62) lies in each 2^62; the plain remainder would give the first one half.
  Rng rng(12);
  const std::size_t third = std::size_t{1} << 62;
  std::vector<int> counts(3);
  for (int i = 0; i < 30'000; ++i) ++counts.at(rng.below(3 * third) / third);
  CHECK(std::ranges::min(counts) > 9'600);  // standard deviation 82
  CHECK(std::ranges::max(counts) < 10'400);
  CHECK(rng.below(1) == 0);
}

TEST_CASE("Uniform numbers fill the interval from 0 to 1", "[base]") {
  Rng rng(13);
  double sum = 0, least = 1, most = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double number = rng.uniform();
    sum += number;
    least = std::min(least, number);
    most = std::max(most, number);
  }
  CHECK(least >= 0);
  CHECK(most < 1);
  CHECK(least < 0.001);
  CHECK(most > 0.999);
  CHECK(sum / 100'000 == Approx(0.5).margin(0.005));
}

TEST_CASE("A shuffle puts each item first equally often and loses none", "[base]") {
  Rng rng(14);
  std::vector<int> first(4);
  for (int i = 0; i < 40'000; ++i) {
    std::vector<int> items = {0, 1, 2, 3};
    rng.shuffle(std::span(items));
    ++first.at(static_cast<std::size_t>(items[0]));
    std::ranges::sort(items);
    REQUIRE(items == std::vector<int>{0, 1, 2, 3});
  }
  CHECK(std::ranges::min(first) > 9'600);
}

}  // namespace
}  // namespace placer
