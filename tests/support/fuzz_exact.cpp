#include "support/fuzz_exact.hpp"

#include <fmt/format.h>

#include <optional>

#include "support/fuzz_pipelines.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

constexpr std::size_t kMostOps = 12;
constexpr std::int64_t kMostPlacements = 20'000;
constexpr double kMostSeconds = 20;  // of the program, which then proves nothing

struct Answer {
  std::string algorithm;
  SearchResult result;
};

std::string text_of(const Answer& answer) {
  const Score& score = answer.result.score;
  return fmt::format("{}: {} ps with {} B too much, {} astray{}", answer.algorithm, score.step_ps,
                     score.overflow_bytes, score.astray_ops,
                     answer.result.proven ? ", proven" : "");
}

Answer answer_of(const Problem& problem, SearchRequest request) {
  return {request.optimizer->name, run_search(problem, request)};
}

/// A program that shows that nothing fits proves the best of what does not by nothing.
bool is_proof(const Answer& answer) {
  return answer.result.proven && (answer.result.score.fits() || answer.algorithm == "exhaustive");
}

std::string contradiction(const Answer& proof, const Answer& other) {
  const bool is_wrong = other.result.score < proof.result.score ||
                        (is_proof(other) && other.result.score != proof.result.score);
  if (is_wrong) return fmt::format("{}, but {}", text_of(proof), text_of(other));
  const Picoseconds bound_ps = other.result.bound_ps.value_or(0);
  if (!proof.result.score.fits() || bound_ps <= proof.result.score.step_ps) return "";
  return fmt::format("{}, but the bound of {} is {} ps", text_of(proof), other.algorithm, bound_ps);
}

std::vector<Answer> answers(const Problem& problem) {
  std::vector<Answer> all = {answer_of(problem, request_for("dp", 1'000'000)),
                             answer_of(problem, request_for("exhaustive", kMostPlacements))};
  if (!has_milp()) return all;
  SearchRequest milp = request_for("milp", 1'000'000);
  milp.options["prepare"] = false;
  milp.budget.seconds = kMostSeconds;
  all.push_back(answer_of(problem, milp));
  return all;
}

void count(const std::vector<Answer>& all, ExactFigures& figures) {
  ++figures.problems;
  std::int64_t proofs = 0;
  for (const Answer& answer : all) {
    const std::int64_t proof = is_proof(answer) ? 1 : 0;
    proofs += proof;
    if (answer.algorithm == "dp") figures.by_dp += proof;
    if (answer.algorithm == "milp") figures.by_milp += proof;
    if (answer.algorithm == "exhaustive") figures.by_exhaustive += proof;
  }
  if (proofs > 1) ++figures.by_several;
}

}  // namespace

bool has_milp() { return find_optimizer("milp").info.unavailable.empty(); }

std::string fuzz_exact(std::uint64_t seed, std::size_t index, ExactFigures& figures) {
  Rng rng = Rng(seed).stream("exact", index);
  const Problem drawn = random_pipeline(index, rng, kMostOps);
  Goal goal = drawn.goal();
  goal.objective = Objective::kThroughput;
  const Problem problem = drawn.with_goal(std::move(goal));
  const std::vector<Answer> all = answers(problem);
  count(all, figures);
  for (const Answer& proof : all) {
    if (!is_proof(proof)) continue;
    for (const Answer& other : all) {
      const std::string wrong = contradiction(proof, other);
      if (!wrong.empty()) return fmt::format("problem {} of seed {}: {}", index, seed, wrong);
    }
  }
  return "";
}

}  // namespace placer::testing
