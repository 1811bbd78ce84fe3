#include <catch2/catch.hpp>
#include <filesystem>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "support/onnx_builder.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

/// Six products in a row, of 2.5 MB of weights each.
std::string chain(const TempFolder& folder, const std::string& name = "m.onnx") {
  testing::OnnxBuilder model;
  model.input("x0", {64, 800});
  for (int i = 0; i < 6; ++i) {
    const std::string number = std::to_string(i);
    model.weights("w" + number, {800, 800});
    model.node("MatMul", {"x" + number, "w" + number}, {"x" + std::to_string(i + 1)});
  }
  return folder.write(name, model.output("x6").bytes());
}

Line for_onnx(const std::string& graph, const std::string& plan) {
  return {"optimize",    graph,        "--devices",     "2xV100-16", "--for",      "onnx",
          "--objective", "throughput", "--evaluations", "200",       "--plan-out", plan};
}

TEST_CASE("A plan for onnx is a folder of stages and how to chain them") {
  if (testing::skip_unreadable(".onnx")) return;
  const TempFolder folder;
  const std::string plan = folder.file("new/plan");
  const Ran ran = run(for_onnx(chain(folder), plan));
  CHECK(ran.code == kDone);
  CHECK(ran.out.find("written: " + plan) != std::string::npos);
  const auto said = nlohmann::json::parse(text_of(plan + "/pipeline.json"));
  REQUIRE(said["stages"].size() == 2);
  CHECK(said["inputs"] == nlohmann::json{"x0"});
  CHECK(said["outputs"][0]["name"] == "x6");
  CHECK(said["outputs"][0]["from"] == 1);
  CHECK(said["stages"][0]["inputs"][0]["from"] == "model");
  CHECK(said["stages"][0]["outputs"] ==
        nlohmann::json::array({said["stages"][1]["inputs"][0]["name"]}));
  CHECK(said["stages"][0]["device"] != said["stages"][1]["device"]);
  int products = 0;
  for (const auto& stage : said["stages"]) {
    const std::string file = plan + "/" + stage["file"].get<std::string>();
    products += run_json({"inspect", file, "--json"})["ops"].get<int>() - 1;  // and the input
  }
  CHECK(products == 6);
  CHECK(run_json({"inspect", plan + "/annotated.onnx", "--json"})["ops"] == 7);
}

TEST_CASE("Plans for onnx are refused before the search where they could not be written") {
  if (testing::skip_unreadable(".onnx")) return;
  const TempFolder folder;
  const std::string model = chain(folder), plan = folder.file("plan");
  const auto error_of = [&](const Line& line) {
    const Ran ran = run(line);
    CHECK(ran.code == kBadInput);
    return ran.err;
  };
  const std::string graph = folder.write("g.json", join_graph());
  CHECK(error_of({"optimize", graph, "--for", "onnx"}) ==
        "placer: " + graph +
            ": expected a file of format onnx for --for onnx, found one of format placer\n");
  CHECK(error_of(joined(for_onnx(model, plan), {"--training", "sgd"})) ==
        "placer: option --training: expected none with --for onnx, found one\n");
  CHECK(error_of(for_onnx(model, "-")) ==
        "placer: --plan-out: expected a folder, as a plan for onnx is several files, found '-'\n");
  CHECK(
      error_of(for_onnx(model, model)).starts_with("placer: --plan-out: " + model + ": expected"));
}

TEST_CASE("The stages never take the place of the model itself") {
  if (testing::skip_unreadable(".onnx")) return;
  const TempFolder folder;
  const std::string model = chain(folder, "stage1.onnx"), before = text_of(model);
  const Ran ran = run(for_onnx(model, folder.file(".")));
  CHECK(ran.err.find("expected a folder without the graph as stage1.onnx") != std::string::npos);
  CHECK(text_of(model) == before);
  CHECK_FALSE(std::filesystem::exists(folder.file("stage0.onnx")));
}

TEST_CASE("A shorter plan takes the stages of the older one out of its folder, and nothing else") {
  if (testing::skip_unreadable(".onnx")) return;
  const TempFolder folder;
  const std::string model = chain(folder), plan = folder.file("plan");
  Line longer = for_onnx(model, plan);
  longer[3] = "3xV100-16";
  REQUIRE(run(longer).code == kDone);
  REQUIRE(std::filesystem::exists(plan + "/stage2.onnx"));
  const std::string other = folder.write("plan/stage7.onnx", "not ours");
  REQUIRE(run(for_onnx(model, plan)).code == kDone);
  CHECK(std::filesystem::exists(plan + "/stage1.onnx"));
  CHECK_FALSE(std::filesystem::exists(plan + "/stage2.onnx"));
  CHECK(std::filesystem::exists(other));
}

TEST_CASE("Of a model whose inputs have no batch in common steps a second are told, and why") {
  if (testing::skip_unreadable(".onnx")) return;
  const TempFolder folder;
  testing::OnnxBuilder model;
  model.input("x", {8, 3}).input("y", {2, 3}).node("Relu", {"x"}, {"a"}).node("Relu", {"y"}, {"b"});
  const std::string file = folder.write("m.onnx", model.output("a").output("b").bytes());
  const Line words = {"optimize", file, "--devices", "2xV100-16", "--evaluations", "9"};
  const auto found = run_json(joined(words, {"--json"}));
  CHECK(found["samples_per_second"].is_null());
  CHECK(found["steps_per_second"].get<double>() == Approx(1 / found["step_seconds"].get<double>()));
  const std::string why = "no first extent that all inputs have, so no samples of a step";
  CHECK(found["no_yield"] == why);
  CHECK_THAT(run(words).out, Catch::Contains("\nsteps ") && Catch::Contains(why));
}

}  // namespace
}  // namespace placer
