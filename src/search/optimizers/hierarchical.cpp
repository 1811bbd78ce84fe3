// The paper's name for it is HDP. An update has four evaluations.
#include <algorithm>
#include <cmath>

#include "placer/search/optimizer.hpp"
#include "search/learned/hierarchical_network.hpp"
#include "search/learned/moving_baseline.hpp"
#include "search/learned/network_policy.hpp"
#include "search/learned/sequence_options.hpp"
#include "search/learned/update_figures.hpp"

namespace placer {
namespace {

struct Options {
  Preset preset = Preset::kTuned;
  std::int64_t op_groups = 256;
  std::int64_t placements = 4;
  std::int64_t hidden = 256;
  std::int64_t attention = 64;
  std::int64_t grouper_hidden = 64;
  std::int64_t type_embedding = 20;
  double learning_rate = 0.1;
  double clip_norm = 1;
  double temperature = 10;
  double bound = 5;
  double baseline_decay = 0.9;
  std::int64_t warm_up = 500;
  double noise = 0.5;
  double invalid_cost = 10;
  double entropy = 0;
};

constexpr std::array kRows = {
    preset_row<&Options::preset>(),
    option("op-groups", &Options::op_groups, 1, 4096,
           "groups that the grouper chooses among; at most 20 for each device"),
    option("placements", &Options::placements, 2, 1000, "placements drawn for each grouping"),
    hidden_row(&Options::hidden),
    attention_row(&Options::attention),
    option("grouper-hidden", &Options::grouper_hidden, 1, 4096, "width of the grouper"),
    type_embedding_row(&Options::type_embedding),
    adam_row(&Options::learning_rate),
    clip_norm_row(&Options::clip_norm),
    option("temperature", &Options::temperature, 1e-3, 1e3, "T of the logits bound x tanh(x / T)"),
    option("bound", &Options::bound, 1e-3, 100, "largest logit"),
    baseline_decay_row(&Options::baseline_decay),
    option("warm-up", &Options::warm_up, 0, 1000000000,
           "updates with noise, after which only placements that fit teach"),
    option("noise", &Options::noise, 0, 100, "largest noise on logits while it warms up"),
    option("invalid-cost", &Options::invalid_cost, 0, 1e9,
           "the root of the seconds that a placement which does not fit stands for; 0: of its "
           "time, stretched by its overflow"),
    option("entropy", &Options::entropy, 0, 1000,
           "first weight of the placer's entropy; falls linearly to 0"),
};
static_assert(kRows.size() == member_count<Options>);

class Hierarchical : public Learner {
 public:
  Hierarchical(const Options& options, std::span<const Problem> problems, Rng rng)
      : options_(options),
        types_(problems),
        network_(shape(options, problems.front().device_count()), types_, rng),
        adam_{.learning_rate = options.learning_rate},
        baselines_(problems.size(), MovingBaseline(options.baseline_decay)) {
    for (const Problem& problem : problems) features_.emplace_back(problem, types_);
  }

  void update(Search& search, Turn turn) override {
    const bool warm = turn.number >= options_.warm_up;
    Rng draws = turn.rng.stream("draws");
    const HierarchicalNetwork::Draw draw{&draws, warm ? 0 : options_.noise,
                                         turn.rng.stream("noise")};
    HierarchicalFeatures& features = features_[turn.graph];
    const auto rows = static_cast<std::size_t>(options_.placements);
    const std::vector<nn::Index> groups = network_.draw_groups(features, draw);
    const Rollout& rollout =
        network_.draw_devices(features, groups, static_cast<nn::Index>(rows), draw);
    std::vector<Placement> placements;
    for (std::size_t row = 0; row < rows; ++row) {
      placements.push_back(placed(search.problem(), groups, rollout, row, rows));
    }
    const std::vector<Score> scores = search.evaluate_all(placements);
    if (scores.size() < rows || search.spent()) return;
    const std::vector<double> advantage = advantages(search, scores, turn.graph, warm);
    if (advantage.empty()) return;
    network_.parameters().clear_gradients();
    network_.add_device_gradient(advantage, options_.entropy * (1 - turn.progress));
    double mean = 0;
    for (const double value : advantage) mean += value / static_cast<double>(rows);
    network_.add_group_gradient(features, groups, draw, mean);
    const double norm = network_.parameters().clip_gradients(options_.clip_norm);
    adam_.step(network_.parameters());
    tell_update(search, "hierarchical", turn.number,
                [&] {  // of the placer; of the grouper the norm
                  const nn::Matrix chances = probabilities_of(rollout);
                  return UpdateFigures{.mean_cost_seconds = mean_cost_seconds(search, scores),
                                       .loss = reinforce_loss(chances, rollout.choices, advantage),
                                       .entropy = mean_entropy(chances),
                                       .learning_rate = adam_.learning_rate,
                                       .gradient_norm = norm};
                });
  }

  void apply(Search& search, Rng rng) override {
    constexpr nn::Index kSamples = 4;
    for (Rng* draws : {static_cast<Rng*>(nullptr), &rng}) {
      const HierarchicalNetwork::Draw draw{draws, 0, rng};
      const nn::Index rows = draws == nullptr ? 1 : kSamples;
      const std::vector<nn::Index> groups = network_.draw_groups(features_[0], draw);
      const Rollout& rollout = network_.draw_devices(features_[0], groups, rows, draw);
      for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
        const auto of = static_cast<std::size_t>(rows);
        if (!search.evaluate(placed(search.problem(), groups, rollout, row, of))) return;
      }
    }
  }

  void save(Policy& policy) const override {
    types_.save(policy);
    save_network("", network_.parameters(), adam_, policy);
    std::vector<double> baselines;
    for (const MovingBaseline& baseline : baselines_) baselines.push_back(baseline.baseline());
    policy.state.push_back({"baselines", 1, baselines.size(), baselines});
  }

  void load(const Policy& policy) override {
    load_network("", types_.adopt(policy, network_.parameters()), network_.parameters(), adam_);
    if (policy.state.empty()) return;
    const NamedMatrix& baselines = find_matrix(policy.state, "baselines", 1, baselines_.size());
    for (std::size_t i = 0; i < baselines_.size(); ++i) {
      baselines_[i].set_baseline(baselines.values[i]);
    }
  }

 private:
  static HierarchicalNetwork::Shape shape(const Options& options, std::size_t devices) {
    constexpr std::int64_t kGroupsPerDevice = 20;
    const auto count = static_cast<std::int64_t>(devices);
    return {.groups = std::min(options.op_groups, kGroupsPerDevice * count),
            .devices = count,
            .hidden = options.hidden,
            .attention = options.attention,
            .grouper_hidden = options.grouper_hidden,
            .type_embedding = options.type_embedding,
            .temperature = options.temperature,
            .bound = options.bound};
  }

  /// An item that may not go where its group goes takes its own first allowed device.
  static Placement placed(const Problem& problem, std::span<const nn::Index> groups,
                          const Rollout& rollout, std::size_t row, std::size_t rows) {
    Placement placement;
    for (const GroupId item : IdRange<GroupId>(problem.groups().size())) {
      const auto group = static_cast<std::size_t>(groups[item.index()]);
      const DeviceId device(static_cast<std::size_t>(rollout.choices[group * rows + row]));
      const bool allowed = problem.groups().is_allowed(item, device);
      placement.devices.push_back(allowed ? device : problem.groups().allowed(item).front());
    }
    return placement;
  }

  /// Empty where nothing teaches; placements that do not fit have none once warm.
  std::vector<double> advantages(const Search& search, std::span<const Score> scores,
                                 std::size_t graph, bool warm) {
    std::vector<double> roots;
    for (const Score& score : scores) {
      if (!score.fits() && warm && options_.invalid_cost > 0) continue;
      const bool fixed = !score.fits() && options_.invalid_cost > 0;
      roots.push_back(fixed ? options_.invalid_cost : std::sqrt(search.cost_seconds(score)));
    }
    if (roots.empty()) return {};
    const std::vector<double> of_roots = baselines_[graph].advantages_of_roots(roots);
    std::vector<double> result;
    std::size_t next = 0;
    for (const Score& score : scores) {
      const bool left_out = !score.fits() && warm && options_.invalid_cost > 0;
      result.push_back(left_out ? 0.0 : of_roots[next++]);
    }
    return result;
  }

  const Options options_;
  OpTypes types_;
  HierarchicalNetwork network_;
  nn::Adam adam_;
  std::vector<MovingBaseline> baselines_;
  std::vector<HierarchicalFeatures> features_;
};

std::unique_ptr<Learner> make(const Options& options, std::span<const Problem> problems, Rng rng) {
  return std::make_unique<Hierarchical>(options, problems, rng);
}

}  // namespace

Optimizer hierarchical() {
  Optimizer made = make_learning_optimizer(
      {.summary = "a network groups the ops and another places the groups, learnt together",
       .unfit_for = "small budgets: few updates, and the more ops, the noisier the grouper learns",
       .source = "Mirhoseini, Goldie, Pham, Steiner, Le, Dean: A Hierarchical Model for Device "
                 "Placement, ICLR 2018",
       .departs =
           "The grouper begins with ops that follow each other in groups of equal size: the "
           "paper does not say how it begins, and from random groups its placer learns "
           "one device for all. There are at most 20 op-groups for each device, as published "
           "too. By default the placer's entropy counts as well.",
       .own_groups = 32,
       .in_batches = true},
      kRows, make);
  made.options = describe_options(kRows, Options{.op_groups = 32,
                                                 .placements = 12,
                                                 .hidden = 64,
                                                 .attention = 32,
                                                 .learning_rate = 2e-3,
                                                 .temperature = 5,
                                                 .warm_up = 20,
                                                 .noise = 0.1,
                                                 .invalid_cost = 0,
                                                 .entropy = 0.06});
  return made;
}

}  // namespace placer
