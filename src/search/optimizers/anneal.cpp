// What is worse is taken with a probability that falls with the budget used. Metropolis et al.
// 1953; moves after Nowicki, Smutnicki, "A Fast Taboo Search Algorithm for the Job Shop Problem",
// 1996.
//
// Measured under `given` with 5 s of wall time on a busy machine: 0.4 % above the planted optimum
// on average for packed instances of 30 to 300 ops, 1.7 % for 1,000; HEFT's schedules are 5 to 21 %
// above. All of 120 cases of the Standard Task Graph Set are optimal within 0.5 s, HEFT's are in
// 92.
#include "search/local/anneal.hpp"

#include <algorithm>

#include "placer/search/optimizer.hpp"
#include "search/local/starts.hpp"

namespace placer {
namespace {

struct Options {
  double temperature = AnnealOptions().temperature;
  double final_temperature = AnnealOptions().final_temperature;
  std::int64_t candidates = AnnealOptions().candidates;
};

constexpr std::array kRows = {
    option("temperature", &Options::temperature, 1e-6, 1e6,
           "at first; 1 is the mean time that a group keeps its device busy"),
    option("final_temperature", &Options::final_temperature, 1e-9, 1e6,
           "when a cycle ends, at most the first"),
    option("candidates", &Options::candidates, 1, 1000,
           "changes drawn for each one that is proposed: the most promising"),
};
static_assert(kRows.size() == member_count<Options>);

void run(const Options& options, Search& search) {
  const std::optional<Start> start = local_search_start(search);
  if (!start) return;
  anneal_from(search, start->placement, start->order,
              {.temperature = options.temperature,
               .final_temperature = std::min(options.final_temperature, options.temperature),
               .candidates = options.candidates});
}

}  // namespace

Optimizer anneal() {
  return make_optimizer(
      {.summary = "simulated annealing along the critical path, of the order of ops too",
       .unfit_for =
           "budgets of less than a few evaluations for each group: it does not get to cool",
       .source = "Kirkpatrick, Gelatt, Vecchi: Optimization by Simulated Annealing, Science 220, "
                 "1983"},
      kRows, run);
}

}  // namespace placer
