// Large neighbourhood search. A small branch and bound looks for better places for all freed groups
// at once (devices and, under `given`, places in the order), the rest staying as it is; windows
// grow while they gain nothing.
#include <utility>

#include "placer/search/optimizer.hpp"
#include "search/local/window_search.hpp"

namespace placer {
namespace {

constexpr std::array kRows = {
    option("window", &WindowOptions::window, 1, 100, "groups freed at once, at most"),
    option("choices", &WindowOptions::choices, 1, 1000, "places tried for each besides its own"),
    option("per_window", &WindowOptions::per_window, 1, 1000000,
           "evaluations spent on one window, at most"),
    option("patience", &WindowOptions::patience, 1, 1000000,
           "windows that gain nothing after which they grow, or, at their largest, a few groups "
           "of the best move at random"),
};
static_assert(kRows.size() == member_count<WindowOptions>);

void run(const WindowOptions& options, Search& search) {
  if (std::optional<Start> start = local_search_start(search)) {
    search_windows(search, std::move(*start), options);
  }
}

}  // namespace

Optimizer lns() {
  return make_optimizer(
      {.summary = "frees a few groups around the critical path and finds better places for them",
       .unfit_for = "graphs in which many more groups than a window holds must move together",
       .source = "Shaw: Using Constraint Programming and Local Search Methods to Solve Vehicle "
                 "Routing Problems, CP 1998",
       .anytime = true},
      kRows, run);
}

}  // namespace placer
