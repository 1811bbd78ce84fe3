#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "placer/search/optimizer.hpp"

namespace placer {
namespace {

using Json = nlohmann::json;

TEST_CASE("Inspect counts the ops, bytes and times of two branches that meet") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph(30));
  const auto found = run_json({"inspect", g, "--json"});
  CHECK(found["ops"] == 3);
  CHECK(found["tensors"] == 2);
  CHECK(found["edges"] == 2);
  CHECK(found["groups"] == 3);
  CHECK(found["flops"] == 300.0);
  CHECK(found["other_flops"] == 0.0);
  CHECK(found["params_bytes"] == 30);
  CHECK(found["activation_bytes"] == 2);
  CHECK(found["device_seconds"] == nlohmann::json{{"gpu:0", 8.0}, {"gpu:1", 8.0}});
  CHECK(found["critical_path_seconds"] == 5.0);
  CHECK(found["lower_bound_seconds"] == 5.0);
  CHECK(found["parallelism"] == 1.6);
  REQUIRE(found["devices"].size() == 2);
  CHECK(found["devices"][0]["holds_all_ops"] == false);  // 32 bytes against 30
  CHECK(found["devices"][0]["peak_bytes"] == 32);
  CHECK_THAT(run({"inspect", g}).out, Catch::Contains("does not fit"));
}

TEST_CASE("Inspect refuses a faulty graph file with one line") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", R"({"format": "placer-graph", "version": 1})");
  const Ran ran = run({"inspect", g});
  CHECK(ran.code == kBadInput);
  CHECK_THAT(ran.err, Catch::StartsWith("placer: " + g));
  CHECK(std::ranges::count(ran.err, '\n') == 1);
}

TEST_CASE("Algorithms lists every algorithm, and one with its options and source") {
  const std::string list = run({"algorithms"}).out;
  const auto all = run_json({"algorithms", "--json"});
  CHECK(all.size() == all_optimizers().size());
  for (const Optimizer& optimizer : all_optimizers()) {
    CHECK_THAT(list, Catch::Contains(optimizer.name) && Catch::Contains(optimizer.info.summary));
  }
  CHECK_THAT(run({"algorithms", "post"}).out,
             Catch::Contains("NeurIPS 2018") && Catch::Contains("--elite-share"));
  const auto post = run_json({"algorithms", "post", "--json"});
  CHECK(post["learns"] == true);
  CHECK(post["options"][0] == Json{{"name", "preset"},
                                   {"range", "paper or tuned"},
                                   {"default", "tuned"},
                                   {"as_published", "paper"},
                                   {"meaning", post["options"][0]["meaning"]}});
}

TEST_CASE("Algorithms shows the values that a run uses, and the paper's beside them") {
  const auto value = [](const char* key) {
    const Json seq2seq = run_json({"algorithms", "seq2seq", "--json"});
    for (const Json& option : seq2seq["options"]) {
      if (option["name"] == "hidden") return option[key].get<int>();
    }
    return 0;
  };
  CHECK(value("default") == 64);
  CHECK(value("as_published") == 256);
  const std::string text = run({"algorithms", "seq2seq"}).out;
  CHECK_THAT(text, Catch::Contains("published") && Catch::Contains("departs"));
}

TEST_CASE("A generated graph can be inspected and placed") {
  const TempFolder folder;
  const std::string g = folder.file("g.json");
  REQUIRE(run({"generate", "resnet50", "--batch", "2", "--inference", "-o", g}).code == kDone);
  CHECK(text_of(g) == run({"generate", "resnet50", "--batch", "2", "--inference"}).out);
  const auto facts = run_json({"inspect", g, "--json"});
  // 4.1 G multiply-adds per image.
  CHECK(double{facts["flops"]} == Approx(2 * 8.2e9).epsilon(0.02));
  CHECK(facts["device_spec"] == "2gpu");
  const auto found = run_json({"optimize", g, "--evaluations", "60", "--json"});
  CHECK(found["step_seconds"] <= found["single_device_seconds"]);
}

TEST_CASE("Only a training step's parameters are said to include the optimizer's state") {
  const TempFolder folder;
  const std::string g = folder.file("g.json");
  REQUIRE(run({"generate", "vgg16", "--batch", "1", "-o", g}).code == kDone);
  CHECK_THAT(run({"inspect", g}).out, Catch::Contains(", the optimizer's state included\n"));
  REQUIRE(run({"generate", "vgg16", "--batch", "1", "--inference", "-o", g}).code == kDone);
  const std::string inference = run({"inspect", g}).out;
  // 138.4 million numbers of 4 bytes: 553.4 MB.
  CHECK_THAT(inference, Catch::Contains("\nparameters     527.8 MiB\n"));
  CHECK(run({"import", g, "-o", folder.file("h.json")}).out.find("state") == std::string::npos);
}

TEST_CASE("Where nobody named a machine, the first line says for which one the answer is") {
  const TempFolder folder;
  const std::string g = folder.file("g.json");
  REQUIRE(run({"generate", "vgg16", "--batch", "1", "-o", g}).code == kDone);
  const std::string first =
      "For 2gpu (a Xeon E5 CPU and two K80 GPUs of 2014), as no devices were named: --devices "
      "names yours, such as --devices 2xA100-80,1xCPU.\n\n";
  CHECK_THAT(run({"inspect", g}).out, Catch::StartsWith(first + "graph "));
  CHECK_THAT(run({"optimize", g, "--algo", "heft"}).out, Catch::StartsWith(first + "step time "));
  CHECK_THAT(run({"compare", g, "--algo", "heft"}).out, Catch::StartsWith(first + "Each run has"));
  CHECK_THAT(run({"inspect", g, "--devices", "2gpu"}).out, Catch::StartsWith("graph "));
  const std::string own = folder.write("own.json", join_graph());
  CHECK_THAT(run({"inspect", own}).out, Catch::StartsWith("graph "));
}

}  // namespace
}  // namespace placer
