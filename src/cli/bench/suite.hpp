#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "placer/search/run.hpp"

namespace placer {

/// One search of a suite. Its budget is in evaluations, so that its result is the same everywhere.
struct BenchCase {
  std::string name;                    // unique
  std::string graph;                   // a path that opens from here
  std::optional<std::string> devices;  // the same, or a shipped name
  const Optimizer* optimizer = nullptr;
  OptionValues options;  // complete
  std::int64_t evaluations = 0;
  std::uint64_t seed = 1;
  Grouping grouping;
  Order order = Order::kFifo;
};

/// Reads a `placer-suite` file; paths in it are relative to it. Throws Error:
/// "FILE: JSON path: expected ..., found ...".
std::vector<BenchCase> read_suite(const std::string& path);

}  // namespace placer
