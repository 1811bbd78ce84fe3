#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "placer/model/problem.hpp"
#include "placer/search/run.hpp"

namespace placer {

/// How long a search beside the main question takes, and how.
struct ShortSearch {
  std::int64_t evaluations = 0;
  std::uint64_t seed = 1;
  Order order = Order::kFifo;
  const std::atomic<bool>* interrupt = nullptr;  // ends it once set
  std::function<void(const SearchProgress&)> on_progress = {};
};

/// The problem on another machine, with the same groups and goal; empty where some op may go to
/// none of its devices, or no link joins two that need one.
std::optional<Problem> problem_on(const Problem& whole, const Topology& topology);

/// What the standard algorithm finds, from `start` on where there is one.
SearchResult searched_shortly(const Problem& problem, const ShortSearch& search,
                              std::optional<Placement> start);

}  // namespace placer
