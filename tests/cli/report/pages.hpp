#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"

namespace placer {

inline std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

/// The page of a search on `graph`, in `folder`.
inline std::string searched_page(const TempFolder& folder, const std::string& graph) {
  const std::string page = folder.file("page.html");
  REQUIRE(run({"optimize", graph, "--algo", "anneal", "--evaluations", "60", "--report", page,
               "--quiet"})
              .code == kDone);
  return page;
}

/// The page of join_graph with a on `device_of_a`, b and c on gpu:0.
inline std::string simulated_page(const TempFolder& folder, const std::string& device_of_a) {
  const nlohmann::json placement = {
      {"format", "placer-placement"},
      {"version", 1},
      {"placement", {{"a", device_of_a}, {"b", "gpu:0"}, {"c", "gpu:0"}}}};
  const std::string page = folder.file("page.html");
  REQUIRE(run({"simulate", folder.write("g.json", join_graph()), "--placement",
               folder.write("p.json", placement.dump()), "--report", page})
              .code == kDone);
  return text_of(page);
}

/// Of two micro-batches, with a and b on gpu:0 and c on gpu:1.
inline std::string page_of_batches(const TempFolder& folder) {
  const std::string graph = folder.write("g.json", join_graph());
  const std::string placement =
      folder.write("p.json", R"({"format": "placer-placement", "version": 1,
                                 "placement": {"a": "gpu:0", "b": "gpu:0", "c": "gpu:1"}})");
  const std::string page = folder.file("page.html");
  REQUIRE(
      run({"simulate", graph, "--placement", placement, "--microbatches", "2", "--report", page})
          .code == kDone);
  return text_of(page);
}

}  // namespace placer
