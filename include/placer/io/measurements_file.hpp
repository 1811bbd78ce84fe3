#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace placer {

/// The runs of one placement on the real machine.
struct MeasuredRuns {
  std::vector<double> seconds;                       // in their order, each above 0
  std::map<std::string, std::int64_t> memory_bytes;  // the most of any run, by device name
  std::string failure;                               // why it cannot run; empty: it can
  friend bool operator==(const MeasuredRuns&, const MeasuredRuns&) = default;
};

/// By what is measured and by placement, both as 16 hexadecimal digits of a hash.
using Measurements = std::map<std::pair<std::string, std::string>, MeasuredRuns>;

/// Reads a `placer-measurements` file. Throws Error: "FILE: JSON path: expected ..., found ...".
Measurements read_measurements(const std::string& path);
/// The same from text; `file` is what errors call it.
Measurements parse_measurements(const std::string& text, const std::string& file);
std::string write_measurements(const Measurements& measurements);

}  // namespace placer
