#include <signal.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {
namespace {

/// The best placement of join_graph(): 5 s.
const std::string kBest = R"(echo '{"placement": [0, 1, 1]}')";
/// All on one device: 8 s.
const std::string kOneDevice = R"(echo '{"placement": [0, 0, 0]}')";

struct BadProgram {
  std::string command, message;  // the message without "placer: algorithm exec:COMMAND: "
};

TEST_CASE("A program that prints the best placement is an algorithm that finds it") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto result = run_json(
      {"optimize", g, "--algo",
       "exec:read problem; " + kOneDevice + "; " + kBest + "; read first; read second", "--json"});
  CHECK(result["step_seconds"] == 5);
  CHECK(result["evaluations"] == 2);
  CHECK(result["stopped"] == "exhausted");
  CHECK(result["options"]["patience"] == 60);
}

TEST_CASE("A program reads what its placement is worth") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph(35));  // of 30 bytes of parameters
  const std::string score = folder.file("score");
  const Ran ran = run({"optimize", g, "--algo",
                       "exec:read problem; " + kOneDevice + "; read -r score; echo \"$score\" > " +
                           score + "; echo '{\"done\": true}'"});
  REQUIRE(ran.err.empty());
  const auto read = nlohmann::json::parse(text_of(score));
  CHECK(read["step_seconds"] == 8);
  CHECK(read["feasible"] == true);
  CHECK(read["is_best"] == true);
  CHECK(read["evaluations_left"] == 2399);
  CHECK(read["seconds_left"].is_null());
}

TEST_CASE("A program reads ops, tensors, groups, devices, links and its seed") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string seen = folder.file("seen");
  const auto problem_of = [&](const char* seed) {
    const Ran ran = run({"optimize", g, "--seed", seed, "--evaluations", "9", "--algo",
                         "exec:read -r problem; echo \"$problem\" > " + seen + "; " + kBest});
    REQUIRE(ran.err.empty());
    return nlohmann::json::parse(text_of(seen));
  };
  const auto problem = problem_of("1");
  CHECK(problem["format"] == "placer-problem");
  CHECK(problem["evaluations_left"] == 9);
  CHECK(problem["objective"] == "latency");
  CHECK(problem["devices"][1]["name"] == "gpu:1");
  CHECK(problem["devices"][1]["memory_bytes"] == 100);
  REQUIRE(problem["links"].size() == 2);
  CHECK(problem["links"][0]["bytes_per_second"] == 1);
  CHECK(problem["ops"][1]["name"] == "b");
  CHECK(problem["ops"][1]["seconds"] == nlohmann::json::array({4, 4}));
  CHECK(problem["ops"][1]["params_bytes"] == 20);
  CHECK(problem["groups"][2]["ops"] == nlohmann::json::array({2}));
  CHECK(problem["groups"][2]["devices"] == nlohmann::json::array({0, 1}));
  CHECK(problem["tensors"][0]["consumers"] == nlohmann::json::array({2}));
  CHECK(problem["start"].is_null());
  CHECK(problem_of("1") == problem);
  CHECK(problem_of("2")["seed"] != problem["seed"]);
}

TEST_CASE("A program that fails is named in one line with what went wrong, and exit code 1") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::vector<BadProgram> table = {
      {"echo oops >&2; exit 3", "expected exit code 0, found 3 (it said: oops)"},
      {"kill -9 $$", "expected it to end by itself, found signal 9"},
      {"true", "expected a placement, found the end of its output"},
      {R"(echo '{"done": true}')", "expected a placement, found the message that it is done"},
      {"sleep 100", "expected a placement within 0.1 s (--patience), found none"},
      {"echo hello", "line 1 of its output: line 1, column 1: expected a value, found hello"},
      {"echo 7",
       "line 1 of its output: expected {\"placement\": [...]} or {\"done\": true}, found 7"},
      {kBest + R"(; echo '{"placement": [0]}')",
       "line 2 of its output: placement: expected 3 devices, one for each group, found 1"},
      {R"(echo '{"placement": [0, 2, 1]}')",
       "line 1 of its output: placement[1]: expected device 0 or 1 for the group of op 'b', found "
       "2"},
      {R"(echo '{"placement": [0, -1, 1]}')",
       "line 1 of its output: placement[1]: expected device 0 or 1 for the group of op 'b', found "
       "-1"},
      {R"(echo '{"done": false}')", "line 1 of its output: done: expected true, found false"},
      {R"(echo '{"placements": []}')",
       "line 1 of its output: expected the key 'placement', found only placements"},
  };
  for (const BadProgram& bad : table) {
    INFO(bad.command);
    const Ran ran = run({"optimize", g, "--algo", "exec:" + bad.command, "--patience", "0.1"});
    CHECK(ran.code == kBadInput);
    CHECK(ran.err == "placer: algorithm exec:" + bad.command + ": " + bad.message + "\n");
  }
}

TEST_CASE("A command that is not there is told as the shell tells it") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const Ran ran = run({"optimize", g, "--algo", "exec:no-such-program-here"});
  CHECK(ran.code == kBadInput);
  CHECK_THAT(ran.err, Catch::Contains("expected exit code 0, found 127 (it said: ") &&
                          Catch::Contains("not found"));
  CHECK_THAT(run({"optimize", g, "--algo", "exec: "}).err,
             Catch::Contains("expected exec:COMMAND, found 'exec: '"));
}

TEST_CASE("A program that prints on and on and never reads is stopped by the budget") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto result = run_json({"optimize", g, "--algo", "exec:while " + kBest + "; do :; done",
                                "--evaluations", "1000", "--json"});
  CHECK(result["evaluations"] == 1000);
  CHECK(result["stopped"] == "evaluations");
}

TEST_CASE("A program that hangs is killed and reaped when the time is up, with the best so far") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), pid = folder.file("pid");
  const auto result = run_json({"optimize", g, "--algo",
                                "exec:echo $$ > " + pid + "; " + kBest + "; exec sleep 100",
                                "--time-limit", "0.3", "--json"});
  CHECK(result["step_seconds"] == 5);
  CHECK(result["stopped"] == "time");
  CHECK(::kill(std::stoi(text_of(pid)), 0) == -1);
  CHECK(errno == ESRCH);
}

TEST_CASE("A program that has printed nothing when the time is up is told of") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const Ran ran = run({"optimize", g, "--algo", "exec:sleep 100", "--time-limit", "0.3", "-q"});
  CHECK(ran.code == kDone);
  CHECK(ran.err == "placer: exec: the program had printed no placement when the search was over\n");
}

TEST_CASE("Ctrl-C ends a search by a program with the best so far") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  Process process(
      {"optimize", g, "--algo", "exec:" + kBest + "; sleep 100", "--progress", "json", "--json"});
  REQUIRE(nlohmann::json::parse(process.read_error_line())["evaluations"] >= 1);
  process.signal(SIGINT);
  const Ran ran = process.finish();
  CHECK(ran.code == kInterrupted);
  CHECK(nlohmann::json::parse(ran.out)["step_seconds"] == 5);
}

TEST_CASE("compare runs programs beside algorithms, with options, and goes on where one fails") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  // Without commas and colons, which divide there.
  const std::string best = folder.write("best.sh", "read problem\n" + kBest + "\n");
  const Line line = {"compare", g, "--seeds", "2", "--json", "--algo"};
  const Ran good = run(joined(line, {"heft,exec:sh " + best + ":patience=5"}));
  REQUIRE(good.code == kDone);
  const auto rows = nlohmann::json::parse(good.out)["graphs"][0]["algorithms"];
  CHECK(rows[1]["algorithm"] == "exec:sh " + best + ":patience=5");
  CHECK(rows[1]["median_seconds"] == 5);
  const Ran bad = run(joined(line, {"heft,exec:false"}));
  CHECK(bad.code == kBadInput);
  CHECK_THAT(bad.err, Catch::Contains("exec:false on join: 2 runs failed"));
  CHECK(nlohmann::json::parse(bad.out)["graphs"][0]["algorithms"][0]["median_seconds"] == 5);
}

TEST_CASE("A saved request does not start its program; the line does") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), p = folder.file("p.json");
  const std::string mark = folder.file("mark"), program = "exec:touch " + mark + "; " + kBest;
  REQUIRE(run({"optimize", g, "--algo", program, "--patience", "7", "-o", p}).code == kDone);
  REQUIRE(std::filesystem::remove(mark));
  const Ran refused = run({"optimize", g, "--config", p});
  CHECK(refused.code == kBadInput);
  CHECK_THAT(refused.err,
             Catch::Contains(": request.algo: expected --algo NAME as well, since a file may not "
                             "start a program, as exec:touch"));
  CHECK_FALSE(std::filesystem::exists(mark));
  const auto again = run_json({"optimize", g, "--config", p, "--algo", program, "--json"});
  CHECK(again["options"]["patience"] == 7);
  CHECK(std::filesystem::exists(mark));
}

}  // namespace
}  // namespace placer
