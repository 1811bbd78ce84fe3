#include <catch2/catch.hpp>

#include "cli/command_line.hpp"
#include "cli/shared/command.hpp"

namespace placer {
namespace {

using Json = nlohmann::json;

/// join_graph, whose best step takes 5 s, with all ops so many times as long.
std::string slowed_join(double times) {
  Json graph = Json::parse(join_graph());
  for (Json& op : graph["ops"]) op["seconds"]["gpu"] = op["seconds"]["gpu"].get<double>() * times;
  return graph.dump();
}

/// What the three guards compare with, made on the graph as it was; then the graph changes.
struct Guarded {
  explicit Guarded(double times) : graph(folder.write("g.json", slowed_join(1))) {
    suite = folder.write("suite.json", Json{{"format", "placer-suite"},
                                            {"version", 1},
                                            {"defaults", {{"graph", "g.json"}, {"algo", "random"}}},
                                            {"cases", {{{"name", "join"}, {"evaluations", 60}}}}}
                                           .dump());
    REQUIRE(run({"optimize", graph, "-q", "--evaluations", "60", "-o", placement}).code == kDone);
    REQUIRE(run({"bench", suite, "--baseline", stored, "--update"}).code == kDone);
    REQUIRE(run(joined(compare, {"--json", "-o", compared})).code == kDone);
    folder.write("g.json", slowed_join(times));
  }
  Ran simulated(const Line& more) const {
    return run(joined({"simulate", graph, "-q", "--placement", placement}, more));
  }

  TempFolder folder;
  std::string graph, suite;
  std::string placement = folder.file("p.json"), stored = folder.file("stored.json"),
              compared = folder.file("compared.json");
  Line compare = {"compare", folder.file("g.json"), "--algo", "random", "--seeds",
                  "1",       "--evaluations",       "60",     "-q"};
};

TEST_CASE("A step that has become 2 % longer is caught by simulate, bench and compare: exit 3") {
  const Guarded guarded(1.02);
  const std::string by_how_much = "5.100 s, 2 % longer than 5.000 s";
  const Ran simulated = guarded.simulated({"--baseline", guarded.placement});
  CHECK(simulated.code == kMissed);
  CHECK(simulated.err ==
        "placer: join has become worse than " + guarded.placement + " says: " + by_how_much + "\n");
  const Ran benched = run({"bench", guarded.suite, "--baseline", guarded.stored});
  CHECK(benched.code == kMissed);
  CHECK(benched.out.find("join: " + by_how_much) != std::string::npos);
  const Ran compared = run(joined(guarded.compare, {"--baseline", guarded.compared}));
  CHECK(compared.code == kMissed);
  CHECK(compared.err == "placer: random on join has become worse than " + guarded.compared +
                            " says: median " + by_how_much + "\n");
}

TEST_CASE("A step that takes as long as before passes all three guards: exit 0, no error") {
  const Guarded guarded(1);
  for (const Ran& ran : {guarded.simulated({"--baseline", guarded.placement}),
                         run({"bench", guarded.suite, "--baseline", guarded.stored, "-q"}),
                         run(joined(guarded.compare, {"--baseline", guarded.compared}))}) {
    CHECK(ran.code == kDone);
    CHECK(ran.err.empty());
  }
}

TEST_CASE("A result of another objective guards nothing, and that is told") {
  const Guarded guarded(1);
  const Ran ran = guarded.simulated({"--objective", "throughput", "--baseline", guarded.placement});
  CHECK(ran.code == kBadInput);
  CHECK(ran.err == "placer: " + guarded.placement +
                       ": objective: expected throughput, which is what is simulated, "
                       "found 'latency'\n");
}

TEST_CASE("A result of a graph of other ops or of another name guards nothing, and that is told") {
  const Guarded guarded(1);
  const auto refusal = [&](const std::string& graph, const Line& more) {
    const std::string other = guarded.folder.write("other.json", graph);
    const std::string placement = guarded.folder.file("other_p.json");
    const Ran made =
        run(joined({"optimize", other, "--evaluations", "9", "-q", "-o", placement}, more));
    REQUIRE(made.code == kDone);
    const std::string baseline =
        more.empty() ? placement : guarded.folder.write("other_said.json", made.out);
    const Ran ran = guarded.simulated({"--baseline", baseline});
    CHECK(ran.code == kBadInput);
    REQUIRE(ran.err.starts_with("placer: " + baseline + ": "));
    return ran.err.substr(baseline.size() + 10);
  };
  Json fewer = Json::parse(join_graph());
  fewer["ops"].erase(1);
  fewer["edges"].erase(1);
  CHECK(refusal(fewer.dump(), {}) == "placement: expected the ops of join, found none named 'b'\n");
  CHECK(refusal(fewer.dump(), {"--json"}) ==
        "placement: expected the ops of join, found none named 'b'\n");
  Json more = Json::parse(join_graph());
  more["ops"].push_back({{"name", "d"}, {"seconds", {{"gpu", 1}}}});
  CHECK(refusal(more.dump(), {}) ==
        "placement: expected the ops of join, found 'd', which is none of them\n");
  Json renamed = Json::parse(join_graph());
  renamed["name"] = "fork";
  CHECK(refusal(renamed.dump(), {"--json"}) ==
        "graph: expected 'join', which is what is simulated, found 'fork'\n");
}

TEST_CASE("A tolerance of 2.1 % covers a step that is 2 % longer, one of 0.019 does not") {
  const Guarded guarded(1.02);
  CHECK(guarded.simulated({"--baseline", guarded.placement, "--tolerance", "2.1%"}).code == kDone);
  CHECK(guarded.simulated({"--baseline", guarded.placement, "--tolerance", "0.019"})
            .err.find("5.100 s, 2 % longer than 5.000 s (tolerance 1.9 %)") != std::string::npos);
  CHECK(
      run(joined(guarded.compare, {"--baseline", guarded.compared, "--tolerance", "2.1%"})).code ==
      kDone);
}

TEST_CASE("A step above its target says by how much: exit 3") {
  const Guarded guarded(1.02);
  const Ran ran = guarded.simulated({"--target", "5"});
  CHECK(ran.code == kMissed);
  CHECK(ran.err == "placer: join misses its target: 5.100 s, 2 % longer than 5.000 s\n");
  CHECK(guarded.simulated({"--target", "5.2"}).code == kDone);
}

TEST_CASE("What JSON says of a result serves as a baseline, too") {
  const Guarded guarded(1.02);
  const std::string json =
      guarded.folder.write("said.json", R"({"step_seconds": 5.05, "overflow_bytes": 0})");
  CHECK(guarded.simulated({"--baseline", json}).err.find("0.99 % longer than 5.050 s") !=
        std::string::npos);
}

TEST_CASE("Guards without a number to compare with are refused in one line") {
  const Guarded guarded(1);
  const std::string empty = guarded.folder.write("empty.json", "{}");
  CHECK(guarded.simulated({"--baseline", empty}).err.find("step_seconds") != std::string::npos);
  CHECK(guarded.simulated({"--tolerance", "1%"}).err ==
        "placer: --tolerance: expected --baseline FILE with it, found none\n");
  CHECK(guarded.simulated({"--baseline", guarded.placement, "--tolerance", "much"}).err ==
        "placer: option --tolerance: expected a share or percent from 0 (0.02 or 2%), found "
        "'much'\n");
  Line more = guarded.compare;
  more[3] = "anneal";
  CHECK(run(joined(more, {"--baseline", guarded.compared})).err ==
        "placer: " + guarded.compared + ": graphs: expected anneal on join, found no such row\n");
  more = guarded.compare;
  more[7] = "61";
  CHECK(run(joined(more, {"--baseline", guarded.compared})).err ==
        "placer: " + guarded.compared +
            ": budget.evaluations: expected 61 as in this comparison, found 60\n");
}

}  // namespace
}  // namespace placer
