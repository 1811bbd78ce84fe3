#pragma once

#include <array>
#include <string>
#include <utility>

#include "placer/search/optimizer.hpp"
#include "search/list_rules.hpp"

namespace placer {

// What list schedulers, on one kind of schedule, have in common: options, record and run.

template <class O>
constexpr OptionRow<O> insertion_row() {
  return option("insertion", &O::insertion, "fill idle stretches between ops");
}
template <class O>
constexpr OptionRow<O> memory_row() {
  return option("memory", &O::memory,
                "keep parameters and kept tensors within each device's memory");
}
template <class O>
constexpr OptionRow<O> activations_row() {
  return option("activations", &O::activations,
                "count all outputs and temporaries as if held at once, where that can fit");
}
template <class O>
constexpr OptionRow<O> contention_row() {
  return option("contention", &O::contention, "plan with transfers that wait for their channels");
}
template <class O>
ListSchedule::Rules schedule_rules(const O& options) {
  return {.insertion = options.insertion,
          .memory = options.memory,
          .activations = options.activations,
          .contention = options.contention};
}

/// `kInsertion` is what the paper does.
template <bool kInsertion>
struct ListOptions {
  bool insertion = kInsertion;
  bool memory = true;
  bool activations = false;
  bool contention = false;
  std::string group = "first-op";
};

template <bool kInsertion>
inline constexpr std::array<OptionRow<ListOptions<kInsertion>>, 5> kListRows = {
    insertion_row<ListOptions<kInsertion>>(),
    memory_row<ListOptions<kInsertion>>(),
    activations_row<ListOptions<kInsertion>>(),
    contention_row<ListOptions<kInsertion>>(),
    option(
        "group", &ListOptions<kInsertion>::group, "first-op|whole|promises",
        "what the first op of a group looks at: itself, the group's other ops and transfers too, "
        "and what is yet to come on the device"),
};
static_assert(kListRows<true>.size() == member_count<ListOptions<true>>);

/// Runs one rule, claims its makespan and has its placement and order scored.
void run_list_rule(const ListRule& rule, Search& search);

template <bool kInsertion>
void run_list_rule(ListRule rule, const ListOptions<kInsertion>& options, Search& search) {
  rule.schedule = schedule_rules(options);
  if (options.group == "whole") rule.group = ListRule::Group::kWhole;
  if (options.group == "promises") rule.group = ListRule::Group::kPromises;
  run_list_rule(rule, search);
}

OptimizerInfo list_scheduler_info(std::string summary, std::string source);

}  // namespace placer
