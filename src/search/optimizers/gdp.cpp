// The transformer recurs over segments of the nodes; it learns by proximal policy optimization.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "placer/search/optimizer.hpp"
#include "search/learned/clipped_surrogate.hpp"
#include "search/learned/gdp_network.hpp"
#include "search/learned/network_policy.hpp"
#include "search/learned/reward_trials.hpp"
#include "search/learned/sequence_options.hpp"
#include "search/learned/update_figures.hpp"

namespace placer {
namespace {

/// What rewards are compared with.
enum class Baseline { kTrials, kBatch };
constexpr Names<2> names_of(Baseline) { return {"trials", "batch"}; }

/// The reward where memory does not suffice.
enum class Invalid { kConstant, kSlope };
constexpr Names<2> names_of(Invalid) { return {"constant", "slope"}; }

struct Options {
  Preset preset = Preset::kTuned;
  std::int64_t batch = 20;
  std::int64_t epochs = 4;
  double ratio_clip = 0.2;
  double learning_rate = 1e-4;
  double clip = 1;
  double entropy = 0.01;
  Baseline baseline = Baseline::kTrials;
  Invalid invalid = Invalid::kConstant;
  std::int64_t width = 64;
  std::int64_t heads = 4;
  std::int64_t layers = 2;
  std::int64_t segment = 128;
  bool superposition = true;
};

constexpr std::array kRows = {
    preset_row<&Options::preset>(),
    option("batch", &Options::batch, 2, 10000, "samples of each update"),
    option("epochs", &Options::epochs, 1, 100, "gradient steps of each update"),
    option("ratio-clip", &Options::ratio_clip, 1e-3, 10,
           "how far the ratio of new to old probability may pull"),
    option("learning-rate", &Options::learning_rate, 1e-7, 1, "of Adam"),
    option("clip", &Options::clip, 1e-6, 1e6, "the largest norm of a gradient"),
    option(
        "entropy", &Options::entropy, 0, 1000,
        "first weight of the policy's entropy on up to 16 nodes, on more of them less by the root; "
        "falls linearly to 0"),
    option<&Options::baseline>(
        "baseline",
        "what rewards are compared with: the mean of all earlier ones, or of their batch"),
    option<&Options::invalid>(
        "invalid", "reward where memory does not suffice: -10, or falling with the overflow"),
    option("width", &Options::width, 8, 1024, "of the network; an even multiple of heads"),
    option("heads", &Options::heads, 1, 64, "of attention"),
    option("layers", &Options::layers, 1, 24, "of attention"),
    option("segment", &Options::segment, 1, 4096, "nodes that attend to each other"),
    option("superposition", &Options::superposition,
           "whether the graph's embedding gates the features"),
};
static_assert(kRows.size() == member_count<Options>);

/// What trained better than the paper's values on NMT and RNN graphs of several lengths and widths,
/// those of bench/learned.md among them.
Options tuned() {
  return {.learning_rate = 1e-3,
          .entropy = 0.1,
          .baseline = Baseline::kBatch,
          .invalid = Invalid::kSlope};
}

const Options& checked(const Options& options) {
  if (options.width % options.heads != 0 || options.width % 2 != 0) {
    throw Error(fmt::format("option width: expected an even multiple of heads ({}), found {}",
                            options.heads, options.width));
  }
  return options;
}

struct Drawn {
  Placement placement;
  std::vector<nn::Index> choices;  // by node in the network's order
};

class Gdp : public Learner {
 public:
  Gdp(const Options& options, std::span<const Problem> problems, Rng rng)
      : options_(checked(options)),
        types_(problems),
        network_({.devices = problems[0].device_count(),
                  .width = options_.width,
                  .heads = options_.heads,
                  .layers = options_.layers,
                  .segment = options_.segment,
                  .superposition = options_.superposition},
                 types_, rng),
        trials_(problems.size()) {
    tape_.within(problems[0].deadline());
    for (const Problem& problem : problems) graphs_.emplace_back(problem, types_);
  }

  void update(Search& search, Turn turn) override {
    GdpGraph& graph = graphs_[turn.graph];
    const std::vector<Drawn> drawn =
        draw(graph, static_cast<std::size_t>(options_.batch), turn.rng);
    std::vector<Placement> placements;
    std::vector<std::vector<nn::Index>> choices;
    for (const Drawn& each : drawn) {
      placements.push_back(each.placement);
      choices.push_back(each.choices);
    }
    const std::vector<Score> scores = search.evaluate_all(placements);
    if (scores.size() < drawn.size()) return;
    std::vector<double> rewards;
    for (const Score& score : scores) rewards.push_back(reward(search, score));
    const std::vector<double> advantage =
        trials_[turn.graph].advantages(std::move(rewards), options_.baseline == Baseline::kTrials);
    const bool listens = search.hears_updates();
    UpdateFigures figures = learn(graph, choices, advantage, turn.progress, listens);
    tell_update(search, "gdp", turn.number, [&] {
      figures.mean_cost_seconds = mean_cost_seconds(search, scores);
      return figures;
    });
  }

  void apply(Search& search, Rng rng) override {
    constexpr std::size_t kSamples = 4;
    if (!search.evaluate(most_probable(graphs_[0]))) return;
    std::vector<Placement> placements;
    for (const Drawn& each : draw(graphs_[0], kSamples, rng)) placements.push_back(each.placement);
    search.evaluate_all(placements);
  }

  void save(Policy& policy) const override {
    types_.save(policy);
    save_network("", network_.parameters(), adam_, policy);
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      const std::string name = "trials/" + std::to_string(i);
      policy.state.push_back({name, 1, 1, {trials_[i].sum}});
      policy.counters.push_back({name, {trials_[i].count}});
    }
  }

  void load(const Policy& policy) override {
    load_network("", types_.adopt(policy, network_.parameters()), network_.parameters(), adam_);
    if (policy.state.empty()) return;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      const std::string name = "trials/" + std::to_string(i);
      trials_[i].sum = find_matrix(policy.state, name, 1, 1).values[0];
      trials_[i].count = find_counters(policy.counters, name, 1).values[0];
    }
  }

 private:
  std::vector<Drawn> draw(GdpGraph& graph, std::size_t count, Rng& rng) {
    tape_.clear();
    const nn::Var chances = nn::softmax(network_.logits(tape_, graph));
    const nn::ConstView table = chances.value();
    std::vector<Drawn> drawn(count);
    for (Drawn& each : drawn) {
      each.placement.devices.resize(graph.size());
      for (std::size_t node = 0; node < graph.size(); ++node) {
        const auto row = static_cast<nn::Index>(node);
        const nn::Index choice = drawn_column(table, graph.barred, row, rng.uniform());
        each.choices.push_back(choice);
        each.placement[graph.nodes[node]] = DeviceId(static_cast<std::size_t>(choice));
      }
    }
    return drawn;
  }

  static nn::Index drawn_column(const nn::ConstView& chances, const nn::Matrix& barred,
                                nn::Index row, double left) {
    nn::Index last = 0;
    for (nn::Index column = 0; column < chances.cols(); ++column) {
      if (barred(row, column) != 0) continue;
      last = column;
      left -= chances(row, column);
      if (left < 0) break;
    }
    return last;
  }

  Placement most_probable(GdpGraph& graph) {
    tape_.clear();
    const nn::Var logits = network_.logits(tape_, graph);
    Placement placement;
    placement.devices.resize(graph.size());
    for (std::size_t node = 0; node < graph.size(); ++node) {
      nn::Index best = 0;
      logits.value().row(static_cast<nn::Index>(node)).maxCoeff(&best);
      placement[graph.nodes[node]] = DeviceId(static_cast<std::size_t>(best));
    }
    return placement;
  }

  /// -sqrt(step time over all of the graph's work one op after the other): without a unit.
  double reward(const Search& search, const Score& score) const {
    if (!score.fits() && options_.invalid == Invalid::kConstant) return -10;
    double work_ps = 0;
    for (const OpId op : IdRange<OpId>(search.problem().op_count())) {
      work_ps += static_cast<double>(search.problem().fastest_ps(op));
    }
    const double unit = std::max(work_ps, 1.0) / kPicosecondsPerSecond;
    return -std::sqrt(search.cost_seconds(score) / unit);
  }

  /// The figures that take a pass over all choices are there where it should `describe` itself.
  UpdateFigures learn(GdpGraph& graph, std::span<const std::vector<nn::Index>> choices,
                      const std::vector<double>& advantage, double progress, bool describe) {
    adam_.learning_rate = options_.learning_rate;
    const double entropy_weight = weight_of_entropy(options_.entropy, progress, graph.size());
    UpdateFigures figures{.learning_rate = adam_.learning_rate};
    std::optional<ClippedSurrogate> surrogate;
    nn::Matrix first;  // log probabilities, nodes x devices
    for (std::int64_t epoch = 0; epoch < options_.epochs; ++epoch) {
      tape_.clear();
      network_.parameters().clear_gradients();
      const nn::Var logits = network_.logits(tape_, graph);
      const nn::Var log_chances = nn::log_softmax(logits);
      if (epoch == 0) {
        surrogate.emplace(choices, advantage, options_.ratio_clip, log_chances.value());
        first = log_chances.value();
      }
      const nn::Matrix gradient = surrogate->gradient(log_chances.value());
      const nn::Var entropy = nn::mean(nn::softmax_entropy(logits));
      const nn::Var aim = nn::add(nn::sum(nn::multiply(log_chances, tape_.constant(gradient))),
                                  nn::scale(entropy, entropy_weight));
      tape_.backward(nn::scale(aim, -1));
      if (epoch == 0) figures.entropy = entropy.value()(0, 0);
      figures.gradient_norm = network_.parameters().clip_gradients(options_.clip);
      if (describe && epoch + 1 == options_.epochs) {
        figures.loss = -surrogate->value(log_chances.value());
        figures.kl = mean_kl(first.array().exp(), log_chances.value().array().exp());
      }
      adam_.step(network_.parameters());
    }
    return figures;
  }

  const Options options_;
  OpTypes types_;
  GdpNetwork network_;
  nn::Adam adam_;
  nn::Tape tape_;
  std::vector<GdpGraph> graphs_;
  std::vector<RewardTrials> trials_;
};

std::unique_ptr<Learner> make(const Options& options, std::span<const Problem> problems, Rng rng) {
  return std::make_unique<Gdp>(options, problems, rng);
}

}  // namespace

Optimizer gdp() {
  Optimizer made = make_learning_optimizer(
      {.summary = "a graph network and a transformer give all devices in one pass",
       .unfit_for = "small budgets: its network wants hundreds of samples",
       .source = "Zhou, Roy, Abdolrashidi, Wong, Ma, Xu, et al.: GDP: Generalized Device Placement "
                 "for Dataflow Graphs, 2019",
       .departs = "By default rewards are compared with the mean of their batch instead of all "
                  "earlier ones, and what does not fit costs by its overflow instead of -10: both "
                  "learn more from few samples. The entropy's weight falls with the root of the "
                  "number of groups from 16 on, as published too: a constant one keeps the policy "
                  "of a large graph uniform.",
       .max_groups = 64,
       .in_batches = true},
      kRows, make);
  made.options = describe_options(kRows, tuned());
  return made;
}

}  // namespace placer
