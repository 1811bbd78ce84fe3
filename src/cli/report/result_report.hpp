#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/report/baselines.hpp"
#include "cli/report/measured_report.hpp"
#include "cli/report/pipeline_report.hpp"
#include "cli/shared/request.hpp"
#include "placer/search/bounds.hpp"

namespace placer {

/// One that the placement is held against: the user's own, or what a framework does by itself.
struct OtherPlacement {
  std::string name;
  Score score;
};

/// All that is said of one placement.
struct Report {
  const LoadedProblem* loaded = nullptr;
  std::string algorithm;             // "simulate" where nothing was searched
  std::optional<std::int64_t> seed;  // of a search
  OptionValues options;              // complete
  Order order = Order::kFifo;
  std::optional<Picoseconds> target_ps;
  bool searched = false;
  bool from_start = false;                  // a search with --start
  bool from_policy = false;                 // a search with --policy-in
  std::optional<double> file_step_seconds;  // what a simulated placement's file claims
  std::string file_rules;                   // why that may differ: "under order fifo"
  SearchResult result;  // `simulate` fills the placement, the score and one evaluation
  Schedule schedule;    // of the result's placement
  Score fifo;           // of the same placement under order `fifo`
  LowerBounds bounds;
  std::optional<SingleDevice> single;
  std::vector<OtherPlacement> others;
  std::optional<PipelineReport> pipeline;  // of a step of several micro-batches
  std::optional<MeasuredReport> measured;  // by a command
  Deadline deadline;                       // of what is tried for an explanation
};

/// The best lower bound, of those that are known of every problem and of what the search knows.
Picoseconds bound_ps(const Report& report);

/// The step time over the lower bound, less one; empty where the bound is 0 and for a placement
/// that does not fit, of which the bound says nothing.
std::optional<double> gap(const Report& report);

/// How many of `count` a second; empty where there is no count, or no time.
std::optional<double> rate_of(std::optional<std::int64_t> count, const Report& report);

/// The simulated time of one step, whatever the objective is.
Picoseconds latency_ps(const Schedule& schedule);

/// Whether the placement fits and none is better: its step time is the lower bound, or the search
/// has proven it. Never of a step of micro-batches, as its bounds are of the same micro-batches and
/// replicas: others may take less.
bool is_optimal(const Report& report);

/// Whether several devices pay, in plain words; empty where nothing compares.
std::string verdict(const Report& report);

/// Placement files that stand inside another JSON object; empty: they do not.
struct WholeTexts {
  std::string placement;  // under "placement"
  std::string unwritten;  // one that could not be written, under "unwritten_output"
};
/// The JSON object that `--json` prints.
std::string json_report(const Report& report, const WholeTexts& texts = {});

/// The summary; `files` are named in it as written.
std::string text_report(const Report& report, bool verbose, const std::vector<std::string>& files,
                        const Look& look);

/// The request inside a placement file: `--config` runs it again to the same bytes. Without paths,
/// threads and wall times; devices by name where they are a shipped spec, not at all where they are
/// the graph's own, else whole. A search from a placement says `"start": true` and needs --start.
std::string request_json(const Report& report, const SearchFlags& flags);

}  // namespace placer
