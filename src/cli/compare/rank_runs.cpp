#include "cli/compare/rank_runs.hpp"

#include <fmt/format.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/compare/result_text.hpp"
#include "cli/compare/store.hpp"
#include "search/core/fingerprint.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

/// What the runs of a comparison depend on: the same for all its ranks.
std::string job_of(const Comparison& comparison) {
  std::string job = "compare " PLACER_VERSION;
  for (std::size_t i = 0; i < comparison.algorithms.size(); ++i) {
    for (const ComparedGraph& graph : comparison.graphs) {
      const SearchRequest request = request_of(comparison, i);
      job += fmt::format(" {:x}:{}", request_fingerprint(graph.loaded.problem, request),
                         request.budget.seconds);
    }
  }
  return job;
}

std::string text_of(const WantedRun& run) {
  return Json{run.graph, run.algorithm, run.seed}.dump();
}

/// Of a run from a seed.
SearchRequest request_of(const Comparison& comparison, std::size_t algorithm, std::uint64_t seed) {
  SearchRequest request = request_of(comparison, algorithm);
  request.seed = seed;
  return request;
}

/// The answer to a unit: what was found, why it failed, or null where it was cut short.
std::string answer_to(const std::string& text, const Comparison& comparison,
                      const std::atomic<bool>* interrupt) {
  std::optional<RunRecord> record;
  const auto failure = failure_of([&] {
    const Json unit = Json::parse(text);
    SearchRequest request = request_of(comparison, unit.at(1), unit.at(2));
    request.interrupt = interrupt;
    request.observer = {};
    record = run_one(comparison, unit.at(0), unit.at(1), request);
  });
  Json answer;
  if (failure) answer = {{"failure", failure->reason}, {"is_ours", failure->is_ours}};
  if (!failure && record) answer["result"] = compared_text(record->result);
  return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void add(const WantedRun& wanted, const std::string& text, Comparison& comparison) {
  const Json answer = Json::parse(text);
  if (answer.is_null()) return;
  if (answer.contains("failure")) {
    comparison.failures.push_back({wanted.graph,
                                   wanted.algorithm,
                                   wanted.seed,
                                   {answer.at("failure"), answer.at("is_ours")}});
    return;
  }
  const Problem& problem = comparison.graphs[wanted.graph].loaded.problem;
  comparison.runs.push_back({wanted.graph, wanted.algorithm, wanted.seed,
                             compared_result(answer.at("result").get<std::string>(), problem)});
  if (comparison.store == nullptr) return;
  comparison.store->keep(comparison, comparison.runs.back(),
                         request_of(comparison, wanted.algorithm, wanted.seed),
                         comparison.request.observer);
}

/// Takes the runs that the store has out of `wanted`.
void take_stored(std::vector<WantedRun>& wanted, Comparison& comparison) {
  if (comparison.store == nullptr) return;
  std::erase_if(wanted, [&](const WantedRun& run) {
    auto kept = comparison.store->find(comparison, run.graph, run.algorithm,
                                       request_of(comparison, run.algorithm, run.seed),
                                       comparison.request.observer);
    if (kept) comparison.runs.push_back(*std::move(kept));
    return kept.has_value();
  });
}

}  // namespace

void run_on_ranks(Comparison& comparison, RankRules rules) {
  const std::atomic<bool>* interrupt = comparison.request.interrupt;
  const auto stop = [&] { return interrupt != nullptr && *interrupt; };
  HandOut hand_out(
      *comparison.ranks, job_of(comparison),
      [&](const std::string& unit) { return answer_to(unit, comparison, interrupt); },
      comparison.request.observer, interrupt, rules);
  Comparison found = comparison;
  // One run may say all of an algorithm, so that the first seed comes first.
  const auto seeds = static_cast<std::uint64_t>(comparison.seeds);
  for (const auto& [first, last] : {std::pair<std::uint64_t, std::uint64_t>(1, 1), {2, seeds}}) {
    std::vector<WantedRun> wanted = wanted_runs(found, first, last);
    take_stored(wanted, found);
    std::vector<std::string> texts;
    for (const WantedRun& run : wanted) texts.push_back(text_of(run));
    hand_out.run(
        texts, [&](std::size_t at, const std::string& answer) { add(wanted[at], answer, found); },
        stop);
  }
  comparison.runs = std::move(found.runs);
  comparison.failures = std::move(found.failures);
}

void serve_comparison(const Comparison& comparison, RankRules rules) {
  std::atomic<bool> stop = false;
  serve_rank_0(
      *comparison.ranks, job_of(comparison),
      [&](const std::string& unit) { return answer_to(unit, comparison, &stop); }, stop, rules);
}

}  // namespace placer
