#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

/// A decode step of four Llama layers.
std::string llama(const TempFolder& folder) {
  const std::string path = folder.file("llama.json");
  REQUIRE(run({"generate", "llm_decode", "--layers", "4", "--output", path}).code == kDone);
  return path;
}

TEST_CASE("A plan that optimize writes scores in simulate as its result does") {
  const TempFolder folder;
  const std::string graph = llama(folder), plan = folder.file("plan");
  for (const std::string target : {"hf", "vllm", "llamacpp", "torch", "ort", "openvino"}) {
    CAPTURE(target);
    const auto found = run_json({"optimize", graph, "--devices", "2xV100-16,1xCPU", "--for", target,
                                 "--plan-out", plan, "--evaluations", "300", "--json"});
    const auto scored = run_json({"simulate", graph, "--devices", "2xV100-16,1xCPU", "--plan", plan,
                                  "--from", target, "--json"});
    CHECK(found["step_seconds"] == scored["step_seconds"]);
    CHECK(found["feasible"] == true);
    CHECK(scored["feasible"] == true);
  }
}

TEST_CASE("Optimize sets the user's plan and the framework's own beside its answer") {
  const TempFolder folder;
  const std::string graph = llama(folder);
  const std::string plan = folder.write("mine", "VLLM_PP_LAYER_PARTITION=3,1\n");
  const auto found = run_json({"optimize", graph, "--devices", "2xV100-16", "--for", "vllm",
                               "--plan", plan, "--evaluations", "100", "--json"});
  REQUIRE(found["others"].size() == 2);
  CHECK(found["others"][0]["name"] == "your plan");
  CHECK(found["others"][1]["name"] == "even layers");
  CHECK(found["others"][0]["step_seconds"] >= found["step_seconds"]);
  CHECK_THAT(run({"optimize", graph, "--devices", "2xV100-16", "--for", "vllm", "--plan", plan,
                  "--evaluations", "100"})
                 .out,
             Catch::Contains("your plan") && Catch::Contains("even layers"));
}

TEST_CASE("A placement found for a target is simulated by the target's rules") {
  const TempFolder folder;
  const std::string graph = llama(folder), placement = folder.file("p.json");
  // Weights on the CPU are copied for each step: the plain CPU would compute.
  const auto found =
      run_json({"optimize", graph, "--devices", "1xT4,1xCPU", "--for", "hf", "--pin",
                "block3/*=cpu:0", "--output", placement, "--evaluations", "100", "--json"});
  const auto again = run_json({"simulate", graph, "--placement", placement, "--json"});
  CHECK(found["step_seconds"] == again["step_seconds"]);
}

TEST_CASE("Export rounds what a target cannot run only when it is told to, and says what changes") {
  const TempFolder folder;
  const std::string graph = llama(folder), placement = folder.file("p.json");
  REQUIRE(run({"optimize", graph, "--devices", "2xV100-16", "--algo", "random", "--evaluations",
               "5", "--output", placement})
              .code == kDone);
  const Ran refused =
      run({"export", graph, "--devices", "2xV100-16", "--placement", placement, "--to", "vllm"});
  CHECK(refused.code == kBadInput);
  CHECK(refused.out.empty());
  CHECK_THAT(refused.err, Catch::Contains("ops move, step time") && Catch::Contains("--round"));
  const Ran rounded = run({"export", graph, "--devices", "2xV100-16", "--placement", placement,
                           "--to", "vllm", "--round"});
  CHECK(rounded.code == kDone);
  CHECK_THAT(rounded.out, Catch::Contains("VLLM_PP_LAYER_PARTITION="));
  CHECK_THAT(rounded.err, Catch::Contains("ops move, step time"));
}

TEST_CASE("Export of a placement that a target can run changes nothing and says nothing") {
  const TempFolder folder;
  const std::string graph = llama(folder), placement = folder.file("p.json");
  const std::string plan = folder.file("plan");
  REQUIRE(run({"optimize", graph, "--devices", "2xV100-16", "--for", "vllm", "--evaluations", "50",
               "--output", placement, "--plan-out", plan})
              .code == kDone);
  const Ran ran = run({"export", graph, "--placement", placement, "--to", "vllm"});
  CHECK(ran.code == kDone);
  CHECK(ran.err.empty());
  CHECK(ran.out == text_of(plan));
}

TEST_CASE("An input goes with its reader into a plan of nodes, wherever it was placed") {
  const TempFolder folder;
  const std::string graph = folder.write("g.json", R"({"format": "placer-graph", "version": 1,
      "ops": [{"name": "in", "type": "input", "bytes": 8},
              {"name": "a", "type": "relu", "flops": 1e9}],
      "tensors": [{"producer": "in", "consumers": ["a"], "bytes": 8}]})");
  const std::string placement =
      folder.write("p.json", R"({"format": "placer-placement", "version": 1,
                                 "placement": {"in": "gpu:1", "a": "gpu:0"}})");
  const Ran ran =
      run({"export", graph, "--devices", "2xT4", "--placement", placement, "--to", "ort"});
  CHECK(ran.code == kDone);
  CHECK(ran.out == "{\n  \"a\": \"CUDAExecutionProvider:0\"\n}\n");
}

TEST_CASE("A plan of a training step with tied embeddings reads back as it was found") {
  const TempFolder folder;
  const std::string graph = folder.file("bert.json"), plan = folder.file("plan");
  const std::string placement = folder.file("p.json");
  REQUIRE(run({"generate", "bert", "--layers", "3", "--output", graph}).code == kDone);
  const auto found = run_json({"optimize", graph, "--devices", "2xV100-16,1xCPU", "--for",
                               "llamacpp", "--objective", "throughput", "--evaluations", "500",
                               "--plan-out", plan, "--output", placement, "--json"});
  const auto scored = run_json({"simulate", graph, "--devices", "2xV100-16,1xCPU", "--plan", plan,
                                "--from", "llamacpp", "--objective", "throughput", "--json"});
  CHECK(found["step_seconds"] == scored["step_seconds"]);
  const Ran exported = run({"export", graph, "--placement", placement, "--to", "llamacpp"});
  CHECK(exported.code == kDone);
  CHECK(exported.out == text_of(plan));
}

TEST_CASE("Export says what a target's rules cost where no op moves") {
  const TempFolder folder;
  const std::string graph = llama(folder), placement = folder.file("p.json");
  REQUIRE(run({"optimize", graph, "--devices", "1xV100-16,1xCPU", "--pin", "*=cpu:0", "--output",
               placement, "--evaluations", "1"})
              .code == kDone);
  const Ran ran = run(
      {"export", graph, "--devices", "1xV100-16,1xCPU", "--placement", placement, "--to", "hf"});
  CHECK(ran.code == kDone);
  CHECK_THAT(ran.err, Catch::Contains("no op moves, but by the rules of hf the step takes"));
}

TEST_CASE("Flags of plans that do not go together are refused with one line") {
  const TempFolder folder;
  const std::string graph = llama(folder), plan = folder.write("plan", "-ngl 1");
  const auto refusal = [&](const std::vector<std::string>& words) {
    const Ran ran = run(words);
    CHECK(ran.code == kBadInput);
    CHECK(std::ranges::count(ran.err, '\n') == 1);
    return ran.err;
  };
  CHECK_THAT(refusal({"optimize", graph, "--plan-out", folder.file("x")}),
             Catch::Contains("--plan-out: expected --for TARGET with it"));
  CHECK_THAT(refusal({"simulate", graph, "--plan", plan}),
             Catch::Contains("expected --plan FILE and --from TARGET together"));
  CHECK_THAT(refusal({"simulate", graph}), Catch::Contains("expected --placement FILE or --plan"));
  CHECK_THAT(
      refusal({"optimize", graph, "--for", "vlm"}),
      Catch::Contains("option --for: expected one of") && Catch::Contains("did you mean 'vllm'"));
  CHECK_THAT(refusal({"simulate", graph, "--plan", plan, "--from", "dot"}),
             Catch::Contains("plans are read"));
  CHECK_THAT(refusal({"optimize", graph, "--devices", "1xCPU", "--for", "vllm"}),
             Catch::Contains("expected an accelerator among the devices"));
}

TEST_CASE("Inspect lists layers and modules with every node counted once") {
  const TempFolder folder;
  const std::string graph = llama(folder);
  const auto layers = run_json({"inspect", graph, "--groups", "layer", "--json"});
  REQUIRE(layers["group_list"].is_array());
  std::size_t ops = 0, named = 0;
  for (const auto& group : layers["group_list"]) {
    ops += group["ops"].get<std::size_t>();
    named += group["name"].get<std::string>().starts_with("block");
  }
  CHECK(named == 4);
  CHECK(ops == layers["ops"].get<std::size_t>());
  const auto modules = run_json({"inspect", graph, "--groups", "module:2", "--json"});
  CHECK(modules["group_list"].size() > layers["group_list"].size());
  CHECK(run({"inspect", graph, "--groups", "7"}).code == kBadInput);
}

TEST_CASE("Compare writes the plan of the best run, of one graph and for one framework") {
  const TempFolder folder;
  const std::string graph = folder.file("g.json"), plan = folder.file("plan");
  REQUIRE(run({"generate", "llm_decode", "--layers", "4", "-o", graph}).code == kDone);
  const std::vector<std::string> common = {"--devices", "2xV100-16", "--for", "vllm"};
  std::vector<std::string> words = {"compare",       graph, "--algo", "random,tabu", "--seeds", "2",
                                    "--evaluations", "60",  "--json", "--plan-out",  plan};
  words.insert(words.end(), common.begin(), common.end());
  double best = 1e9;
  const auto compared = run_json(words);
  for (const auto& each : compared["graphs"][0]["runs"]) {
    best = std::min(best, each["step_seconds"].get<double>());
  }
  const auto scored = run_json(
      {"simulate", graph, "--devices", "2xV100-16", "--plan", plan, "--from", "vllm", "--json"});
  CHECK(scored["step_seconds"] == best);
  words.insert(words.begin() + 1, graph);
  CHECK(run(words).err == "placer: --plan-out: expected one graph, found 2\n");
  CHECK(run({"compare", graph, "--plan-out", plan}).err ==
        "placer: --plan-out: expected --for TARGET with it, found none\n");
}

TEST_CASE("Compare shows what the framework does by itself beside the algorithms") {
  const TempFolder folder;
  const std::string graph = llama(folder);
  const Line words = {"compare",   graph,  "--algo", "random", "--seeds",       "1",
                      "--devices", "4xT4", "--for",  "hf",     "--evaluations", "60"};
  const auto compared = run_json(joined(words, {"--json"}));
  const auto& others = compared["graphs"][0]["others"];
  REQUIRE(others.size() == 2);
  CHECK(others[0]["name"] == "accelerate auto");
  CHECK(others[0]["feasible"] == true);
  const auto alone = run_json(
      {"optimize", graph, "--devices", "4xT4", "--for", "hf", "--evaluations", "60", "--json"});
  CHECK(others[1]["step_seconds"] == alone["others"][1]["step_seconds"]);
  CHECK_THAT(run(words).out,
             Catch::Contains("\naccelerate auto ") && Catch::Contains("\naccelerate sequential "));
  CHECK_THAT(
      run(joined(words, {"--format", "csv"})).out,
      Catch::Contains(",accelerate auto,,0,") && Catch::Contains(",accelerate sequential,,0,"));
  CHECK_THAT(run(joined(words, {"--order", "fifo,pct"})).out,
             Catch::Contains("\naccelerate auto "));
  CHECK(run_json({"compare", graph, "--algo", "random", "--seeds", "1", "--evaluations", "9",
                  "--json"})["graphs"][0]["others"]
            .empty());
}

TEST_CASE("Inspect lists the ops one by one, by either word for it") {
  const TempFolder folder;
  const std::string graph = llama(folder);
  const auto ops = run_json({"inspect", graph, "--groups", "op", "--json"});
  CHECK(ops["group_list"].size() == ops["groups"].get<std::size_t>());
  CHECK(ops["group_list"] ==
        run_json({"inspect", graph, "--groups", "none", "--json"})["group_list"]);
}

}  // namespace
}  // namespace placer
