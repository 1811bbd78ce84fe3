#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/bench/suite.hpp"
#include "placer/sim/score.hpp"

namespace placer {

/// The stored result of a case.
struct BaselineCase {
  std::string name;
  Score score;
  std::int64_t evaluations = 0;  // the case's budget then
  double tolerance = 0;          // how much longer a step may be, as a share of the stored one
};

enum class Verdict { kSame, kImproved, kTolerated, kRegression };
constexpr Names<4> names_of(Verdict) {
  return {"same", "improved", "within tolerance", "REGRESSION"};
}

/// More overflow is a regression whatever the tolerance.
Verdict judge(const Score& score, const BaselineCase& stored);

/// Reads a `placer-baseline` file. Throws Error: "FILE: JSON path: expected ..., found ...".
std::vector<BaselineCase> read_baseline(const std::string& path);
std::string write_baseline(std::span<const BaselineCase> cases);

/// The stored case of each case of the suite, in its order. Throws Error that names a case that
/// only one of the two files has, or whose budget differs.
std::vector<BaselineCase> match_baseline(std::span<const BenchCase> cases,
                                         std::span<const BaselineCase> stored,
                                         const std::string& suite_file,
                                         const std::string& baseline_file);

}  // namespace placer
