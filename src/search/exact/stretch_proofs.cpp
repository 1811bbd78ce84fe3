#include "search/exact/stretch_proofs.hpp"

#include <array>
#include <optional>

#include "placer/search/optimizer.hpp"
#include "placer/search/run.hpp"
#include "search/core/plain_placements.hpp"
#include "search/lists/rules.hpp"
#include "search/tree/placement_tree.hpp"

namespace placer {
namespace {

constexpr std::array<std::size_t, 2> kFewestGroups = {1, 8};  // of stretches, short and long ones
constexpr std::array<std::int64_t, 3> kNodes = {100, 1'000, 10'000};  // for each part

struct PartProof {
  std::optional<Picoseconds> bound_ps;
  bool is_complete = false;
  std::int64_t nodes = 0;
};

/// By partial placements, whose bounds hold whatever else delays ops and tensors of the part. Those
/// of schedules would not: what is later in the whole step may let others through.
PartProof prove(const Problem& part, std::int64_t most_nodes, const Deadline& until) {
  PartProof proof;
  Optimizer tree;
  tree.run = [&](const OptionValues&, Search& search) {
    search.evaluate(heft_schedule(search.problem(), {}).placement());
    if (search.spent() || !try_single_devices(search)) return;
    NodeBudget nodes(most_nodes, search);
    const Picoseconds known_ps = lower_bounds(search).best_ps();
    const ExactEnd end = search_placement_tree(search, nodes, most_nodes, known_ps);
    if (end == ExactEnd::kProven) search.claim_optimal();
    proof.nodes = nodes.taken();
  };
  SearchRequest request;
  request.optimizer = &tree;
  request.order = Order::kGiven;  // in any order of ops
  request.budget.evaluations = most_nodes;
  request.budget.seconds = until.seconds_left();
  const SearchResult found = run_search(part, request);
  proof.bound_ps = found.bound_ps;
  proof.is_complete = found.proven;
  return proof;
}

}  // namespace

bool prove_stretches(Search& search, const Deadline& until, Stretches& stretches) {
  const auto all_ops = static_cast<double>(search.problem().op_count());
  std::vector<char> is_proven(stretches.parts().size(), 0);
  bool has_raised = false;
  for (const std::int64_t nodes : kNodes) {
    for (std::size_t part = 0; part < is_proven.size(); ++part) {
      if (is_proven[part] != 0) continue;
      const Problem& problem = stretches.parts()[part];
      const double share = static_cast<double>(problem.op_count()) / all_ops;
      const double most = static_cast<double>(nodes) * share;
      if (search.spent() || until.passed()) return has_raised;
      if (most > static_cast<double>(search.evaluations_left())) return has_raised;
      const PartProof proof = prove(problem, nodes, until);
      is_proven[part] = proof.is_complete ? 1 : 0;
      has_raised = stretches.raise(part, proof.bound_ps.value_or(0)) || has_raised;
      search.count_work(1 + static_cast<std::int64_t>(static_cast<double>(proof.nodes) * share));
    }
  }
  return has_raised;
}

LowerBounds bounds_by_stretches(Search& search, double share, const LowerBounds& known) {
  Stretches stretches(search.problem(), MemoryFit(search.problem()), kFewestGroups);
  if (stretches.list().empty()) return known;
  Search part = search.part(share);
  if (!prove_stretches(part, search.problem().deadline().share(share), stretches)) return known;
  const LowerBounds found = lower_bounds(search, stretches);
  if (!found.infeasible.empty() || found.best_ps() <= known.best_ps()) return known;
  search.know_bound(found.best_ps());
  return found;
}

}  // namespace placer
