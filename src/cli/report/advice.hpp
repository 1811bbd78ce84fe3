#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/shared/request.hpp"
#include "cli/shared/table.hpp"
#include "placer/sim/schedule.hpp"

namespace placer {

/// A set of devices and what a short search finds on it.
struct Tried {
  std::vector<DeviceId> devices;
  std::optional<double> price;  // an hour; empty: that of some device is unknown
  std::optional<Score> score;   // empty: the graph cannot run there
  Placement placement;          // of the devices of the set

  bool fits() const { return score && score->fits(); }
  double step_price() const { return *price / 3600 * to_seconds(score->step_ps); }
};

struct Advice {
  std::vector<Tried> tried;
  const Tried* fastest = nullptr;   // of the fewest devices where several are; null: nothing fits
  const Tried* enough = nullptr;    // the fewest devices near it
  const Tried* cheapest = nullptr;  // a step; null without prices
  std::vector<DeviceId> unpriced;   // where there are prices
  std::size_t sets = 0;             // that there are to try
  bool interrupted = false;
};

/// What is worth having, and what is not known.
std::vector<std::string> advice_sentences(const Topology& topology, const Advice& advice);
/// A row for each set that was tried.
Table advice_table(const Topology& topology, const Advice& advice, bool has_prices);
/// Everything as one JSON object, with its newline.
std::string advice_json(const LoadedProblem& loaded, const Advice& advice);

}  // namespace placer
