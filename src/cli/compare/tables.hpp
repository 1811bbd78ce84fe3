#pragma once

#include <string>

#include "cli/compare/summary.hpp"
#include "cli/shared/table.hpp"

namespace placer {

/// A row for each algorithm, and what it is held against: floors, what the framework of
/// --for does, one device, lower bound. Of a
/// comparison under one order.
Table summary_table(const GraphSummary& summary, const Comparison& comparison);

/// What fits on the page of a paper: a row for each algorithm, the best single device and the lower
/// bound.
Table paper_table(const GraphSummary& summary, const Comparison& comparison);

/// The same of a comparison under several orders: a column for each, with the medians.
Table order_table(const GraphSummary& summary, const Comparison& comparison);

/// A row for each run on the graph.
Table run_table(const GraphSummary& summary, const Comparison& comparison);

/// "Each run has 600 evaluations; seeds 1 to 10, order fifo, groups auto."
std::string rules_text(const Comparison& comparison);
/// "auto", "none" or "40"
std::string grouping_text(const Grouping& grouping);
/// "fifo,pct"
std::string orders_text(const Comparison& comparison);
/// "auto in 40 groups"
std::string name_of(const Floor& floor);

}  // namespace placer
