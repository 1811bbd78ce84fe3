#include "placer/base/markup.hpp"

#include <catch2/catch.hpp>

namespace placer {
namespace {

TEST_CASE("Letters that mean something to XML become entities, and control characters are named") {
  CHECK(markup_text("<a b=\"c\"> & 'd'") == "&lt;a b=&quot;c&quot;&gt; &amp; 'd'");
  CHECK(markup_text("\x1b[1mµs") == "\\x1b[1mµs");
}

}  // namespace
}  // namespace placer
