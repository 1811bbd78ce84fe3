#include "cli/shared/config.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

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
  const std::string c = folder.write(
      "c.json", config(R"("algo": "post", "evaluations": 50, "options": {"beta": 2})"));
  const auto found = run_json({"optimize", g, "--config", c, "--algo", "random", "--json"});
  CHECK(found["algorithm"] == "random");
  CHECK(run({"optimize", g, "--config", c, "--algo", "random", "--quiet"}).err ==
        "placer: " + c + ": its options are those of post and do not count, as --algo is random\n");
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
      {config(R"("sed": 1)"), "expected one of the keys "},
      {config(R"("seed": "x")"), "seed: expected an integer from 0 to 9007199254740992, found 'x'"},
      {config(R"("seed": -1)"), "seed: expected an integer from 0 to 9007199254740992, found -1"},
      {config(R"("seed": [1])"), "seed: expected an integer"},
      {config(R"("seed": 1, "seed": 2)"), "seed: expected"},
      {config(R"("time-limit": 1e999)"), "line 1, column "},
      {config(R"("algo": 3)"), "algo: expected a string, found 3"},
      {config(R"("algo": "pos+")"), "algorithm: expected one of "},
      {config(R"("start": 2)"), "start: expected a string, found 2"},
      {config(R"("devices": {"devices": 3, "links": []})"), "devices.devices: expected an array"},
      {config(R"("options": 3)"), "options: expected an object, found 3"},
      {config(R"("algo": "post", "options": {"beta": -1})"),
       "options.beta: expected a number from 0.001 to 1000, found -1"},
      {config(R"("algo": "post", "options": {"betta": 1})"), "options: expected one of the keys "},
      {config(R"("algo": "random", "options": {"beta": 1})"),
       "options: expected no keys, found 'beta'"},
      {config(R"("order": "lifo")"),
       "order: expected fifo or priority or pct or msr or program or given"},
      {R"({"format": "placer-config", "version": 2})", "version: expected 1, found 2"},
      {R"({"format": "placer-config"})", "expected the key 'version'"},
      {R"({"format": "placer-graph", "version": 1})",
       "format: expected 'placer-config' or 'placer-placement', found 'placer-graph'"},
      {R"({"format": "placer-placement", "version": 1})", "expected the key 'request'"},
      {"[]", "expected an object, found an array"},
      {"{", "line 1, column 2: expected"},
  };
  for (const auto& [text, message] : table) {
    const std::string c = folder.write("c.json", text);
    const Ran ran = run({"optimize", g, "--config", c});
    CHECK_THAT(ran.err, Catch::StartsWith("placer: " + c + ": " + message));
    CHECK(std::ranges::count(ran.err, '\n') == 1);
    CHECK(ran.code == kBadInput);
  }
}

TEST_CASE("Relative paths in a config begin at its folder") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), p = folder.file("p.json");
  const std::string c = folder.write("c.json", config(R"("output": "p.json", "devices": "4gpu")"));
  CHECK(run({"optimize", g, "--config", c, "--algo", "hash"}).err.find("p.json") ==
        std::string::npos);
  folder.write("mine.json", nlohmann::json::parse(join_graph())["devices"].dump());
  const std::string d =
      folder.write("d.json", config(R"("output": "p.json", "devices": "mine.json")"));
  CHECK(run({"optimize", g, "--config", d}).code == kDone);
  CHECK(std::filesystem::exists(p));
}

TEST_CASE("Devices from a file are saved whole, and the request runs again without the file") {
  const TempFolder folder;
  auto graph = nlohmann::json::parse(join_graph());
  const std::string d = folder.write("d.json", graph["devices"].dump());
  graph.erase("devices");
  const std::string g = folder.write("g.json", graph.dump());
  const std::string p = folder.file("p.json"), q = folder.file("q.json");
  REQUIRE(run({"optimize", g, "--devices", d, "--order", "program", "-o", p}).code == kDone);
  std::filesystem::remove(d);
  CHECK(run({"optimize", g, "--config", p, "-o", q}).err.empty());
  CHECK(text_of(p) == text_of(q));
  const auto scored = run_json({"simulate", g, "--placement", p, "--json"});
  CHECK(scored["step_seconds"] == 5.0);
  CHECK(scored["order"] == "program");
}

TEST_CASE("A request that began from a placement asks for it again") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string p = folder.file("p.json"), q = folder.file("q.json"), r = folder.file("r.json");
  REQUIRE(run({"optimize", g, "-o", p}).code == kDone);
  REQUIRE(run({"optimize", g, "--algo", "single-device", "--start", p, "-o", q}).code == kDone);
  CHECK(run({"optimize", g, "--config", q}).err ==
        "placer: " + q +
            ": request.start: expected --start FILE as well, since this search began from a "
            "placement; found none\n");
  CHECK(run({"optimize", g, "--config", q, "--start", p, "-o", r}).code == kDone);
  CHECK(text_of(q) == text_of(r));
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
