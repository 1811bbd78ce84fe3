#include "placer/model/op_index.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "placer/model/graph.hpp"

namespace placer {
namespace {

std::vector<Op> named_ops(const std::vector<std::string>& names) {
  std::vector<Op> ops(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) ops[i].name = names[i];
  return ops;
}

TEST_CASE("each of many ops is found by its name, and other names are not") {
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) {
    names.push_back(fmt::format("op{}", i));
    names.push_back(fmt::format("{}/op:0", i));
  }
  const std::vector<Op> ops = named_ops(names);
  const OpIndex index(ops);
  CHECK(!index.repeated());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CAPTURE(names[i]);
    CHECK(index.find(names[i]) == OpId(i));
  }
  for (const char* other : {"", "op", "op3000", "op1 ", "3000/op:0", "0/op:1"}) {
    CAPTURE(other);
    CHECK(!index.find(other));
  }
}

TEST_CASE("of equal names the first counts, and the first one again is told") {
  const std::vector<Op> ops = named_ops({"a", "", "b", "a", "b", ""});
  const OpIndex index(ops);
  REQUIRE(index.repeated());
  CHECK(index.repeated()->first == OpId(0));
  CHECK(index.repeated()->again == OpId(3));
  CHECK(index.find("b") == OpId(2));
  CHECK(index.find("") == OpId(1));
}

TEST_CASE("among no ops none is found") {
  CHECK(!OpIndex({}).find("a"));
  CHECK(!OpIndex({}).repeated());
}

}  // namespace
}  // namespace placer
