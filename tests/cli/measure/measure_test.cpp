#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "cli/measure/processes.hpp"
#include "placer/io/devices_file.hpp"

namespace placer {
namespace {

namespace fs = std::filesystem;

/// A machine on which two devices take 10 s and one takes 3 s, whatever the simulation says: 5 s
/// for the best on two devices and 8 s on one.
const std::string kHatesSplits = "grep -q 'gpu:1' {placement} && echo 10 || echo 3";

Line measuring(const std::string& graph, const std::string& command) {
  return {"optimize", graph, "--algo", "random", "--evaluations", "100", "--measure", command};
}

TEST_CASE("Where two devices are slower in truth, one alone is chosen") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), p = folder.file("p.json");
  const auto result = run_json(joined(measuring(g, kHatesSplits), {"--json", "-o", p}));
  CHECK(result["step_seconds"] == 8);
  const auto& measured = result["measured"];
  CHECK(measured["chosen"] == "gpu:0 alone");
  CHECK(measured["seconds"] == 3);
  CHECK(measured["decided"] == true);
  CHECK(measured["noise"] == 0);
  // All others are slower in each of five runs: a chance of one in 32.
  const auto& best = measured["placements"][0];
  CHECK(best["name"] == "1");
  CHECK(best["predicted_seconds"] == 5);
  CHECK(best["measured_seconds"] == 10);
  CHECK(best["fate"] == "slower");
  CHECK(best["p_value"] == 1.0 / 32);
  CHECK(best["runs"].size() == 5);
  CHECK(measured["placements"][1]["name"] == "gpu:0 alone");
  const auto placed = nlohmann::json::parse(text_of(p));
  for (const auto& [op, device] : placed["placement"].items()) {
    CHECK(device == "gpu:0");
  }
}

TEST_CASE("The summary says what was predicted and what was measured") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const Ran ran = run(joined(measuring(g, kHatesSplits), {"--measure-best", "1"}));
  CHECK(ran.code == kDone);
  CHECK_THAT(ran.out, Catch::Contains("measured: 3.000 s measured in 5 runs, 62.5 % less than "
                                      "predicted; noise 0.0 % a run; decided: all others are "
                                      "slower\n"));
  CHECK_THAT(ran.out, Catch::Contains("slower (p 0.031)"));
}

TEST_CASE("What was measured is not measured again") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), log = folder.file("log");
  const std::string c = folder.file("c.json");
  const Line line = joined(measuring(g, "echo x >> " + log + "; " + kHatesSplits),
                           {"--measure-cache", c, "--json"});
  const auto first = run_json(line);
  const std::string runs = text_of(log), cache = text_of(c);
  const auto second = run_json(line);
  CHECK(first["measured"]["placements"] == second["measured"]["placements"]);
  CHECK(text_of(log) == runs);
  CHECK(text_of(c) == cache);
  CHECK(second["measured"]["measuring_seconds"] == 0);
}

TEST_CASE("A placement that cannot run is out, with the reason") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto reason_of = [&](const std::string& failing, const Line& more = {}) {
    const std::string command = "grep -q 'gpu:1' {placement} || { echo 3; exit; }; " + failing;
    const auto result = run_json(joined(joined(measuring(g, command), {"--json"}), more));
    CHECK(result["measured"]["chosen"] == "gpu:0 alone");
    CHECK(result["measured"]["placements"][0]["fate"] == "failed");
    return result["measured"]["placements"][0]["failure"].get<std::string>();
  };
  CHECK(reason_of("echo no such host >&2; exit 3") == "exit code 3: no such host");
  CHECK(reason_of("echo '{\"out_of_memory\": true}'") == "out of memory");
  CHECK(reason_of("echo '{\"out_of_memory\": true}'; exit 1") == "out of memory");
  CHECK(reason_of("kill -9 $$") == "signal 9");
  CHECK(reason_of("sleep 60", {"--measure-timeout", "0.2"}) == "it takes more than 0.2 s");
}

TEST_CASE("A command that cannot work is told in one line") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto error_of = [&](const std::string& command) {
    const Ran ran = run(measuring(g, command));
    CHECK(ran.code == kBadInput);
    return ran.err;
  };
  CHECK_THAT(error_of("placer-no-such-command {placement}"),
             Catch::StartsWith(
                 "placer: --measure: expected a command that can run, found exit code 127: "));
  CHECK(error_of("echo done {placement} > /dev/null; echo done") ==
        "placer: --measure: its last line: expected seconds above 0 or a JSON object, found "
        "'done'\n");
  const std::string fails = error_of("cat {placement} > /dev/null; echo oops >&2; exit 2");
  CHECK_THAT(fails, Catch::StartsWith("placer: --measure: gpu:0 alone cannot run: exit code "
                                      "2: oops\n"));
  CHECK_THAT(fails, Catch::Contains("placer: --measure: expected a placement that can run, found "
                                    "none of "));
  CHECK_THAT(fails, Catch::EndsWith("; the first: exit code 2: oops\n"));
  CHECK(error_of("echo 1") ==
        "placer: --measure: expected {placement} in the command, where the file's path goes, found "
        "'echo 1'\n");
  CHECK(run({"optimize", g, "--measure-repeats", "3"}).err ==
        "placer: --measure-repeats: expected --measure COMMAND as well, found none\n");
  CHECK(run({"optimize", g, "--measure-repeats", "101"}).err ==
        "placer: option --measure-repeats: expected an integer from 1 to 100, found 101\n");
}

TEST_CASE("Once the seconds for measuring are spent the simulation decides") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const auto begin = std::chrono::steady_clock::now();
  const Ran ran =
      run(joined(measuring(g, "sleep 60 # {placement}"), {"--json", "--measure-seconds", "0.2"}));
  CHECK_THAT(ran.err, Catch::Contains("nothing was measured, so the placement is the best of the "
                                      "simulation: the time for measuring was over\n"));
  const auto result = nlohmann::json::parse(ran.out);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
  CHECK(result["step_seconds"] == 5);
  CHECK(result["measured"]["chosen"] == nullptr);
  CHECK(result["measured"]["placements"][0]["fate"] == "unmeasured");
  CHECK(result["measured"]["ended_by"] == "the time for measuring was over");
}

TEST_CASE(
    "What the search found is in its file before it is measured, and the winner before a fit") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), p = folder.file("p.json");
  const std::string seen = folder.file("seen"), fitted = folder.file("d.json");
  const Line line =
      joined(measuring(g, "grep -c gpu:1 " + p + " >> " + seen + "; " + kHatesSplits),
             {"-q", "-o", p, "--fit", fitted, "--measure-warmups", "0", "--measure-best", "1"});
  CHECK(run(line).code == kDone);
  const std::string counts = text_of(seen);
  const std::string in_race = counts.substr(0, counts.find('\n'));
  // gpu:1 is in the file during the race, and no longer in it after it.
  CHECK(in_race != "0");
  CHECK_THAT(counts, Catch::EndsWith("\n0\n"));
}

TEST_CASE("A factor that cannot be right is told") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), fitted = folder.file("d.json");
  const Ran ran = run(joined(measuring(g, "echo 1e-4 # {placement}"), {"--fit", fitted}));
  CHECK(ran.code == kDone);
  CHECK_THAT(ran.err,
             Catch::Contains("--fit: bandwidth of * -> * is multiplied by 1.1e+03: what is "
                             "measured is not what is simulated, or the device spec is far off\n"));
}

/// Waits until a command has written its number to `file`.
void wait_for(const std::string& file) {
  const auto begin = std::chrono::steady_clock::now();
  while (word_of(file).empty() &&
         std::chrono::steady_clock::now() - begin < std::chrono::seconds(60)) {
    std::this_thread::yield();
  }
}

TEST_CASE("An interrupt kills the command and its children, and the best so far is written") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), pid = folder.file("pid");
  const std::string p = folder.file("p.json");
  // One device alone is measured before the search, two in the race.
  Process process(joined(measuring(g,
                                   "grep -q 'gpu:1' {placement} || { echo 3; exit; }; sleep 60 & "
                                   "echo $! > " +
                                       pid + "; wait"),
                         {"-q", "-o", p}));
  wait_for(pid);
  process.signal(SIGTERM);
  CHECK(process.finish().code == kInterrupted);
  CHECK(fs::exists(p));
  CHECK(ends(word_of(pid)));
}

TEST_CASE(
    "An interrupt before the search ends the program at once, and the command and its files "
    "with it") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), pid = folder.file("pid");
  const std::string placement = folder.file("placement");
  Process process(
      measuring(g, "echo {placement} > " + placement + "; sleep 60 & echo $! > " + pid + "; wait"));
  wait_for(pid);
  REQUIRE(fs::exists(word_of(placement)));
  process.signal(SIGINT);
  CHECK(process.finish().code == kInterrupted);
  CHECK(ends(word_of(pid)));
  CHECK_FALSE(fs::exists(fs::path(word_of(placement)).parent_path()));
}

TEST_CASE("A fit writes devices whose predictions are nearer to what was measured") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), d = folder.file("d.json");
  // Splits take 2.5 s longer than predicted, so that a byte takes longer than the second assumed.
  const std::string command =
      "grep -q 'gpu:1' {placement} && echo 7.5 || { grep -q 'gpu:0' {placement} && echo 8; }";
  const auto result = run_json(joined(measuring(g, command), {"--json", "--fit", d}));
  const auto& fit = result["measured"]["fit"];
  CHECK(fit["error_after"].get<double>() < fit["error_before"].get<double>());
  const Topology fitted = read_devices(d);
  CHECK(fitted.devices().size() == 2);
  CHECK(fitted.links()[0].bytes_per_second < 1);
  CHECK(result["measured"]["placements"][1]["fitted_seconds"] == 8);
}

TEST_CASE("A fit measures placements that differ, besides those that raced") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), d = folder.file("d.json");
  const auto fitted = [&](const Line& more) {
    return run_json(joined(measuring(g, kHatesSplits), joined({"--json", "--fit", d}, more)));
  };
  const auto result = fitted({"--measure-best", "1"});
  std::size_t drawn = 0;
  for (const auto& row : result["measured"]["placements"]) {
    if (row["fate"] != "fit") continue;
    ++drawn;
    CHECK(row["name"].get<std::string>().starts_with("drawn "));
    CHECK(row["runs"].size() == 3);
    CHECK(row["fitted_seconds"].get<double>() > 0);
  }
  CHECK(drawn > 2);
  CHECK(result["measured"]["chosen"] == "gpu:0 alone");
  const auto few = fitted({"--measure-best", "1", "--fit-placements", "0"});
  CHECK(few["measured"]["placements"].size() == 2);
  CHECK(run(joined(measuring(g, kHatesSplits), {"--fit-placements", "3"})).err ==
        "placer: --fit-placements: expected --fit FILE as well, found none\n");
}

}  // namespace
}  // namespace placer
