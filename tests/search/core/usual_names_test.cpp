#include "search/core/usual_names.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "placer/search/optimizer.hpp"

namespace placer {
namespace {

TEST_CASE("An algorithm is found in capitals and with underscores") {
  CHECK(&find_optimizer("HEFT") == &find_optimizer("heft"));
  CHECK(&find_optimizer("Branch_and-Bound") == &find_optimizer("branch-and-bound"));
}

TEST_CASE("A usual name of elsewhere is no name here, and points to one that is") {
  std::set<std::string_view> seen;
  for (const UsualName& usual : usual_names()) {
    INFO(usual.elsewhere);
    CHECK(find_optimizer(usual.here).name == usual.here);
    CHECK(seen.insert(usual.elsewhere).second);
    CHECK_THROWS_WITH(find_optimizer(usual.elsewhere),
                      Catch::EndsWith("(did you mean '" + std::string(usual.here) + "'?)"));
  }
}

TEST_CASE("Before a suggestion not all algorithms are named, without one all are") {
  const std::string more = std::to_string(all_optimizers().size() - 16) + " more, found 'pots'";
  CHECK_THROWS_WITH(find_optimizer("pots"), Catch::Contains(" and " + more));
  CHECK_THROWS_WITH(find_optimizer("zzzzzzzz"),
                    Catch::Contains(", " + all_optimizers().back().name + ", found"));
}

}  // namespace
}  // namespace placer
