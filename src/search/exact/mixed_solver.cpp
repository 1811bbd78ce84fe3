#include "search/exact/mixed_solver.hpp"

#include <algorithm>
#include <utility>

#ifdef PLACER_CBC
#include <CbcEventHandler.hpp>
#include <CbcHeuristicDiveCoefficient.hpp>
#include <CbcHeuristicRandRound.hpp>
#include <CbcModel.hpp>
#include <CglClique.hpp>
#include <CglFlowCover.hpp>
#include <CglGomory.hpp>
#include <CglKnapsackCover.hpp>
#include <CglMixedIntegerRounding2.hpp>
#include <CglProbing.hpp>
#include <CglTwomir.hpp>
#include <CglZeroHalf.hpp>
#include <OsiClpSolverInterface.hpp>
#endif

namespace placer {

void MixedProgress::add_solution(std::vector<double> values) {
  const std::lock_guard lock(mutex_);
  solutions_.push_back(std::move(values));
}

std::vector<std::vector<double>> MixedProgress::take_solutions() {
  const std::lock_guard lock(mutex_);
  return std::exchange(solutions_, {});
}

void MixedProgress::know_bound(double cost) {
  const std::lock_guard lock(mutex_);
  if (!stop_ && (!bound_ || cost > *bound_)) bound_ = cost;
}

std::optional<double> MixedProgress::bound() const {
  const std::lock_guard lock(mutex_);
  return bound_;
}

#ifdef PLACER_CBC

namespace {

constexpr int kSeed = 1;

/// Passes on what is found, and ends the search where that is asked for.
class Handler : public CbcEventHandler {
 public:
  Handler(const CbcModel& model, MixedProgress& progress) : whole_(&model), progress_(&progress) {}
  CbcEventHandler* clone() const override { return new Handler(*this); }

  CbcAction event(CbcEvent which) override {
    if (progress_->is_stopped()) return stop;
    if (model_ != whole_) return noAction;  // a heuristic's, of a smaller program
    if (which == solution || which == heuristicSolution) {
      const double* values = model_->bestSolution();
      if (values != nullptr) {
        progress_->add_solution({values, values + model_->getNumCols()});
      }
    }
    if (which == node || which == treeStatus) {
      progress_->count_nodes(model_->getNodeCount());
      progress_->know_bound(model_->getBestPossibleObjValue());
    }
    return noAction;
  }

 private:
  const CbcModel* whole_;
  MixedProgress* progress_;
};

void load(const MixedProgram& program, OsiClpSolverInterface& solver) {
  std::vector<double> costs, low, high;
  for (const MixedProgram::Column& column : program.columns()) {
    costs.push_back(column.cost);
    low.push_back(column.low);
    high.push_back(std::min(column.high, solver.getInfinity()));
  }
  CoinPackedMatrix matrix(false, 0, 0);
  matrix.setDimensions(0, static_cast<int>(costs.size()));
  std::vector<double> least, most, coefficients;
  std::vector<int> columns;
  std::vector<CoinBigIndex> starts = {0};
  for (std::size_t row = 0; row < program.rows().size(); ++row) {
    const MixedProgram::Row& described = program.rows()[row];
    const bool is_equal = described.sense == MixedProgram::Sense::kEqual;
    least.push_back(is_equal ? described.bound : -solver.getInfinity());
    most.push_back(described.bound);
    for (const MixedProgram::Term& term : program.terms(row)) {
      columns.push_back(term.column);
      coefficients.push_back(term.coefficient);
    }
    starts.push_back(static_cast<CoinBigIndex>(columns.size()));
  }
  matrix.appendRows(static_cast<int>(least.size()), starts.data(), columns.data(),
                    coefficients.data(), static_cast<int>(costs.size()));
  solver.loadProblem(matrix, low.data(), high.data(), costs.data(), least.data(), most.data());
  for (std::size_t column = 0; column < costs.size(); ++column) {
    if (program.columns()[column].is_integer) solver.setInteger(static_cast<int>(column));
  }
}

void add_cuts(CbcModel& model) {
  constexpr int kAsUseful = -98, kAtRoot = -99;  // how often, as CBC has it
  CglProbing probing;
  probing.setUsingObjective(1);
  probing.setMaxPass(1);
  probing.setMaxPassRoot(1);
  probing.setMaxProbe(10);
  probing.setMaxProbeRoot(50);
  probing.setMaxLook(10);
  probing.setMaxLookRoot(50);
  probing.setMaxElements(200);
  probing.setRowCuts(3);
  CglGomory gomory;
  gomory.setLimitAtRoot(500);
  gomory.setLimit(50);
  CglClique clique;
  clique.setStarCliqueReport(false);
  clique.setRowCliqueReport(false);
  model.addCutGenerator(&probing, kAsUseful, "probing");
  model.addCutGenerator(&gomory, kAsUseful, "gomory");
  const CglKnapsackCover knapsack;
  model.addCutGenerator(const_cast<CglKnapsackCover*>(&knapsack), kAsUseful, "knapsack");
  model.addCutGenerator(&clique, kAsUseful, "clique");
  CglMixedIntegerRounding2 rounding(1, true, 1);
  model.addCutGenerator(&rounding, kAsUseful, "rounding");
  CglFlowCover flow;
  model.addCutGenerator(&flow, kAsUseful, "flow");
  CglTwomir twomir;
  twomir.setMaxElements(250);
  model.addCutGenerator(&twomir, kAtRoot, "twomir");
  CglZeroHalf half;
  model.addCutGenerator(&half, kAsUseful, "zero-half");
}

void add_heuristics(CbcModel& model) {
  CbcRounding rounding(model);
  model.addHeuristic(&rounding, "rounding");
  CbcHeuristicDiveCoefficient dive(model);
  dive.setWhen(3);
  model.addHeuristic(&dive, "dive");
}

}  // namespace

bool can_solve_mixed_programs() { return true; }

bool solve_mixed_program(const MixedProgram& program, const MixedLimits& limits,
                         MixedProgress& progress) {
  OsiClpSolverInterface solver;
  solver.setHintParam(OsiDoReducePrint, true, OsiHintTry);
  solver.messageHandler()->setLogLevel(0);
  solver.getModelPtr()->setLogLevel(0);
  load(program, solver);
  solver.initialSolve();
  if (progress.is_stopped()) return false;
  if (solver.isProvenPrimalInfeasible()) return true;
  if (!solver.isProvenOptimal()) return false;
  progress.know_bound(solver.getObjValue());
  CbcModel model(solver);
  model.setLogLevel(0);
  model.messageHandler()->setLogLevel(0);
  model.setRandomSeed(kSeed);
  model.setUseElapsedTime(true);
  model.setMaximumNodes(static_cast<int>(std::min<std::int64_t>(limits.nodes, 2'000'000'000)));
  model.setIntegerTolerance(1e-7);
  model.setAllowableGap(0);
  Handler handler(model, progress);
  model.passInEventHandler(&handler);
  if (limits.until_any) model.setMaximumSolutions(1);
  add_cuts(model);
  if (limits.until_any) add_heuristics(model);
  model.setNumberStrong(10);
  model.setNumberBeforeTrust(10);
  model.branchAndBound();
  progress.count_nodes(model.getNodeCount());
  if (const double* values = model.bestSolution(); values != nullptr) {
    progress.add_solution({values, values + model.getNumCols()});
  }
  if (progress.is_stopped() || model.status() != 0 || model.isSecondsLimitReached()) return false;
  if (model.isProvenOptimal()) progress.know_bound(model.getObjValue());
  return model.isProvenOptimal() || model.isProvenInfeasible();
}

#else

bool can_solve_mixed_programs() { return false; }

bool solve_mixed_program(const MixedProgram&, const MixedLimits&, MixedProgress&) { return false; }

#endif

}  // namespace placer
