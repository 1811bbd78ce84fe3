#include "cli/manual/man.hpp"

#include <catch2/catch.hpp>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

TEST_CASE("A manual page names every flag of its command, its examples and the exit codes") {
  for (const Command& command : all_commands()) {
    const std::string page = man_page(command);
    INFO(command.name);
    CHECK_THAT(page,
               Catch::Contains(".SH EXAMPLES\n") && Catch::Contains(".SH EXIT STATUS\n0 done"));
    for (const FlagInfo& flag : command.flags) {
      std::string name = flag.option.name;
      for (std::size_t i = 0; (i = name.find('-', i)) != std::string::npos; i += 2) {
        name.insert(i, "\\");
      }
      CHECK_THAT(page, Catch::Contains(".TP\n\\fB\\-\\-" + name));
    }
  }
}

TEST_CASE("Signs of roff in a text are shown as they are") {
  const Command command = {
      .name = "do", .summary = "a\\b", .positionals = {{"X", ".5 is 'half'"}}, .run = {}};
  const std::string page = man_page(command);
  CHECK_THAT(page, Catch::Contains("placer\\-do \\- a\\eb\n"));
  CHECK_THAT(page, Catch::Contains(".TP\n\\fIX\\fR\n\\&.5 is \\(aqhalf\\(aq\n"));
}

TEST_CASE("man prints the page of a command or of the program, or writes all of them") {
  const TempFolder folder;
  CHECK_THAT(run({"man"}).out, Catch::Contains(".TP\n\\fBoptimize\\fR\nsearch for"));
  CHECK_THAT(run({"man", "fit"}).out, Catch::StartsWith(".TH PLACER\\-FIT 1 "));
  CHECK_THAT(run({"man", "fits"}).err, Catch::Contains("found 'fits' (did you mean 'fit'?)"));
  REQUIRE(run({"man", "--folder", folder.file("man")}).code == kDone);
  CHECK(text_of(folder.file("man/placer.1")) == run({"man"}).out);
  CHECK(text_of(folder.file("man/placer-export.1")) == run({"man", "export"}).out);
}

}  // namespace
}  // namespace placer
