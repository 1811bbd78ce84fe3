#include "search/learned/placeto_episodes.hpp"

#include <algorithm>
#include <cmath>

#include "search/core/plain_placements.hpp"

namespace placer {
namespace {

constexpr double kBarred = -300;
constexpr std::size_t kChunk = 16;  // copies of the graph that learn at once

enum Column { kCost, kBytes, kDone, kCurrent, kStart, kDevices };

void divide_by_largest(nn::Matrix& matrix, nn::Index column) {
  const double largest = matrix.col(column).cwiseAbs().maxCoeff();
  if (largest > 0) matrix.col(column) /= largest;
}

}  // namespace

PlacetoGraph::PlacetoGraph(const Problem& problem, PlacetoEmbedding embedding)
    : problem_(problem),
      graph_(problem_),
      embedded_(graph_, embedding, problem.deadline()),
      start_times_(problem_),
      static_features_(static_cast<nn::Index>(graph_.size()), 2),
      barred_(nn::Matrix::Constant(static_cast<nn::Index>(graph_.size()),
                                   static_cast<nn::Index>(problem.device_count()), kBarred)),
      features_(static_cast<nn::Index>(graph_.size()),
                static_cast<nn::Index>(PlacetoNetwork::feature_count(problem.device_count()))) {
  double all_ps = 0;
  for (std::size_t node = 0; node < graph_.size(); ++node) {
    const auto row = static_cast<nn::Index>(node);
    static_features_(row, kCost) = graph_.mean_ps[node];
    static_features_(row, kBytes) = graph_.output_bytes[node];
    all_ps += graph_.mean_ps[node];
    for (const DeviceId device : problem.groups().allowed(GroupId(node))) {
      barred_(row, static_cast<nn::Index>(device.index())) = 0;
    }
  }
  time_unit_ = std::max<Picoseconds>(1, static_cast<Picoseconds>(all_ps));
  for (const nn::Index column : {0, 1}) divide_by_largest(static_features_, column);
}

Episode PlacetoGraph::begin(Placement start) const { return {std::move(start), {}, {}, {}, {}}; }

void PlacetoGraph::fill_features(const Episode& episode, std::uint32_t current,
                                 nn::Matrix& features) {
  const std::vector<Picoseconds>& starts = start_times_.of(episode.placement);
  features.setZero();
  features.leftCols(2) = static_features_;
  for (const std::uint32_t node : episode.nodes) features(node, kDone) = 1;
  features(current, kCurrent) = 1;
  for (std::size_t node = 0; node < graph_.size(); ++node) {
    const auto row = static_cast<nn::Index>(node);
    features(row, kStart) = static_cast<double>(starts[node] - starts[current]);
    features(row, kDevices + static_cast<nn::Index>(episode.placement.devices[node].index())) = 1;
  }
  divide_by_largest(features, kStart);
}

nn::Var PlacetoGraph::masked_logits(PlacetoNetwork& network, nn::Tape& tape,
                                    const nn::Matrix& features,
                                    std::span<const std::uint32_t> currents) {
  nn::Matrix barred(static_cast<nn::Index>(currents.size()), barred_.cols());
  for (std::size_t i = 0; i < currents.size(); ++i) {
    barred.row(static_cast<nn::Index>(i)) = barred_.row(currents[i]);
  }
  return nn::add(network.logits(tape, embedded_, tape.constant(features), currents),
                 tape.constant(barred));
}

Move PlacetoGraph::choose(PlacetoNetwork& network, nn::Tape& tape, Episode& episode, Rng* rng) {
  const GroupId group = graph_.order[episode.nodes.size()];
  const auto current = static_cast<std::uint32_t>(group.index());
  fill_features(episode, current, features_);
  episode.states.emplace_back(features_.data(), features_.data() + features_.size());
  tape.clear();
  const nn::Var chances =
      nn::softmax(masked_logits(network, tape, features_, std::span(&current, 1)));
  const auto allowed = problem_.groups().allowed(group);
  DeviceId chosen = allowed.back();
  const auto chance = [&](DeviceId device) {
    return chances.value()(0, static_cast<nn::Index>(device.index()));
  };
  if (rng == nullptr) {
    chosen = *std::ranges::max_element(allowed, std::less<>(), chance);
  } else {
    double left = rng->uniform();
    for (const DeviceId device : allowed) {
      left -= chance(device);
      if (left >= 0) continue;
      chosen = device;
      break;
    }
  }
  episode.nodes.push_back(current);
  episode.devices.push_back(static_cast<std::uint32_t>(chosen.index()));
  return {group, chosen};
}

void PlacetoGraph::advance(Episode& episode) const {
  episode.placement[GroupId(episode.nodes.back())] = DeviceId(episode.devices.back());
}

PlacetoGraph::Means PlacetoGraph::add_gradients(PlacetoNetwork& network, nn::Tape& tape,
                                                const Episode& episode,
                                                std::span<const double> advantages,
                                                double entropy_weight) {
  Means means;
  const std::size_t steps = episode.nodes.size();
  nn::Matrix features;
  for (std::size_t first = 0; first < steps; first += kChunk) {
    const std::size_t count = std::min(kChunk, steps - first);
    features.resize(static_cast<nn::Index>(count * graph_.size()), features_.cols());
    nn::Matrix weights(static_cast<nn::Index>(count), 1);
    std::vector<nn::Index> choices;
    double* to = features.data();
    for (std::size_t i = 0; i < count; ++i) {
      to = std::ranges::copy(episode.states[first + i], to).out;
      choices.push_back(episode.devices[first + i]);
      weights(static_cast<nn::Index>(i), 0) = advantages[first + i];
    }
    tape.clear();
    const nn::Var logits =
        masked_logits(network, tape, features, std::span(episode.nodes).subspan(first, count));
    const nn::Var gains =
        nn::multiply(nn::log_softmax_pick(logits, choices), tape.constant(weights));
    const nn::Var entropy = nn::sum(nn::softmax_entropy(logits));
    const nn::Var aim = nn::add(nn::sum(gains), nn::scale(entropy, entropy_weight));
    const nn::Var loss = nn::scale(aim, -1 / static_cast<double>(steps));
    tape.backward(loss);
    means.loss += loss.value()(0, 0);
    means.entropy += entropy.value()(0, 0) / static_cast<double>(steps);
  }
  return means;
}

std::vector<double> StepBaseline::advantages(const std::vector<double>& returns) {
  std::vector<double> differences = returns;
  double mean = 0;
  for (const double value : returns) mean += value / static_cast<double>(steps_);
  double squares = 0;
  for (std::size_t step = 0; step < steps_; ++step) {
    double baseline = recent_.empty() ? mean : 0;
    for (const auto& episode : recent_) {
      baseline += episode[step] / static_cast<double>(recent_.size());
    }
    differences[step] -= baseline;
    squares += differences[step] * differences[step];
  }
  if (recent_.size() == most_) recent_.erase(recent_.begin());
  recent_.push_back(returns);
  const double size = std::sqrt(squares / static_cast<double>(steps_));
  for (double& difference : differences) difference = size > 0 ? difference / size : 0;
  return differences;
}

void StepBaseline::save(const std::string& name, Policy& policy) const {
  NamedMatrix matrix{name, recent_.size(), steps_, {}};
  for (const auto& episode : recent_) {
    matrix.values.insert(matrix.values.end(), episode.begin(), episode.end());
  }
  policy.counters.push_back({name + "/episodes", {static_cast<std::int64_t>(recent_.size())}});
  policy.state.push_back(std::move(matrix));
}

void StepBaseline::load(const std::string& name, const Policy& policy) {
  const auto episodes =
      static_cast<std::size_t>(find_counters(policy.counters, name + "/episodes", 1).values[0]);
  const NamedMatrix& matrix = find_matrix(policy.state, name, episodes, steps_);
  recent_.clear();
  for (std::size_t row = 0; row < std::min(episodes, most_); ++row) {
    const auto begin = matrix.values.begin() + static_cast<std::ptrdiff_t>(row * steps_);
    recent_.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(steps_));
  }
}

std::vector<double> returns_of(const std::vector<double>& rewards, double discount) {
  std::vector<double> returns = rewards;
  for (std::size_t step = returns.size(); step-- > 1;) {
    returns[step - 1] += discount * returns[step];
  }
  return returns;
}

Placement fastest_alone(const Problem& problem) {
  std::int64_t bytes = 0;
  for (const Op& op : problem.graph().ops()) bytes += op.params_bytes;
  std::optional<Placement> best;
  Picoseconds least_ps = 0;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    std::optional<Placement> alone = problem.all_on(device);
    if (!alone || problem.topology().device(device).memory_bytes < bytes) continue;
    Picoseconds all_ps = 0;
    for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
      all_ps += problem.group_ps(group, device);
    }
    if (best && all_ps >= least_ps) continue;
    least_ps = all_ps;
    best = std::move(alone);
  }
  return best ? *std::move(best) : fastest_devices(problem);
}

}  // namespace placer
