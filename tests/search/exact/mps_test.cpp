#include "placer/search/mps.hpp"

#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"
#include "support/skipped.hpp"

#ifdef PLACER_CBC
#include <CbcModel.hpp>
#include <OsiClpSolverInterface.hpp>
#endif

namespace placer {
namespace {

using testing::request_for;

Problem two_layers() {
  return Problem(testing::chain(2), testing::alike({.memory_bytes = 100}))
      .with_goal({.objective = Objective::kThroughput});
}

TEST_CASE("The program of two layers on two alike devices, as an MPS file") {
  // 1 s each over 1 byte at 1 byte a second, copies overlap: rows are the layers' places, what
  // leaves and comes, three loads for each device, and the second device after the first.
  CHECK(throughput_mps(two_layers()) ==
        "* x<group>_<device>: whether the group is on the device; bottleneck: milliseconds per "
        "step\n"
        "* device 0: gpu:0\n* device 1: gpu:1\n"
        "* group 0: 1 ops from op0\n* group 1: 1 ops from op1\n"
        "NAME throughput FREE\nROWS\n N cost\n"
        " E r0\n E r1\n L r2\n L r3\n L r4\n L r5\n L r6\n L r7\n L r8\n L r9\n L r10\n L r11\n"
        " L r12\n L r13\n"
        "COLUMNS\n mark 'MARKER' 'INTORG'\n"
        " x0_0 cost 0\n x0_0 r0 1\n x0_0 r2 1\n x0_0 r3 -1\n x0_0 r6 1000\n x0_0 r13 -1\n"
        " x0_1 cost 0\n x0_1 r0 1\n x0_1 r4 1\n x0_1 r5 -1\n x0_1 r9 1000\n x0_1 r12 1\n"
        " x1_0 cost 0\n x1_0 r1 1\n x1_0 r2 -1\n x1_0 r3 1\n x1_0 r6 1000\n"
        " x1_1 cost 0\n x1_1 r1 1\n x1_1 r4 -1\n x1_1 r5 1\n x1_1 r9 1000\n x1_1 r13 1\n"
        " mark 'MARKER' 'INTEND'\n"
        " bottleneck cost 1\n bottleneck r6 -1\n bottleneck r7 -1\n bottleneck r8 -1\n"
        " bottleneck r9 -1\n bottleneck r10 -1\n bottleneck r11 -1\n"
        " out0_0_0 cost 0\n out0_0_0 r2 -1\n out0_0_0 r7 1000\n"
        " in0_0_0 cost 0\n in0_0_0 r3 -1\n in0_0_0 r8 1000\n"
        " out0_1_0 cost 0\n out0_1_0 r4 -1\n out0_1_0 r10 1000\n"
        " in0_1_0 cost 0\n in0_1_0 r5 -1\n in0_1_0 r11 1000\n"
        "RHS\n rhs r0 1\n rhs r1 1\n"
        "BOUNDS\n UP bound x0_0 1\n UP bound x0_1 1\n UP bound x1_0 1\n UP bound x1_1 1\n"
        " UP bound out0_0_0 1\n UP bound in0_0_0 1\n UP bound out0_1_0 1\n UP bound in0_1_0 1\n"
        "ENDATA\n");
}

TEST_CASE("Only the program of throughput is written") {
  CHECK_THROWS_WITH(throughput_mps(two_layers().with_goal({})),
                    "the program of milp: expected the objective throughput, found latency");
}

TEST_CASE("A solver that reads the MPS file finds the best of all placements") {
#ifdef PLACER_CBC
  Rng rng(31);
  const TempFolder folder;
  for (int round = 0; round < 12; ++round) {
    INFO(round);
    const Problem problem = testing::random_problem(rng, {.most_ops = 6, .most_devices = 3})
                                .with_goal({.objective = Objective::kThroughput,
                                            .contiguity = static_cast<Contiguity>(round % 3)});
    const Score best = run_search(problem, request_for("exhaustive", 1'000'000)).score;
    OsiClpSolverInterface read;
    read.messageHandler()->setLogLevel(0);
    REQUIRE(read.readMps(folder.write("program.mps", throughput_mps(problem)).c_str(), "") == 0);
    CbcModel model(read);
    model.setLogLevel(0);
    model.branchAndBound();
    CHECK(model.isProvenOptimal() == best.fits());
    if (best.fits()) CHECK(model.getObjValue() == Approx(to_seconds(best.step_ps) * 1e3));
  }
#else
  testing::skip("this build is without CBC");
#endif
}

TEST_CASE("The flag mps writes the program beside the result, and says so") {
  const TempFolder folder;
  const std::string graph = folder.write("g.json", R"({"format": "placer-graph", "version": 1,
      "ops": [{"name": "a", "type": "x", "seconds": {"gpu": 1}}], "edges": [],
      "devices": {"devices": [{"name": "gpu:0", "type": "gpu", "memory_bytes": 9}],
                  "links": []}})");
  const std::string mps = folder.file("program.mps");
  const Ran ran =
      run({"optimize", graph, "--objective", "throughput", "--evaluations", "9", "--mps", mps});
  CHECK(ran.code == kDone);
  CHECK_THAT(ran.out, Catch::Contains("program.mps"));
  CHECK_THAT(text_of(mps), Catch::Contains(" x0_0 cost 0\n") && Catch::EndsWith("ENDATA\n"));
  const Ran refused = run({"optimize", graph, "--mps", mps});
  CHECK(refused.code == kBadInput);
  CHECK_THAT(refused.err, Catch::Contains("expected the objective throughput, found latency"));
}

}  // namespace
}  // namespace placer
