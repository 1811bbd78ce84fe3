#include "cli/shared/request.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "cli/command_line.hpp"
#include "support/onnx_builder.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

std::string without_devices() {
  auto graph = nlohmann::json::parse(join_graph());
  graph.erase("devices");
  return graph.dump();
}

TEST_CASE("Every command that reads a graph makes a training step of it where asked") {
  const TempFolder folder;
  const std::string g = folder.file("g.json"), p = folder.file("p.json");
  REQUIRE(run({"generate", "resnet50", "--inference", "-o", g}).code == kDone);
  CHECK(run_json({"inspect", g, "--json"})["ops"] == 176);
  CHECK(run_json({"inspect", g, "--training", "sgd", "--json"})["ops"] == 478);
  CHECK_THAT(run({"inspect", g, "--devices", "2gpu", "--training", "sgd"}).out,
             Catch::StartsWith("graph          resnet50 (trained with sgd)\n"));
  REQUIRE(run({"optimize", g, "--training", "sgd", "--algo", "single-device", "-o", p}).code ==
          kDone);
  CHECK(run_json({"simulate", g, "--placement", p, "--training", "sgd", "--json"})["feasible"] ==
        true);
  CHECK(run({"inspect", g, "--training", "rmsprop"}).err ==
        "placer: option --training: expected sgd or momentum or adam, found rmsprop\n");
  const auto compared = run_json({"compare", g, "--training", "sgd", "--algo", "hash, HEFT",
                                  "--seeds", "1", "--evaluations", "5", "--json"});
  CHECK(compared["graphs"][0]["algorithms"].size() == 2);
}

TEST_CASE("A saved request holds how the graph was read, and runs again") {
  if (!testing::is_readable_format(".onnx")) return;
  const TempFolder folder;
  testing::OnnxBuilder model;
  model.input("a", {-1, 3}).input("b", {-1, 1}).node("Add", {"a", "b"}, {"y"});
  const std::string m = folder.write("m.onnx", model.bytes());
  const std::string p = folder.file("p.json"), q = folder.file("q.json");
  CHECK_THAT(run({"optimize", m}).err, Catch::Contains("as --shape a=1x3 --shape b=1x1 would"));
  REQUIRE(run({"optimize", m, "--shape", "a=8x3", "--shape", "b=8x1", "--algo", "heft", "-o", p})
              .code == kDone);
  const auto request = nlohmann::json::parse(text_of(p))["request"];
  CHECK(request["shape"] == nlohmann::json({"a=8x3", "b=8x1"}));
  REQUIRE(run({"optimize", m, "--config", p, "-o", q}).code == kDone);
  CHECK(text_of(p) == text_of(q));
}

TEST_CASE("A request with measured times asks for the profile again") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string times = folder.write("t.csv", "name,seconds\na,1\nb,1\nc,1\n");
  const std::string p = folder.file("p.json"), q = folder.file("q.json");
  REQUIRE(run({"optimize", g, "--profile", times, "--algo", "single-device", "-o", p}).code ==
          kDone);
  CHECK(nlohmann::json::parse(text_of(p))["score"]["step_seconds"] == 3.0);
  CHECK(run({"optimize", g, "--config", p}).err ==
        "placer: " + p +
            ": request.profile: expected --profile FILE as well, since its times are those of a "
            "profile; found none\n");
  REQUIRE(run({"optimize", g, "--config", p, "--profile", times, "-o", q}).code == kDone);
  CHECK(text_of(p) == text_of(q));
  CHECK(run({"inspect", g, "--profile-device", "gpu"}).err ==
        "placer: --profile-device: expected --profile with it, found none\n");
}

TEST_CASE("A graph of ours is told that it reads no option of other formats") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  CHECK(run({"optimize", g, "--shape", "a=1x3"}).err ==
        "placer: " + g + ": expected a format that reads --shape, found the format placer\n");
}

TEST_CASE("A start brings the devices that its request names, and the summary says whence") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", without_devices());
  const std::string p = folder.file("p.json");
  REQUIRE(run({"optimize", g, "--devices", "4gpu", "--algo", "heft", "-o", p}).code == kDone);
  const std::string started = run({"optimize", g, "--start", p, "--algo", "hash"}).out;
  CHECK_THAT(started, Catch::Contains("4gpu (from " + p + ")"));
  CHECK_THAT(run({"simulate", g, "--placement", p}).out, Catch::Contains("4gpu (from " + p + ")"));
  CHECK_THAT(run({"optimize", g, "--config", p}).out, Catch::Contains("4gpu (from " + p + ")"));
  CHECK_THAT(run({"optimize", g, "--config", p, "--devices", "4gpu"}).out,
             Catch::Contains("4gpu (from --devices)"));
}

TEST_CASE("Budgets, targets and names are taken as people write them") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto found = run_json(
      {"optimize", g, "--algo", "RANDOM", "--evaluations", "1.5k", "--groups", "3", "--json"});
  CHECK(found["evaluations"] == 1500);
  CHECK(found["algorithm"] == "random");
  const Line target = {"optimize", g, "--algo", "Hill_Climb", "--target", "5000ms", "--json"};
  CHECK(run_json(target)["stopped"] == "target");
  CHECK(run_json({"optimize", g, "--algo", "random", "--time-limit", "20ms",
                  "--json"})["wall_seconds"] < 5.0);
}

}  // namespace
}  // namespace placer
