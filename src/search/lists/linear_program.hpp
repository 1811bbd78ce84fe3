#pragma once

#include <optional>
#include <span>
#include <vector>

namespace placer {

/// Minimise costs * x where low <= x <= high and each row's sum of coefficient * x is at least its
/// bound.
class LinearProgram {
 public:
  struct Term {
    int variable;
    double coefficient;
  };

  /// Whether this build can solve any: with the library CLP.
  static bool solvable();

  /// Its number, from 0.
  int add_variable(double cost, double low, double high);
  /// Variables of the terms are different ones.
  void add_row(std::span<const Term> terms, double at_least);

  /// An optimal x by the dual simplex method, the same each time. Empty where there is none, after
  /// `most_steps` without having found it, or when this build cannot solve any. Uses one thread.
  std::optional<std::vector<double>> solve(int most_steps) const;

 private:
  std::vector<double> costs_, low_, high_;  // by variable
  std::vector<double> at_least_;            // by row
  std::vector<int> row_starts_ = {0}, term_variables_;
  std::vector<double> coefficients_;
};

}  // namespace placer
