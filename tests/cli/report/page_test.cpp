#include "cli/report/page.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "support/skipped.hpp"

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

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

/// The page of a search on `graph`, in `folder`.
std::string searched_page(const TempFolder& folder, const std::string& graph) {
  const std::string page = folder.file("page.html");
  REQUIRE(run({"optimize", graph, "--algo", "anneal", "--evaluations", "60", "--report", page,
               "--quiet"})
              .code == kDone);
  return page;
}

/// The page of join_graph with a on `device_of_a`, b and c on gpu:0.
std::string simulated_page(const TempFolder& folder, const std::string& device_of_a) {
  const Json placement = {{"format", "placer-placement"},
                          {"version", 1},
                          {"placement", {{"a", device_of_a}, {"b", "gpu:0"}, {"c", "gpu:0"}}}};
  const std::string page = folder.file("page.html");
  REQUIRE(run({"simulate", folder.write("g.json", join_graph()), "--placement",
               folder.write("p.json", placement.dump()), "--report", page})
              .code == kDone);
  return text_of(page);
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

/// What Chromium makes of the page: its document, with the browser's own words after it.
std::string shown(const TempFolder& folder, const std::string& page) {
  const std::string out = folder.file("dom");
  const std::string command =
      "chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
      "--enable-logging=stderr --user-data-dir=" +
      folder.file("profile") + " --virtual-time-budget=5000 --dump-dom file://" + page + " > " +
      out + " 2>&1";
  REQUIRE(std::system(command.c_str()) == 0);
  return text_of(out);
}

bool has_browser() {
  if (std::system("command -v chromium > /dev/null 2>&1") == 0) return true;
  testing::skip("chromium is not installed");
  return false;
}

TEST_CASE("A browser shows the page without an error") {
  if (!has_browser()) return;
  const TempFolder folder;
  const std::string document = shown(
      folder, searched_page(folder, folder.write("g.json", join_graph(std::int64_t{3} << 30))));
  CHECK(count_of(document, ":CONSOLE") == 0);
  CHECK(count_of(document, "join takes 5.000 s per step") == 2);  // in the data and on the page
  CHECK(count_of(document, "data-bars=\"4\"") == 1);              // three ops and a transfer
  CHECK(count_of(document, "<td>3.000 s</td>") == 1);             // a's time
  CHECK(count_of(document, "<td>3.000 GiB</td>") == 2);           // capacities
}

TEST_CASE("Hovering names the op at that time, and keys zoom and move") {
  if (!has_browser()) return;
  const TempFolder folder;
  // The first row: b runs 0-4, c 4-5 on gpu:0. At 90 % of the width it is 4.5 s; zoomed in three
  // times 2.9 s; then moved to the end, 4.9 s; then all again.
  const std::string probe = R"(<script>
    const canvas = document.getElementById("gantt"), box = canvas.getBoundingClientRect();
    const told = [];
    const probe = (...keys) => {
      for (const key of keys) document.dispatchEvent(new KeyboardEvent("keydown", {key}));
      canvas.dispatchEvent(new PointerEvent("pointermove", {
        clientX: box.left + labelWidth(box.width) + (box.width - labelWidth(box.width)) * 0.9,
        clientY: box.top + kAxis + 5}));
      told.push(document.getElementById("tip").textContent.split("\n")[0]);
    };
    probe();
    probe("+", "+", "+");
    probe(..."123456789".split("").map(() => "ArrowRight"));
    probe("-");
    probe("ArrowLeft", "ArrowLeft", "ArrowLeft");
    probe("0");
    document.documentElement.dataset.told = told.join(" ");
  </script></body>)";
  std::string text = simulated_page(folder, "gpu:1");
  text.replace(text.rfind("</body>"), 7, probe);
  const std::string document = shown(folder, folder.write("probe.html", text));
  CHECK(count_of(document, ":CONSOLE") == 0);
  CHECK(count_of(document, "data-told=\"c b c c b c\"") == 1);
}

/// a in module left, b and c in module right, all on gpu:0.
std::string page_of_modules(const TempFolder& folder) {
  Json graph = Json::parse(join_graph()), placement;
  const auto named = [](const std::string& op) { return (op == "a" ? "left/" : "right/") + op; };
  for (Json& op : graph["ops"]) {
    op["name"] = named(op["name"]);
    placement[op["name"].get<std::string>()] = "gpu:0";
  }
  for (Json& edge : graph["edges"]) {
    for (const char* end : {"from", "to"}) edge[end] = named(edge[end]);
  }
  const Json file = {
      {"format", "placer-placement"}, {"version", 1}, {"placement", std::move(placement)}};
  const std::string page = folder.file("page.html");
  REQUIRE(run({"simulate", folder.write("g.json", graph.dump()), "--placement",
               folder.write("p.json", file.dump()), "--report", page})
              .code == kDone);
  return text_of(page);
}

TEST_CASE("The graph on the page opens a group by Enter, a click closes all, Backspace one") {
  if (!has_browser()) return;
  const TempFolder folder;
  const std::string probe = R"(<script>
    const told = [];
    const tell = () => told.push(document.querySelectorAll("#graph g.box").length + "/" +
      document.querySelectorAll("#graph path.edge").length);
    const box = (name) => [...document.querySelectorAll("#graph g.box")]
      .find((each) => each.getAttribute("aria-label").startsWith(name));
    const strike = (name, key) => box(name).dispatchEvent(
      new KeyboardEvent("keydown", {key, bubbles: true}));
    tell();
    strike("right", "Enter");
    tell();
    strike("right/c", "Backspace");
    tell();
    box("right").dispatchEvent(new MouseEvent("click", {bubbles: true}));
    tell();
    document.querySelector("button[data-open=no]").click();
    tell();
    document.documentElement.dataset.told = told.join(" ");
  </script></body>)";
  std::string text = page_of_modules(folder);
  text.replace(text.rfind("</body>"), 7, probe);
  const std::string document = shown(folder, folder.write("probe.html", text));
  CHECK(count_of(document, ":CONSOLE") == 0);
  // left and right with an edge; then b and c for right: a to c, b to c.
  CHECK(count_of(document, "data-told=\"2/1 3/2 2/1 3/2 2/1\"") == 1);
}

TEST_CASE("The page of micro-batches has the number of each op's micro-batch, to colour by") {
  const TempFolder folder;
  const std::string graph = folder.write("g.json", join_graph());
  const std::string placement =
      folder.write("p.json", R"({"format": "placer-placement", "version": 1,
                                 "placement": {"a": "gpu:0", "b": "gpu:0", "c": "gpu:1"}})");
  const std::string page = folder.file("page.html");
  REQUIRE(
      run({"simulate", graph, "--placement", placement, "--microbatches", "2", "--report", page})
          .code == kDone);
  const Json data = Json::parse(data_text(text_of(page)));
  CHECK(data["ops"]["batch"] == Json({0, 0, 0, 1, 1, 1}));
  CHECK(data["tensors"]["from"] == Json({0, 1, 3, 4}));
  CHECK(data["tensors"]["to"] == Json::parse("[[2], [2], [5], [5]]"));
}

}  // namespace
}  // namespace placer
