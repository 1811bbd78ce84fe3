#include <catch2/catch.hpp>

#include "io/plans/three_layers.hpp"

namespace placer {
namespace {

using namespace plans;

TEST_CASE("llama.cpp offloads the last layers and the output, the input stays on the CPU",
          "[plans]") {
  CHECK(plan_of("llamacpp", {0, 0, 0, 1, 1, 2, 2, 2, 2}) ==
        "--device CUDA0,CUDA1 --n-gpu-layers 3 --tensor-split 1,2\n");
  CHECK(read("llamacpp", "-ngl 3 -ts 1,2") == Devices{0, 0, 0, 1, 1, 2, 2, 2, 2});
  CHECK(read("llamacpp", "--n-gpu-layers=99 -ts 3,1 -dev CUDA1,CUDA0") ==
        Devices{0, 2, 2, 2, 2, 2, 2, 1, 1});
  CHECK(read("llamacpp", "-ngl 0") == Devices(9, 0));
  CHECK(read("llamacpp", "-ngl all -ts 1/3") == Devices{0, 1, 1, 2, 2, 2, 2, 2, 2});
  CHECK(read("llamacpp", "") == Devices{0, 1, 1, 1, 1, 2, 2, 2, 2});  // equal memories
}

TEST_CASE("Every split of llama.cpp's is read as it was written", "[plans]") {
  const Problem problem = problem_for("llamacpp");
  const PlanTarget& target = find_plan_target("llamacpp");
  for (std::size_t cpu = 0; cpu <= 4; ++cpu) {
    for (std::size_t first = 0; cpu + first <= 4; ++first) {
      Devices devices = {0};
      for (std::size_t slot = 0; slot < 4; ++slot) {
        const std::size_t device = slot < cpu ? 0 : slot < cpu + first ? 1 : 2;
        devices.insert(devices.end(), 2, device);
      }
      CAPTURE(devices);
      CHECK(read("llamacpp", write_plan(target, problem, placed(problem, devices))) == devices);
    }
  }
}

TEST_CASE("Arguments that llama.cpp would not take are refused", "[plans]") {
  CHECK(refusal("llamacpp", "-ngl many") ==
        "plan: --n-gpu-layers: expected counts such as 20,12, found 'many'");
  CHECK(refusal("llamacpp", "-ts 1,1,1") ==
        "plan: --tensor-split: expected at most 2 shares, as there are devices, found 3");
  CHECK(refusal("llamacpp", "-ts 0,0") ==
        "plan: --tensor-split: expected a share above 0, found '0,0'");
  CHECK(refusal("llamacpp", "-dev CUDA2") ==
        "plan: --device: expected accelerators of the spec, CUDA0 to CUDA1, found 'CUDA2'");
  CHECK(refusal("llamacpp", "-ngl 9 -mg 1") ==
        "plan: -mg: expected arguments that place layers or experts, found it");
  CHECK(refusal("llamacpp", "-sm row") == "plan: --split-mode: expected layer, found 'row'");
  CHECK(refusal("llamacpp", "zzz") ==
        "plan: arguments: expected arguments of llama.cpp such as -ngl 33 -ts 3,1, found 'zzz'");
}

TEST_CASE("Where not all layers fit, llama.cpp offloads as many as do, experts last", "[plans]") {
  const PlanTarget& target = find_plan_target("llamacpp");
  const auto fitting = [&](const Graph& graph) {
    std::vector<Device> devices = machine().devices();
    for (const std::size_t gpu : {1, 2}) devices[gpu].memory_bytes = 3 * kGiB + kGiB / 8;
    const Topology small(std::move(devices), machine().links());
    const Problem problem(graph_for(target, graph, small, false), small);
    const auto plans = default_placements(target, problem);
    REQUIRE(plans.size() == 2);
    CHECK(plans[0].first == "all layers by memory");
    CHECK(plans[1].first == "llama.cpp fit");
    return devices_of(problem, plans[1].second);
  };
  // Two GPUs of 3 GiB; layers and the output of 2 GiB each: one on each of them.
  CHECK(fitting(model()) == Devices{0, 0, 0, 0, 0, 1, 1, 2, 2});
  // Layer 2 and the output are 4 GiB, and 3 without experts.
  CHECK(fitting(experts_model()) == Devices{0, 1, 0, 1, 0, 2, 0, 2, 2});
}

TEST_CASE(
    "Arguments are read as llama.cpp does: underscores are dashes, the last of several counts",
    "[plans]") {
  const Devices three = {0, 0, 0, 1, 1, 2, 2, 2, 2};
  CHECK(read("llamacpp", "--n_gpu_layers 3 --tensor_split 1,2") == three);
  CHECK(read("llamacpp", "--n_gpu_layers=3 --tensor-split=1,2") == three);
  CHECK(read("llamacpp", "-ngl 99 -ts 3,1 -ngl 3 -ts 1,2") == three);
  CHECK(read("llamacpp", "--gpu-layers 99 -ngl 3 \\\n -ts 1,2") == three);
  CHECK(read("llamacpp", "-ngl auto -ts 3,1") == read("llamacpp", "-ts 3,1"));
}

TEST_CASE("An argument of llama.cpp without its value is refused", "[plans]") {
  CHECK(refusal("llamacpp", "-ts 1,1 -ngl") ==
        "plan: -ngl: expected a value behind it, found none");
  CHECK(refusal("llamacpp", "-ngl -ts 1,1") ==
        "plan: -ngl: expected a value behind it, found '-ts'");
  CHECK(refusal("llamacpp", "-ngl 3 --tensor-split=") ==
        "plan: --tensor-split: expected a value behind it, found none");
  CHECK(refusal("llamacpp", "-ngl 3 -ot") == "plan: -ot: expected a value behind it, found none");
  CHECK(refusal("llamacpp", "-ngl 3,1") ==
        "plan: --n-gpu-layers: expected a number of layers, all or auto, found '3,1'");
}

}  // namespace
}  // namespace placer
