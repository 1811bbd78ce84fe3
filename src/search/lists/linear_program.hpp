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

  /// Whether this build can solve linear programs: it can with the library CLP.
  static bool solvable();

  /// Adds a variable and returns its number, from 0.
  int add_variable(double cost, double low, double high);
  /// Adds a row. The variables of its terms are all different.
  void add_row(std::span<const Term> terms, double at_least);

  struct Solution {
    std::vector<double> values;  // by variable
    std::vector<double> prices;  // by row, at least 0: what a unit more of its bound would cost
  };

  /// An optimal solution, found by the dual simplex method on one thread, and the same each time.
  /// Empty where there is none, where `most_steps` did not suffice, and where this build cannot
  /// solve linear programs.
  std::optional<Solution> solve(int most_steps) const;

 private:
  std::vector<double> costs_, low_, high_;  // by variable
  std::vector<double> at_least_;            // by row
  std::vector<int> row_starts_ = {0}, term_variables_;
  std::vector<double> coefficients_;
};

}  // namespace placer
