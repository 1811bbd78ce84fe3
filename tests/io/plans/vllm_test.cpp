#include <catch2/catch.hpp>

#include "io/plans/three_layers.hpp"

namespace placer {
namespace {

using namespace plans;

TEST_CASE("vLLM's partition counts layers, ends go with the first and the last", "[plans]") {
  CHECK(plan_of("vllm", {2, 2, 2, 1, 1, 1, 1, 1, 1}) ==
        "# vllm serve MODEL --pipeline-parallel-size 2\nCUDA_VISIBLE_DEVICES=1,0\n"
        "VLLM_PP_LAYER_PARTITION=1,2\n");
  CHECK(read("vllm", "export VLLM_PP_LAYER_PARTITION=\"1,2\"\nCUDA_VISIBLE_DEVICES=1,0\n") ==
        Devices{2, 2, 2, 1, 1, 1, 1, 1, 1});
  CHECK(read("vllm", "VLLM_PP_LAYER_PARTITION=2,1") == Devices{1, 1, 1, 1, 1, 2, 2, 2, 2});
}

TEST_CASE("A partition with too few layers, too many stages or none is refused", "[plans]") {
  CHECK(refusal("vllm", "VLLM_PP_LAYER_PARTITION=1,1") ==
        "plan: VLLM_PP_LAYER_PARTITION: expected 3 layers in all, as the model has, found 2");
  CHECK(refusal("vllm", "VLLM_PP_LAYER_PARTITION=1,1,1") ==
        "plan: VLLM_PP_LAYER_PARTITION: expected at most 2 stages, as there are accelerators, "
        "found 3");
  CHECK(refusal("vllm", "X=1") ==
        "plan: VLLM_PP_LAYER_PARTITION: expected the layers of each stage, such as 20,12, found "
        "nothing");
  CHECK(refusal("vllm", "VLLM_PP_LAYER_PARTITION=2,1\nCUDA_VISIBLE_DEVICES=0,0") ==
        "plan: CUDA_VISIBLE_DEVICES: expected each accelerator once, found 0 again");
  CHECK(refusal("vllm", "VLLM_PP_LAYER_PARTITION=3\nCUDA_VISIBLE_DEVICES=2") ==
        "plan: CUDA_VISIBLE_DEVICES: expected accelerators of the spec, 0 to 1, found 2");
}

TEST_CASE("vLLM's own partition gives what is left to the stages before the last", "[plans]") {
  const Problem problem = problem_for("vllm");
  const auto plans = default_placements(find_plan_target("vllm"), problem);
  REQUIRE(plans.size() == 1);
  CHECK(plans[0].first == "even layers");
  CHECK(devices_of(problem, plans[0].second) == Devices{1, 1, 1, 1, 1, 2, 2, 2, 2});
}

TEST_CASE("vLLM's variables may stand before the command, on one line", "[plans]") {
  const Devices split = {1, 1, 1, 1, 1, 2, 2, 2, 2};
  CHECK(read("vllm", "VLLM_PP_LAYER_PARTITION=2,1 vllm serve org/model --port 8000 -pp 2") ==
        split);
  CHECK(read("vllm",
             "CUDA_VISIBLE_DEVICES=1,0 VLLM_PP_LAYER_PARTITION='2, 1' \\\n"
             "  vllm serve org/model --pipeline-parallel-size=2") ==
        Devices{2, 2, 2, 2, 2, 1, 1, 1, 1});
  CHECK(read("vllm", "export VLLM_PP_LAYER_PARTITION = 2,1\nvllm serve org/model -pp 2") == split);
}

TEST_CASE("A command of vLLM's without a partition shares layers evenly over its stages",
          "[plans]") {
  CHECK(read("vllm", "vllm serve org/model -pp 2") == Devices{1, 1, 1, 1, 1, 2, 2, 2, 2});
  CHECK(read("vllm", "vllm serve org/model -pp 1") == Devices(9, 1));
  CHECK(read("vllm", "vllm serve org/model -tp 1") == Devices(9, 1));  // one stage by default
}

TEST_CASE("Stages of several devices are refused", "[plans]") {
  CHECK(refusal("vllm", "vllm serve org/model -pp 2 -tp 2") ==
        "plan: --tensor-parallel-size: expected 1, as a stage has one device here, found '2'");
  CHECK(refusal("vllm", "vllm serve org/model --data-parallel-size=4") ==
        "plan: --data-parallel-size: expected 1, as a stage has one device here, found '4'");
}

TEST_CASE("Stages that the command does not have, or the model has no layers for, are refused",
          "[plans]") {
  CHECK(refusal("vllm", "VLLM_PP_LAYER_PARTITION=2,1 vllm serve m -pp 3") ==
        "plan: --pipeline-parallel-size: expected the 2 of VLLM_PP_LAYER_PARTITION, found 3");
  CHECK(refusal("vllm", "vllm serve m -pp 4") ==
        "plan: --pipeline-parallel-size: expected stages of the 3 layers, found '4'");
  CHECK(refusal("vllm", "vllm serve m -pp 3") ==
        "plan: VLLM_PP_LAYER_PARTITION: expected at most 2 stages, as there are accelerators, "
        "found 3");
}

}  // namespace
}  // namespace placer
