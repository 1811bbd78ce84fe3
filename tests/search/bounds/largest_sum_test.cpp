#include "search/bounds/largest_sum.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "placer/base/rng.hpp"

namespace placer {
namespace {

TEST_CASE("Of sizes that do not fill a device the largest sum is what it can hold") {
  CHECK(largest_sum({10, 10, 10}, 15) == 11);  // 10, and the rounding of one batch
  CHECK(largest_sum({10, 10, 10}, 30) == 30);
  CHECK(largest_sum({10, 10, 10}, 100) == 30);
  CHECK(largest_sum({20, 30}, 15) == 0);
  // Nine layers of 1.7785 GB do not go into 16 GB, eight take 14.228.
  CHECK(largest_sum(std::vector<std::int64_t>(80, 1'778'500'000), 16'000'000'000) < 14'230'000'000);
}

TEST_CASE("No sum of sizes that fits is above the largest sum") {
  Rng rng(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> sizes;
    for (int i = 0; i < 10; ++i) {
      sizes.push_back(static_cast<std::int64_t>(rng.below(1000)) *
                      (round % 3 == 0 ? 1'000'003 : 1));
    }
    const std::int64_t all = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    const std::int64_t most = all / 3 + 1;
    std::int64_t largest = 0;
    for (unsigned subset = 0; subset < 1024; ++subset) {
      std::int64_t sum = 0;
      for (unsigned i = 0; i < 10; ++i) sum += (subset >> i & 1) != 0 ? sizes[i] : 0;
      if (sum <= most) largest = std::max(largest, sum);
    }
    const std::int64_t found = largest_sum(sizes, most);
    CHECK(found >= largest);
    CHECK(found <= most);
  }
}

}  // namespace
}  // namespace placer
