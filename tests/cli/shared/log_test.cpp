#include "cli/shared/log.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <sstream>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "cli/shared/progress.hpp"

namespace placer {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The command line of a search of 60 evaluations by `algorithm`, with more flags.
std::vector<std::string> search_line(const std::string& graph, const std::string& algorithm,
                                     std::vector<std::string> more) {
  std::vector<std::string> line = {"optimize", graph, "--algo", algorithm, "--evaluations", "60"};
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

/// Times differ from run to run.
std::string without_seconds(const std::string& text) {
  return std::regex_replace(text, std::regex("[0-9.e-]+ s\\b"), "_ s");
}

TEST_CASE("Each level tells what those above it tell, and more") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto told = [&](const std::string& level) {
    return run(search_line(g, "post", {"--log-level", level, "-q"})).err;
  };
  CHECK(told("off").empty());
  CHECK(told("error").empty());
  CHECK(told("warn").empty());
  CHECK(run(search_line(g, "post", {"-q"})).err.empty());
  const std::string info = told("info"), debug = told("debug"), trace = told("trace");
  CHECK_THAT(info, Catch::Contains("placer: info: search: post on 'join': 3 ops in 3 groups") &&
                       !Catch::Contains("debug: "));
  CHECK_THAT(debug, Catch::Contains("placer: debug: post: update 0: mean cost ") &&
                        !Catch::Contains("trace: "));
  CHECK_THAT(trace, Catch::Contains("placer: trace: search: evaluation 60: "));
  CHECK(lines_of(info).size() < lines_of(debug).size());
  CHECK(lines_of(debug).size() + 60 == lines_of(trace).size());
  for (const std::string& line : lines_of(trace)) CHECK_THAT(line, Catch::StartsWith("placer: "));
}

TEST_CASE("A log file has the lines of the log with their times, and stderr the warnings alone") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string log = folder.write("run.log", "of a run before\n");
  const std::vector<std::string> train = {
      "train",   g,   "--algo",    "gdp", "--evaluations", "20",   "-q",
      "--width", "8", "--threads", "1",   "--log-level",   "debug"};
  std::vector<std::string> with_file = train;
  with_file.insert(with_file.end(), {"--log-file", log});
  const std::string warning = "placer: train: without --policy-out what is learnt is not kept\n";
  CHECK(run(with_file).err == warning);
  const auto lines = lines_of(text_of(log)), expected = lines_of(run(train).err);
  REQUIRE(lines.size() == expected.size());
  const std::regex form("\\[\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}\\] (.*)");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch parts;
    REQUIRE(std::regex_match(lines[i], parts, form));
    std::string text = parts[1];
    const bool is_warning = text.starts_with("warn ");
    text = is_warning ? text.substr(5) : text.replace(text.find(' '), 1, ": ");
    CHECK(without_seconds("placer: " + text) == without_seconds(expected[i]));
  }
}

TEST_CASE("Errors go to the log file too, and are silent when the log is off") {
  const TempFolder folder;
  const std::string log = folder.file("run.log");
  CHECK(run({"inspect", "none.json", "--log-file", log}).err ==
        "placer: none.json: expected a file that can be read, found: No such file or directory\n");
  CHECK_THAT(text_of(log), Catch::Contains("] error none.json: expected a file"));
  const Ran off = run({"inspect", "none.json", "--log-level", "off"});
  CHECK(off.err.empty());
  CHECK(off.code == kBadInput);
}

TEST_CASE("An error shows the beginning and the end of what is too long, and no raw bytes") {
  const std::string found(5000, 'x');
  CHECK(run({found}).err ==
        "placer: expected a command (optimize, train, simulate, explain, advise, compare, bench, "
        "inspect, "
        "fit, devices, algorithms, generate, import, export, completion, man), found '" +
            std::string(59, 'x') + "..." + std::string(19, 'x') + "'\n");
  std::string words;
  for (int i = 0; i < 2000; ++i) words += "word ";
  CHECK(run({words}).err.size() < 1000);
  CHECK_THAT(run({"optimize", "g.json", "--seed", "a\x1b[31m\nb\xff"}).err,
             Catch::EndsWith("found a\\x1b[31m\\x0ab\\xff\n"));
}

TEST_CASE("The log changes neither results nor what stdout says") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  for (const std::string algorithm : {"auto", "post", "seq2seq"}) {
    const std::string quiet = folder.file("off.json"), loud = folder.file("trace.json");
    const Ran off = run(search_line(g, algorithm, {"--json", "--log-level", "off", "-o", quiet}));
    const Ran trace =
        run(search_line(g, algorithm, {"--json", "--log-level", "trace", "-o", loud}));
    CHECK(text_of(quiet) == text_of(loud));
    nlohmann::json a = nlohmann::json::parse(off.out), b = nlohmann::json::parse(trace.out);
    CHECK(a["step_seconds"] == b["step_seconds"]);
    CHECK(a["evaluations"] == b["evaluations"]);
    CHECK(a["options"] == b["options"]);
  }
}

TEST_CASE("Files are told with their sizes, devices and configs by name") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), p = folder.file("p.json");
  const std::string c =
      folder.write("c.json", R"({"format": "placer-config", "version": 1, "log-level": "info"})");
  const Ran ran = run(search_line(g, "heft", {"--config", c, "-q", "-o", p}));
  CHECK_THAT(ran.err,
             Catch::Contains("placer: info: files: config: " + c + "\n") &&
                 Catch::Contains("placer: info: files: devices: graph file (the graph file's own): "
                                 "gpu:0, gpu:1\n") &&
                 Catch::Contains("placer: info: files: written: " + p + " (" +
                                 std::to_string(text_of(p).size()) + " bytes)\n"));
}

TEST_CASE("Every command takes the flags of the log") {
  for (const Command& command : all_commands()) {
    CHECK_THAT(run({command.name, "--help"}).out,
               Catch::Contains("--log-level") && Catch::Contains("--log-file"));
  }
}

TEST_CASE("A log file that cannot be written or is another file is refused before the search") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), p = folder.file("p.json");
  const Ran none = run({"optimize", g, "-o", p, "--log-file", "/none/run.log"});
  CHECK(none.err ==
        "placer: --log-file: /none/run.log: expected a folder where a file can be written, found: "
        "No such file or directory\n");
  CHECK(none.code == kBadInput);
  CHECK(none.out.empty());
  CHECK_FALSE(std::filesystem::exists(p));
  CHECK(run({"inspect", g, "--log-file", g}).err ==
        "placer: --log-file: expected another file than GRAPH, found '" + g + "' for both\n");
  CHECK(run({"optimize", g, "-o", p, "--log-file", p}).err ==
        "placer: --log-file: expected another file than --output, found '" + p + "' for both\n");
  CHECK(text_of(g) == join_graph());
}

TEST_CASE("A disk that fills up ends the log with one warning, not the search") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const Ran ran =
      run(search_line(g, "post", {"-q", "--log-level", "debug", "--log-file", "/dev/full"}));
  CHECK(ran.code == kDone);
  CHECK_THAT(ran.err, Catch::StartsWith("placer: --log-file: the log ends here: "));
  CHECK(lines_of(ran.err).size() == 1);
}

TEST_CASE("A line of the log takes the live line off the terminal first") {
  std::ostringstream out, err;
  Console console{.out = out, .err = err, .err_is_terminal = true};
  Log log(console);
  console.log = log.observer();
  Progress progress({}, false, console);
  progress.show(SearchProgress{.evaluations = 7, .wall_seconds = 1, .best = {0, 1}});
  const std::string live = err.str();
  REQUIRE(live.starts_with("\r"));
  console.log.tell(EventLevel::kWarn, "search", [] { return "so it is"; });
  CHECK(err.str() == live + "\r\x1b[K" + "placer: search: so it is\n");
}

}  // namespace
}  // namespace placer
