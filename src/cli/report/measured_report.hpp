#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/shared/terminal.hpp"
#include "placer/search/fit_costs.hpp"
#include "placer/search/race.hpp"

namespace placer {

/// A placement that was measured beside what is predicted of it.
struct MeasuredRow {
  std::string name;  // "1", "2", ...: by prediction; "gpu:0 alone"; "drawn 1", ...: for the fit
  bool is_for_fit = false;  // it did not race
  double predicted_seconds = 0;
  std::optional<double> fitted_seconds;  // what the fitted costs say
  Racer racer;
  std::map<std::string, std::int64_t> memory_bytes;  // the peak, by device name
  std::string failure;                               // why it cannot run; empty: it can
};

/// What measuring placements on the real machine gave.
struct MeasuredReport {
  std::vector<MeasuredRow> rows;  // what raced in the order in which it was entered, then the rest
  std::optional<std::size_t> first;  // the row whose placement was chosen; empty: none ran
  bool is_decided = false;
  std::string ended_by;          // why not all could be measured; empty: all was
  double noise = 0;              // of one run, as a share of it
  double measuring_seconds = 0;  // of wall time
  std::optional<CostFit> fit;
};

/// "12.3 ms measured, 5.0 % more than predicted; noise 1.0 %, decided".
std::string measured_sentence(const MeasuredReport& report);
/// The sentence, a row for each placement and, after a fit, one for each factor.
std::string measured_text(const MeasuredReport& report, const Look& look);
/// A JSON object.
std::string measured_json(const MeasuredReport& report);

}  // namespace placer
