// Results on terminals: their width, their colors, and what stays the same in a pipe.
#include "cli/shared/terminal.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "cli/shared/layout.hpp"

namespace placer {
namespace {

/// The columns of the widest line; of an end "\r\n" neither.
std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    most = std::max(most, columns_of(line));
  }
  return most;
}

std::string graph_in(const TempFolder& folder) { return folder.write("g.json", join_graph()); }

TEST_CASE("Every command's help fits 60 columns where the terminal has 60, and 80 in a pipe") {
  CHECK(widest(run_on_terminal({"--help"}, {.width = 60}).out) <= 60);
  CHECK(widest(run({"--help"}).out) <= 80);
  for (const Command& command : all_commands()) {
    CAPTURE(command.name);
    CHECK(widest(run_on_terminal({command.name, "--help"}, {.width = 60}).out) <= 60);
    CHECK(widest(run({command.name, "--help"}).out) <= 80);
  }
  CHECK(widest(run_on_terminal({"optimize", "--help"}, {.width = 500}).out) <= 100);
  CHECK(widest(run_on_terminal({"optimize", "--help"}, {.width = 500}).out) > 80);
}

TEST_CASE("Lists of algorithms fit 80 columns on a terminal, and have a line for each in a pipe") {
  CHECK(widest(run_on_terminal({"algorithms"}, {.width = 80}).out) <= 80);
  for (const char* name : {"post", "gdp", "lns", "m-sct"}) {
    CAPTURE(name);
    CHECK(widest(run_on_terminal({"algorithms", name}, {.width = 80}).out) <= 80);
  }
  CHECK(widest(run({"algorithms"}).out) > 80);
}

TEST_CASE("Summaries and tables fit 80 columns on a terminal") {
  const TempFolder folder;
  const std::string g = graph_in(folder);
  const std::vector<std::vector<std::string>> lines = {
      {"optimize", g, "--algo", "post", "--verbose"},
      {"inspect", g},
      {"compare", g, "--algo", "random,heft,post", "--seeds", "3"},
      {"compare", g, "--algo", "random", "--seeds", "2", "--runs"},
      {"train", g, "--algo", "gdp", "--evaluations", "60"}};
  for (const auto& line : lines) {
    CAPTURE(line);
    const Ran ran = run_on_terminal(line, {.width = 80});
    CHECK(ran.code == kDone);
    CHECK(widest(ran.out) <= 80);
  }
}

TEST_CASE("A comparison too wide for the terminal repeats its algorithms below, with all columns") {
  const TempFolder folder;
  const std::string g = graph_in(folder);
  const std::vector<std::string> line = {"compare", g, "--algo", "random,heft", "--seeds", "2"};
  const std::string narrow = run_on_terminal(line, {.width = 80}).out;
  std::size_t headers = 0;
  for (std::size_t at = 0; (at = narrow.find("\nalgorithm  ", at)) != std::string::npos; ++at) {
    ++headers;
  }
  CHECK(headers >= 2);
  for (const char* column :
       {"runs", "median", "quartile 1", "quartile 3", "least", "gap", "fits", "recent mean",
        "evaluations", "to best", "time to best", "pays after", "against random"}) {
    CHECK_THAT(narrow, Catch::Contains(column));
  }
}

TEST_CASE("The program asks its terminal for the width, and a pipe for none") {
  const TempFolder folder;
  const std::string g = graph_in(folder);
  const Ran wide = run_on_pty({"optimize", "--help"}, 90);
  CHECK(wide.code == kDone);
  CHECK(widest(wide.out) <= 90);
  CHECK(widest(wide.out) > 80);
  CHECK(widest(run_on_pty({"optimize", "--help"}, 0, {"COLUMNS=70"}).out) <= 70);
  CHECK(widest(run_on_pty({"optimize", "--help"}, 0).out) <= 80);
  const std::vector<std::string> list = {"algorithms"};
  CHECK(Process(list).finish().out == run(list).out);
}

TEST_CASE("Colors are a terminal's, unless NO_COLOR is set or it is a dumb one or mpirun's") {
  const TempFolder folder;
  const std::string g = graph_in(folder);
  const std::vector<std::string> line = {"optimize", g, "--progress", "none"};
  CHECK_THAT(run_on_pty(line, 80).out, Catch::Contains("\x1b[1m5.000 s\x1b[0m"));
  CHECK_THAT(run_on_pty(line, 80, {"NO_COLOR="}).out, Catch::Contains("\x1b[1m"));
  for (const char* variable : {"NO_COLOR=1", "TERM=dumb", "OMPI_COMM_WORLD_SIZE=1"}) {
    CHECK(run_on_pty(line, 80, {variable}).out.find('\x1b') == std::string::npos);
  }
  CHECK(Process(line).finish().out.find('\x1b') == std::string::npos);
}

TEST_CASE("The live line is drawn on a terminal, not on a dumb one") {
  const TempFolder folder;
  const std::string g = graph_in(folder);
  const std::vector<std::string> line = {"optimize",   g,     "--algo", "random", "-q",
                                         "--progress", "auto"};
  const std::string drawn = run_on_pty(line, 80).out;
  CHECK_THAT(drawn, Catch::Contains("best ") && Catch::EndsWith("\r\x1b[K"));
  CHECK(run_on_pty(line, 80, {"TERM=dumb"}).out.empty());
}

}  // namespace
}  // namespace placer
