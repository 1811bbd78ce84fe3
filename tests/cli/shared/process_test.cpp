#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

TEST_CASE("Ctrl-C and SIGTERM write the best so far and exit 130, before 3") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string p = folder.file("p.json");
  for (const int signal : {SIGINT, SIGTERM}) {
    Process process({"optimize", g, "--algo", "random", "--time-limit", "600", "--target", "1",
                     "--progress", "json", "--json", "-o", p});
    REQUIRE(nlohmann::json::parse(process.read_error_line())["evaluations"] >= 1);
    process.signal(signal);
    const Ran ran = process.finish();
    CHECK(ran.code == kInterrupted);
    CHECK(nlohmann::json::parse(ran.out)["stopped"] == "interrupt");
    CHECK(nlohmann::json::parse(text_of(p))["placement"].size() == 3);
    CHECK(run({"simulate", g, "--placement", p}).code == kDone);
  }
}

TEST_CASE("The program hands its exit codes to the shell") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string tight = folder.write("tight.json", join_graph(5));
  CHECK(Process({"--version"}).finish().code == kDone);
  CHECK(Process({"optimize", "none.json"}).finish().code == kBadInput);
  CHECK(Process({"optimize", tight}).finish().code == kNothingFits);
  CHECK(Process({"optimize", g, "--target", "1"}).finish().code == kMissed);
}

TEST_CASE("A reader that leaves early is no fault, a full disk is one") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const Ran left = Process({"optimize", g}, Process::Out::kClosedPipe).finish();
  CHECK(left.code == kDone);
  CHECK(left.err.empty());
  const Ran full = Process({"optimize", g}, Process::Out::kFull).finish();
  CHECK(full.code == kBadInput);
  CHECK(full.err == "placer: cannot write to standard output\n");
}

TEST_CASE("An output that is a symbolic link is followed, a device written in place") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string target = folder.write("target.json", "old"), link = folder.file("link.json");
  std::filesystem::create_symlink(target, link);
  CHECK(run({"optimize", g, "-o", link, "--trace", "/dev/null"}).code == kDone);
  CHECK(std::filesystem::is_symlink(link));
  CHECK_THAT(text_of(target), Catch::Contains("placer-placement"));
  CHECK(std::filesystem::is_character_file("/dev/null"));
  const Ran both = Process({"optimize", g, "-q", "--trace", "/dev/stdout"}).finish();
  CHECK(both.err.empty());
  CHECK(nlohmann::json::parse(both.out).contains("traceEvents"));
}

TEST_CASE("An output may not be an input by another name") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), link = folder.file("link.json");
  std::filesystem::create_symlink(g, link);
  CHECK(run({"optimize", g, "-o", link}).err ==
        "placer: --output: expected another file than GRAPH, found '" + link + "' for both\n");
  CHECK(text_of(g) == join_graph());
}

TEST_CASE("A refused command line leaves an old output as it was") {
  const TempFolder folder;
  const std::string p = folder.write("p.json", "old");
  CHECK(run({"optimize", folder.file("none.json"), "-o", p}).code == kBadInput);
  CHECK(text_of(p) == "old");
}

}  // namespace
}  // namespace placer
