// Whether a learner ends with everything on one device.
#include "search/core/collapse.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

TEST_CASE("100 samples of which 90 are on one device are a collapse, with 89 they are none") {
  const Problem problem(chain(2), alike());
  CollapseWatch watch;
  for (int i = 0; i < 30; ++i) watch.add(problem, on_devices({0, 1}));
  for (int i = 0; i < 89; ++i) watch.add(problem, on_devices({1, 1}));
  CHECK_FALSE(watch.collapse());
  watch.add(problem, on_devices({1, 1}));
  // The last 100 of 120 samples: 10 on both devices, 90 on the second.
  CHECK(watch.collapse() == Collapse{DeviceId(1), 20});
  watch.add(problem, on_devices({1, 1}));
  CHECK(watch.collapse() == Collapse{DeviceId(1), 20});
  for (int i = 0; i < 11; ++i) watch.add(problem, on_devices({1, 0}));
  CHECK_FALSE(watch.collapse());
}

TEST_CASE("one op cannot collapse, for it is on one device anyway") {
  const Problem problem(chain(1), alike());
  CollapseWatch watch;
  for (int i = 0; i < 200; ++i) watch.add(problem, on_devices({0}));
  CHECK_FALSE(watch.collapse());
}

TEST_CASE("a learner on a chain with slow transfers collapses; what learns nothing never does") {
  const Problem problem(chain(6, 3), alike());
  CHECK(run_search(problem, request_for("cross-entropy", 1200)).collapse);
  CHECK_FALSE(run_search(problem, request_for("hill-climb", 1200)).collapse);
}

}  // namespace
}  // namespace placer::testing
