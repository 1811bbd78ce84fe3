#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

/// Eight layers, of 0.5 GiB of weights and 0.5 GiB of key-value cache each.
std::string llama(const TempFolder& folder) {
  const std::string path = folder.file("llama.json");
  REQUIRE(run({"generate", "llm_decode", "--layers", "8", "--batch", "8", "--context", "4096",
               "--output", path})
              .code == kDone);
  return path;
}

Line for_hf(const std::string& command, const std::string& graph, const std::string& gpu) {
  return {command, graph, "--devices", "1xRTX3060:" + gpu + ",1xCPU", "--for", "hf"};
}

/// The size after "--reserve" in what was said.
std::string advised(const std::string& text) {
  const std::string flag = "--reserve ";
  const std::size_t begin = text.find(flag);
  REQUIRE(begin != std::string::npos);
  return text.substr(begin + flag.size(),
                     text.find(' ', begin + flag.size()) - begin - flag.size());
}

TEST_CASE("The reserve that is advised for what hf offloads is enough when it is followed") {
  const TempFolder folder;
  const std::string graph = llama(folder);
  const Line search = joined(for_hf("optimize", graph, "6GiB"),
                             {"--evaluations", "400", "--plan-out", folder.file("map.json")});
  const Ran warned = run(search);
  CHECK(warned.code == kDone);
  CHECK_THAT(warned.err, Catch::Contains("plan for hf: what is offloaded takes "));
  const Line reserve = {"--reserve", advised(warned.err)};
  const Ran followed = run(joined(search, reserve));
  CHECK(followed.code == kDone);
  CHECK(followed.err.empty());
}

TEST_CASE(
    "Of several accelerators the one that runs what is offloaded is advised a reserve alone") {
  const TempFolder folder;
  const std::string graph = llama(folder);
  const Line search = {"optimize",      graph,
                       "--devices",     "1xRTX3060:6GiB,1xRTX3060:2GiB,1xCPU",
                       "--for",         "hf",
                       "--evaluations", "400",
                       "--plan-out",    folder.file("map.json")};
  const Ran warned = run(search);
  const std::string reserve = advised(warned.err);
  CHECK_THAT(reserve, Catch::StartsWith("1GiB,gpu:0="));
  CHECK(run(joined(search, {"--reserve", reserve})).err.empty());
}

TEST_CASE("Fit says what optimize warns of, and that its reserve is enough") {
  const TempFolder folder;
  const std::string graph = llama(folder);
  const Line fit = for_hf("fit", graph, "6GiB");
  const Ran refused = run(fit);
  CHECK(refused.code == kNothingFits);
  CHECK_THAT(refused.out, Catch::StartsWith("fits        not found: what is offloaded takes "));
  CHECK(run_json(joined(fit, {"--json"}), kNothingFits)["offload"].is_string());
  const auto fits = run_json(joined(fit, {"--json", "--reserve", advised(refused.out)}));
  CHECK(fits["fits"] == true);
  CHECK(fits["offload"].is_null());
}

TEST_CASE("Where all caches together are too much for the accelerator no reserve is advised") {
  const TempFolder folder;
  const std::string graph = llama(folder);
  const Ran ran = run(for_hf("fit", graph, "3GiB"));
  CHECK(ran.code == kNothingFits);
  CHECK_THAT(ran.out,
             Catch::Contains("no --reserve that was tried leaves it; all of it together takes"));
}

}  // namespace
}  // namespace placer
