// The embeddings are those of Placeto, GraphSAGE and P-GNN.
#include <algorithm>
#include <numeric>

#include "placer/search/optimizer.hpp"
#include "search/core/plain_placements.hpp"
#include "search/learned/best_start.hpp"
#include "search/learned/network_policy.hpp"
#include "search/learned/placeto_episodes.hpp"
#include "search/learned/sequence_options.hpp"
#include "search/learned/update_figures.hpp"

namespace placer {
namespace {

enum class Reward { kGain, kTerminal };
constexpr Names<2> names_of(Reward) { return {"gain", "terminal"}; }

enum class Pool { kSum, kMean };
constexpr Names<2> names_of(Pool) { return {"sum", "mean"}; }

struct Options {
  Preset preset = Preset::kTuned;
  PlacetoEmbedding embedding = PlacetoEmbedding::kPlaceto;
  PlacetoScorer scorer = PlacetoScorer::kSeparate;
  Reward reward = Reward::kGain;
  std::int64_t rounds = 8;
  double learning_rate = 1e-3;
  double last_learning_rate = 1e-4;
  double clip = 1.25;
  double entropy = 1;
  std::int64_t baseline_episodes = 10;
  double discount = 1;
  Pool pool = Pool::kSum;
  EpisodeStart start = EpisodeStart::kSingle;
  std::int64_t episodes = 1;
  std::int64_t moves = 0;
};

constexpr std::array kRows = {
    preset_row<&Options::preset>(),
    option<&Options::embedding>(
        "embedding",
        "how nodes are embedded: messages along the edges, sampled neighbours or anchor sets"),
    option<&Options::scorer>(
        "scorer",
        "of devices: one that sees what each is to the current group, or one for each device"),
    option<&Options::reward>(
        "reward",
        "what each step gained (an evaluation for each move), or only the last step time"),
    option("rounds", &Options::rounds, 1, 64, "of messages, in embedding placeto"),
    option("learning-rate", &Options::learning_rate, 1e-7, 1, "of Adam at first"),
    option("last-learning-rate", &Options::last_learning_rate, 0, 1,
           "of Adam at the end of the budget; falls linearly"),
    option("clip", &Options::clip, 1e-6, 1e6, "the largest norm of a gradient"),
    option("entropy", &Options::entropy, 0, 1000,
           "first weight of the policy's entropy; falls linearly to 0"),
    option("baseline-episodes", &Options::baseline_episodes, 1, 1000,
           "episodes whose mean return at a step is its baseline"),
    option("discount", &Options::discount, 0, 1, "of later rewards"),
    option<&Options::pool>("pool", "how messages and contexts are pooled"),
    option<&Options::start>(
        "episode-start",
        "where an episode begins while learning: all on the fastest device, anywhere, or at the "
        "best "
        "placement so far, with one group of 16 anywhere after an episode without moves"),
    option("episodes", &Options::episodes, 1, 1000, "played side by side for each update"),
    option("moves", &Options::moves, 0, 1000000,
           "of each episode for a gradient step; 0: all of them"),
};
static_assert(kRows.size() == member_count<Options>);

/// What found more than the paper's values, on NMT and RNN graphs of several lengths and widths,
/// those of bench/learned.md among them; scorer, discount, start and moves on whole graphs of
/// NASNet-A mobile and a mixture of experts.
Options tuned() {
  return {.scorer = PlacetoScorer::kShared,
          .learning_rate = 3e-3,
          .last_learning_rate = 3e-4,
          .entropy = 0.1,
          .discount = 0.5,
          .pool = Pool::kMean,
          .start = EpisodeStart::kBest,
          .moves = 16};
}

/// In the paper each step is a sample; a group that stays where it is needs no new score, but its
/// time, so that so many of them count as one.
constexpr std::int64_t kStaysOfOneEvaluation = 8;

class Placeto : public Learner {
 public:
  Placeto(const Options& options, std::span<const Problem> problems, Rng rng)
      : options_(options),
        network_({.devices = problems[0].device_count(),
                  .embedding = options_.embedding,
                  .scorer = options_.scorer,
                  .rounds = options_.rounds,
                  .mean = options_.pool == Pool::kMean},
                 rng) {
    tape_.within(problems[0].deadline());
    for (const Problem& problem : problems) {
      graphs_.push_back(std::make_unique<PlacetoGraph>(problem, options_.embedding));
      baselines_.emplace_back(graphs_.back()->size(), options_.baseline_episodes);
      best_.emplace_back();
    }
  }

  void update(Search& search, Turn turn) override {
    PlacetoGraph& graph = *graphs_[turn.graph];
    std::vector<Episode> episodes;
    for (std::int64_t i = 0; i < options_.episodes; ++i) {
      episodes.push_back(
          graph.begin(beginning(search, options_.start, best_[turn.graph], turn.rng)));
    }
    const bool gains = options_.reward == Reward::kGain;
    const std::optional<double> cost_seconds =
        gains ? play_for_gains(search, graph, episodes, turn.rng)
              : play_to_the_end(search, graph, episodes, turn.rng);
    if (!cost_seconds) return;
    best_[turn.graph].learn(search.own_best(), episodes);
    std::vector<std::vector<double>> returns;
    double reward = 0;
    for (const Episode& episode : episodes) {
      returns.push_back(returns_of(episode.rewards, gains ? options_.discount : 1));
      reward += std::accumulate(episode.rewards.begin(), episode.rewards.end(), 0.0) /
                static_cast<double>(episodes.size());
    }
    UpdateFigures figures = learn(
        graph, episodes, baselines_[turn.graph].advantages(std::move(returns)), turn.progress);
    tell_update(search, "placeto", turn.number, [&] {
      figures.mean_cost_seconds = cost_seconds;
      figures.reward = reward;
      return figures;
    });
  }

  void apply(Search& search, Rng rng) override {
    constexpr int kSamples = 4;
    PlacetoGraph& graph = *graphs_[0];
    for (int sample = 0; sample <= kSamples; ++sample) {
      Episode episode = graph.begin(first_placement(search));
      for (std::size_t step = 0; step < graph.size(); ++step) {
        graph.choose(network_, tape_, std::span(&episode, 1), sample == 0 ? nullptr : &rng);
        graph.advance(episode);
      }
      if (!search.evaluate(episode.placement)) return;
    }
  }

  void save(Policy& policy) const override {
    save_network("", network_.parameters(), adam_, policy);
    for (std::size_t i = 0; i < baselines_.size(); ++i) {
      baselines_[i].save("baseline/" + std::to_string(i), policy);
      best_[i].save("best/" + std::to_string(i), policy);
    }
  }

  void load(const Policy& policy) override {
    load_network("", policy, network_.parameters(), adam_);
    if (policy.state.empty()) return;
    for (std::size_t i = 0; i < baselines_.size(); ++i) {
      baselines_[i].load("baseline/" + std::to_string(i), policy);
      best_[i].load("best/" + std::to_string(i), graphs_[i]->size(), policy);
    }
  }

 private:
  /// The mean cost where the episodes end; empty where the budget ended before.
  std::optional<double> play_for_gains(Search& search, PlacetoGraph& graph,
                                       std::span<Episode> episodes, Rng& rng) {
    std::vector<Walk> walks;
    for (const Episode& episode : episodes) {
      std::optional<Walk> walk = search.walk(episode.placement);
      if (!walk) return std::nullopt;
      walks.push_back(*std::move(walk));
    }
    std::vector<double> units;
    for (const Walk& walk : walks) units.push_back(search.cost_seconds(walk.score()));
    std::vector<bool> moved(episodes.size(), false);
    std::int64_t stays = 0;
    for (std::size_t step = 0; step < graph.size(); ++step) {
      const std::vector<Move> moves = graph.choose(network_, tape_, episodes, &rng);
      for (std::size_t i = 0; i < episodes.size(); ++i) {
        const std::optional<double> gain = gain_of(search, walks[i], moves[i]);
        if (!gain) return std::nullopt;
        episodes[i].rewards.push_back(units[i] > 0 ? *gain / units[i] : 0);
        const bool stays_there = episodes[i].placement[moves[i].group] == moves[i].device;
        moved[i] = moved[i] || !stays_there;
        stays += stays_there;
        graph.advance(episodes[i]);
      }
    }
    search.count_work(stays / kStaysOfOneEvaluation);
    double mean = 0;
    for (std::size_t i = 0; i < episodes.size(); ++i) {
      if (!moved[i] && !search.evaluate(episodes[i].placement)) return std::nullopt;
      mean += search.cost_seconds(walks[i].score()) / static_cast<double>(episodes.size());
    }
    return mean;
  }

  std::optional<double> play_to_the_end(Search& search, PlacetoGraph& graph,
                                        std::span<Episode> episodes, Rng& rng) {
    const double unit = to_seconds(graph.time_unit());
    for (std::size_t step = 0; step < graph.size(); ++step) {
      graph.choose(network_, tape_, episodes, &rng);
      for (Episode& episode : episodes) {
        graph.advance(episode);
        episode.rewards.push_back(0);
      }
    }
    double mean = 0;
    for (Episode& episode : episodes) {
      const std::optional<Score> score = search.evaluate(episode.placement);
      if (!score) return std::nullopt;
      const double seconds = search.cost_seconds(*score);
      episode.rewards.back() = -seconds / unit;
      mean += seconds / static_cast<double>(episodes.size());
    }
    return mean;
  }

  UpdateFigures learn(PlacetoGraph& graph, std::span<const Episode> episodes,
                      std::span<const std::vector<double>> advantages, double progress) {
    constexpr std::size_t kCopies = 16;  // of the graph that learn at once
    const std::size_t steps = graph.size();
    const auto moves = static_cast<std::size_t>(options_.moves);
    const std::size_t most = std::max<std::size_t>(1, kCopies / episodes.size());
    adam_.learning_rate =
        options_.learning_rate + (options_.last_learning_rate - options_.learning_rate) * progress;
    UpdateFigures figures{.learning_rate = adam_.learning_rate};
    double loss = 0, entropy = 0, norm = 0;
    PlacetoGraph::Replay replay;
    while (replay.step < steps) {
      const std::size_t begin = replay.step;
      const std::size_t end = moves == 0 ? steps : std::min(steps, begin + moves);
      network_.parameters().clear_gradients();
      while (replay.step < end) {
        const std::size_t count = std::min(most, end - replay.step);
        const PlacetoGraph::Means means =
            graph.add_gradients(network_, tape_, episodes, advantages,
                                options_.entropy * (1 - progress), replay, count, end - begin);
        const double share = static_cast<double>(count) / static_cast<double>(steps);
        loss += share * means.loss;
        entropy += share * means.entropy;
      }
      norm = network_.parameters().clip_gradients(options_.clip);
      adam_.step(network_.parameters());
    }
    figures.loss = loss;
    figures.entropy = entropy;
    figures.gradient_norm = norm;
    return figures;
  }

  const Options options_;
  PlacetoNetwork network_;
  nn::Adam adam_;
  nn::Tape tape_;
  std::vector<std::unique_ptr<PlacetoGraph>> graphs_;
  std::vector<StepBaseline> baselines_;
  std::vector<BestStart> best_;
};

std::unique_ptr<Learner> make(const Options& options, std::span<const Problem> problems, Rng rng) {
  return std::make_unique<Placeto>(options, problems, rng);
}

}  // namespace

Optimizer placeto() {
  Optimizer made = make_learning_optimizer(
      {.summary = "a graph network moves one group after another, rewarded by what each move gains",
       .unfit_for = "graphs left in thousands of groups: an episode has a step for each",
       .source =
           "Addanki, Venkatakrishnan, Gupta, Mao, Alizadeh: Placeto, NeurIPS 2019; embeddings: "
           "Mitropolitsky, Abbas, Payberah 2020",
       .departs =
           "By default one scorer serves all devices and sees what each is to the group that "
           "is placed (its neighbours, work and free memory there), where the paper has "
           "weights of its own for each device; an episode begins at the best placement so "
           "far, and a gradient step follows every 16 moves: an episode of a whole graph "
           "takes hundreds of evaluations, so that a budget has few. As published too, eight "
           "groups that stay where they are count as one evaluation.",
       .max_groups = 64},
      kRows, make);
  made.options = describe_options(kRows, tuned());
  return made;
}

}  // namespace placer
