#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "placer/search/search.hpp"
#include "search/local/portfolio.hpp"

namespace placer {

/// What decides which strategies suit a search.
struct Situation {
  bool is_step = true;  // the goal is the time of a single step
  bool searches_orders = false;
  bool is_tight = false;  // memory rules out what HEFT proposes
  bool is_far = false;    // the best, from the bound, in a graph that is not huge
  std::size_t groups = 0;
};

/// The names of all strategies of `auto`, in the order in which they are tried.
std::span<const std::string_view> strategy_names();

/// Those that suit, but for the one called `without`, if there is one of that name.
std::vector<Strategy> strategies_for(const Situation& situation, std::string_view without);

/// Runs the slice of a task of `auto`, in any process: see `SideBySide::run_task`.
SliceEnd run_strategy(const Problem& problem, const SearchRequest& request, const SliceTask& task);

}  // namespace placer
