#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "cli/report/pages.hpp"
#include "support/skipped.hpp"

namespace placer {
namespace {

using Json = nlohmann::json;

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
      for (const key of keys) canvas.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
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

TEST_CASE("Keys and the wheel are the page's own, unless a chart has the focus") {
  if (!has_browser()) return;
  const TempFolder folder;
  const std::string probe = R"(<script>
    const taken = (id, key) => {
      const target = id ? document.getElementById(id) : document.body;
      target.focus();
      const event = new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true});
      return document.activeElement === target && !target.dispatchEvent(event) ? "chart" : "page";
    };
    const rolled = (ctrlKey) => {
      const event = new WheelEvent("wheel", {deltaY: 100, ctrlKey, bubbles: true, cancelable: true});
      return document.getElementById("gantt").dispatchEvent(event) ? "page" : "chart";
    };
    document.documentElement.dataset.told = [taken("", "ArrowRight"), taken("", "Home"),
      taken("colour", "ArrowLeft"), taken("gantt", "ArrowRight"), taken("gantt", "ArrowDown"),
      taken("memory", "+"), rolled(false), rolled(true), taken("gantt", "0"), rolled(false),
      taken("gantt", "Escape"), rolled(false)].join(" ");
  </script></body>)";
  std::string text = simulated_page(folder, "gpu:1");
  text.replace(text.rfind("</body>"), 7, probe);
  const std::string document = shown(folder, folder.write("probe.html", text));
  CHECK(count_of(
            document,
            "data-told=\"page page page chart page chart page chart chart chart page page\"") == 1);
}

TEST_CASE("Devices that hold the same share of their memories are drawn as high") {
  if (!has_browser()) return;
  const TempFolder folder;
  // At first b's 20 bytes and its byte on gpu:0, of 42; a's 10 and its byte on gpu:1, of 22.
  Json graph = Json::parse(join_graph());
  graph["devices"]["devices"][0]["memory_bytes"] = 42;
  graph["devices"]["devices"][1]["memory_bytes"] = 22;
  const std::string placement =
      folder.write("p.json", R"({"format": "placer-placement", "version": 1,
                                 "placement": {"a": "gpu:1", "b": "gpu:0", "c": "gpu:0"}})");
  const std::string page = folder.file("page.html");
  REQUIRE(run({"simulate", folder.write("g.json", graph.dump()), "--placement", placement,
               "--report", page})
              .code == kDone);
  const std::string probe = R"(<script>
    const memory = document.getElementById("memory"), ratio = window.devicePixelRatio || 1;
    const filled = (row) => {
      const x = labelWidth(memory.clientWidth) + 30, top = kAxis + row * (kMemoryRow + kGap * 3);
      const shade = (y) => memory.getContext("2d")
        .getImageData(Math.round(x * ratio), Math.round((top + y) * ratio), 1, 1).data.slice(0, 3).join();
      let count = 0;
      for (let y = 2; y < kMemoryRow - 2; ++y) if (shade(y) === shade(kMemoryRow - 3)) ++count;
      return count;
    };
    document.documentElement.dataset.told = `${filled(0)} ${filled(1)}`;
  </script></body>)";
  std::string text = text_of(page);
  text.replace(text.rfind("</body>"), 7, probe);
  const std::string document = shown(folder, folder.write("probe.html", text));
  // Half of the capacity under a top of 1.08 times it, 64 pixels high: from 35 to the last that is
  // looked at, 61.
  CHECK(count_of(document, "data-told=\"27 27\"") == 1);
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

TEST_CASE("Hovering an op or a transfer of a pipeline tells its micro-batch") {
  if (!has_browser()) return;
  const TempFolder folder;
  const std::string probe = R"(<script>
    const canvas = document.getElementById("gantt"), box = canvas.getBoundingClientRect();
    const batches = (row) => {
      const found = new Set(), left = labelWidth(box.width);
      for (let share = 0; share < 1; share += 0.01) {
        canvas.dispatchEvent(new PointerEvent("pointermove", {
          clientX: box.left + left + (box.width - left) * share,
          clientY: box.top + kAxis + row * (kRow + kGap) + 5}));
        const tip = document.getElementById("tip");
        if (!tip.hidden) found.add(tip.textContent.split("\n").find((line) => line.startsWith("micro-batch")));
      }
      return [...found].join();
    };
    document.documentElement.dataset.told = [0, 1, 2].map(batches).join("; ");
  </script></body>)";
  std::string text = page_of_batches(folder);
  text.replace(text.rfind("</body>"), 7, probe);
  const std::string document = shown(folder, folder.write("probe.html", text));
  const std::string both = "micro-batch 0,micro-batch 1";
  CHECK(count_of(document, "data-told=\"" + both + "; " + both + "; " + both + "\"") == 1);
}

}  // namespace
}  // namespace placer
