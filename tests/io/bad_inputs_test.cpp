#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "support/formats.hpp"

namespace placer {
namespace {

namespace fs = std::filesystem;

const std::string kBad = PLACER_SOURCE_DIR "/tests/bad/program/";

/// The files of tests/bad/program that end so, by name without the ending.
std::vector<std::string> names_ending_in(const std::string& extension) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kBad)) {
    if (entry.path().extension() == extension) names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

/// The command line that meets the fault. All but the faulty file is from good/; graphs
/// called graph-own-... bring devices of their own.
std::vector<std::string> line_for(const std::string& name) {
  const std::string file = kBad + name + ".json";
  const std::string graph = kBad + "good/graph.json", devices = kBad + "good/devices.json";
  if (name.starts_with("graph-own-")) return {"inspect", file};
  if (name.starts_with("graph-")) return {"inspect", file, "--devices", devices};
  if (name.starts_with("devices-")) return {"inspect", graph, "--devices", file};
  if (name.starts_with("placement-")) {
    return {"simulate", graph, "--devices", devices, "--placement", file};
  }
  REQUIRE(name.starts_with("config-"));
  return {"optimize", graph, "--devices", devices, "--config", file};
}

std::string without_folder(std::string text) {
  for (std::size_t at = 0; (at = text.find(kBad, at)) != std::string::npos;) {
    text.erase(at, kBad.size());
  }
  return text;
}

TEST_CASE(
    "Each file of tests/bad/program gives exactly the line that is stored beside it, and exit 1") {
  const std::vector<std::string> names = names_ending_in(".json");
  CHECK(names.size() >= 60);
  CHECK(names == names_ending_in(".expected"));
  for (const std::string& name : names) {
    CAPTURE(name);
    const Ran ran = run(line_for(name));
    CHECK(without_folder(ran.err) ==
          "placer: " + testing::with_formats(text_of(kBad + name + ".expected")));
    CHECK(std::ranges::count(ran.err, '\n') == 1);
    CHECK(ran.out.empty());
    CHECK(ran.code == kBadInput);
  }
}

TEST_CASE("What the bad files were made from is accepted") {
  const std::string graph = kBad + "good/graph.json", devices = kBad + "good/devices.json";
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"inspect", graph, "--devices", devices},
        {"simulate", graph, "--devices", devices, "--placement", kBad + "good/placement.json"},
        {"optimize", graph, "--devices", devices, "--config", kBad + "good/config.json"}}) {
    const Ran ran = run(line);
    CHECK(ran.err.empty());
    CHECK(ran.code == kDone);
  }
}

TEST_CASE("The program itself refuses bad files with one line, and old outputs survive") {
  const TempFolder folder;
  for (const std::string name :
       {"graph-empty-file", "graph-binary", "graph-cycle", "devices-slots-0", "config-array"}) {
    CAPTURE(name);
    const std::string output = folder.write("old.json", "old"), trace = folder.write("t", "old");
    std::vector<std::string> line = line_for(name);
    line[0] = "optimize";
    line.insert(line.end(), {"--output", output, "--trace", trace});
    const Ran ran = Process(line).finish();
    CHECK(without_folder(ran.err) ==
          "placer: " + testing::with_formats(text_of(kBad + name + ".expected")));
    CHECK(ran.out.empty());
    CHECK(ran.code == kBadInput);
    CHECK(text_of(output) == "old");
    CHECK(text_of(trace) == "old");
    CHECK(std::distance(fs::directory_iterator(fs::path(output).parent_path()), {}) == 2);
  }
}

}  // namespace
}  // namespace placer
