#include "cli/compare/store.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "cli/command_line.hpp"
#include "cli/shared/command.hpp"

namespace placer {
namespace {

using Json = nlohmann::json;

struct Stored {
  Stored() : graph(folder.write("g.json", join_graph())) {}
  Line line(const std::string& algorithms, const std::string& seeds) const {
    return {"compare", graph, "--algo",  algorithms, "--evaluations", "30",
            "--seeds", seeds, "--store", store,      "--json",        "-q"};
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> list;
    for (const auto& file : std::filesystem::directory_iterator(store)) list.push_back(file.path());
    std::ranges::sort(list);
    return list;
  }

  TempFolder folder;
  std::string graph, store = folder.file("runs");
};

TEST_CASE("A stored comparison is read again to the same bytes, and each run has a file") {
  const Stored stored;
  const Ran first = run(stored.line("random,anneal", "3"));
  REQUIRE(first.code == kDone);
  CHECK(stored.files().size() == 6);
  CHECK(run(stored.line("random,anneal", "3")).out == first.out);  // wall times, too
}

TEST_CASE("A comparison without one of its files makes that run anew and no other") {
  const Stored stored;
  const Json first = run_json(stored.line("random,anneal", "2"));
  std::filesystem::remove(stored.files().front());  // anneal's, seed 1
  const Json again = run_json(stored.line("random,anneal", "2"));
  std::size_t same = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    Json before = first["graphs"][0]["runs"][i], now = again["graphs"][0]["runs"][i];
    same += before == now ? 1 : 0;
    for (Json* run : {&before, &now}) {
      run->erase("wall_seconds");
      run->erase("seconds_to_best");
    }
    CHECK(before == now);
  }
  CHECK(same == 3);
}

TEST_CASE("A run that cannot be stored is a warning and none the worse") {
  const Stored stored;
  run_json(stored.line("random", "1"));
  const std::filesystem::path file = stored.files().front();
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);  // what no file can take the place of
  std::ofstream(file / "full") << "x";
  const Ran ran = run(stored.line("random", "1"));
  CHECK(ran.code == kDone);
  CHECK_THAT(ran.err, Catch::Contains("placer: --store: the run is not kept: "));
  CHECK(Json::parse(ran.out)["graphs"][0]["algorithms"][0]["runs"] == 1);
}

TEST_CASE("More seeds and algorithms add to a store") {
  const Stored stored;
  const Json few = run_json(stored.line("random", "2"));
  const Json more = run_json(stored.line("random,anneal", "3"));
  CHECK(stored.files().size() == 6);
  CHECK(more["graphs"][0]["runs"][0] == few["graphs"][0]["runs"][0]);
}

TEST_CASE("Runs of another version or problem are left aside, and that is told") {
  const Stored stored;
  run_json(stored.line("random", "1"));
  const std::filesystem::path file = stored.files().front();
  Json old = Json::parse(text_of(file.string()));
  old["program"] = "0.0.1";
  std::filesystem::remove(file);
  stored.folder.write("runs/join-random-fifo-seed1-0000000000000001.json", old.dump());
  const Ran ran = run(stored.line("random", "1"));
  CHECK(ran.code == kDone);
  CHECK(ran.err == "placer: --store: left aside: 1 run of another version of placer\n");
  Json graph = Json::parse(join_graph());
  graph["ops"][0]["seconds"]["gpu"] = 3.5;
  stored.folder.write("g.json", graph.dump());
  CHECK(run(stored.line("random", "1"))
            .err.find("left aside: 1 run of another problem of the same name\n") !=
        std::string::npos);
}

TEST_CASE("Another budget is another run, without a word") {
  const Stored stored;
  run_json(stored.line("random", "1"));
  Line line = stored.line("random", "1");
  line[5] = "31";
  const Ran ran = run(line);
  CHECK(ran.err.empty());
  CHECK(stored.files().size() == 2);
}

/// Of two runs the first one's file is spoilt: it is named in one line, its run is made anew and
/// stored, and the other one is taken.
void check_mended(const std::function<std::string(Json)>& spoil, const std::string& fault) {
  const Stored stored;
  const Json first = run_json(stored.line("random", "2"));
  const std::string file = stored.files().front().string();
  const std::string spoilt = spoil(Json::parse(text_of(file)));
  std::ofstream(file) << spoilt;
  const Ran ran = run(stored.line("random", "2"));
  CHECK(ran.code == kDone);
  CHECK(ran.err ==
        "placer: " + file + ": " + fault + "; the run is made anew and takes the file's place\n");
  const Json runs = Json::parse(ran.out)["graphs"][0]["runs"];
  CHECK(runs[0]["step_seconds"] == first["graphs"][0]["runs"][0]["step_seconds"]);
  CHECK(runs[1] == first["graphs"][0]["runs"][1]);
  const Ran again = run(stored.line("random", "2"));
  CHECK(again.err.empty());
  CHECK(again.out == ran.out);
}

TEST_CASE("A run whose stored file is cut short is told of and made anew") {
  check_mended([](const Json& whole) { return whole.dump().substr(0, 100); },
               "expected a placer-run file, found no JSON object");
}

TEST_CASE("A stored run whose score is not that of its placement is told of and made anew") {
  const auto better = [](Json whole) {
    whole["result"]["score"][2] = 1;
    return whole.dump();
  };
  check_mended(better,
               "result: expected all that a run says, found: a score that the placement does not "
               "have");
}

TEST_CASE("Runs side by side are those of one after another, but for times") {
  const Stored stored;
  const auto told = [&](const std::string& threads) {
    Json object =
        run_json({"compare", stored.graph, "--algo", "random,anneal,heft,post", "--evaluations",
                  "40", "--seeds", "4", "--json", "-q", "--threads", threads});
    for (const char* list : {"algorithms", "runs"}) {
      for (Json& row : object["graphs"][0][list]) {
        row.erase("wall_seconds");
        row.erase("seconds_to_best");
      }
    }
    return object;
  };
  CHECK(told("1") == told("2"));
}

}  // namespace
}  // namespace placer
