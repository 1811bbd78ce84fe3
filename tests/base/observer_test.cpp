#include "placer/base/observer.hpp"

#include <catch2/catch.hpp>

#include "support/events.hpp"

namespace placer {
namespace {

TEST_CASE("A message is made only where somebody listens at its level") {
  int made = 0;
  const auto message = [&] { return "made " + std::to_string(++made); };
  testing::Events events;
  const Observer observer = events.from(EventLevel::kInfo);
  observer.tell(EventLevel::kDebug, "search", message);
  CHECK(made == 0);
  observer.tell(EventLevel::kInfo, "search", message);
  observer.tell(EventLevel::kError, "", message);
  REQUIRE(events.all.size() == 2);
  CHECK(events.all[0].subject == "search");
  CHECK(events.all[1].message == "made 2");
}

TEST_CASE("Without a listener nothing is heard, not even an error") {
  CHECK_FALSE(Observer().hears(EventLevel::kError));
  Observer().tell(EventLevel::kError, "", []() -> std::string { throw 1; });
}

}  // namespace
}  // namespace placer
