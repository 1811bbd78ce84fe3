#include "placer/search/fit_costs.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "placer/base/real.hpp"

namespace placer {
namespace {

// Of a factor's squared logarithm: what keeps a factor at 1 that the steps say little of.
constexpr std::array kOwnWeights = {10.0, 1.0, 0.1, 0.01, 1e-4};
constexpr double kAsGood = 1.01;      // how much worse a lighter weight may seem
constexpr double kProbe = 0.02;       // by which logarithms move for the derivatives
constexpr double kMostLogarithm = 7;  // a factor of about 1,100
constexpr int kIterations = 12;       // for each weight
constexpr double kMostDamping = 100;  // where nothing was better up to there, nothing is
constexpr double kLeastGain = 1e-4;   // of the sum of squares, as a share, to go on

/// A number of the devices that may be multiplied.
struct Knob {
  std::string what;
  std::function<void(std::vector<Device>&, std::vector<Link>&, double factor)> multiply;
};

/// An efficiency is at most 1; the rest goes to the peaks.
void speed_up(Device& device, double factor) {
  const double wanted = device.efficiency * factor;
  device.efficiency = std::min(wanted, 1.0);
  const double rest = wanted / device.efficiency;
  if (device.flops_per_second.of_others) *device.flops_per_second.of_others *= rest;
  for (auto& [type, peak] : device.flops_per_second.of_dtype) peak *= rest;
  if (device.bytes_per_second) *device.bytes_per_second *= rest;
}

/// The places of links of the same numbers.
std::vector<std::vector<std::size_t>> alike_links(const std::vector<Link>& links) {
  std::map<std::pair<double, double>, std::size_t> known;
  std::vector<std::vector<std::size_t>> alike;
  for (std::size_t at = 0; at < links.size(); ++at) {
    const std::pair numbers{links[at].bytes_per_second, links[at].latency_seconds};
    const auto [found, is_new] = known.emplace(numbers, alike.size());
    if (is_new) alike.emplace_back();
    alike[found->second].push_back(at);
  }
  return alike;
}

std::vector<Knob> knobs_of(const Topology& topology) {
  std::vector<Knob> knobs;
  std::vector<std::string> types;
  for (const Device& device : topology.devices()) {
    if (std::ranges::count(types, device.type) > 0) continue;
    types.push_back(device.type);
    const auto each = [type = device.type](auto change) {
      return [type, change](std::vector<Device>& devices, std::vector<Link>&, double factor) {
        for (Device& own : devices) {
          if (own.type == type) change(own, factor);
        }
      };
    };
    knobs.push_back({"efficiency of " + device.type, each(speed_up)});
    knobs.push_back({"launch time of " + device.type,
                     each([](Device& own, double factor) { own.launch_seconds *= factor; })});
  }
  for (const std::vector<std::size_t>& alike : alike_links(topology.links())) {
    const auto each = [alike](double Link::*number) {
      return [alike, number](std::vector<Device>&, std::vector<Link>& links, double factor) {
        for (const std::size_t at : alike) links[at].*number *= factor;
      };
    };
    const Link& link = topology.links()[alike.front()];
    std::string name = link.from + " -> " + link.to;
    if (alike.size() > 1) name += fmt::format(" and {} more", alike.size() - 1);
    knobs.push_back({"bandwidth of " + name, each(&Link::bytes_per_second)});
    knobs.push_back({"latency of " + name, each(&Link::latency_seconds)});
  }
  return knobs;
}

class Fitter {
 public:
  Fitter(const Problem& problem, Order order, std::span<const MeasuredStep> steps)
      : problem_(problem), order_(order), knobs_(knobs_of(problem.topology())) {
    const Simulations now(problem, order);
    for (const MeasuredStep& step : steps) {
      if (now.seconds(step) > 0) steps_.push_back(step);
    }
  }

  CostFit fit() const {
    State state = state_at(Eigen::VectorXd::Zero(count(knobs_)));
    const double before = root_mean_square(state.errors);
    State best = state;
    double left_out = before;
    for (const double weight : kOwnWeights) {
      state = descended(state, weight);
      const double own = root_mean_square(errors_left_out(state, weight));
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
    Eigen::VectorXd errors;  // by step
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
    return errors;
  }

  State state_at(const Eigen::VectorXd& at) const {
    State state{at, errors_at(at), Eigen::MatrixXd(count(steps_), at.size())};
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
  static double root_mean_square(const Eigen::VectorXd& errors) {
    return errors.size() == 0 ? 0 : std::sqrt(errors.squaredNorm() / double(errors.size()));
  }
  static Eigen::MatrixXd curvature_of(const State& state, double weight) {
    Eigen::MatrixXd curvature = state.slopes.transpose() * state.slopes;
    curvature.diagonal().array() += weight;
    return curvature;
  }

  State descended(State state, double weight) const {
    double damping = 1e-2;
    for (int i = 0; i < kIterations && damping < kMostDamping && !steps_.empty(); ++i) {
      const double cost = cost_of(state.errors, state.at, weight);
      const Eigen::VectorXd next = moved(state, weight, damping);
      const double gain = cost - cost_of(errors_at(next), next, weight);
      if (gain > 0) {
        state = state_at(next);
        damping /= 10;
        if (gain < kLeastGain * cost) break;
      } else {
        damping *= 10;
      }
    }
    return state;
  }

  static Eigen::VectorXd moved(const State& state, double weight, double damping) {
    Eigen::MatrixXd curvature = curvature_of(state, weight);
    curvature.diagonal() *= 1 + damping;
    const Eigen::VectorXd downhill = state.slopes.transpose() * state.errors + weight * state.at;
    Eigen::VectorXd next = state.at - curvature.ldlt().solve(downhill);
    return next.cwiseMax(-kMostLogarithm).cwiseMin(kMostLogarithm);
  }

  /// The error of each step after a fit to all others, as far as errors are linear.
  static Eigen::VectorXd errors_left_out(const State& state, double weight) {
    const Eigen::MatrixXd spread =
        curvature_of(state, weight).ldlt().solve(state.slopes.transpose());
    const Eigen::ArrayXd own_pull =
        (state.slopes.array() * spread.transpose().array()).rowwise().sum();
    return (state.errors.array() / (1 - own_pull).max(1e-9)).matrix();
  }

  const Problem& problem_;
  const Order order_;
  const std::vector<Knob> knobs_;
  std::vector<MeasuredStep> steps_;
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
  return Fitter(problem, order, steps).fit();
}

}  // namespace placer
