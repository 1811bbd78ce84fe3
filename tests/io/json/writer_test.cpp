#include "io/json/writer.hpp"

#include <catch2/catch.hpp>

namespace placer {
namespace {

using Layout = JsonWriter::Layout;

TEST_CASE("An inline object is on one line, and one in lines has a line for each member") {
  JsonWriter writer;
  writer.begin_object(Layout::kLines);
  writer.member("a", 1);
  writer.key("b");
  writer.begin_object();
  writer.member("c", true);
  writer.list("d", std::vector<double>{0.1, 2, 1e300});
  writer.end_object();
  writer.key("e");
  writer.begin_array(Layout::kLines);
  writer.end_array();
  writer.key("f");
  writer.json("[1,2]");
  writer.end_object();
  CHECK(std::move(writer).take() ==
        "{\n  \"a\": 1,\n  \"b\": {\"c\": true, \"d\": [0.1, 2, 1e+300]},\n  \"e\": [],\n"
        "  \"f\": [1,2]\n}");
}

TEST_CASE("Without spaces and indent a line for each element is as short as can be") {
  JsonWriter writer({.indent = 0, .spaces = false});
  writer.begin_array(Layout::kLines);
  for (const char* name : {"x", "y"}) {
    writer.begin_object();
    writer.member("name", name);
    writer.member("n", std::size_t{3});
    writer.end_object();
  }
  writer.end_array();
  CHECK(writer.text() == "[\n{\"name\":\"x\",\"n\":3},\n{\"name\":\"y\",\"n\":3}\n]");
}

TEST_CASE("A broken line stands where the next item or the end would") {
  JsonWriter writer({.indent = 0});
  writer.begin_object();
  writer.break_line();
  writer.member("a", 1);
  writer.member("b", 2);
  writer.break_line();
  writer.member("c", 3);
  writer.break_line();
  writer.end_object();
  CHECK(writer.text() == "{\n\"a\": 1, \"b\": 2,\n\"c\": 3\n}");
}

TEST_CASE("Quotes, backslashes and control characters are escaped in keys and texts") {
  JsonWriter writer;
  writer.begin_object();
  writer.member("a\"", "\\\n\x01é");
  writer.end_object();
  CHECK(writer.text() == "{\"a\\\"\": \"\\\\\\u000a\\u0001é\"}");
}

}  // namespace
}  // namespace placer
