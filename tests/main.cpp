// Runs tests as Catch2 does, but that a run of which no test fails and each is skipped, such as one
// of ctest's, ends with a status of its own.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "support/skipped.hpp"

namespace {

constexpr int kSkipped = 77;  // ctest's SKIP_RETURN_CODE

struct SkippedTests : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseEnded(const Catch::TestCaseStats&) override {
    ++ended;
    skipped += placer::testing::take_skipped();
  }
  static inline int ended = 0, skipped = 0;
};
CATCH_REGISTER_LISTENER(SkippedTests)

}  // namespace

int main(int argument_count, char** arguments) {
  const int status = Catch::Session().run(argument_count, arguments);
  const bool all_skipped = SkippedTests::ended > 0 && SkippedTests::skipped == SkippedTests::ended;
  return status == 0 && all_skipped ? kSkipped : status;
}
