#pragma once

#include <string>
#include <utility>

#include "placer/search/optimizer.hpp"

namespace placer {

// What HEFT and CPOP, of one paper and on one kind of schedule, have in common.

template <class O>
constexpr OptionRow<O> insertion_row(bool O::*member) {
  return option("insertion", member, "fill idle stretches between ops");
}
template <class O>
constexpr OptionRow<O> memory_row(bool O::*member) {
  return option("memory", member, "keep parameters and kept tensors within each device's memory");
}

inline OptimizerInfo list_scheduler_info(std::string summary) {
  return {.summary = std::move(summary),
          .unfit_for =
              "graphs where transfers wait for each other, and activations that fill the "
              "memory, neither of which it sees",
          .source = "Topcuoglu, Hariri, Wu 2002",
          .deterministic = true,
          .anytime = true};
}

}  // namespace placer
