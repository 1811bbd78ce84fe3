#include "placer/search/training.hpp"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <deque>

#include "search/core/fingerprint.hpp"
#include "search/core/merged_problem.hpp"

namespace placer {
namespace {

constexpr std::size_t kRequestCounters = 3;  // of an identity; then one for each graph

/// Of what TrainingRun::identity() says, and the options.
RequestFacts facts_of(std::span<const std::int64_t> identity, const OptionValues& options) {
  RequestFacts facts;
  const std::span<const std::int64_t> graphs = identity.subspan(kRequestCounters);
  facts.emplace_back("evaluations", fmt::format("{}", identity[0]));
  facts.emplace_back("seed", fmt::format("{}", identity[1]));
  const auto order = static_cast<std::size_t>(identity[2]);
  facts.emplace_back("order", order < kNames<Order>.size() ? std::string(kNames<Order>[order])
                                                           : fmt::format("{}", order));
  facts.emplace_back("graphs", fmt::format("{}", graphs.size()));
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    facts.emplace_back(fmt::format("graph {} with its devices and grouping", i + 1),
                       hash_fact(graphs[i]));
  }
  for (const auto& [name, value] : options) facts.emplace_back("option " + name, to_text(value));
  return facts;
}

}  // namespace

/// One learner and a search for each problem.
class TrainingRun {
 public:
  TrainingRun(std::span<const Problem> problems, const TrainingRequest& request)
      : request_(request), options_(checked(problems, request)) {
    for (std::size_t i = 0; i < problems.size(); ++i) open(problems[i], share_of(i, problems));
    learner_ = request.optimizer->learner(options_, merged_, rng_.stream("weights"));
    if (request.policy_in != nullptr) learner_->load(request.policy_in->without_state());
    if (request.resume != nullptr) resume(*request.resume);
    for (std::size_t i = 0; i < problems.size(); ++i) {
      searches_.push_back(Search(ledgers_[i], merged_[i], request.order, rng_.stream("search", i),
                                 requests_[i].budget.evaluations, requests_[i].budget.seconds));
    }
  }

  TrainingResult run() {
    tell_start();
    std::int64_t next_checkpoint = evaluations() + request_.checkpoint_evaluations;
    while (!interrupted() && update()) {
      report();
      if (request_.checkpoint_evaluations == 0 || evaluations() < next_checkpoint) continue;
      request_.on_checkpoint(policy());
      next_checkpoint = evaluations() + request_.checkpoint_evaluations;
    }
    TrainingResult result{policy(),     {}, updates_, evaluations(), ledgers_[0].wall_seconds(),
                          interrupted()};
    for (std::size_t i = 0; i < ledgers_.size(); ++i) {
      if (ledgers_[i].evaluations() > 0) {
        result.graphs.push_back(ledgers_[i].result(merged_[i].groups().size()));
      } else {
        result.graphs.emplace_back();
      }
    }
    tell_end(result);
    return result;
  }

 private:
  static OptionValues checked(std::span<const Problem> problems, const TrainingRequest& request) {
    SearchRequest options;
    options.optimizer = request.optimizer;
    options.options = request.options;
    options.policy_in = request.resume != nullptr ? request.resume : request.policy_in;
    const std::size_t devices = problems[0].device_count();
    for (const Problem& problem : problems) {
      if (problem.device_count() == devices) continue;
      throw Error(fmt::format("train: expected graphs with equally many devices, found {} and {}",
                              devices, problem.device_count()));
    }
    if (!request.optimizer->learner) {
      throw Error(
          fmt::format("train: expected an algorithm whose policies serve other graphs "
                      "({}), found {}",
                      join(transferring_algorithms()), request.optimizer->name));
    }
    if (options.policy_in != nullptr) check_policy(*options.policy_in, *request.optimizer, devices);
    return completed_options(options);
  }

  std::int64_t share_of(std::size_t graph, std::span<const Problem> problems) const {
    const auto count = static_cast<std::int64_t>(problems.size());
    return request_.evaluations / count +
           (static_cast<std::int64_t>(graph) < request_.evaluations % count ? 1 : 0);
  }

  void open(const Problem& problem, std::int64_t evaluations) {
    SearchRequest& own = requests_.emplace_back();
    own.optimizer = request_.optimizer;
    own.order = request_.order;
    own.grouping = request_.grouping;
    own.threads = request_.threads;
    if (!request_.scorers.empty()) own.scorer = request_.scorers[requests_.size() - 1];
    own.observer = request_.observer;
    own.budget.evaluations = evaluations;
    merged_.push_back(merged_problem(problem, own, ledgers_.emplace_back(problem, own)));
  }

  /// False once all is spent.
  bool update() {
    for (std::size_t tried = 0; tried < searches_.size(); ++tried) {
      const std::size_t graph = next_graph_;
      next_graph_ = (next_graph_ + 1) % searches_.size();
      Search& search = searches_[graph];
      if (search.spent()) continue;
      const std::int64_t before = ledgers_[graph].evaluations();
      request_.observer.tell(EventLevel::kDebug, "train", [&] {
        return fmt::format("update {}: on '{}', after {} evaluations and {:.3g} s", updates_,
                           merged_[graph].graph().name(), evaluations(),
                           ledgers_[0].wall_seconds());
      });
      learner_->update(search, {graph, updates_, progress(),
                                rng_.stream("update", static_cast<std::uint64_t>(updates_))});
      ++updates_;
      if (ledgers_[graph].evaluations() == before) {
        throw std::logic_error("an update without evaluations");
      }
      return true;
    }
    return false;
  }

  void tell_start() const {
    request_.observer.tell(EventLevel::kInfo, "train", [&] {
      return fmt::format("{} on {} graphs, {} devices, seed {}, {} evaluations{}",
                         request_.optimizer->name, merged_.size(), merged_[0].device_count(),
                         request_.seed, request_.evaluations,
                         updates_ > 0 ? fmt::format(", goes on after update {}", updates_) : "");
    });
  }

  void tell_end(const TrainingResult& result) const {
    const auto message = [&] {
      return fmt::format("{} {} after {} updates, {} evaluations, {:.3g} s",
                         request_.optimizer->name, result.interrupted ? "was interrupted" : "ended",
                         result.updates, result.evaluations, result.wall_seconds);
    };
    request_.observer.tell(result.interrupted ? EventLevel::kWarn : EventLevel::kInfo, "train",
                           message);
  }

  bool interrupted() const {
    return request_.interrupt != nullptr && request_.interrupt->load(std::memory_order_relaxed);
  }

  std::int64_t evaluations() const {
    std::int64_t sum = 0;
    for (const Ledger& ledger : ledgers_) sum += ledger.evaluations();
    return sum;
  }

  double progress() const {
    return static_cast<double>(evaluations()) / static_cast<double>(request_.evaluations);
  }

  void report() const {
    if (!request_.on_progress) return;
    request_.on_progress({updates_, evaluations(), progress(), ledgers_[0].wall_seconds()});
  }

  /// What a checkpoint must share with this request.
  NamedCounters identity() const {
    NamedCounters identity{"training/request",
                           {request_.evaluations, static_cast<std::int64_t>(request_.seed),
                            static_cast<std::int64_t>(request_.order)}};
    for (const Problem& problem : merged_) identity.values.push_back(fingerprint(problem));
    return identity;
  }

  Policy policy() const {
    Policy policy;
    learner_->save(policy);
    policy.algorithm = request_.optimizer->name;
    policy.devices = merged_[0].device_count();
    policy.options = options_;
    policy.counters.push_back(identity());
    policy.counters.push_back(
        {"training/done", {updates_, static_cast<std::int64_t>(next_graph_)}});
    for (std::size_t i = 0; i < ledgers_.size(); ++i) ledgers_[i].save(prefix(i), policy);
    return policy;
  }

  static std::string prefix(std::size_t graph) { return fmt::format("training/{}/", graph); }

  void check_identity(const Policy& checkpoint) const {
    const NamedCounters own = identity();
    const auto found = std::ranges::find(checkpoint.counters, own.name, &NamedCounters::name);
    if (found == checkpoint.counters.end() || found->values.size() <= kRequestCounters) {
      throw Error("policy: expected a checkpoint of a training, found a policy without one");
    }
    if (*found == own && checkpoint.options == options_) return;
    throw Error(
        "policy: expected a checkpoint of this training, found one with " +
        differences(facts_of(found->values, checkpoint.options), facts_of(own.values, options_)));
  }

  void resume(const Policy& checkpoint) {
    check_identity(checkpoint);
    learner_->load(checkpoint);
    const auto& done = find_counters(checkpoint.counters, "training/done", 2).values;
    updates_ = done[0];
    next_graph_ = static_cast<std::size_t>(done[1]) % merged_.size();
    for (std::size_t i = 0; i < ledgers_.size(); ++i) ledgers_[i].load(prefix(i), checkpoint);
  }

  const TrainingRequest& request_;
  const OptionValues options_;
  const Rng rng_ = Rng(request_.seed).stream("training");
  std::deque<SearchRequest> requests_;
  std::deque<Ledger> ledgers_;
  std::vector<Problem> merged_;
  std::vector<Search> searches_;
  std::unique_ptr<Learner> learner_;
  std::int64_t updates_ = 0;
  std::size_t next_graph_ = 0;
};

TrainingResult train(std::span<const Problem> problems, const TrainingRequest& request) {
  // What runs in it takes no more threads.
  tbb::task_arena threads(std::max(request.threads, 1));
  return threads.execute([&] { return TrainingRun(problems, request).run(); });
}

}  // namespace placer
