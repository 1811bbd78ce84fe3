#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "support/onnx_builder.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

// op0 on a takes 3 ticks, its 64 bytes 5 + 1, op1 on b 1: 10 us.
const std::string kPlanted = R"({"format": "planted-1", "makespan_opt": 10,
  "devices": [{"name": "a", "mem_bytes": 900}, {"name": "b", "mem_bytes": 800}],
  "link": {"latency": 5, "bw_bytes_per_tick": 64, "topology": "full, uniform"},
  "cost": [[3, 5], [4, 1]], "mem_bytes": [10, 20], "edges": [[0, 1, 60]],
  "planted": {"device": [0, 1], "start": [0, 9]}})";

TEST_CASE("An imported instance simulates on its own devices as its own placement says") {
  const TempFolder folder;
  const std::string file = folder.write("two.json", kPlanted);
  const std::string graph = folder.file("g.json"), placement = folder.file("p.json");
  const auto said = run_json({"import", file, "-o", graph, "--placement-out", placement, "--json"});
  CHECK(said["format"] == "planted");
  CHECK(said["ops"] == 2);
  CHECK(said["devices"].size() == 2);
  CHECK(said["claimed_step_seconds"] == 10e-6);
  CHECK(said["placement_step_seconds"] == 10e-6);
  const auto simulated = run_json({"simulate", graph, "--placement", placement, "--json"});
  CHECK(simulated["order"] == "given");
  CHECK(simulated["step_seconds"] == 10e-6);
}

TEST_CASE("Without an output file, import prints the graph, which imports as itself") {
  const TempFolder folder;
  const Ran ran =
      run({"import", folder.write("two.stg", "1\n0 0 0\n1 4 1 0\n2 0 1 1\n"), "--processors", "2"});
  CHECK(ran.code == kDone);
  CHECK(run({"import", folder.write("two.json", ran.out)}).out == ran.out);
  CHECK(run_json({"inspect", folder.file("two.json"), "--json"})["ops"] == 3);
}

TEST_CASE("Commands that take a graph take another program's file, on its own devices") {
  const TempFolder folder;
  const std::string file = folder.write("two.json", kPlanted);
  const auto found = run_json({"optimize", file, "--json"});
  CHECK(found["devices"] == "graph file");
  CHECK(found["step_seconds"] ==
        6e-6);  // both on b: 5 + 1; on a 3 + 4; on both with a transfer of 6
  CHECK(run({"inspect", file}).out.starts_with("graph          two (imported from planted)\n"));
  const Ran bare = run({"optimize", folder.write("x.json", "{\"ops\": []}")});
  CHECK(bare.code == kBadInput);
  CHECK(bare.err.find("expected") != std::string::npos);
}

TEST_CASE("Import refuses what it cannot do with one line and leaves old outputs alone") {
  const TempFolder folder;
  const std::string tasks = folder.write("t.stg", "1\n0 0 0\n1 4 1 0\n2 0 1 1\n");
  const std::string planted = folder.write("p.json", kPlanted), old = folder.write("old", "old");
  const std::vector<std::pair<std::vector<std::string>, std::string>> table = {
      {{"import"}, "import: expected FILE, found none"},
      {{"import", tasks, "--format", "sgt"},
       "format: expected one of planted, stg, topcuoglu, tarnawski, pipedream, wfcommons, "
       "onnx, openvino, pipeline, placer, found 'sgt' (did you mean 'stg'?)"},
      {{"import", tasks, "--inference"},
       tasks + ": expected a format that reads --inference, found the format stg"},
      {{"import", tasks, "--placement-out", old},
       tasks + ": expected a placement in the file for --placement-out, found none"},
      {{"import", planted, "--processors", "2", "-o", old},
       planted + ": expected a format that reads --processors, found the format planted"},
      {{"import", planted, "-o", planted},
       "--output: expected another file than FILE, found '" + planted + "' for both"},
      {{"import", planted, "-o", old, "--placement-out", old},
       "--placement-out: expected another file than --output, found '" + old + "' for both"},
  };
  for (const auto& [line, message] : table) {
    const Ran ran = run(line);
    CHECK(ran.err == "placer: " + message + "\n");
    CHECK(ran.code == kBadInput);
    CHECK(ran.out.empty());
  }
  CHECK(text_of(old) == "old");
}

TEST_CASE(
    "A schedule that cannot run is refused, and one that does not fit is written all the same") {
  const TempFolder folder;
  std::string stuck = kPlanted, full = kPlanted;
  stuck.replace(stuck.find("[[0, 1, 60]]"), 12, "[[0, 1, 60], [0, 2, 9]]");
  stuck.replace(stuck.find("[[3, 5], [4, 1]]"), 16, "[[3, 5], [4, 1], [1, 1]]");
  stuck.replace(stuck.find("[10, 20]"), 8, "[10, 20, 1]");
  stuck.replace(stuck.find("[0, 1], \"start\": [0, 9]"), 23, "[0, 1, 0], \"start\": [5, 9, 0]");
  CHECK_THAT(run({"import", folder.write("s.json", stuck)}).err,
             Catch::Contains("s.json: expected a schedule that can run, found a deadlock: "));
  full.replace(full.find("800"), 3, "5");
  const auto said = run_json(
      {"import", folder.write("f.json", full), "--placement-out", folder.file("p.json"), "--json"});
  CHECK(said["placement_overflow_bytes"] == 20 + 64 - 5);
}

TEST_CASE(
    "import --training turns an inference graph of ours into a step, and says what it cannot") {
  const TempFolder folder;
  const std::string graph = folder.file("g.json"), step = folder.file("step.json");
  REQUIRE(run({"generate", "resnet50", "--inference", "-o", graph}).code == kDone);
  const nlohmann::json said =
      run_json({"import", graph, "--training", "sgd", "-o", step, "--json"});
  CHECK(said["ops"] == 478);
  CHECK(run({"import", step, "--training", "sgd"}).err ==
        "placer: " + step +
            ": ops[178]: expected an inference graph to train, found the backward "
            "op 'loss/softmax_cross_entropy_backward'\n");
  CHECK(run({"import", graph, "--training", "rmsprop"}).err ==
        "placer: option --training: expected sgd or momentum or adam, found rmsprop\n");
}

TEST_CASE("Import takes a shape for each input that an ONNX file leaves open") {
  if (testing::skip_unreadable(".onnx")) return;
  const TempFolder folder;
  testing::OnnxBuilder model;
  model.input("a", {-1, 3}).input("b", {-1, 1}).node("Add", {"a", "b"}, {"y"});
  const std::string file = folder.write("m.onnx", model.bytes());
  CHECK(run({"import", file}).err ==
        "placer: " + file +
            ": input 'a': expected fixed extents, as --shape a=1x3 --shape b=1x1 would give, found "
            "batch x 3\n");
  const auto said = run_json({"import", file, "--shape", "a=8x3", "--shape", "b=8x1", "--json"});
  CHECK(said["activation_bytes"] == 4 * 8 * (3 + 1 + 3));
  CHECK(run({"import", file, "--shape", "a=8xb"}).err ==
        "placer: --shape: expected NAME=EXTENTS such as images=1x3x224x224, found 'a=8xb'\n");
}

TEST_CASE("A trace of our own is a profile that the fit explains with the device's efficiency") {
  const TempFolder folder;
  const std::string graph = folder.file("g.json"), trace = folder.file("t.json");
  const std::string measured = folder.file("m.json");
  REQUIRE(run({"generate", "resnet50", "--inference", "-o", graph}).code == kDone);
  REQUIRE(run({"optimize", graph, "--devices", "1xK80", "--algo", "single-device", "--trace", trace,
               "-q"})
              .code == kDone);
  const nlohmann::json said = run_json(
      {"import", graph, "--profile", trace, "--fit", "1xK80", "-o", measured, "--json"})["profile"];
  CHECK(said["ops"] == 176);
  CHECK(said["matched_ops"] == 176);
  CHECK(said["matched_seconds"].get<double>() == Approx(said["seconds"].get<double>()));
  for (const nlohmann::json& fit : said["fit"]) {
    CAPTURE(fit["class"]);
    CHECK(fit["efficiency"].get<double>() == Approx(0.5).epsilon(1e-3));
    CHECK(fit["residual"].get<double>() < 1e-3);
  }
  const Ran summary = run({"import", graph, "--profile", trace, "-o", measured});
  CHECK_THAT(summary.out, Catch::Contains("profile      176 of 176 ops (100.0 %)"));
}

TEST_CASE("A profile that matches nothing, and flags without one, are refused") {
  const TempFolder folder;
  const std::string graph = folder.write("g.json", join_graph());
  const std::string profile = folder.write("p.csv", "name,us\nz,1\n");
  CHECK(run({"import", graph, "--profile", profile}).err ==
        "placer: " + profile + ": expected times of ops of " + graph +
            ", found none, but of 'z'\n");
  CHECK(run({"import", graph, "--fit", "2gpu"}).err ==
        "placer: --fit: expected --profile with it, found none\n");
}

}  // namespace
}  // namespace placer
