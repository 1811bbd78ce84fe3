// Several orders in one comparison.
#include <catch2/catch.hpp>

#include "cli/command_line.hpp"
#include "cli/compare/runs.hpp"
#include "cli/shared/command.hpp"

namespace placer {
namespace {

using Json = nlohmann::json;

TEST_CASE("orders are those given, fifo where none is") {
  CHECK(parse_orders(std::nullopt) == std::vector{Order::kFifo});
  CHECK(parse_orders("pct, msr,fifo") == std::vector{Order::kPct, Order::kMsr, Order::kFifo});
}

TEST_CASE("an unknown order and one that is given twice are refused by name") {
  CHECK_THROWS_WITH(parse_orders("fifo,ptc"),
                    "option --order: expected one or several of fifo, priority, pct, msr, program, "
                    "given, found 'ptc' (did you mean 'pct'?)");
  CHECK_THROWS_WITH(parse_orders("fifo,"), Catch::Contains("found ''"));
  CHECK_THROWS_WITH(parse_orders("pct,pct"),
                    "option --order: expected each order once, found 'pct' twice");
}

/// "long" (3 s) and "short" (1 s) wait for the one device "gpu:0"; only "short" is followed by
/// "last" of 5 s, which may go to "gpu:1" alone. In program order "long" is first and the step
/// takes 3 + 1 + 5 s, by priority "short" is and it takes 1 + 5 s.
std::string two_ways() {
  const auto op = [](const char* name, double seconds, const char* device) {
    return Json{
        {"name", name}, {"type", "matmul"}, {"seconds", {{"gpu", seconds}}}, {"devices", {device}}};
  };
  Json graph{{"format", "placer-graph"}, {"version", 1}, {"name", "ways"}};
  graph["ops"] = {op("long", 3, "gpu:0"), op("short", 1, "gpu:0"), op("last", 5, "gpu:1")};
  graph["edges"] = {{{"from", "short"}, {"to", "last"}, {"bytes", 0}}};
  graph["devices"] = {{"format", "placer-devices"}, {"version", 1}};
  graph["devices"]["links"] = {{{"from", "*"}, {"to", "*"}, {"bytes_per_second", 1}}};
  for (const char* device : {"gpu:0", "gpu:1"}) {
    graph["devices"]["devices"].push_back(
        {{"name", device}, {"type", "gpu"}, {"memory_bytes", 100}});
  }
  return graph.dump();
}

TEST_CASE("each algorithm has a row for each order, tested against the first under the first") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", two_ways());
  const Json compared =
      run_json({"compare", g, "--algo", "hash,expert", "--order", "program,priority", "--seeds",
                "3", "--evaluations", "5", "--json"});
  CHECK(compared["order"] == "program,priority");
  const Json& rows = compared["graphs"][0]["algorithms"];
  REQUIRE(rows.size() == 4);
  const auto is = [&](std::size_t i, const char* algorithm, const char* order, double seconds) {
    CHECK(rows[i]["algorithm"] == algorithm);
    CHECK(rows[i]["order"] == order);
    CHECK(rows[i]["median_seconds"] == seconds);
  };
  is(0, "hash", "program", 9);
  is(1, "hash", "priority", 6);
  is(2, "expert", "program", 9);
  is(3, "expert", "priority", 6);
  CHECK(rows[0]["against"].is_null());
  CHECK(rows[1]["against"] == "hash under program");
  CHECK(rows[1]["wins"] == 3);
  CHECK(rows[2]["ties"] == 3);
  const Json& runs = compared["graphs"][0]["runs"];
  CHECK(runs.size() == 3 + 3 + 1 + 1);
  CHECK(runs[3]["order"] == "priority");
  CHECK(runs[3]["step_seconds"] == 6.0);
}

TEST_CASE("the table of several orders has a column for each") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", two_ways());
  const Ran ran = run({"compare", g, "--algo", "hash,expert", "--order", "program,priority",
                       "--seeds", "2", "--format", "markdown"});
  REQUIRE(ran.code == kDone);
  CHECK_THAT(ran.out, Catch::Contains("seeds 1 to 2, order program,priority, groups auto.") &&
                          Catch::Contains("| algorithm | program | priority |") &&
                          Catch::Contains("| hash | 9.000 s | 6.000 s |") &&
                          Catch::Contains("| expert | 9.000 s | 6.000 s |") &&
                          Catch::Contains("| one device | does not fit | does not fit |") &&
                          Catch::Contains("Medians over the seeds, a column for each order"));
  CHECK_THAT(run({"compare", g, "--algo", "hash", "--order", "program,priority", "--runs"}).out,
             Catch::Contains("hash under program") && Catch::Contains("hash under priority"));
}

}  // namespace
}  // namespace placer
