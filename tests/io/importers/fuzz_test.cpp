#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "placer/base/errors.hpp"
#include "placer/io/files.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/io/import.hpp"
#include "placer/model/problem.hpp"
#include "placer/model/training.hpp"
#include "support/mutants.hpp"
#include "support/sanitizers.hpp"
#include "support/shared_data.hpp"

namespace placer::testing {
namespace {

/// PLACER_MUTANTS asks for more of each file than a daily run takes.
int mutants_of_each_file(int usual) {
  const char* asked = std::getenv("PLACER_MUTANTS");
  if (asked != nullptr) return std::atoi(asked);
  return kSanitized ? usual / 10 : usual;
}

/// What reads is a graph that can be written and read again, and a problem or a clear error.
void import_and_use(const std::string& text) {
  const Imported imported = import_text(text, "f.x");
  const Topology* devices = imported.devices ? &*imported.devices : nullptr;
  const GraphFile again = parse_graph(write_graph(imported.graph, devices), "f.x: written");
  if (again.graph.ops().size() != imported.graph.ops().size()) {
    throw std::logic_error("an op was lost");
  }
  if (imported.device_of.size() > imported.graph.ops().size()) {
    throw std::logic_error("a device for no op");
  }
  try {
    const Graph trained = training_graph(imported.graph, *named<TrainingRule>("adam"));
    if (trained.ops().size() < imported.graph.ops().size()) throw std::logic_error("ops were lost");
  } catch (const Error&) {  // no parameters, or backward ops
  }
  if (devices == nullptr) return;
  try {
    const Problem problem(imported.graph, *devices);
  } catch (const Error& error) {
    throw Error(std::string("f.x: ") + error.what());
  }
}

TEST_CASE("Mutated files of every format import or give one line, never anything else",
          "[import][fuzz]") {
  const std::string good = PLACER_SOURCE_DIR "/tests/bad/import/good";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(good)) {
    if (!is_readable_format(entry.path().string())) continue;
    INFO(entry.path().filename().string());
    const std::string text = read_text(entry.path().string());
    REQUIRE_NOTHROW(import_and_use(text));
    const int count = mutants_of_each_file(1500);
    const int refused = refused_mutants(text, count, "f.x: ", import_and_use);
    CHECK(refused > count / 4);
    CHECK(refused < count);
    ++files;
  }
  CHECK(files + 1 >= import_formats().size());
}

TEST_CASE("Mutated files of published data import or give one line", "[import][fuzz]") {
  const int count = mutants_of_each_file(20);
  for (const auto& [folder, ending] : {std::pair{"scheduling/planted", "n30_d2_s1.json"},
                                       {"scheduling/stg", "0001.stg"},
                                       {"scheduling", "fig2.json"},
                                       {"tarnawski/latency", "bert24.json"},
                                       {"pipedream", "gnmt.graph.txt"}}) {
    for (const std::string& file : shared_files(folder, ending)) {
      INFO(file);
      refused_mutants(read_text(file), count, "f.x: ", import_and_use);
    }
  }
}

TEST_CASE("Every prefix of a file of every format imports or gives one line", "[import][fuzz]") {
  const std::string good = PLACER_SOURCE_DIR "/tests/bad/import/good";
  for (const auto& entry : std::filesystem::directory_iterator(good)) {
    const std::string text = read_text(entry.path().string());
    for (std::size_t length = 0; length < text.size(); length += kSanitized ? 29 : 7) {
      try {
        import_and_use(text.substr(0, length));
      } catch (const Error& error) {
        CHECK(std::string(error.what()).starts_with("f.x: "));
      }
    }
  }
}

}  // namespace
}  // namespace placer::testing
