#include "placer/search/fit_costs.hpp"

#include <tbb/parallel_for.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "placer/base/real.hpp"
#include "search/measured/knobs.hpp"
#include "search/measured/left_out.hpp"

namespace placer {
namespace {

// Of a factor's squared logarithm: what keeps a factor at 1 that the steps say little of.
constexpr std::array kOwnWeights = {10.0, 1.0, 0.1, 0.01, 1e-4};
constexpr double kAsGood = 1.01;      // how much worse a lighter weight may seem
constexpr double kClearly = 0.999;    // of the cost of another start
constexpr double kProbe = 0.02;       // by which logarithms move for the derivatives
constexpr double kMostLogarithm = 7;  // a factor of about 1,100
constexpr double kSlowLinks = 0.1, kLateStarts = 10;  // factors of other starts
constexpr int kIterations = 12;                       // for each weight
constexpr double kMostDamping = 100;  // where nothing was better up to there, nothing is
constexpr double kLeastGain = 1e-4;   // of the sum of squares, as a share, to go on

class Fitter {
 public:
  Fitter(const Problem& problem, Order order, std::span<const MeasuredStep> steps,
         std::vector<Knob> knobs)
      : problem_(problem), order_(order), knobs_(std::move(knobs)) {
    const Simulations now(problem, order);
    for (const MeasuredStep& step : steps) {
      if (now.seconds(step) > 0) steps_.push_back(step);
    }
    sets_ = alike_steps(steps_);
    shares_ = shares_of(sets_);
  }

  CostFit fit() const {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(count(knobs_));
    State state = state_at(zero, errors_at(zero));
    const double before = root_mean_square(state.errors);
    const std::array starts = {with_factor(kSlowLinks, {KnobKind::kBandwidth}),
                               with_factor(kLateStarts, {KnobKind::kLaunch, KnobKind::kLatency})};
    State best = state;
    double left_out = before;
    for (const double weight : kOwnWeights) {
      state = descended(state, weight);
      for (const State& start : starts) {
        State other = descended(start, weight);
        if (cost_of(other, weight) < kClearly * cost_of(state, weight)) state = std::move(other);
      }
      const double own =
          root_mean_square(errors_left_out(state.errors, state.slopes, weight, sets_));
      if (own > kAsGood * left_out) continue;
      best = state;
      left_out = own;
    }
    CostFit result{topology_at(best.at), {}, before, root_mean_square(best.errors), left_out};
    for (std::size_t k = 0; k < knobs_.size(); ++k) {
      const double logarithm = best.at[static_cast<Eigen::Index>(k)];
      result.factors.push_back({knobs_[k].what, portable_exp(logarithm)});
    }
    return result;
  }

 private:
  /// Predicts with one set of costs.
  class Simulations {
   public:
    Simulations(const Problem& problem, Order order) : simulator_(problem, order) {}
    double seconds(const MeasuredStep& step) const {
      return to_seconds(simulator_.evaluate(step.placement, step.order).step_ps);
    }

   private:
    mutable Simulator simulator_;
  };

  struct State {
    Eigen::VectorXd at;      // logarithms, by knob
    Eigen::VectorXd errors;  // by step, times its share
    Eigen::MatrixXd slopes;  // of the errors, steps x knobs
  };

  template <class Items>
  static Eigen::Index count(const Items& items) {
    return static_cast<Eigen::Index>(items.size());
  }

  Topology topology_at(const Eigen::VectorXd& logarithms) const {
    std::vector<Device> devices = problem_.topology().devices();
    std::vector<Link> links = problem_.topology().links();
    for (std::size_t k = 0; k < knobs_.size(); ++k) {
      const double logarithm = logarithms[static_cast<Eigen::Index>(k)];
      if (logarithm != 0) knobs_[k].multiply(devices, links, portable_exp(logarithm));
    }
    return Topology(std::move(devices), std::move(links), problem_.topology().contention(),
                    problem_.topology().transfers());
  }

  Eigen::VectorXd errors_at(const Eigen::VectorXd& logarithms) const {
    const Problem there = with_topology(problem_, topology_at(logarithms));
    const Simulations simulations(there, order_);
    Eigen::VectorXd errors(count(steps_));
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const double seconds = std::max(simulations.seconds(steps_[i]), 1e-12);
      errors[static_cast<Eigen::Index>(i)] = portable_log(seconds / steps_[i].seconds);
    }
    return errors.cwiseProduct(shares_);
  }

  /// Where a descent begins as well: a factor that hardly shows has no slope to be found by.
  State with_factor(double factor, std::initializer_list<KnobKind> kinds) const {
    Eigen::VectorXd at = Eigen::VectorXd::Zero(count(knobs_));
    for (std::size_t k = 0; k < knobs_.size(); ++k) {
      if (std::ranges::count(kinds, knobs_[k].kind) == 0) continue;
      at[static_cast<Eigen::Index>(k)] = portable_log(factor);
    }
    return state_at(at, errors_at(at));
  }

  State state_at(const Eigen::VectorXd& at, const Eigen::VectorXd& errors) const {
    State state{at, errors, Eigen::MatrixXd(count(steps_), at.size())};
    tbb::parallel_for(Eigen::Index{0}, at.size(), [&](Eigen::Index k) {
      Eigen::VectorXd more = at;
      more[k] += kProbe;
      state.slopes.col(k) = (errors_at(more) - state.errors) / kProbe;
    });
    return state;
  }

  static double cost_of(const Eigen::VectorXd& errors, const Eigen::VectorXd& at, double weight) {
    return errors.squaredNorm() + weight * at.squaredNorm();
  }
  static double cost_of(const State& state, double weight) {
    return cost_of(state.errors, state.at, weight);
  }
  double root_mean_square(const Eigen::VectorXd& errors) const {
    return sets_.empty() ? 0 : std::sqrt(errors.squaredNorm() / double(sets_.size()));
  }

  State descended(State state, double weight) const {
    double damping = 1e-2;
    for (int i = 0; i < kIterations && damping < kMostDamping && !steps_.empty(); ++i) {
      const double cost = cost_of(state, weight);
      const Eigen::VectorXd next = moved(state, weight, damping);
      const Eigen::VectorXd errors = errors_at(next);
      const double gain = cost - cost_of(errors, next, weight);
      if (gain > 0) {
        state = state_at(next, errors);
        damping /= 10;
        if (gain < kLeastGain * cost) break;
      } else {
        damping *= 10;
      }
    }
    return state;
  }

  static Eigen::VectorXd moved(const State& state, double weight, double damping) {
    Eigen::MatrixXd curvature = ridge_curvature(state.slopes, weight);
    curvature.diagonal() *= 1 + damping;
    const Eigen::VectorXd downhill = state.slopes.transpose() * state.errors + weight * state.at;
    Eigen::VectorXd next = state.at - curvature.ldlt().solve(downhill);
    return next.cwiseMax(-kMostLogarithm).cwiseMin(kMostLogarithm);
  }

  const Problem& problem_;
  const Order order_;
  const std::vector<Knob> knobs_;
  std::vector<MeasuredStep> steps_;
  AlikeSteps sets_;
  Eigen::VectorXd shares_;  // by step
};

}  // namespace

Problem with_topology(const Problem& problem, const Topology& topology) {
  std::vector<GroupId> group_of;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    group_of.push_back(problem.groups().of(op));
  }
  return Problem(problem.graph(), topology)
      .with_groups(std::move(group_of))
      .with_goal(problem.goal())
      .within(problem.deadline());
}

CostFit fit_costs(const Problem& problem, Order order, std::span<const MeasuredStep> steps) {
  std::vector<Knob> knobs = knobs_of_types(problem.topology());
  CostFit fit = Fitter(problem, order, steps, knobs).fit();
  const std::vector<Knob> of_devices = knobs_of_devices(problem.topology());
  if (of_devices.empty() || of_devices.size() > steps.size()) return fit;
  knobs.insert(knobs.end(), of_devices.begin(), of_devices.end());
  CostFit closer = Fitter(problem, order, steps, std::move(knobs)).fit();
  return kAsGood * closer.error_left_out < fit.error_left_out ? closer : fit;
}

}  // namespace placer
