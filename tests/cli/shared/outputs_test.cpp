#include "cli/shared/outputs.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <thread>

#include "cli/command_line.hpp"

namespace placer {
namespace {

constexpr auto kPipe = Process::Out::kPipe;

const std::string kPlacement = R"({"format": "placer-placement", "version": 1,
    "placement": {"a": "gpu:0", "b": "gpu:1", "c": "gpu:1"}})";

TEST_CASE("A dash reads a graph, a placement, devices or a config from standard input") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto step_of = [](const Line& line, const std::string& input) {
    const Ran ran = Process(line, kPipe, input).finish();
    INFO(ran.err);
    REQUIRE(ran.code == kDone);
    return nlohmann::json::parse(ran.out)["step_seconds"].get<double>();
  };
  CHECK(step_of({"optimize", "-", "--json"}, join_graph()) == 5.0);
  CHECK(step_of({"optimize", "/dev/stdin", "--json"}, join_graph()) == 5.0);
  CHECK(step_of({"simulate", g, "--placement", "-", "--json"}, kPlacement) == 5.0);
  CHECK(step_of({"optimize", g, "--start", "-", "--algo", "single-device", "--json"}, kPlacement) ==
        5.0);
  const std::string devices = nlohmann::json::parse(join_graph())["devices"].dump();
  CHECK(step_of({"optimize", g, "--devices", "-", "--json"}, devices) == 5.0);
  const std::string config = R"({"format": "placer-config", "version": 1, "algo": "hash"})";
  CHECK(step_of({"optimize", g, "--config", "-", "--json"}, config) > 0);
}

TEST_CASE("Standard input is read once, and a fault in it says so by name") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto error_of = [](const Line& line, const std::string& input) {
    const Ran ran = Process(line, kPipe, input).finish();
    CHECK(ran.code == kBadInput);
    return ran.err;
  };
  CHECK(error_of({"simulate", "-", "--placement", "-"}, join_graph()) ==
        "placer: stdin is read once; GRAPH and --placement both say -\n");
  CHECK(error_of({"inspect", "-", "--devices", "-"}, join_graph()) ==
        "placer: stdin is read once; GRAPH and --devices both say -\n");
  CHECK_THAT(error_of({"inspect", "-"}, "{"),
             Catch::StartsWith("placer: standard input: line 1, column 2: expected"));
}

TEST_CASE("A named pipe serves a command that needs two things from one file") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string pipe = folder.file("pipe");
  for (const Line& line : {Line{"simulate", g, "--placement", pipe, "--json"},
                           Line{"optimize", g, "--start", pipe, "--json"}}) {
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] { std::ofstream(pipe) << kPlacement; });
    CHECK(run_json(line)["step_seconds"] == 5.0);
    writer.join();
    std::remove(pipe.c_str());
  }
}

TEST_CASE("An output named by a dash goes to the results, and the summary to standard error") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), p = folder.file("p.json");
  const Line line = {"optimize", g, "--algo", "random", "--evaluations", "50", "-o"};
  const auto with = [&](const Line& more) {
    Line all = line;
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  REQUIRE(with({p, "-q"}).code == kDone);
  const Ran ran = with({"-"});
  CHECK(ran.out == text_of(p));
  CHECK_THAT(ran.err, Catch::StartsWith("step time") && !Catch::Contains("written"));
  CHECK(with({"-", "-q"}).err.empty());
  CHECK(nlohmann::json::parse(with({p, "--trace", "-"}).out).contains("traceEvents"));
  CHECK(nlohmann::json::parse(run({"import", g, "-o", "-"}).out)["name"] == "join");
  CHECK_THAT(run({"import", g, "-o", "-"}).err, Catch::StartsWith("format"));
  CHECK(run({"generate", "resnet50", "-o", "-"}).out == run({"generate", "resnet50"}).out);
  CHECK(run({"simulate", g, "--placement", p, "-o", "-"}).out.starts_with("{"));
}

TEST_CASE("Standard output takes one thing") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string planted = folder.write("p.json", R"({"format": "planted-1"})");
  const std::vector<std::pair<Line, std::string>> table = {
      {{"optimize", g, "-o", "-", "--trace", "-"},
       "--trace: expected another file than --output, found '-' for both"},
      {{"optimize", g, "-o", "-", "--json"},
       "--output: expected a file, since --json prints to standard output, found '-' as well"},
      {{"import", planted, "--placement-out", "-"},
       "--placement-out: expected another file than --output, found '-' for both"},
      {{"train", g, "--algo", "gdp", "--checkpoint", "-"},
       "--checkpoint: expected a file that can be replaced, found '-'"},
  };
  for (const auto& [line, message] : table) {
    const Ran ran = run(line);
    CHECK(ran.err == "placer: " + message + "\n");
    CHECK(ran.code == kBadInput);
    CHECK(ran.out.empty());
  }
}

TEST_CASE("A summary says that the placement was not kept, unless it was") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), p = folder.file("p.json");
  const std::string hint = "The placement is not kept; --output FILE writes it.";
  CHECK_THAT(run({"optimize", g}).out, Catch::Contains(hint));
  CHECK_THAT(run({"optimize", g, "-o", p}).out, !Catch::Contains(hint));
  CHECK_THAT(run({"simulate", g, "--placement", p}).out, !Catch::Contains(hint));
}

}  // namespace
}  // namespace placer
