#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>

#include "cli/commands/commands.hpp"
#include "cli/commands/prices.hpp"
#include "cli/commands/short_search.hpp"
#include "cli/report/advice.hpp"
#include "cli/shared/layout.hpp"
#include "cli/shared/progress.hpp"
#include "cli/shared/request.hpp"
#include "cli/shared/table.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/text.hpp"
#include "placer/model/device_subsets.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostSets = 64, kMostSearches = 512;
constexpr std::int64_t kEvaluations = 400;
constexpr double kNear = 1.01;  // times the best

struct AdviseFlags {
  std::optional<std::int64_t> evaluations, seed;
  std::optional<Order> order;
  std::optional<std::string> price;
  bool json = false, markdown = false;
};
constexpr std::array<FlagRow<AdviseFlags>, 6> kAdviseFlags = {
    flag("evaluations", &AdviseFlags::evaluations, 1,
         "simulated steps for each set of devices; 400 by default"),
    flag("seed", &AdviseFlags::seed, 0, "of the random numbers; 1 by default"),
    choice_flag<&AdviseFlags::order>("order",
                                     "in which order a device takes its ops; fifo by default"),
    texts_flag(
        "price", &AdviseFlags::price, "NAME=PRICE",
        "what a device costs an hour, by its name or type; what sets with others cost is unknown"),
    switch_flag("json", 0, &AdviseFlags::json, "print one JSON object instead of the text"),
    switch_flag("markdown", 0, &AdviseFlags::markdown, "print Markdown instead of the text"),
};

/// The best placement on a part of these devices, as one on them all.
std::optional<Placement> start_from(const std::vector<Tried>& tried,
                                    const std::vector<DeviceId>& devices) {
  const Tried* best = nullptr;
  for (const Tried& part : tried) {
    const bool is_part = std::ranges::includes(devices, part.devices);
    if (is_part && part.score && (best == nullptr || *part.score < *best->score)) best = &part;
  }
  if (best == nullptr) return std::nullopt;
  Placement start = best->placement;
  for (DeviceId& device : start.devices) {
    const DeviceId whole = best->devices[device.index()];
    device =
        DeviceId(static_cast<std::size_t>(std::ranges::find(devices, whole) - devices.begin()));
  }
  return start;
}

void draw_conclusions(Advice& advice) {
  for (const Tried& tried : advice.tried) {
    if (!tried.fits()) continue;
    if (advice.fastest == nullptr || *tried.score < *advice.fastest->score) advice.fastest = &tried;
  }
  if (advice.fastest == nullptr) return;
  const double near_ps = kNear * static_cast<double>(advice.fastest->score->step_ps);
  for (const Tried& tried : advice.tried) {
    if (!tried.fits()) continue;
    const bool is_near = static_cast<double>(tried.score->step_ps) <= near_ps;
    const bool is_fewer = advice.enough == nullptr ||
                          std::pair(tried.devices.size(), *tried.score) <
                              std::pair(advice.enough->devices.size(), *advice.enough->score);
    if (is_near && is_fewer) advice.enough = &tried;
    if (!tried.price) continue;
    if (advice.cheapest == nullptr || tried.step_price() < advice.cheapest->step_price()) {
      advice.cheapest = &tried;
    }
  }
}

using Sets = std::vector<std::vector<DeviceId>>;

Sets sets_to_try(const Topology& topology) {
  const std::size_t count = device_subset_count(topology, kMostSets);
  if (count > kMostSearches) {
    throw Error(fmt::format("advise: expected at most {} sets of devices to try, found {}{}",
                            kMostSearches, count, count >= kMostDeviceSubsets ? " or more" : ""));
  }
  return device_subsets(topology, kMostSets);
}

/// Searches on each set in turn, until an interrupt.
void try_sets(const LoadedProblem& loaded, const Sets& sets, const Prices& prices, ShortSearch how,
              Advice& advice, Console& console) {
  const auto begin = Deadline::Clock::now();
  for (const std::vector<DeviceId>& devices : sets) {
    const std::string which = counted(devices.size(), "device");
    console.doing = "searching on " + which;
    const std::chrono::duration<double> before = Deadline::Clock::now() - begin;
    Progress progress({}, false, console,
                      {which, advice.tried.size() + 1, sets.size(), before.count()});
    how.on_progress = [&](const SearchProgress& now) { progress.show(now); };
    Tried tried{.devices = devices, .price = price_of(devices, prices)};
    const Topology part = topology_of(loaded.problem.topology(), devices);
    if (const auto problem = problem_on(loaded.problem, part)) {
      SearchResult found = searched_shortly(*problem, how, start_from(advice.tried, devices));
      tried.score = found.score;
      tried.placement = std::move(found.placement);
      advice.interrupted = found.stopped == Stop::kInterrupt;
    }
    // Beside whole searches one that was cut short would make its devices look slow.
    if (!advice.interrupted || advice.tried.empty()) advice.tried.push_back(std::move(tried));
    if (advice.interrupted) break;
  }
}

Advice advice_on(const LoadedProblem& loaded, const AdviseFlags& flags, Console& console) {
  const Topology& topology = loaded.problem.topology();
  const Sets sets = sets_to_try(topology);
  const Prices prices = prices_of(topology, flags.price);
  const ShortSearch how{.evaluations = flags.evaluations.value_or(kEvaluations),
                        .seed = static_cast<std::uint64_t>(flags.seed.value_or(1)),
                        .order = flags.order.value_or(Order::kFifo),
                        .interrupt = console.interrupt};
  Advice advice;
  advice.sets = sets.size();
  if (flags.price) advice.unpriced = unpriced(prices);
  console.search_begins();
  try_sets(loaded, sets, prices, how, advice, console);
  draw_conclusions(advice);
  return advice;
}

int advise(const Arguments& arguments, Console& console) {
  const auto flags = read_flags(kAdviseFlags, arguments);
  if (flags.json && flags.markdown) {
    throw Error("advise: expected --json or --markdown, found both");
  }
  check_inputs(problem_files(arguments));
  begin_reading(console, arguments.positionals.at(0));
  const LoadedProblem loaded =
      load_problem(arguments.positionals.at(0), problem_flags(arguments), console.log);
  if (!loaded.problem.goal().stages.empty()) {
    throw Error("advise: expected --stages without an order of the devices");
  }
  const Advice advice = advice_on(loaded, flags, console);
  const Topology& topology = loaded.problem.topology();
  const Table table = advice_table(topology, advice, flags.price.has_value());
  const std::string said = join(advice_sentences(topology, advice), " ");
  if (flags.json) {
    console.out << advice_json(loaded, advice);
  } else if (flags.markdown) {
    console.out << markdown_text(said) << "\n\n" << markdown_table(table);
  } else {
    console.out << wrapped(said + "\n", std::min(console.look.width, kProseWidth), 0) << "\n"
                << text_table(table, console.look);
  }
  if (advice.interrupted) return kInterrupted;
  return advice.fastest != nullptr ? kDone : kNothingFits;
}

}  // namespace

Command advise_command() {
  return {
      .name = "advise",
      .summary = "try sets of the devices with a short search each; say which are worth having",
      .positionals = {{"GRAPH", "the op graph, a placer-graph file or one that import recognises"}},
      .flags = flags_of(kAdviseFlags, kProblemFlags, kImportOptions),
      .examples = {"placer advise graph.json --devices 2xV100-16,1xK80,1xCPU"},
      .interruptible = true,
      .run = advise};
}

}  // namespace placer
