// Policies, trainings and curves from the command line.
#include <atomic>
#include <catch2/catch.hpp>
#include <sstream>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "cli/report/curve_file.hpp"
#include "placer/io/policy_file.hpp"

namespace placer {
namespace {

/// A small network, so that the tests are quick.
const Line kGdp = {"--algo", "gdp", "--width", "8", "--heads", "2", "--threads", "1"};

TEST_CASE("A policy written by optimize places the graph again with one evaluation") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), policy = folder.file("policy.json");
  const Line common = joined({"optimize", g}, kGdp);
  REQUIRE(
      run(joined(common, {"--evaluations", "1200", "--seed", "3", "--policy-out", policy, "-q"}))
          .code == kDone);
  CHECK(read_policy(policy).algorithm == "gdp");
  CHECK(std::get<std::int64_t>(read_policy(policy).options.at("width")) == 8);
  // The policy's own width lies beneath the flags.
  const auto found = run_json(
      {"optimize", g, "--algo", "gdp", "--policy-in", policy, "--evaluations", "1", "--json"});
  CHECK(found["evaluations"] == 1);
  CHECK(found["options"]["width"] == 8);
  CHECK(found["step_seconds"] == 5.0);
}

TEST_CASE("A saved request that began from a policy asks for it and writes the same bytes again") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), policy = folder.file("policy.json");
  const std::string p = folder.file("p.json"), q = folder.file("q.json");
  const Line common = joined({"optimize", g}, kGdp);
  REQUIRE(run(joined(common, {"--evaluations", "60", "--policy-out", policy, "-q"})).code == kDone);
  REQUIRE(run(joined(common, {"--evaluations", "40", "--policy-in", policy, "-o", p, "-q"})).code ==
          kDone);
  CHECK(nlohmann::json::parse(text_of(p))["request"]["policy-in"] == true);
  CHECK_THAT(run({"optimize", g, "--config", p}).err,
             Catch::Contains("request.policy-in: expected --policy-in FILE as well"));
  REQUIRE(run({"optimize", g, "--config", p, "--policy-in", policy, "-o", q, "-q"}).code == kDone);
  CHECK(text_of(p) == text_of(q));
}

TEST_CASE("What a policy is not for is refused in one line, before the search") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph()), policy = folder.file("policy.json");
  REQUIRE(run(joined({"optimize", g, "--evaluations", "20", "--policy-out", policy, "-q"}, kGdp))
              .code == kDone);
  const auto refused = [&](const Line& line, const std::string& message) {
    const Ran ran = run(line);
    CHECK(ran.code == kBadInput);
    CHECK_THAT(ran.err, Catch::Contains(message));
    CHECK(std::ranges::count(ran.err, '\n') == 1);
  };
  refused({"optimize", g, "--algo", "post", "--policy-in", policy},
          "policy.json: policy: expected an algorithm whose policies serve other graphs");
  refused({"optimize", g, "--algo", "post", "--policy-out", folder.file("out.json")},
          "--policy-out: expected an algorithm whose policies serve other graphs");
  refused({"optimize", g, "--algo", "placeto", "--policy-in", policy},
          "policy.json: policy: expected one of placeto, found one of gdp");
  const std::string three = folder.write("three.json", R"({
    "format": "placer-devices", "version": 1, "links": [{"from": "*", "to": "*",
    "bytes_per_second": 1}], "devices": [
    {"name": "gpu:0", "type": "gpu", "memory_bytes": 100},
    {"name": "gpu:1", "type": "gpu", "memory_bytes": 100},
    {"name": "gpu:2", "type": "gpu", "memory_bytes": 100}]})");
  refused({"optimize", g, "--algo", "gdp", "--policy-in", policy, "--devices", three},
          "policy.json: policy: expected one for 3 devices, found one for 2");
  refused({"optimize", g, "--algo", "gdp", "--policy-in", policy, "--width", "16"},
          "policy.json: policy: weights 'types/read': expected");
  const std::string text = text_of(policy);
  const std::string half = folder.write("half.json", text.substr(0, text.size() / 2));
  refused({"optimize", g, "--algo", "gdp", "--policy-in", half}, "half.json: line ");
  refused({"optimize", g, "--curve", "curve.png"},
          "--curve: expected a file that ends in .svg or .csv, found 'curve.png'");
  refused({"train", g}, "train: --algo: expected one of ");
  refused({"train", g, "--algo", "post"}, "train: --algo: expected one of ");
  refused({"train", g, "--algo", "gdp", "--checkpoint-every", "5"},
          "--checkpoint-every: expected --checkpoint FILE as well");
}

TEST_CASE("A training resumed from its checkpoint writes the bytes of an uninterrupted one") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string whole = folder.file("whole.json"), again = folder.file("again.json");
  const std::string checkpoint = folder.file("checkpoint.json");
  const Line common = joined({"train", g, g, "--evaluations", "200", "-q"}, kGdp);
  REQUIRE(run(joined(common, {"--policy-out", whole})).code == kDone);

  std::atomic<bool> interrupt = true;  // before the first update
  std::ostringstream out, err;
  Console console{.out = out, .err = err, .interrupt = &interrupt};
  CHECK(run_program(joined(common, {"--checkpoint", checkpoint}), console) == kInterrupted);
  REQUIRE(run(joined(common, {"--resume", checkpoint, "--policy-out", again})).code == kDone);
  CHECK(text_of(whole) == text_of(again));

  REQUIRE(run(joined(common, {"--checkpoint", checkpoint, "--checkpoint-every", "80"})).code ==
          kDone);
  REQUIRE(run(joined(common, {"--resume", checkpoint, "--policy-out", again})).code == kDone);
  CHECK(text_of(whole) == text_of(again));
  CHECK_THAT(
      run(joined(common, {"--resume", checkpoint, "--seed", "2"})).err,
      Catch::Contains("checkpoint.json: policy: expected a checkpoint of this training, found one "
                      "with seed 1 instead of 2"));
}

TEST_CASE(
    "A checkpoint is refused for temporary bytes, kept tensors or channels of another problem") {
  const TempFolder folder;
  auto graph = nlohmann::json::parse(join_graph());
  graph.erase("edges");
  graph["tensors"] = {{{"producer", "a"}, {"consumers", {"c"}}, {"bytes", 1}},
                      {{"producer", "b"}, {"consumers", {"c"}}, {"bytes", 1}}};
  const std::string checkpoint = folder.file("checkpoint.json");
  const auto line = [&](const nlohmann::json& changed, const Line& flags) {
    const std::string g = folder.write("g.json", changed.dump());
    return joined(joined({"train", g, g, "--evaluations", "40", "-q"}, flags), kGdp);
  };
  REQUIRE(run(line(graph, {"--checkpoint", checkpoint})).code == kDone);
  REQUIRE(run(line(graph, {"--resume", checkpoint})).code == kDone);
  const auto check_refused = [&](const std::string& place, const nlohmann::json& value) {
    CAPTURE(place);
    nlohmann::json changed = graph;
    changed[nlohmann::json::json_pointer(place)] = value;
    const Ran ran =
        run(line(changed, {"--resume", checkpoint, "--policy-out", folder.file("policy.json")}));
    CHECK(ran.code == kBadInput);
    CHECK(ran.err == "placer: " + checkpoint +
                         ": policy: expected a checkpoint of this training, found one with "
                         "another graph 1 with its devices and grouping, another graph 2 with its "
                         "devices and grouping\n");
  };
  check_refused("/ops/0/temp_bytes", 5);
  check_refused("/tensors/1/keep", true);
  check_refused("/devices/links/0/channels", {"wire"});
}

TEST_CASE("Train prints a row for each graph, or as JSON a curve for each") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const Line common = joined({"train", g, g, "--evaluations", "100"}, kGdp);
  const std::string table = run(common).out;
  CHECK_THAT(table, Catch::Contains("one device") && Catch::Contains("8.000 s") &&
                        Catch::Contains("gdp, seed 1: 100 evaluations in "));
  const auto json = run_json(joined(common, {"--json"}));
  REQUIRE(json["graphs"].size() == 2);
  CHECK(json["graphs"][0]["evaluations"] == 50);
  CHECK(json["graphs"][0]["curve"].back()["evaluations"] == 50);
}

TEST_CASE("A picture shows a name with markup and control characters letter by letter") {
  const std::string svg = curve_svg({{"<script>&\x01\"</script>", {}, 0}});
  CHECK_THAT(svg, Catch::Contains("&lt;script&gt;&amp;\\x01&quot;&lt;/script&gt;"));
  CHECK_THAT(svg, !Catch::Contains("<script"));
}

TEST_CASE("A curve is in the JSON, and as a table or a picture where asked") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string svg = folder.file("c.svg"), csv = folder.file("c.csv");
  const Line common = {"optimize", g, "--algo", "random", "--evaluations", "30"};
  const auto found = run_json(joined(common, {"--json", "--curve", svg}));
  CHECK(found["samples"] == 30);
  REQUIRE(found["curve"].size() == 30);
  CHECK(found["curve"][29]["best_step_seconds"] == found["step_seconds"]);
  CHECK(found["curve"][29]["mean_step_seconds"] >= 5.0);
  CHECK(text_of(svg).starts_with("<svg "));
  CHECK_THAT(text_of(svg), Catch::Contains("step time (s)") && Catch::Contains("best so far"));
  REQUIRE(run(joined(common, {"-q", "--curve", csv})).code == kDone);
  CHECK(text_of(csv).starts_with(
      "curve,evaluations,wall_seconds,mean_step_seconds,best_step_seconds\n\"join, random\",1,"));
}

TEST_CASE(
    "What each update was like is a table or a picture where asked, of an algorithm that learns") {
  const TempFolder folder;
  const std::string g = folder.write("g.json", join_graph());
  const std::string svg = folder.file("u.svg"), csv = folder.file("u.csv");
  const Line common = {"optimize", g, "--algo", "ppo", "--evaluations", "60", "-q"};
  REQUIRE(run(joined(common, {"--updates", svg})).code == kDone);
  for (const char* words :
       {"mean cost (", "loss", "entropy (nats)", "KL (nats; dashed: target)", "beta"}) {
    CHECK_THAT(text_of(svg), Catch::Contains(words));
  }
  REQUIRE(run(joined(common, {"--updates", csv})).code == kDone);
  const std::string table = text_of(csv);
  CHECK(
      table.starts_with("update,evaluations,mean_cost_seconds,reward,loss,entropy,kl,"
                        "learning_rate,beta,gradient_norm\n0,"));
  CHECK(std::ranges::count(table, '\n') == 3);
  CHECK_THAT(run(joined(common, {"--updates", folder.file("u.png")})).err,
             Catch::Contains("--updates: expected a file that ends in .svg or .csv, found '"));
  CHECK_THAT(run({"optimize", g, "--algo", "heft", "--updates", csv}).err,
             Catch::Contains("--updates: expected an algorithm that learns (post, ") &&
                 Catch::Contains("), found heft"));
}

TEST_CASE("The first samples' mean is over a hundred evaluations, whatever the windows") {
  std::vector<CurvePoint> points;
  for (int i = 1; i <= 10; ++i) points.push_back({32 * i, 0.0, 1.0 * i, std::nullopt});
  CHECK(first_mean_seconds(points) == 2.5);  // windows 1 to 4: 128 evaluations
  CHECK(first_mean_seconds({}) == 0);
}

TEST_CASE("Pictures of odd curves are drawn: none, one point, all alike, names with brackets") {
  for (const std::vector<CurvePoint>& points :
       {std::vector<CurvePoint>{},
        {{1, 0.0, 2.0, std::nullopt}},
        {{1, 0.0, 2.0, 2'000'000'000'000}, {2, 0.1, 2.0, 2'000'000'000'000}},
        {{1, std::nullopt, std::nullopt, std::nullopt}}}) {
    const std::string svg = curve_svg({{"a<b&c", points, 0}});
    CHECK_THAT(svg, Catch::Contains("a&lt;b&amp;c") && Catch::EndsWith("</svg>\n"));
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
  }
}

}  // namespace
}  // namespace placer
