#include <catch2/catch.hpp>

#include "cli/command_line.hpp"
#include "cli/shared/command.hpp"
#include "placer/model/zoo.hpp"

namespace placer {
namespace {

using Catch::Contains;

TEST_CASE("The written optimum of a planted graph scores what its file says, in order given") {
  const TempFolder folder;
  const std::string graph = folder.file("planted.json"), best = folder.file("best.json");
  REQUIRE(run({"generate", "planted", "--ops", "40", "-o", graph, "--optimum", best}).code ==
          kDone);
  const nlohmann::json claimed = nlohmann::json::parse(text_of(best));
  const nlohmann::json result = run_json({"simulate", graph, "--placement", best, "--json"});
  CHECK(result["order"] == "given");
  CHECK(result["feasible"] == true);
  CHECK(result["step_seconds"] == claimed["score"]["step_seconds"]);
}

TEST_CASE("A model's own flags stand before it, behind it and with an equals sign") {
  const std::string text = run({"generate", "bert", "--layers", "1", "--inference"}).out;
  CHECK(!text.empty());
  CHECK(run({"generate", "--layers", "1", "--inference", "bert"}).out == text);
  CHECK(run({"generate", "--inference", "--layers=1", "bert"}).out == text);
  CHECK(run({"generate", "bert", "--layers=1", "--inference"}).out == text);
}

TEST_CASE("What does not belong to the chosen model is refused in one line") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> table = {
      {{"generate", "resnet50", "--layers", "3"},
       "generate: unknown flag --layers; 'placer generate resnet50 --help' lists them"},
      {{"generate", "layered", "--inference"},
       "generate: unknown flag --inference; 'placer generate layered --help' lists them"},
      {{"generate", "gpt2", "--optimum", "x"},
       "generate: --optimum: expected a model whose best placement is known, found 'gpt2'"},
      {{"generate", "vit", "--size", "b17"},
       "option --size: expected b16 or b32 or l16, found b17"},
      {{"generate", "planted", "--ops", "2"},
       "option ops: expected at least one for each of the 4 devices, found 2"},
  };
  for (const auto& [line, message] : table) {
    const Ran ran = run(line);
    CHECK(ran.err == "placer: " + message + "\n");
    CHECK(ran.code == kBadInput);
    CHECK(ran.out.empty());
  }
}

TEST_CASE("The help of generate lists the models, and that of a model its options") {
  const std::string all = run({"generate", "--help"}).out;
  for (const std::string& name : model_names()) CHECK_THAT(all, Contains(name));
  CHECK_THAT(all, !Contains("--vocabulary"));
  const std::string own = run({"generate", "nmt", "--help"}).out;
  CHECK_THAT(own, Contains("Options of nmt") && Contains("--vocabulary N"));
}

TEST_CASE("A generated graph says how many samples a step has, or tokens it decodes") {
  const TempFolder folder;
  const auto written = [](const Line& model) {
    return nlohmann::json::parse(run(joined({"generate"}, model)).out);
  };
  CHECK(written({"vgg16", "--batch", "4"})["samples"] == 4);
  CHECK(!written({"vgg16"}).contains("tokens"));
  const auto decode = written({"llm_decode", "--batch", "3"});
  CHECK(decode["tokens"] == 3);
  CHECK(!decode.contains("samples"));
  CHECK(!written({"layered", "--ops", "10"}).contains("samples"));
  const std::string g = folder.write("g.json", decode.dump());
  CHECK(nlohmann::json::parse(run({"import", g}).out)["tokens"] == 3);
}

}  // namespace
}  // namespace placer
