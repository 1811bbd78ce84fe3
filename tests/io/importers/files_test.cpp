#include "placer/io/files.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "placer/base/errors.hpp"
#include "placer/io/import.hpp"
#include "support/formats.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

namespace fs = std::filesystem;

const std::string kFolder = PLACER_SOURCE_DIR "/tests/bad/import/";

/// What importing says; a name that begins with a format and '@' forces that format.
std::string message_of(const std::string& name) {
  ImportOptions options;
  if (const std::size_t at = name.find('@'); at != std::string::npos) {
    options.format = name.substr(0, at);
  }
  try {
    import_text(read_text(kFolder + name), name, options);
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("broke: ") + error.what();
  }
  return "read without a fault";
}

std::int64_t some_value(const std::optional<std::int64_t>& /*member*/) { return 2; }
bool some_value(bool /*member*/) { return true; }
ShapeOverride some_value(const std::vector<ShapeOverride>& /*member*/) { return {"x", {1}}; }

TEST_CASE("Each faulty file to import gives the one line stored beside it", "[import]") {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder)) {
    if (!entry.is_regular_file() || entry.path().extension() == ".expected") continue;
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  CHECK(names.size() >= 40);
  for (const std::string& name : names) {
    if (!testing::is_readable_format(name)) continue;
    INFO(name);
    CHECK(message_of(name) + "\n" ==
          testing::with_formats(read_text(kFolder + name + ".expected")));
  }
}

TEST_CASE("Each format's good file is recognised by its content", "[import]") {
  const std::vector<std::pair<std::string, std::string>> formats = {
      {"planted.json", "planted"},    {"standard.stg", "stg"},
      {"prototype.stg", "stg"},       {"topcuoglu.json", "topcuoglu"},
      {"graph.txt", "pipedream"},     {"tarnawski.json", "tarnawski"},
      {"workflow.json", "wfcommons"}, {"pipeline.json", "pipeline"},
      {"small.xml", "openvino"},      {"placer.json", "placer"}};
  for (const auto& [file, format] : formats) {
    if (!testing::is_readable_format(file)) continue;
    INFO(file);
    CHECK(import_file(kFolder + "good/" + file).format == format);
    CHECK(import_file(kFolder + "good/" + file, {.format = format}).format == format);
  }
}

TEST_CASE("A workflow's files are tensors, a dependency without a file a tensor of no bytes",
          "[import]") {
  const Imported imported = import_file(kFolder + "good/workflow.json");
  const Graph& graph = imported.graph;
  CHECK(graph.name() == "two-steps");
  REQUIRE(graph.ops().size() == 3);
  CHECK(graph.op(OpId(0)).seconds == std::vector<std::pair<std::string, double>>{{"cpu", 1.5}});
  CHECK(graph.op(OpId(0)).temp_bytes == 4096);
  CHECK(graph.op(OpId(1)).name == "work_1");
  CHECK(graph.op(OpId(1)).type == "work");
  CHECK(graph.op(OpId(1)).seconds.at(0).second == 3.25);
  REQUIRE(graph.tensors().size() == 3);
  CHECK(graph.tensors()[0].name == "half.dat");
  CHECK(graph.tensors()[0].bytes == 50);
  CHECK(graph.tensors()[0].consumers == std::vector{OpId(1)});
  CHECK(graph.tensors()[1].consumers.empty());
  CHECK(graph.tensors()[2].bytes == 0);
  CHECK(graph.tensors()[2].consumers == std::vector{OpId(2)});
  CHECK(imported.notes ==
        std::vector<std::string>{"files that no task writes, there from the start: 1"});
}

TEST_CASE("An IR's constants become parameters and its views vanish, with costs from shapes",
          "[import]") {
  if (!testing::is_readable_format("small.xml")) {
    CHECK_THROWS_WITH(import_file(kFolder + "good/small.xml"),
                      Catch::Contains("expected a program built with pugixml"));
    return;
  }
  const Imported imported = import_file(kFolder + "good/small.xml");
  const Graph& graph = imported.graph;
  CHECK(graph.name() == "small");
  REQUIRE(graph.ops().size() == 4);  // image, conv, relu, classes
  const Op& conv = graph.op(OpId(1));
  CHECK(conv.type == "conv2d");
  CHECK(conv.flops == 2.0 * (4 * 8 * 8) * (3 * 3 * 3));
  // The image, the weights as computed with and the output, in FP32.
  CHECK(conv.bytes == 4.0 * (3 * 8 * 8 + 4 * 3 * 3 * 3 + 4 * 8 * 8));
  CHECK(conv.params_bytes == 216);  // as stored, in FP16
  const Op& classes = graph.op(OpId(3));
  CHECK(classes.name == "classes");
  CHECK(classes.flops == 2.0 * 10 * 256);
  CHECK(classes.params_bytes == 10240);
  CHECK(graph.op(OpId(2)).params_bytes == 0);
  REQUIRE(graph.tensors().size() == 4);
  CHECK(graph.tensors()[2].consumers == std::vector{OpId(3)});  // through the view
  CHECK(graph.tensors()[2].bytes == 4 * 256);
  CHECK(graph.tensors()[3].keep);
  CHECK(imported.notes.size() == 3);
}

TEST_CASE("docs/formats.md says of every format what is read", "[import]") {
  const std::string page = read_text(PLACER_SOURCE_DIR "/docs/formats.md");
  for (const ImportFormat& format : import_formats()) {
    CHECK_THAT(page, Catch::Contains("\n| `" + format.name + "` | "));
  }
}

TEST_CASE("Every option is refused by each format that does not read it, and by no other") {
  const std::string text = read_text(kFolder + "good/standard.stg");
  for (const ImportOption& option : kImportOptions) {
    for (const ImportFormat& format : import_formats()) {
      CAPTURE(option.name, format.name);
      ImportOptions options{.format = format.name};
      std::visit([&](auto member) { options.*member = {some_value(options.*member)}; },
                 option.member);
      std::string message = "read without a fault";
      try {
        import_text(text, "file", options);
      } catch (const Error& error) {
        message = error.what();
      }
      const std::vector<std::string> readers = formats_of(option);
      const bool reads = std::ranges::find(readers, format.name) != readers.end();
      const std::string refusal = "file: expected a format that reads --" +
                                  std::string(option.name) + ", found the format " + format.name;
      CHECK((message == refusal) == !reads);
    }
  }
}

TEST_CASE("The formats that read an option are formats") {
  const std::vector<std::string> known = import_format_names();
  for (const ImportOption& option : kImportOptions) {
    CHECK_FALSE(formats_of(option).empty());
    for (const std::string& format : formats_of(option)) {
      CHECK(std::ranges::find(known, format) != known.end());
    }
  }
}

}  // namespace
}  // namespace placer
