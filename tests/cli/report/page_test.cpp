#include "cli/report/page.hpp"

#include <catch2/catch.hpp>

#include "cli/report/pages.hpp"

namespace placer {
namespace {

using Json = nlohmann::json;

std::string data_text(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t from = page.find(begin);
  REQUIRE(from != std::string::npos);
  const std::size_t text = from + begin.size();
  return page.substr(text, page.find("</script>", text) - text);
}

TEST_CASE("The page holds the numbers of the JSON object and of explain") {
  const TempFolder folder;
  const std::string graph = folder.write("g.json", join_graph());
  const std::string page = folder.file("page.html"), placement = folder.file("p.json");
  Json said = run_json({"optimize", graph, "--algo", "anneal", "--evaluations", "60", "--json",
                        "--report", page, "--output", placement});
  const Json data = Json::parse(data_text(text_of(page)));
  said.erase("placement");  // a file of its own, which the page does not repeat
  CHECK(data["report"] == said);
  CHECK(data["explanation"] == run_json({"explain", graph, "--placement", placement, "--json"}));
  CHECK(data["request"]["algo"] == "anneal");
  CHECK(data["ops"]["name"] == Json({"a", "b", "c"}));
  CHECK(data["ops"]["end"][2] == said["step_seconds"]);
  CHECK(data["transfers"]["bytes"] == Json({1}));
  for (std::size_t device = 0; device < 2; ++device) {
    const Json& held = data["memory"][device]["bytes"];
    CHECK(*std::max_element(held.begin(), held.end()) == said["per_device"][device]["peak_bytes"]);
  }
}

TEST_CASE("An op's name that ends a script, and one of a placeholder, stay names") {
  const TempFolder folder;
  Json graph = Json::parse(join_graph());
  graph["ops"][0]["name"] = "</script><b>{{script}}";
  graph["edges"][0]["from"] = "</script><b>{{script}}";
  graph["name"] = "<i>&";
  const std::string page = text_of(searched_page(folder, folder.write("g.json", graph.dump())));
  CHECK(count_of(page, "</script>") == 2);  // of the data and of the program
  CHECK(count_of(page, "{{script}}") >= 1);
  CHECK(count_of(page, "<title>placer: &lt;i&gt;&amp;</title>") == 1);
  CHECK(Json::parse(data_text(page))["ops"]["name"][0] == "</script><b>{{script}}");
}

TEST_CASE("The page names no address to load from") {
  const TempFolder folder;
  const std::string page = text_of(searched_page(folder, folder.write("g.json", join_graph())));
  CHECK(count_of(page, "src=") == 0);
  CHECK(count_of(page, "https://") == 0);
  CHECK(count_of(page, "http://") == count_of(page, "http://www.w3.org/"));  // namespaces of SVG
}

TEST_CASE("A simulated placement's page has no curve of a search") {
  const TempFolder folder;
  const std::string text = simulated_page(folder, "gpu:0");
  CHECK(count_of(text, "<figure id=\"curve\"></figure>") == 1);
  const Json data = Json::parse(data_text(text));
  CHECK(data["report"]["step_seconds"] == 8.0);
  CHECK(data["transfers"]["name"].empty());
}

TEST_CASE("The page holds the command that makes it again, quoted for a shell") {
  const TempFolder folder;
  const std::string graph = folder.write("my g.json", join_graph());
  const std::string page = folder.file("page.html");
  REQUIRE(run({"optimize", graph, "--algo", "post", "--elite-share=0.25", "--seed", "3",
               "--evaluations", "20", "-q", "--pin", "c*=gpu:0", "--report", page})
              .code == kDone);
  CHECK(count_of(text_of(page), "<pre id=\"command\">placer optimize '" + graph +
                                    "' --algo post --elite-share=0.25 --seed 3 --evaluations "
                                    "20 -q --pin 'c*=gpu:0' --report " +
                                    page + "</pre>") == 1);
}

TEST_CASE("The page of micro-batches has the number of each op's micro-batch, to colour by") {
  const TempFolder folder;
  const Json data = Json::parse(data_text(page_of_batches(folder)));
  CHECK(data["ops"]["batch"] == Json({0, 0, 0, 1, 1, 1}));
  CHECK(data["transfers"]["batch"].size() == data["transfers"]["name"].size());
  CHECK(data["tensors"]["from"] == Json({0, 1, 3, 4}));
  CHECK(data["tensors"]["to"] == Json::parse("[[2], [2], [5], [5]]"));
}

}  // namespace
}  // namespace placer
