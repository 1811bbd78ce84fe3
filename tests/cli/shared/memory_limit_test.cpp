#include "cli/shared/memory_limit.hpp"

#include <sys/resource.h>

#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"

namespace placer::testing {
namespace {

TEST_CASE("A memory limit is a size in bytes of at least 64 MB", "[cli]") {
  CHECK(parse_memory_limit("4GB") == 4'000'000'000);
  CHECK(parse_memory_limit("512MiB") == 536'870'912);
  CHECK(parse_memory_limit("64000000") == 64'000'000);
  for (const char* text : {"63MB", "-1GB", "4GBs", "", "nan", "inf"}) {
    INFO(text);
    CHECK_THROWS_WITH(parse_memory_limit(text),
                      Catch::StartsWith("option --memory-limit: expected a size from 64MB"));
  }
}

TEST_CASE("A memory limit holds for all memory that the process may write to", "[cli]") {
  rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_DATA, &before) == 0);
  limit_memory(std::int64_t{1} << 50);
  rlimit now = {};
  REQUIRE(::getrlimit(RLIMIT_DATA, &now) == 0);
  CHECK(now.rlim_cur == rlim_t{1} << 50);
  CHECK(now.rlim_max == before.rlim_max);
  REQUIRE(::setrlimit(RLIMIT_DATA, &before) == 0);
}

}  // namespace
}  // namespace placer::testing
