#include "cli/report/answer_check.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "placer/io/files.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

/// op0 and op1 of 1 s on two devices, with 1 s between them.
LoadedProblem chain_of_two() {
  return {Problem(chain(2), alike()), "chain", "two", "for a test", {}};
}

SearchResult claim(Picoseconds step_ps) {
  SearchResult result;
  result.placement = on_devices({0, 1});
  result.score = {0, step_ps};
  return result;
}

TEST_CASE("An answer whose score holds passes", "[cli]") {
  CHECK_NOTHROW(check_answer(chain_of_two(), Order::kFifo, claim(3'000'000'000'000)));
}

TEST_CASE("An answer whose score does not hold is saved with graph, placement and both scores",
          "[cli]") {
  std::string message;
  try {
    check_answer(chain_of_two(), Order::kFifo, claim(2'500'000'000'000));
  } catch (const WrongAnswer& wrong) {
    message = wrong.what();
  }
  CHECK_THAT(message, Catch::StartsWith("the search claims a step of 2500000000000 ps"));
  const std::string before = "please report it with ";
  REQUIRE_THAT(message, Catch::Contains(before));
  const std::string path = message.substr(message.find(before) + before.size());
  const auto saved = nlohmann::json::parse(read_text(path));
  std::filesystem::remove(path);
  CHECK(saved["claimed"]["step_ps"] == 2'500'000'000'000);
  CHECK(saved["found"]["step_ps"] == 3'000'000'000'000);
  CHECK(saved["order"] == "fifo");
  CHECK(saved["graph"]["ops"].size() == 2);
  CHECK(saved["graph"]["devices"]["devices"].size() == 2);
  CHECK(saved["placement"]["placement"]["op1"] == "gpu:1");
}

}  // namespace
}  // namespace placer::testing
