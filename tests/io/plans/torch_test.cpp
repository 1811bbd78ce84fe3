#include <catch2/catch.hpp>

#include "io/plans/three_layers.hpp"

namespace placer {
namespace {

using namespace plans;

TEST_CASE("PyTorch's stages begin at modules and hold those up to the next", "[plans]") {
  const std::string plan = plan_of("torch", {1, 1, 1, 1, 1, 2, 2, 2, 2});
  CHECK(plan.find("\"split_spec\": {\n    \"model.layers.2\": \"beginning\"\n  }") !=
        std::string::npos);
  CHECK(plan.find("[\"model.embed\", \"model.layers.0\", \"model.layers.1\"]") !=
        std::string::npos);
  CHECK(read("torch", plan) == Devices{1, 1, 1, 1, 1, 2, 2, 2, 2});
}

TEST_CASE("Parts that leave a module out or name none are refused", "[plans]") {
  CHECK(refusal("torch", R"({"module_fqns_per_model_part": [["model"]]})") ==
        "plan: module_fqns_per_model_part: expected every module in a part, found none with "
        "'head'");
  CHECK(refusal("torch", R"({"module_fqns_per_model_part": [["model", "tail"], ["head"]]})") ==
        "plan: module_fqns_per_model_part[0][1]: expected a module of the graph, found 'tail'");
}

}  // namespace
}  // namespace placer
