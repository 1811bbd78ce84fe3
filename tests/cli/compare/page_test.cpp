#include "cli/compare/page.hpp"

#include <catch2/catch.hpp>

#include "cli/command_line.hpp"
#include "cli/shared/command.hpp"

namespace placer {
namespace {

TEST_CASE("The page of a comparison has verdicts, curves, tables, the command and the JSON") {
  const TempFolder folder;
  const std::string graph = folder.write("g.json", join_graph());
  const std::string page = folder.file("page.html");
  const auto told = run_json({"compare", graph, "--algo", "heft,random", "--seeds", "3",
                              "--evaluations", "20", "--json", "-q", "--report", page});
  const std::string text = text_of(page);
  const auto has = [&](const std::string& words) { return text.find(words) != std::string::npos; };
  CHECK(has("<h1>2 algorithms compared on join</h1>"));
  CHECK(has("<li>Best on join: heft, with 5.000 s, 0.0 % over the lower bound.</li>"));
  CHECK(has("lower bound</text>"));
  CHECK(has("one device (gpu:0)</text>"));
  CHECK(has("<td>1 (deterministic)</td>"));
  CHECK(has("placer compare " + graph +
            " --algo heft,random --seeds 3 --evaluations 20 --json -q --report " + page +
            "</pre>"));
  CHECK(!has("{{"));
  const std::string mark = "id=\"data\">";
  const std::size_t from = text.find(mark) + mark.size();
  CHECK(nlohmann::json::parse(text.substr(from, text.find("</script>", from) - from)) == told);
}

TEST_CASE("A graph's name that is markup stays a name on the page of a comparison") {
  const TempFolder folder;
  auto graph = nlohmann::json::parse(join_graph());
  graph["name"] = "</script><b>";
  const std::string page = folder.file("page.html");
  REQUIRE(run({"compare", folder.write("g.json", graph.dump()), "--algo", "heft", "-q", "--report",
               page})
              .code == kDone);
  const std::string text = text_of(page);
  CHECK(text.find("<b>") == std::string::npos);
  CHECK(text.find("&lt;/script&gt;&lt;b&gt; on ") != std::string::npos);
}

}  // namespace
}  // namespace placer
