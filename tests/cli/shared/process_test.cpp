#include <sys/resource.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "support/sanitizers.hpp"

namespace placer {
namespace {

const std::string kFullOutput =
    "placer: standard output: expected a file that can be written, found: No space left on "
    "device\n";

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
  CHECK(full.err == kFullOutput);
}

TEST_CASE("Whatever prints fails on a full or closed standard output, more than a buffer as well") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), p = folder.file("p.json");
  const std::string closed =
      "placer: standard output: expected a file that can be written, found: Bad file descriptor\n";
  REQUIRE(run({"optimize", g, "-q", "-o", p}).code == kDone);
  REQUIRE(run({"generate", "resnet50"}).out.size() > 100'000);
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"--version"},
           {"--help"},
           {"help", "optimize"},
           {"algorithms"},
           {"generate", "resnet50"},
           {"inspect", g, "--json"},
           {"optimize", g, "--json"},
           {"optimize", g, "-q", "-o", "-"},
           {"optimize", g, "-q", "--trace", "/dev/stdout"},
           {"simulate", g, "--placement", p},
           {"import", g},
           {"compare", g, "--algo", "hash,heft", "--evaluations", "5", "-q", "--json"}}) {
    INFO(line[0]);
    const Ran full = Process(line, Process::Out::kFull).finish();
    CHECK(full.code == kBadInput);
    CHECK(full.err == kFullOutput);
    const Ran gone = Process(line, Process::Out::kClosed).finish();
    CHECK(gone.code == kBadInput);
    CHECK(gone.err == closed);
  }
}

TEST_CASE("A full standard output is exit 1 for a missed target, too, and takes no other file") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), p = folder.file("p.json");
  const std::vector<std::string> line = {"optimize", g, "--target", "1", "-o", p};
  CHECK(Process(line, Process::Out::kFull).finish().code == kBadInput);
  const std::string whole = text_of(p);
  CHECK(nlohmann::json::parse(whole)["placement"].size() == 3);
  CHECK(Process(line, Process::Out::kClosed).finish().code == kBadInput);
  CHECK(text_of(p) == whole);
}

TEST_CASE("Ctrl-C while a graph is read ends the program at once") {
  const TempFolder folder;
  const std::string pipe = folder.file("g.json"), p = folder.file("p.json");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  Process process({"optimize", pipe, "--json", "-o", p});
  const std::ofstream writer(pipe);  // opens once the program reads
  process.signal(SIGINT);
  const Ran ran = process.finish();
  CHECK(ran.code == kInterrupted);
  CHECK(ran.out.empty());
  CHECK(!std::filesystem::exists(p));
}

TEST_CASE("A hangup writes the best so far, unless hangups are ignored") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), p = folder.file("p.json");
  const std::vector<std::string> line = {"optimize",     g,     "--algo", "random",
                                         "--time-limit", "600", "-q",     "--progress",
                                         "json",         "-o",  p};
  Process process(line);
  process.read_error_line();
  process.signal(SIGHUP);
  CHECK(process.finish().code == kInterrupted);
  CHECK(nlohmann::json::parse(text_of(p))["placement"].size() == 3);

  std::filesystem::remove(p);
  Process ignoring(line, Process::Out::kPipe, "", [] { std::signal(SIGHUP, SIG_IGN); });
  ignoring.read_error_line();
  ignoring.signal(SIGHUP);
  const std::string before = ignoring.read_error_line();
  for (int i = 0; i < 3; ++i) CHECK(ignoring.read_error_line() != before);
  ignoring.signal(SIGTERM);
  CHECK(ignoring.finish().code == kInterrupted);
}

TEST_CASE("A placement whose folder goes away is printed, and the exit code says so") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string sub = folder.file("sub"), p = sub + "/p.json";
  for (const bool in_json : {false, true}) {
    std::filesystem::create_directory(sub);
    std::vector<std::string> line = {
        "optimize", g, "--algo", "random", "--time-limit", "600", "--progress", "json", "-o", p};
    if (in_json) line.emplace_back("--json");
    Process process(line);
    process.read_error_line();
    std::filesystem::remove_all(sub);
    process.signal(SIGTERM);
    const Ran ran = process.finish();
    CHECK(ran.code == kBadInput);
    CHECK_THAT(ran.err, Catch::Contains("placer: " + p +
                                        ": expected a folder where a file can be written, found: "
                                        "No such file or directory\n"));
    const auto printed = nlohmann::json::parse(ran.out);
    CHECK((in_json ? printed["unwritten_output"] : printed)["placement"].size() == 3);
  }
}

TEST_CASE("A file beyond the limit of its size is one line and leaves nothing behind") {
  const TempFolder folder;
  const std::string f = folder.file("f.json");
  const Ran ran = Process({"generate", "resnet50", "-o", f}, Process::Out::kPipe, "", [] {
                    const rlimit limit{10'000, 10'000};
                    setrlimit(RLIMIT_FSIZE, &limit);
                  }).finish();
  CHECK(ran.code == kBadInput);
  CHECK(ran.err ==
        "placer: " + f + ": expected a file that can be written, found: File too large\n");
  CHECK(std::filesystem::is_empty(folder.file("")));
}

TEST_CASE("Too little memory is one line that says what it was for") {
  if (testing::kSanitized) return;  // its allocator wants more than there is
  const Ran ran = Process({"generate", "layered", "--ops", "1000000"}, Process::Out::kPipe, "", [] {
                    const rlimit limit{120 << 20, 120 << 20};
                    setrlimit(RLIMIT_AS, &limit);
                  }).finish();
  CHECK(ran.code == kBadInput);
  CHECK(ran.err == "placer: expected enough memory for generating layered, found too little\n");
}

TEST_CASE("Memory is for what devices there are, not for pairs of them") {
  if (testing::kSanitized) return;
  nlohmann::json devices = {{"format", "placer-devices"}, {"version", 1}};
  for (int i = 0; i < 16'384; ++i) {
    devices["devices"].push_back(
        {{"name", "gpu:" + std::to_string(i)}, {"type", "gpu"}, {"memory_bytes", 100}});
  }
  devices["links"].push_back({{"from", "*"}, {"to", "*"}, {"bytes_per_second", 1}});
  const TempFolder folder;
  const Ran ran = Process({"optimize", folder.write("g.json", join_graph()), "--devices",
                           folder.write("d.json", devices.dump()), "--evaluations", "5", "-q",
                           "--memory-limit", "300MiB"})
                      .finish();
  INFO(ran.err);
  CHECK(ran.code == kDone);
}

TEST_CASE("Where no further thread can begin, one thread finds the same") {
  if (testing::kSanitized) return;  // whose library has to come first
  const auto found = [](const std::string& algorithm, void (*before)()) {
    const Ran ran = Process({"optimize", "--threads", "2", "--evaluations", "20", "--algo",
                             algorithm, "-o", "-", PLACER_SOURCE_DIR "/graphs/inception_v3.json"},
                            Process::Out::kPipe, "", before)
                        .finish();
    INFO(algorithm << ": " << ran.err);
    CHECK(ran.code == kDone);
    return ran.out;
  };
  for (const char* algorithm : {"auto", "genetic", "post", "scotch", "m-sct"}) {
    CHECK(found(algorithm, [] { setenv("LD_PRELOAD", PLACER_NO_THREADS, 1); }) ==
          found(algorithm, nullptr));
  }
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
