#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "cli/cli.hpp"
#include "cli/support.hpp"

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

TEST_CASE("An output that is a symbolic link or a device is refused and stays what it is") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string target = folder.write("target.json", "old"), link = folder.file("link.json");
  std::filesystem::create_symlink(target, link);
  CHECK(run({"optimize", g, "-o", link}).err ==
        "placer: " + link + ": expected a regular file to write, found a symbolic link\n");
  CHECK(std::filesystem::is_symlink(link));
  CHECK(text_of(target) == "old");
  const std::string pipe = folder.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(run({"optimize", g, "--trace", pipe}).err ==
        "placer: " + pipe + ": expected a regular file to write, found a device or pipe\n");
  CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("A refused command line leaves an old output as it was") {
  const TempFolder folder;
  const std::string p = folder.write("p.json", "old");
  CHECK(run({"optimize", folder.file("none.json"), "-o", p}).code == kBadInput);
  CHECK(text_of(p) == "old");
}

}  // namespace
}  // namespace placer
