#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/abandonable.hpp"
#include "search/lists/favourite_children.hpp"
#include "search/lists/linear_program.hpp"

namespace placer {
namespace {

using Term = LinearProgram::Term;

// Baechi's threshold, with room for the solver's tolerance of 1e-7: since the x of an op's n edges
// add up to n - 1 at least, no two of them are below.
constexpr double kBelowHalf = 0.5 - 1e-6;

constexpr int kMostSteps = 50'000;

struct ProgramEdge {
  OpId producer, consumer;
  double transfer_ps = 0;
  int x = 0;  // variable: 0 where the consumer is the favourite child, 1 where it is not
};

class Program {
 public:
  Program(const Problem& problem, const MeanCosts& costs) : problem_(problem), costs_(costs) {
    const double all_ps = std::accumulate(costs.op_ps.begin(), costs.op_ps.end(), 0.0);
    unit_ps_ = std::max(1.0, all_ps / static_cast<double>(problem.op_count()));
    find_edges();
    add_edges();
    add_starts();
  }

  std::optional<FavouriteChildren> favourites() const {
    const std::optional<LinearProgram::Solution> solution = run_abandonable(
        [program = program_] { return program.solve(kMostSteps); }, problem_.deadline());
    if (!solution) return std::nullopt;
    FavouriteChildren favourites(problem_.op_count());
    for (const ProgramEdge& edge : edges_) {
      const double x = solution->values[static_cast<std::size_t>(edge.x)];
      if (x < kBelowHalf) favourites[edge.producer.index()] = edge.consumer;
    }
    return favourites;
  }

 private:
  /// One for each pair of ops, by producer and consumer.
  void find_edges() {
    for (const OpId op : IdRange<OpId>(problem_.op_count())) {
      for (const TensorId tensor : problem_.graph().outputs(op)) {
        for (const OpId consumer : problem_.graph().tensor(tensor).consumers) {
          const bool together = problem_.groups().of(op) == problem_.groups().of(consumer);
          edges_.push_back({op, consumer, together ? 0 : costs_.tensor_ps[tensor.index()]});
        }
      }
    }
    const auto key = [](const ProgramEdge& edge) {
      return std::tuple(edge.producer, edge.consumer, -edge.transfer_ps);
    };
    std::ranges::sort(edges_, {}, key);
    const auto same = [](const ProgramEdge& a, const ProgramEdge& b) {
      return a.producer == b.producer && a.consumer == b.consumer;
    };
    edges_.erase(std::unique(edges_.begin(), edges_.end(), same), edges_.end());
  }

  /// At most one favourite child of each op, and each op that of one at most.
  void add_edges() {
    std::vector<std::vector<Term>> out(problem_.op_count()), in(problem_.op_count());
    for (ProgramEdge& edge : edges_) {
      edge.x = program_.add_variable(0, 0, 1);
      out[edge.producer.index()].push_back({edge.x, 1});
      in[edge.consumer.index()].push_back({edge.x, 1});
    }
    for (const auto* terms_of : {&out, &in}) {
      for (const std::vector<Term>& terms : *terms_of) {
        if (terms.size() > 1) program_.add_row(terms, static_cast<double>(terms.size() - 1));
      }
    }
  }

  /// An op starts when its inputs have come; the last one ends at the objective.
  void add_starts() {
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<int> starts;
    for (std::size_t op = 0; op < problem_.op_count(); ++op) {
      starts.push_back(program_.add_variable(0, 0, infinity));
    }
    const int end = program_.add_variable(1, 0, infinity);
    for (const ProgramEdge& edge : edges_) {
      const std::array<Term, 3> terms = {{{starts[edge.consumer.index()], 1},
                                          {starts[edge.producer.index()], -1},
                                          {edge.x, -edge.transfer_ps / unit_ps_}}};
      const std::size_t count = edge.transfer_ps > 0 ? 3 : 2;
      program_.add_row(std::span(terms).first(count), length(edge.producer));
    }
    for (const OpId op : IdRange<OpId>(problem_.op_count())) {
      const std::array<Term, 2> terms = {{{end, 1}, {starts[op.index()], -1}}};
      program_.add_row(terms, length(op));
    }
  }

  double length(OpId op) const { return costs_.op_ps[op.index()] / unit_ps_; }

  const Problem& problem_;
  const MeanCosts& costs_;
  double unit_ps_ = 1;
  std::vector<ProgramEdge> edges_;
  LinearProgram program_;
};

}  // namespace

std::optional<FavouriteChildren> favourites_by_program(const Problem& problem,
                                                       const MeanCosts& costs) {
  if (problem.op_count() > kMostOpsForProgram || !LinearProgram::solvable()) return std::nullopt;
  return Program(problem, costs).favourites();
}

}  // namespace placer
