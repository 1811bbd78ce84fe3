#include "placer/io/checkpoint_file.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "placer/base/errors.hpp"

namespace placer {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

const SearchCheckpoint kThree{
    {{"graph", "hash 01"}, {"seed", "2"}},
    {{.overflow_bytes = 0, .step_ps = 1}, {.overflow_bytes = 7, .step_ps = -2}, Score::deadlock()}};

std::string changed(const std::string& from, const std::string& to) {
  std::string text = write_checkpoint(kThree.request, kThree.scores);
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST_CASE("A checkpoint comes back from its file to the last bit, an empty one as well") {
  CHECK(parse_checkpoint(write_checkpoint(kThree.request, kThree.scores), "c") == kThree);
  const SearchCheckpoint none;
  CHECK(parse_checkpoint(write_checkpoint({}, {}), "c") == none);
}

TEST_CASE("A checkpoint of another version, changed or cut off is refused in one line") {
  const auto fault = [](const std::string& text) {
    try {
      parse_checkpoint(text, "c.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK_THAT(fault(changed("\"written_by\": \"", "\"written_by\": \"9")),
             StartsWith("c.json: written_by: expected version ") && Contains(", found '9"));
  CHECK_THAT(fault(changed("\"seed\": \"2\"", "\"seed\": \"1\"")),
             StartsWith("c.json: checksum: expected ") && EndsWith(", so the file was changed"));
  CHECK(fault(changed("\"evaluations\": 3", "\"evaluations\": 2")) ==
        "c.json: scores: expected three integers for each of 2 evaluations, found 9");
  CHECK(fault(changed("\"scores\": \"A", "\"scores\": \"!")) ==
        "c.json: scores: expected base64 of integers, found something else");
  CHECK_THAT(fault(write_checkpoint({}, {}).substr(0, 40)), StartsWith("c.json: line 2"));
}

}  // namespace
}  // namespace placer
