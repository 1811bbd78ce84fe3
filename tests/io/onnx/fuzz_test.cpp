#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>

#include "io/onnx/model.hpp"
#include "io/onnx/split.hpp"
#include "placer/base/errors.hpp"
#include "placer/io/files.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/io/import.hpp"
#include "support/mutants.hpp"
#include "support/onnx_builder.hpp"
#include "support/sanitizers.hpp"
#include "support/shared_data.hpp"

namespace placer::testing {
namespace {

/// PLACER_MUTANTS asks for more of each file than a daily run takes.
int mutants_of_each_file(int usual) {
  const char* asked = std::getenv("PLACER_MUTANTS");
  if (asked != nullptr) return std::atoi(asked);
  return kSanitized ? usual / 4 : usual;
}

/// One byte or three changed in place, so that the lengths of messages mostly stay right.
std::string changed_bytes(const std::string& good, Rng& rng) {
  static constexpr unsigned char kValues[] = {0, 1, 2, 3, 7, 8, 9, 16, 64, 127, 128, 255};
  std::string text = good;
  for (std::uint64_t changes = rng.below(4) == 0 ? 3 : 1; changes > 0; --changes) {
    char& byte = text[rng.below(text.size())];
    byte = static_cast<char>(rng.below(2) == 0 ? kValues[rng.below(std::size(kValues))]
                                               : rng.below(256));
  }
  return text;
}

/// What reads can be written as a graph.
void import_and_write(const std::string& text) {
  const Imported imported = import_text(text, "f.x", {.format = "onnx"});
  if (write_graph(imported.graph, nullptr).empty()) throw std::logic_error("nothing was written");
}

/// What reads can be split, its nodes dealt out to three devices, into stages that can be read.
void split_and_read(const std::string& text) {
  const std::string file = "f.x";
  const ImportSource source(text, file);
  OnnxModel model = read_onnx_model(source);
  inline_functions(source, model);
  OnnxPlaces places{{}, {"a", "b", "c"}, "../"};
  for (const OnnxNode& node : model.nodes) {
    places.device_of.emplace(printable(node.title()), places.device_of.size() % 3);
  }
  const auto read = [&](const SplitOnnx& split) {
    for (const OnnxStage& stage : split.stages) import_text(stage.bytes, file, {.format = "onnx"});
    import_text(split.annotated, file, {.format = "onnx"});
  };
  read(split_onnx(source, {}, places));
  for (const auto& [node, device] : places.device_of) places.ends.emplace(node, device);
  read(split_onnx(source, {}, places));
}

int refused(const std::string& good, int count,
            const std::function<void(const std::string&)>& read = import_and_write) {
  Rng rng(5);
  int refusals = 0;
  for (int i = 0; i < count; ++i) {
    const std::string text = i % 4 == 0 ? mutant(good, rng) : changed_bytes(good, rng);
    try {
      read(text);
    } catch (const Error& error) {
      const std::string_view message = error.what();
      if (!message.starts_with("f.x: ") || message.find('\n') != std::string_view::npos ||
          message.size() > 1000) {
        FAIL("'" << message << "'");
      }
      ++refusals;
    }
  }
  return refusals;
}

TEST_CASE("Mutated ONNX models import or give one line, never anything else",
          "[import][onnx][fuzz]") {
  if (skip_unreadable(".onnx")) return;
  const std::string good = mixed_onnx_model();
  REQUIRE_NOTHROW(import_and_write(good));
  const int count = mutants_of_each_file(1000);
  const int refusals = refused(good, count);
  CHECK(refusals > count / 4);
  CHECK(refusals < count);
  for (std::size_t length = 0; length < good.size(); length += 7) {
    CHECK_THROWS_AS(import_and_write(good.substr(0, length)), Error);
  }
}

TEST_CASE("Mutated ONNX models split where they import, into stages that import",
          "[import][onnx][fuzz]") {
  if (skip_unreadable(".onnx")) return;
  const std::string good = mixed_onnx_model();
  REQUIRE_NOTHROW(split_and_read(good));
  const auto both = [](const std::string& text) {
    import_and_write(text);
    REQUIRE_NOTHROW(split_and_read(text));
  };
  const int count = mutants_of_each_file(1000);
  CHECK(refused(good, count, both) < count);
}

TEST_CASE("Mutated ONNX files of published models import or give one line",
          "[import][onnx][fuzz]") {
  if (skip_unreadable(".onnx")) return;
  for (const std::string folder : {"onnx", "onnx/odd"}) {
    const int count = mutants_of_each_file(folder == "onnx" ? 4 : 30);
    for (const std::string& file : shared_files(folder, ".onnx")) {
      INFO(file);
      refused(read_text(file), count);
    }
  }
}

}  // namespace
}  // namespace placer::testing
