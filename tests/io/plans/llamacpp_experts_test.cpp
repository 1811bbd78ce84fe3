#include <catch2/catch.hpp>

#include "io/plans/three_layers.hpp"
#include "placer/sim/simulator.hpp"
#include "support/mutants.hpp"
#include "support/sanitizers.hpp"

namespace placer {
namespace {

using namespace plans;

Devices moved(const std::string& text) { return read("llamacpp", text, experts_model()); }

std::string refused(const std::string& text) { return refusal("llamacpp", text, experts_model()); }

// embed, then attention and experts of each of three layers, norm, head.
TEST_CASE("Experts on the CPU are written as llama.cpp counts their layers", "[plans]") {
  const auto plan = [](const Devices& devices) {
    return plan_of("llamacpp", devices, experts_model());
  };
  const std::string layers = "--device CUDA0,CUDA1 --n-gpu-layers 4 --tensor-split 2,2";
  CHECK(plan({0, 1, 1, 1, 1, 2, 2, 2, 2}) == layers + "\n");
  CHECK(plan({0, 1, 0, 1, 0, 2, 0, 2, 2}) == layers + " --cpu-moe\n");
  CHECK(plan({0, 1, 0, 1, 1, 2, 2, 2, 2}) == layers + " --n-cpu-moe 1\n");
  CHECK(plan({0, 1, 1, 1, 0, 2, 1, 2, 2}) ==
        layers + R"( --override-tensor 'blk\.(1)\.ffn_(up|down|gate)_(ch|)exps=CPU')" +
            R"( --override-tensor 'blk\.(2)\.ffn_(up|down|gate)_(ch|)exps=CUDA0')" + "\n");
}

TEST_CASE("Experts anywhere are read as they were written", "[plans]") {
  for (std::size_t code = 0; code < 27; ++code) {
    for (const std::size_t first : {0, 1}) {  // layer 0 on the CPU or a GPU
      const Devices devices = {0, first, code % 3, 1, code / 3 % 3, 2, code / 9, 2, 2};
      CAPTURE(devices);
      CHECK(moved(plan_of("llamacpp", devices, experts_model())) == devices);
    }
  }
}

TEST_CASE("The first pattern that finds an expert's tensor says where it is", "[plans]") {
  CHECK(moved("-ngl 99 -ot exps=CPU") == Devices{0, 1, 0, 1, 0, 2, 0, 2, 2});
  CHECK(moved("-cmoe") == Devices{0, 1, 0, 1, 0, 2, 0, 2, 2});
  CHECK(moved("--n-cpu-moe=2") == Devices{0, 1, 0, 1, 0, 2, 2, 2, 2});
  CHECK(moved("-ncmoe 99") == Devices{0, 1, 0, 1, 0, 2, 0, 2, 2});
  CHECK(moved(R"(-ot "blk\.2\.ffn_.*_exps\.=CUDA0")") == Devices{0, 1, 1, 1, 1, 2, 1, 2, 2});
  CHECK(moved(R"(-ot blk\.0\..*exps=CUDA1,exps=CPU)") == Devices{0, 1, 2, 1, 0, 2, 0, 2, 2});
}

TEST_CASE("Patterns that find nothing, other tensors or half of a layer's experts are refused",
          "[plans]") {
  CHECK(refused(R"(-ot blk\.7\..*exps=CPU)") ==
        R"(plan: -ot: expected a pattern that finds experts of the model, such as exps=CPU, )"
        R"(found 'blk\.7\..*exps', which finds none)");
  CHECK(refused("-ot ffn=CPU") ==
        "plan: -ot: expected patterns that find experts alone, such as exps=CPU, found 'ffn', "
        "which finds blk.0.ffn_norm.weight");
  CHECK(refused("-ot ffn_up_exps=CPU") ==
        "plan: -ot: expected all experts of layer 0 on one device, found some on cpu:0 and some "
        "on gpu:0");
  CHECK(refused("-ot exps=CUDA2") ==
        "plan: -ot: expected a device of the spec, CPU, or CUDA0 to CUDA1, found 'CUDA2'");
  CHECK(refused("-ot (exps=CPU") == "plan: -ot: expected a regular expression, found '(exps'");
  CHECK(refused("-ot exps") ==
        "plan: -ot: expected PATTERN=DEVICE, such as exps=CPU, found 'exps'");
  CHECK(refused("-ncmoe few") == "plan: -ncmoe: expected counts such as 20,12, found 'few'");
  CHECK(refusal("llamacpp", "-cmoe") == "plan: -cmoe: expected a model with experts, found none");
}

TEST_CASE("Stages of layers leave their experts free, and nothing else", "[plans]") {
  const Problem problem = problem_for("llamacpp", experts_model());
  const auto astray = [&](const Devices& devices) {
    return Simulator(problem, Order::kFifo).evaluate(placed(problem, devices)).astray_ops;
  };
  CHECK(astray({0, 1, 0, 1, 2, 2, 0, 2, 2}) == 0);
  CHECK(astray({0, 2, 0, 1, 1, 1, 1, 1, 1}) == 1);  // layer 1 comes behind layer 0
  CHECK(astray({0, 1, 1, 1, 1, 2, 2, 2, 1}) == 1);
}

TEST_CASE("Rounding leaves experts where they are", "[plans]") {
  const Problem problem = problem_for("llamacpp", experts_model());
  std::vector<DeviceId> wanted;
  for (const std::size_t device : {0, 2, 0, 1, 1, 1, 0, 1, 1}) wanted.emplace_back(device);
  // Layers and output on gpu:1 once, on gpu:0 thrice: in the order of the devices.
  CHECK(devices_of(problem, rounded_placement(find_plan_target("llamacpp"), problem, wanted)) ==
        Devices{0, 1, 0, 1, 1, 1, 0, 2, 2});
}

TEST_CASE("Mutated patterns are read or give one line, never anything else", "[plans]") {
  const int count = testing::kSanitized ? 200 : 2'000;
  const std::string good = plan_of("llamacpp", {0, 1, 1, 1, 0, 2, 1, 2, 2}, experts_model());
  const int refusals =
      testing::refused_mutants(good, count, "plan", [](const std::string& text) { moved(text); });
  CHECK(refusals > count / 20);
}

}  // namespace
}  // namespace placer
