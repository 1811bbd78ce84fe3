#include "search/lists/linear_program.hpp"

#ifdef PLACER_CLP
#include <Clp_C_Interface.h>

#include <algorithm>
#include <limits>
#include <memory>
#endif

namespace placer {

int LinearProgram::add_variable(double cost, double low, double high) {
  costs_.push_back(cost);
  low_.push_back(low);
  high_.push_back(high);
  return static_cast<int>(costs_.size()) - 1;
}

void LinearProgram::add_row(std::span<const Term> terms, double at_least) {
  for (const Term& term : terms) {
    term_variables_.push_back(term.variable);
    coefficients_.push_back(term.coefficient);
  }
  row_starts_.push_back(static_cast<int>(term_variables_.size()));
  at_least_.push_back(at_least);
}

#ifdef PLACER_CLP

bool LinearProgram::solvable() { return true; }

std::optional<LinearProgram::Solution> LinearProgram::solve(int most_steps) const {
  constexpr int kOptimal = 0;
  const auto columns = static_cast<int>(costs_.size());
  const std::unique_ptr<Clp_Simplex, void (*)(Clp_Simplex*)> model(Clp_newModel(), Clp_deleteModel);
  Clp_setLogLevel(model.get(), 0);
  const std::vector<CoinBigIndex> no_rows(costs_.size() + 1, 0);
  const std::vector<CoinBigIndex> starts(row_starts_.begin(), row_starts_.end());
  Clp_loadProblem(model.get(), columns, 0, no_rows.data(), nullptr, nullptr, low_.data(),
                  high_.data(), costs_.data(), nullptr, nullptr);
  const std::vector<double> unbounded(at_least_.size(), std::numeric_limits<double>::max());
  Clp_addRows(model.get(), static_cast<int>(at_least_.size()), at_least_.data(), unbounded.data(),
              starts.data(), term_variables_.data(), coefficients_.data());
  Clp_setMaximumIterations(model.get(), most_steps);
  Clp_dual(model.get(), 0);
  if (Clp_status(model.get()) != kOptimal) return std::nullopt;
  const double* values = Clp_getColSolution(model.get());
  const double* prices = Clp_getRowPrice(model.get());
  Solution solution{{values, values + columns}, {prices, prices + at_least_.size()}};
  for (double& price : solution.prices) price = std::max(0.0, price);  // but for rounding
  return solution;
}

#else

bool LinearProgram::solvable() { return false; }

std::optional<LinearProgram::Solution> LinearProgram::solve(int) const { return std::nullopt; }

#endif

}  // namespace placer
