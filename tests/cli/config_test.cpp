#include "cli/config.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "cli/cli.hpp"
#include "cli/support.hpp"

namespace placer {
namespace {

std::string config(const std::string& inside) {
  return R"({"format": "placer-config", "version": 1)" + (inside.empty() ? "" : ", " + inside) +
         "}";
}

TEST_CASE("Flags win over the config file, and the config file over the defaults") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string c = folder.write(
      "c.json",
      config(
          R"("algo": "post", "evaluations": 240, "seed": 9, "groups": 2, "options": {"beta": 2})"));
  const auto found =
      run_json({"optimize", g, "--config", c, "--seed", "4", "--epsilon", "0.2", "--json"});
  CHECK(found["seed"] == 4);
  CHECK(found["evaluations"] <= 240);
  CHECK(found["groups"] == 2);
  CHECK(found["options"]["beta"] == 2.0);
  CHECK(found["options"]["epsilon"] == 0.2);
  CHECK(found["options"]["elite-share"] == 0.1);
}

TEST_CASE("Another algorithm on the command line leaves the file's options behind") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string c =
      folder.write("c.json", config(R"("evaluations": 50, "options": {"beta": 2})"));
  const auto found = run_json({"optimize", g, "--config", c, "--algo", "random", "--json"});
  CHECK(found["algorithm"] == "random");
  CHECK(found["evaluations"] == 50);
}

TEST_CASE("The algorithm of a config file brings its flags to the parser") {
  const TempFolder folder;
  const std::string c = folder.write("c.json", config(R"("algo": "random")"));
  const std::string help = run({"optimize", "--config", c, "--help"}).out;
  CHECK_THAT(help, !Catch::Contains("--elite-share"));
}

TEST_CASE("Each fault in a config file is one line that names the file and the key") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::vector<std::pair<std::string, std::string>> table = {
      {config(R"("sed": 1)"), "sed: expected one of "},
      {config(R"("seed": "x")"), "option seed: expected an integer from 0, found x"},
      {config(R"("seed": -1)"), "option seed: expected an integer from 0, found -1"},
      {config(R"("seed": [1])"), "seed: expected a number, a text, true or false, found [1]"},
      {config(R"("options": 3)"), "options: expected an object, found 3"},
      {config(R"("options": {"beta": -1})"), "option beta: expected a number from 0.001 to 1000"},
      {config(R"("options": {"betta": 1})"), "option betta: expected one of "},
      {config(R"("order": "lifo")"), "option order: expected fifo or priority or program or given"},
      {R"({"format": "placer-config", "version": 2})", "version: expected 1, found 2"},
      {R"({"format": "placer-config"})", "version: expected 1, found nothing"},
      {R"({"format": "placer-graph", "version": 1})",
       R"(format: expected "placer-config" or "placer-placement", found "placer-graph")"},
      {R"({"format": "placer-placement", "version": 1})",
       "request: expected an object, found nothing"},
      {"[]", "expected an object, found []"},
      {"{", "expected JSON, found a fault at byte 2"},
  };
  for (const auto& [text, message] : table) {
    const std::string c = folder.write("c.json", text);
    const Ran ran = run({"optimize", g, "--config", c});
    CHECK_THAT(ran.err, Catch::StartsWith("placer: " + c + ": " + message));
    CHECK(std::ranges::count(ran.err, '\n') == 1);
    CHECK(ran.code == kBadInput);
  }
}

TEST_CASE("Every shipped run config is one that optimize takes") {
  const Command& optimize = all_commands().front();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PLACER_SOURCE_DIR "/configs/runs")) {
    INFO(entry.path());
    CHECK(!read_config(entry.path().string(), optimize).flags.empty());
    ++files;
  }
  CHECK(files > 0);
}

}  // namespace
}  // namespace placer
