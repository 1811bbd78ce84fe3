#include "search/learned/placeto_episodes.hpp"

#include <algorithm>
#include <cmath>

#include "search/core/plain_placements.hpp"
#include "search/groups/group_memory.hpp"
#include "search/learned/group_features.hpp"
#include "search/learned/sequence_policy.hpp"

namespace placer {
namespace {

enum Column { kCost, kBytes, kMemory, kDone, kCurrent, kStart, kFree, kDevices };

template <class Values>
void divide_by_largest(Values values) {
  const double largest = values.cwiseAbs().maxCoeff();
  if (largest > 0) values /= largest;
}

}  // namespace

PlacetoGraph::PlacetoGraph(const Problem& problem, PlacetoEmbedding embedding)
    : problem_(problem),
      graph_(problem_),
      embedded_(graph_, embedding, problem.deadline()),
      start_times_(problem_),
      static_features_(static_cast<nn::Index>(graph_.size()), 3),
      memory_bytes_(bytes_of_groups(problem_, &GroupMemory::kept_bytes)),
      barred_(nn::Matrix::Constant(static_cast<nn::Index>(graph_.size()),
                                   static_cast<nn::Index>(problem.device_count()),
                                   GroupFeatures::kBarred)),
      views_(problem_, graph_, embedded_.parallel, memory_bytes_) {
  double all_ps = 0;
  for (std::size_t node = 0; node < graph_.size(); ++node) {
    const auto row = static_cast<nn::Index>(node);
    static_features_(row, kCost) = graph_.mean_ps[node];
    static_features_(row, kBytes) = graph_.output_bytes[node];
    static_features_(row, kMemory) = static_cast<double>(memory_bytes_[node]);
    all_ps += graph_.mean_ps[node];
    for (const DeviceId device : problem.groups().allowed(GroupId(node))) {
      barred_(row, static_cast<nn::Index>(device.index())) = 0;
    }
  }
  time_unit_ = std::max<Picoseconds>(1, static_cast<Picoseconds>(all_ps));
  for (const nn::Index column : {kCost, kBytes, kMemory}) {
    divide_by_largest(static_features_.col(column));
  }
}

void PlacetoGraph::fill_features(const Placement& placement, std::size_t step, nn::Index first_row,
                                 nn::Matrix& features) {
  const auto nodes = static_cast<nn::Index>(graph_.size());
  auto rows = features.middleRows(first_row, nodes);
  rows.setZero();
  rows.leftCols(3) = static_features_;
  std::vector<double> used(problem_.device_count(), 0);
  for (std::size_t node = 0; node < graph_.size(); ++node) {
    used[placement.devices[node].index()] += static_cast<double>(memory_bytes_[node]);
  }
  for (std::size_t i = 0; i < step; ++i) {
    rows(static_cast<nn::Index>(graph_.order[i].index()), kDone) = 1;
  }
  const std::size_t current = graph_.order[step].index();
  rows(static_cast<nn::Index>(current), kCurrent) = 1;
  const std::vector<Picoseconds>& starts = start_times_.of(placement);
  for (std::size_t node = 0; node < graph_.size(); ++node) {
    const auto row = static_cast<nn::Index>(node);
    const DeviceId device = placement.devices[node];
    const double capacity =
        std::max(1.0, static_cast<double>(problem_.topology().device(device).memory_bytes));
    rows(row, kStart) = static_cast<double>(starts[node] - starts[current]);
    rows(row, kFree) = std::max(-1.0, 1 - used[device.index()] / capacity);
    rows(row, kDevices + static_cast<nn::Index>(device.index())) = 1;
  }
  divide_by_largest(rows.col(kStart));
}

void PlacetoGraph::start_reading(std::size_t copies, Reading& reading) const {
  const std::size_t devices = problem_.device_count();
  reading.features.resize(static_cast<nn::Index>(copies * graph_.size()),
                          static_cast<nn::Index>(PlacetoNetwork::feature_count(devices)));
  reading.views.resize(static_cast<nn::Index>(copies * devices),
                       static_cast<nn::Index>(DeviceViews::kFeatures));
  reading.currents.clear();
}

void PlacetoGraph::read(const Placement& placement, std::size_t step, Reading& reading) {
  const std::size_t group = graph_.order[step].index(), copy = reading.currents.size();
  fill_features(placement, step, static_cast<nn::Index>(copy * graph_.size()), reading.features);
  views_.fill(placement, group, static_cast<nn::Index>(copy * problem_.device_count()),
              reading.views);
  reading.currents.push_back(static_cast<std::uint32_t>(group));
}

nn::Var PlacetoGraph::masked_logits(PlacetoNetwork& network, nn::Tape& tape,
                                    const Reading& reading) {
  nn::Matrix barred(static_cast<nn::Index>(reading.currents.size()), barred_.cols());
  for (std::size_t i = 0; i < reading.currents.size(); ++i) {
    barred.row(static_cast<nn::Index>(i)) = barred_.row(reading.currents[i]);
  }
  return nn::add(network.logits(tape, embedded_, tape.constant(reading.features), reading.views,
                                reading.currents),
                 tape.constant(barred));
}

std::vector<Move> PlacetoGraph::choose(PlacetoNetwork& network, nn::Tape& tape,
                                       std::span<Episode> episodes, Rng* rng) {
  const std::size_t step = episodes[0].devices.size();
  start_reading(episodes.size(), reading_);
  for (const Episode& episode : episodes) read(episode.placement, step, reading_);
  tape.clear();
  const nn::Var logits = masked_logits(network, tape, reading_);
  std::vector<nn::Index> choices(episodes.size());
  draw_choices(logits.value(), rng, choices);
  std::vector<Move> moves;
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    episodes[i].devices.push_back(choices[i]);
    moves.push_back({graph_.order[step], DeviceId(static_cast<std::size_t>(choices[i]))});
  }
  return moves;
}

void PlacetoGraph::advance(Episode& episode) const {
  episode.placement[graph_.order[episode.devices.size() - 1]] =
      DeviceId(static_cast<std::size_t>(episode.devices.back()));
}

PlacetoGraph::Means PlacetoGraph::add_gradients(PlacetoNetwork& network, nn::Tape& tape,
                                                std::span<const Episode> episodes,
                                                std::span<const std::vector<double>> advantages,
                                                double entropy_weight, Replay& replay,
                                                std::size_t count, std::size_t of) {
  const std::size_t copies = count * episodes.size();
  Reading reading;
  start_reading(copies, reading);
  nn::Matrix weights(static_cast<nn::Index>(copies), 1);
  std::vector<nn::Index> choices;
  if (replay.step == 0) {
    replay.placements.clear();
    for (const Episode& episode : episodes) replay.placements.push_back(episode.start);
  }
  for (std::size_t i = 0; i < count; ++i, ++replay.step) {
    const GroupId group = graph_.order[replay.step];
    for (std::size_t j = 0; j < episodes.size(); ++j) {
      const auto row = static_cast<nn::Index>(choices.size());
      read(replay.placements[j], replay.step, reading);
      choices.push_back(episodes[j].devices[replay.step]);
      weights(row, 0) = advantages[j][replay.step];
      replay.placements[j][group] = DeviceId(static_cast<std::size_t>(choices.back()));
    }
  }
  tape.clear();
  const nn::Var logits = masked_logits(network, tape, reading);
  const nn::Var gains = nn::multiply(nn::log_softmax_pick(logits, choices), tape.constant(weights));
  const nn::Var entropy = nn::mean(nn::softmax_entropy(logits));
  const nn::Var loss = nn::scale(nn::add(nn::mean(gains), nn::scale(entropy, entropy_weight)), -1);
  tape.backward(nn::scale(loss, static_cast<double>(count) / static_cast<double>(of)));
  return {loss.value()(0, 0), entropy.value()(0, 0)};
}

std::vector<std::vector<double>> StepBaseline::advantages(
    std::vector<std::vector<double>> returns) {
  const std::vector<std::vector<double>> given = returns;
  double mean = 0, squares = 0;
  const double all = static_cast<double>(returns.size() * steps_);
  for (const auto& episode : returns) {
    for (const double value : episode) mean += value / all;
  }
  for (std::size_t step = 0; step < steps_; ++step) {
    double baseline = recent_.empty() ? mean : 0;
    for (const auto& episode : recent_) {
      baseline += episode[step] / static_cast<double>(recent_.size());
    }
    for (auto& episode : returns) {
      episode[step] -= baseline;
      squares += episode[step] * episode[step];
    }
  }
  for (const auto& episode : given) {
    if (recent_.size() == most_) recent_.erase(recent_.begin());
    recent_.push_back(episode);
  }
  const double size = std::sqrt(squares / all);
  for (auto& episode : returns) {
    for (double& difference : episode) difference = size > 0 ? difference / size : 0;
  }
  return returns;
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

std::optional<double> gain_of(Search& search, Walk& walk, const Move& move) {
  if (move.device == walk.placement()[move.group]) return 0;
  const double before = search.cost_seconds(walk.score());
  const std::optional<Score> score = walk.propose(std::span(&move, 1));
  if (!score) return std::nullopt;
  walk.accept();
  return before - search.cost_seconds(*score);
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
