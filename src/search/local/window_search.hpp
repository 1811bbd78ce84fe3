#pragma once

#include <cstdint>

#include "search/local/starts.hpp"

namespace placer {

struct WindowOptions {
  std::int64_t window = 6;       // groups freed at once, at most
  std::int64_t choices = 3;      // places tried for each besides its own
  std::int64_t per_window = 60;  // evaluations spent on one window, at most
  std::int64_t patience = 30;  // windows that gain nothing after which they grow or the best moves
};

/// Large neighbourhood search from `start` with the whole budget. It frees a few groups around the
/// critical path, the window, and looks by branch and bound for better places for all of them at
/// once (devices and, under order `given`, places in the order), while the rest stays as it is.
/// Returns when the budget is spent or no window has anything to try.
void search_windows(Search& search, Start start, const WindowOptions& options = {});

}  // namespace placer
