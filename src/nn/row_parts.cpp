#include "nn/row_parts.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "nn/shared_out.hpp"

namespace placer::nn {
namespace {

using Parts = std::span<const std::unique_ptr<Tape>>;

// Of a part: each reads all weights, and a thread that sleeps is late.
constexpr Index kLeastRows = 4, kLeastCost = 1 << 22;

RowRange range_of(Index part, Index parts, Index rows) {
  const Index first = rows * part / parts;
  return {first, rows * (part + 1) / parts - first};
}

/// work(tape, range) for each part, side by side.
template <class Work>
void for_parts(Parts parts, Index rows, const Work& work) {
  const auto count = static_cast<int>(parts.size());
  const bool others = tbb::this_task_arena::max_concurrency() > count;
  const auto one = [&](int part) {
    std::optional<Alone> alone;
    if (!others) alone.emplace();
    work(*parts[static_cast<std::size_t>(part)], range_of(part, count, rows));
  };
  tbb::parallel_for(0, count, one, tbb::static_partitioner());
}

/// Does what the parts have put off, operation by operation, each part after part: rows in the
/// order in which a single tape has them.
void take_put_off(Tape& whole, Parts parts) {
  const PutOff& first = parts.front()->put_off();
  for (std::size_t i = 0; i < first.products.size(); ++i) {
    for (const auto& part : parts) whole.add_transposed_product(part->put_off().products[i]);
  }
  for (std::size_t i = 0; i < first.row_sums.size(); ++i) {
    for (const auto& part : parts) part->put_off().row_sums[i].add();
  }
  std::vector<ScoreDerivatives> scores;
  for (std::size_t i = 0; i < first.scores.size(); ++i) {
    for (const auto& part : parts) scores.push_back(part->put_off().scores[i]);
  }
  if (!scores.empty()) additive_scores_backward(scores);
  for (const auto& part : parts) part->put_off().clear();
}

/// Transposed, the factors that the parts' forward pass has multiplied by.
void lay_out_transposed(Tape& whole, Parts parts) {
  for (std::uint32_t i = 0; i < parts.front()->size(); ++i) {
    const Node& factor = parts.front()->node(i);
    if (!factor.lent || factor.packed == nullptr) continue;
    whole.lay_out_transposed(factor.lender);
    for (const auto& part : parts) part->borrow_layout(i, whole.node(factor.lender));
  }
}

/// indices: rows, the first part, how many parts
void backward_of_parts(Tape& whole, const Node& node) {
  const Index rows = node.indices[0];
  const Parts parts = whole.parts().subspan(at(node.indices[1]), at(node.indices[2]));
  lay_out_transposed(whole, parts);
  const Index steps = node.rows / rows;
  for_parts(parts, rows, [&](Tape& part, RowRange range) {
    Matrix gradient(steps * range.count, node.columns);
    for (Index step = 0; step < steps; ++step) {
      gradient.middleRows(step * range.count, range.count) =
          node.gradients().middleRows(step * rows + range.first, range.count);
    }
    part.backward(part.last(), gradient);
  });
  take_put_off(whole, parts);
}

/// A node of `whole` for the results of its last parts, which are their last nodes.
Var joined(Tape& whole, Parts parts, Index rows) {
  std::vector<Var> inputs;
  const Tape& any = *parts.front();
  for (std::uint32_t i = 0; i < any.size(); ++i) {
    if (any.node(i).lender != Node::kOwn) inputs.push_back(whole.var(any.node(i).lender));
  }
  const Node& first = any.node(any.size() - 1);
  const Index steps = first.rows / range_of(0, at(parts.size()), rows).count;
  Node& made = whole.make(steps * rows, first.columns, inputs, backward_of_parts);
  const std::array<Index, 3> which = {rows, &parts.front() - whole.parts().data(),
                                      at(parts.size())};
  made.indices = whole.keep(which);
  for (Index i = 0; i < at(parts.size()); ++i) {
    const RowRange range = range_of(i, at(parts.size()), rows);
    const ConstView from = parts[at(i)]->last().value();
    for (Index step = 0; step < steps; ++step) {
      made.values().middleRows(step * rows + range.first, range.count) =
          from.middleRows(step * range.count, range.count);
    }
  }
  return whole.last();
}

}  // namespace

Var in_row_parts(Tape& whole, Index rows, Index cost,
                 const std::function<Var(Tape&, RowRange)>& body) {
  const Index threads = tbb::this_task_arena::max_concurrency();
  const Index count = std::min({threads, rows / kLeastRows, rows * cost / kLeastCost});
  if (count <= 1) return body(whole, {0, rows});
  const Parts parts = whole.start_parts(at(count));
  for_parts(parts, rows, body);
  return joined(whole, parts, rows);
}

}  // namespace placer::nn
