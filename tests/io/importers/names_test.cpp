#include <catch2/catch.hpp>

#include "io/importers/importer.hpp"
#include "placer/base/errors.hpp"
#include "placer/io/graph_file.hpp"

namespace placer {
namespace {

TEST_CASE("Names that other programs wrote become ones that every output can show", "[import]") {
  const std::string text, file = "m.onnx";
  const ImportSource source(text, file);
  Op op;
  op.name = "a\x1b[31m\n";
  op.type = "mat\x7fmul";
  op.group = "\u202eg";
  op.flops = 1;
  const Graph graph =
      imported_graph(source, "m\xff", {op}, {{.name = "t\t", .producer = OpId(0), .bytes = 1}});
  CHECK(graph.name() == "m\\xff");
  CHECK(graph.ops()[0].name == "a\\x1b[31m\\x0a");
  CHECK(graph.ops()[0].type == "mat\\x7fmul");
  CHECK(graph.ops()[0].group == "\\xe2\\x80\\xaeg");
  CHECK(graph.tensors()[0].name == "t\\x09");
  CHECK(parse_graph(write_graph(graph), "g").graph.ops()[0].name == graph.ops()[0].name);
}

TEST_CASE("Our own files refuse names that some output could not show", "[import]") {
  const auto with_name = [](const std::string& name) {
    return parse_graph(R"({"format": "placer-graph", "version": 1, "name": ")" + name +
                           R"(", "ops": [{"name": "a", "type": "t", "flops": 1}], "edges": []})",
                       "g");
  };
  CHECK(with_name("\u00fc \u4e2d <b>").graph.name() == "\u00fc \u4e2d <b>");
  CHECK_THROWS_WITH(with_name("a\u009bb"),
                    "g: name: expected a string without control characters, "
                    "found 'a\\xc2\\x9bb'");
  CHECK_THROWS_WITH(with_name("\u202eb"),
                    "g: name: expected a string without control characters, "
                    "found '\\xe2\\x80\\xaeb'");
}

}  // namespace
}  // namespace placer
