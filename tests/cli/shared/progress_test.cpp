#include "cli/shared/progress.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "cli/command_line.hpp"
#include "cli/shared/layout.hpp"

namespace placer {
namespace {

constexpr Picoseconds kSecond = 1'000'000'000'000;

/// 600 of 2400 evaluations after 10 s, at 6 s.
const SearchProgress kQuarter{
    .evaluations = 600, .wall_seconds = 10, .share = 0.25, .best = {0, 6 * kSecond}};

/// What a terminal of `width` columns is sent for one drawing and its end.
std::string drawn(const SearchProgress& progress, const ShownSearch& search, std::size_t width) {
  std::ostringstream out, err;
  Console console{
      .out = out, .err = err, .err_is_terminal = true, .err_width = [=] { return width; }};
  { Progress({}, false, console, search).show(progress); }
  return err.str();
}

TEST_CASE("The live line says share, best, gap, time left and rate, and is erased at the end") {
  CHECK(drawn(kQuarter, {.bound_ps = 5 * kSecond}, 80) ==
        "\r 25 %  best 6.000 s  gap 20.0 %  30 s left  600 evaluations  60/s\x1b[K\r\x1b[K");
}

TEST_CASE("Of several searches the line says which it is, and the time left for all") {
  // The second of four, a quarter through after 30 + 10 s: 5 / 16 done, 88 s left.
  const ShownSearch search{.name = "wide heft seed 1", .number = 2, .all = 4, .seconds_before = 30};
  CHECK(drawn(kQuarter, search, 100) ==
        "\r2/4 wide heft seed 1   31 %  best 6.000 s  88 s left  600 evaluations  60/s"
        "\x1b[K\r\x1b[K");
}

TEST_CASE("A last search that is longer than those before has its own time left") {
  const ShownSearch search{.name = "b", .number = 4, .all = 4, .seconds_before = 1};
  CHECK_THAT(drawn(kQuarter, search, 100), Catch::Contains(" 30 s left "));
}

TEST_CASE("A line fits a terminal that is one column wider, with the figures that matter") {
  const ShownSearch search{.name = "inception_v3_图形_with_a_long_name hierarchical seed 3",
                           .number = 112,
                           .all = 120,
                           .bound_ps = 5 * kSecond};
  for (const std::size_t width : std::vector<std::size_t>{1, 2, 10, 20, 40, 79, 80, 120, 200}) {
    const std::string text = drawn(kQuarter, search, width);
    const std::string line = text.substr(1, text.find("\x1b[K") - 1);
    CAPTURE(width, line);
    CHECK(columns_of(line) < std::max<std::size_t>(width, 2));
    CHECK(std::ranges::count(text, '\n') == 0);
    CHECK((line.find("gap 20.0 %") != std::string::npos) == (width >= 79));
  }
}

TEST_CASE("A placement that does not fit has no gap, and a search without a budget no time left") {
  const SearchProgress progress{
      .evaluations = 600, .wall_seconds = 10, .share = 1e-16, .best = {7, 6 * kSecond}};
  CHECK(drawn(progress, {.bound_ps = 5 * kSecond}, 80) ==
        "\rbest 6.000 s (does not fit)  600 evaluations  60/s\x1b[K\r\x1b[K");
}

TEST_CASE("A training's line says how much of it is left") {
  std::ostringstream out, err;
  Console console{.out = out, .err = err, .err_is_terminal = true};
  Progress({}, false, console)
      .show(TrainingProgress{.updates = 3, .evaluations = 40, .share = 0.5, .wall_seconds = 8});
  CHECK(err.str() == "\r 50 %  8 s left  40 evaluations  3 updates  5/s\x1b[K\r\x1b[K");
}

TEST_CASE("Less than ten evaluations in a second are told to two digits") {
  const SearchProgress progress{
      .evaluations = 3, .wall_seconds = 40, .share = 1e-16, .best = {0, 6 * kSecond}};
  CHECK_THAT(drawn(progress, {}, 80), Catch::Contains(" 0.075/s"));
}

TEST_CASE("That a large file is read is seen on a terminal, unless it is not to be") {
  const TempFolder folder;
  const std::string large = folder.write("large", std::string(4'000'000, ' '));
  const std::string small = folder.write("small", " ");
  const auto seen = [&](const std::string& file, bool is_terminal, bool shown) {
    std::ostringstream out, err;
    Console console{.out = out, .err = err, .err_is_terminal = is_terminal};
    begin_reading(console, file, shown);
    CHECK(console.doing == "reading " + file);
    begin_part(console, "what is next", false);
    CHECK(console.doing == "what is next");
    return err.str();
  };
  CHECK(seen(large, true, true) == "\r" + cut("reading " + large, 79) + "\x1b[K\r\x1b[K");
  CHECK(seen(large, true, false).empty());
  CHECK(seen(large, false, true).empty());
  CHECK(seen(small, true, true).empty());
  CHECK(seen(folder.file("none"), true, true).empty());
}

TEST_CASE("Commands leave nothing of their live lines behind on a terminal of 80 columns") {
  const TempFolder folder;
  const std::string g =
      folder.write("a_graph_with_a_name_of_more_than_forty_columns.json", join_graph());
  const std::string large = folder.write("large.json", join_graph() + std::string(4'000'000, ' '));
  const std::string placed = folder.file("placed.json");
  REQUIRE(run({"optimize", large, "--algo", "random", "--output", placed}).code == 0);
  const std::vector<std::vector<std::string>> lines = {
      {"inspect", large},
      {"fit", large},
      {"simulate", large, "--placement", placed},
      {"explain", large, "--placement", placed},
      {"optimize", g, "--algo", "random"},
      {"fit", g},
      {"advise", g},
      {"compare", g, g, "--algo", "random,post", "--seeds", "2"},
      {"train", g, "--algo", "gdp", "--evaluations", "60", "--policy-out", folder.file("p")}};
  for (const auto& line : lines) {
    const Ran ran = run_on_terminal(line, {.width = 80});
    REQUIRE(ran.code == 0);
    CHECK(ran.err.ends_with("\r\x1b[K"));
    for (std::size_t at = 0; at < ran.err.size();) {
      const std::size_t end = std::min(ran.err.find('\r', at), ran.err.size());
      CHECK(columns_of(ran.err.substr(at, end - at)) < 80);
      at = end + 1;
    }
  }
}

}  // namespace
}  // namespace placer
