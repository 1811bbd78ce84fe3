#include "support/skipped.hpp"

#include <catch2/catch.hpp>
#include <utility>

namespace placer::testing {
namespace {

bool skipped = false;

}  // namespace

void skip(const std::string& why) {
  WARN("skipped: " << why);
  skipped = true;
}

bool take_skipped() { return std::exchange(skipped, false); }

}  // namespace placer::testing
