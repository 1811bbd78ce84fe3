#pragma once

#include <array>
#include <string>
#include <utility>

#include "placer/search/optimizer.hpp"
#include "search/lists/rules.hpp"

namespace placer {

// What list schedulers, on one kind of schedule, have in common: options, record and run.

/// When outputs and temporaries count, as if all were held at once.
enum class Activations { kNever, kWhenNeeded, kAlways };
constexpr Names<3> names_of(Activations) { return {"never", "when-needed", "always"}; }

enum class Eligible { kAll, kFast };
constexpr Names<2> names_of(Eligible) { return {"all", "fast"}; }

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
  return option<&O::activations>(
      "activations",
      "count all outputs and temporaries as if held at once, where that can fit; when "
      "needed: in a second schedule if the first does not fit");
}
template <class O>
constexpr OptionRow<O> contention_row() {
  return option("contention", &O::contention, "plan with transfers that wait for their channels");
}
template <class O>
constexpr OptionRow<O> devices_row() {
  return option<&O::devices>(
      "eligible",
      "fast: only those that take at most twice the least time for all ops, as long as "
      "they have room");
}
template <class O>
constexpr OptionRow<O> group_row() {
  return option<&O::group>(
      "group",
      "what the first op of a group looks at: itself, the group's other ops and transfers too, "
      "and what is yet to come on the device");
}
template <class O>
ListSchedule::Rules schedule_rules(const O& options) {
  return {.insertion = options.insertion,
          .memory = options.memory,
          .activations = options.activations == Activations::kAlways ? 1.0 : 0.0,
          .fast_only = options.devices == Eligible::kFast,
          .contention = options.contention};
}

/// `kInsertion` as in the paper; `kAlike` where its devices are alike.
template <bool kInsertion, bool kAlike = false, bool kActivations = false>
struct ListOptions {
  bool insertion = kInsertion;
  bool memory = true;
  Activations activations = kActivations ? Activations::kAlways : Activations::kWhenNeeded;
  bool contention = false;
  Eligible devices = kAlike ? Eligible::kFast : Eligible::kAll;
  ListRule::Group group = ListRule::Group::kFirstOp;
};

template <class O>
inline constexpr std::array<OptionRow<O>, 6> kListRows = {
    insertion_row<O>(),  memory_row<O>(),  activations_row<O>(),
    contention_row<O>(), devices_row<O>(), group_row<O>(),
};
static_assert(kListRows<ListOptions<true>>.size() == member_count<ListOptions<true>>);

/// Runs one rule and has its placement and order scored; where that does not fit and `retry` is
/// set, once more with activations counted. Claims the makespan of the better one if `claim` is
/// set.
struct ListRun {
  bool retry = true, claim = true;
};
void score_list_rule(ListRule rule, ListRun run, ListScheduler& scheduler, Search& search);

template <class O>
void run_list_rule(ListRule rule, const O& options, Search& search) {
  rule.schedule = schedule_rules(options);
  rule.group = options.group;
  ListScheduler scheduler(search.problem(), search.observer());
  score_list_rule(rule, {.retry = options.activations == Activations::kWhenNeeded}, scheduler,
                  search);
}

/// `unfit_for` is what this list scheduler is unfit for, besides what none of them sees.
OptimizerInfo list_scheduler_info(std::string summary, std::string unfit_for, std::string source);

}  // namespace placer
