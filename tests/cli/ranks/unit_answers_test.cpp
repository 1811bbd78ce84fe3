#include "cli/ranks/unit_answers.hpp"

#include <catch2/catch.hpp>

#include "cli/ranks/net.hpp"
#include "placer/base/errors.hpp"

namespace placer {
namespace {

/// What rank 0, alone, takes of a unit whose work is `work`.
std::string taken(const std::function<std::string()>& work) {
  Net net(1);
  Net::End end = net.end(0);
  const Observer nobody;
  HandOut hand_out(
      end, "job", [&](const std::string&) { return answer_of(work); }, nobody);
  std::string all;
  run_units(
      hand_out, {"unit"}, "in a unit", [&](std::size_t, const std::string& given) { all += given; },
      [] { return false; });
  return all;
}

TEST_CASE("What the work of a unit gives is taken, and what it throws is thrown by rank 0") {
  CHECK(taken([] { return std::string("done"); }) == "done");
  CHECK(taken([] { return std::string(); }).empty());
  CHECK_THROWS_WITH(taken([]() -> std::string { throw Error("x: expected y, found z"); }),
                    "x: expected y, found z");
  CHECK_THROWS_AS(taken([]() -> std::string { throw Error("x"); }), Error);
  CHECK_THROWS_WITH(taken([]() -> std::string { throw std::logic_error("oh"); }),
                    "in a unit: a fault of ours: oh");
}

}  // namespace
}  // namespace placer
