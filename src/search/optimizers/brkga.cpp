// A key in [0, 1) for each group says its device and, under `given`, one for each op its priority;
// children take most keys from an elite parent, some are drawn afresh. Crossing keys breaks what
// neighbours in a large graph have agreed on.
#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

#include "placer/search/optimizer.hpp"
#include "search/local/starts.hpp"

namespace placer {
namespace {

struct Options {
  std::int64_t population = 100;
  double elite_share = 0.2;
  double mutant_share = 0.15;
  double bias = 0.7;
};

constexpr std::array kRows = {
    option("population", &Options::population, 2, 100000, "key vectors of one generation"),
    option("elite_share", &Options::elite_share, 0, 1, "of the population, kept as they are"),
    option("mutant_share", &Options::mutant_share, 0, 1, "of the population, drawn afresh"),
    option("bias", &Options::bias, 0, 1, "chance that a key comes from the elite parent"),
};
static_assert(kRows.size() == member_count<Options>);

using Keys = std::vector<double>;

/// Reads keys as a placement and an order, and back.
class Decoder {
 public:
  explicit Decoder(const Search& search)
      : problem_(search.problem()), orders_(search.searches_orders()) {}

  std::size_t size() const {
    return problem_.groups().size() + (orders_ ? problem_.op_count() : 0);
  }

  Placement placement(const Keys& keys) const {
    Placement placement;
    for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
      const std::span<const DeviceId> allowed = problem_.groups().allowed(group);
      const double at = keys[group.index()] * static_cast<double>(allowed.size());
      placement.devices.push_back(
          allowed[std::min(static_cast<std::size_t>(at), allowed.size() - 1)]);
    }
    return placement;
  }

  /// An order of ops: among those whose producers have come, always the one with the largest key is
  /// next.
  OpOrder order(const Keys& keys) const {
    if (!orders_) return {};
    const Graph& graph = problem_.graph();
    const auto later = [&](OpId a, OpId b) {
      return std::pair(-priority(keys, a), a) > std::pair(-priority(keys, b), b);
    };
    std::priority_queue<OpId, std::vector<OpId>, decltype(later)> ready(later);
    std::vector<std::size_t> missing(problem_.op_count());
    for (const OpId op : IdRange<OpId>(missing.size())) {
      missing[op.index()] = graph.inputs(op).size();
      if (missing[op.index()] == 0) ready.push(op);
    }
    OpOrder order;
    while (!ready.empty()) {
      order.push_back(ready.top());
      ready.pop();
      for (const TensorId output : graph.outputs(order.back())) {
        for (const OpId consumer : graph.tensor(output).consumers) {
          if (--missing[consumer.index()] == 0) ready.push(consumer);
        }
      }
    }
    return order;
  }

  /// Keys that are read as `placement` and, where it is not empty, `order`.
  Keys keys_of(const Placement& placement, const OpOrder& order) const {
    Keys keys(size(), 0.5);
    for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
      const std::span<const DeviceId> allowed = problem_.groups().allowed(group);
      const auto at = std::ranges::find(allowed, placement[group]) - allowed.begin();
      keys[group.index()] = (static_cast<double>(at) + 0.5) / static_cast<double>(allowed.size());
    }
    if (!orders_) return keys;
    const OpOrder& wanted = order.empty() ? problem_.graph().program_order() : order;
    for (std::size_t at = 0; at < wanted.size(); ++at) {
      keys[problem_.groups().size() + wanted[at].index()] =
          1 - (static_cast<double>(at) + 0.5) / static_cast<double>(wanted.size());
    }
    return keys;
  }

 private:
  double priority(const Keys& keys, OpId op) const {
    return keys[problem_.groups().size() + op.index()];
  }

  const Problem& problem_;
  const bool orders_;
};

struct Member {
  Keys keys;
  Score score;
};

class Population {
 public:
  Population(const Options& options, Search& search)
      : search_(search), decoder_(search), bias_(options.bias) {
    size_ = static_cast<std::size_t>(options.population);
    elites_ = part(options.elite_share, 1, size_ - 1);
    mutants_ = part(options.mutant_share, 0, size_ - elites_);
  }

  /// False once the budget is spent.
  bool begin() {
    const std::optional<Start> start = local_search_start(search_);
    if (!start) return false;
    std::vector<Keys> keys = {decoder_.keys_of(start->placement, start->order)};
    while (keys.size() < size_) keys.push_back(drawn());
    return take(std::move(keys));
  }

  bool next_generation() {
    std::ranges::stable_sort(members_, std::less<>(), &Member::score);
    std::vector<Keys> keys;
    while (keys.size() < mutants_) keys.push_back(drawn());
    while (keys.size() < size_ - elites_) keys.push_back(child());
    members_.resize(elites_);
    return take(std::move(keys));
  }

 private:
  std::size_t part(double share, std::size_t least, std::size_t most) const {
    const double count = std::floor(share * static_cast<double>(size_));
    return std::clamp(static_cast<std::size_t>(count), least, most);
  }

  Keys drawn() {
    Keys keys(decoder_.size());
    for (double& key : keys) key = search_.rng().uniform();
    return keys;
  }

  /// Each key from a random elite with the chance `bias`, else from a random other.
  Keys child() {
    Keys keys = members_[search_.rng().below(elites_)].keys;
    const Keys& other = members_[elites_ + search_.rng().below(members_.size() - elites_)].keys;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!search_.rng().chance(bias_)) keys[i] = other[i];
    }
    return keys;
  }

  bool take(std::vector<Keys> keys) {
    std::vector<Placement> placements;
    std::vector<OpOrder> orders;
    for (const Keys& each : keys) {
      placements.push_back(decoder_.placement(each));
      orders.push_back(decoder_.order(each));
    }
    const std::vector<Score> scores = search_.evaluate_all(placements, orders);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      members_.push_back({std::move(keys[i]), scores[i]});
    }
    return scores.size() == keys.size();
  }

  Search& search_;
  const Decoder decoder_;
  const double bias_;
  std::size_t size_ = 0, elites_ = 0, mutants_ = 0;
  std::vector<Member> members_;
};

void run(const Options& options, Search& search) {
  Population population(options, search);
  // All elites and no one else: nothing is drawn any more.
  bool more = population.begin();
  while (more) more = population.next_generation();
}

}  // namespace

Optimizer brkga() {
  return make_optimizer(
      {.summary = "a genetic algorithm on random keys for devices and, where searched, priorities",
       .unfit_for = "very small budgets, and the order of large graphs",
       .source = "Goncalves, Resende: Biased Random-Key Genetic Algorithms for Combinatorial "
                 "Optimization, Journal of Heuristics 17, 2011",
       .anytime = true,
       .max_groups = 64,
       .in_batches = true},
      kRows, run);
}

}  // namespace placer
