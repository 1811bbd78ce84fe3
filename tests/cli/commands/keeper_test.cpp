#include "cli/commands/keeper.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "cli/command_line.hpp"

namespace placer {
namespace {

namespace fs = std::filesystem;

/// A search whose best has been improved so often, after so many seconds.
struct At {
  double wall_seconds;
  std::int64_t improvements;

  void show(Keeper& keeper) const {
    keeper.look({.wall_seconds = wall_seconds,
                 .improvements = improvements,
                 .best = {},
                 .order = {},
                 .score = {},
                 .scores = {}});
  }
};

std::string number_of(const SearchState& state) { return std::to_string(state.improvements); }

TEST_CASE("What is kept is written after two seconds, and then again only once it is better") {
  const TempFolder folder;
  std::ostringstream out, err;
  Console console{.out = out, .err = err};
  const std::string p = folder.file("p"), c = folder.file("c");
  Keeper keeper(console);
  keeper.keep({.flag = "--output", .path = p, .text = number_of, .only_better = true});
  keeper.keep({.flag = "--checkpoint", .path = c, .text = number_of});
  At{1.9, 1}.show(keeper);
  CHECK_FALSE(fs::exists(p));
  At{2.1, 2}.show(keeper);
  CHECK(text_of(p) == "2");
  At{3.9, 3}.show(keeper);
  CHECK(text_of(p) == "2");
  fs::remove(p);
  fs::remove(c);
  At{1000, 2}.show(keeper);
  CHECK_FALSE(fs::exists(p));
  CHECK(text_of(c) == "2");
  At{2000, 3}.show(keeper);
  CHECK(text_of(p) == "3");
}

TEST_CASE("A file that cannot be kept for now is one warning and is tried again") {
  const TempFolder folder;
  const std::string sub = folder.file("sub"), p = sub + "/p";
  std::vector<std::string> warnings;
  std::ostringstream out, err;
  Console console{.out = out, .err = err};
  console.log =
      Observer(EventLevel::kWarn, [&](const Event& event) { warnings.push_back(event.message); });
  fs::create_directory(sub);
  Keeper keeper(console);
  keeper.keep({.flag = "--output", .path = p, .text = number_of, .only_better = true});
  fs::remove(sub);
  At{10, 1}.show(keeper);
  At{20, 1}.show(keeper);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], Catch::StartsWith("--output: not written for now, the search goes on: " +
                                            p + ": expected a folder"));
  fs::create_directory(sub);
  At{30, 1}.show(keeper);
  CHECK(text_of(p) == "1");
  CHECK(warnings.size() == 1);
  CHECK_FALSE(console.lacks_output);
}

TEST_CASE("Standard output and devices are not written while the search goes on") {
  std::ostringstream out, err;
  Console console{.out = out, .err = err};
  Keeper keeper(console);
  keeper.keep({.flag = "--output", .path = "-", .text = number_of});
  keeper.keep({.flag = "--output", .path = "/dev/null", .text = number_of});
  CHECK(keeper.is_idle());
}

}  // namespace
}  // namespace placer
