#include "sim/successor_queues.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace placer {
namespace {

// Mayer, Mayer, Laich 2017, as their published simulator has them.
constexpr std::int64_t kAny = 1, kElsewhere = 1, kBecomesReady = 1, kFeedsIdle = 5;

}  // namespace

SuccessorQueues::SuccessorQueues(const CompactLayout& layout, const State& state)
    : layout_(layout),
      state_(state),
      nodes_(layout.op_count()),
      first_kind_(layout.devices),
      waiting_(layout.devices),
      is_idle_(layout.devices),
      changed_set_(layout.devices) {
  changed_.reserve(layout.devices);
  find_successors();
  find_predecessors();
  std::uint32_t most_successors = 0;
  for (std::uint32_t op = 0; op < layout.op_count(); ++op) {
    most_successors = std::max(most_successors, first_successor_[op + 1] - first_successor_[op]);
  }
  targets_.reserve(most_successors);
  kinds_.reserve(layout.devices + successors_.size());
}

void SuccessorQueues::find_successors() {
  std::vector<std::uint32_t> at(layout_.op_count(), kNone);  // in successors_, of this op's
  std::uint32_t edge = 0;
  for (std::uint32_t op = 0; op < layout_.op_count(); ++op) {
    const std::size_t first = successors_.size();
    first_successor_.push_back(static_cast<std::uint32_t>(first));
    for (std::uint32_t t = layout_.first_tensor[op]; t < layout_.first_tensor[op + 1]; ++t) {
      for (; edge < layout_.tensors[t].end_edge; ++edge) {
        const std::uint32_t consumer = layout_.edge_consumers[edge];
        if (at[consumer] == kNone) {
          at[consumer] = static_cast<std::uint32_t>(successors_.size());
          successors_.push_back({consumer, 0});
        }
        ++successors_[at[consumer]].inputs;
      }
    }
    for (std::size_t i = first; i < successors_.size(); ++i) at[successors_[i].op] = kNone;
  }
  first_successor_.push_back(static_cast<std::uint32_t>(successors_.size()));
}

void SuccessorQueues::find_predecessors() {
  first_predecessor_.assign(layout_.op_count() + 1, 0);
  for (const Neighbour& successor : successors_) ++first_predecessor_[successor.op + 1];
  std::partial_sum(first_predecessor_.begin(), first_predecessor_.end(),
                   first_predecessor_.begin());
  std::vector<std::uint32_t> next(first_predecessor_.begin(), first_predecessor_.end() - 1);
  predecessors_.resize(successors_.size());
  for (std::uint32_t op = 0; op < layout_.op_count(); ++op) {
    for (std::uint32_t i = first_successor_[op]; i < first_successor_[op + 1]; ++i) {
      predecessors_[next[successors_[i].op]++] = {op, successors_[i].inputs};
    }
  }
  for (std::uint32_t op = 0; op < layout_.op_count(); ++op) {
    std::sort(predecessors_.begin() + first_predecessor_[op],
              predecessors_.begin() + first_predecessor_[op + 1],
              [](const Neighbour& a, const Neighbour& b) { return a.inputs < b.inputs; });
  }
}

void SuccessorQueues::clear() {
  for (Node& node : nodes_) node.kind = kNone;
  kinds_.assign(layout_.devices, {.parent = kNone, .to = kNone});
  std::ranges::fill(first_kind_, kNone);
  std::ranges::fill(waiting_, 0);
  std::ranges::fill(is_idle_, 1);
  changed_set_.clear();
  changed_.clear();
}

void SuccessorQueues::push(std::uint32_t op) {
  const std::uint32_t device = state_.ops[op].device;
  nodes_[op].rank = 0;
  targets_.clear();
  for (std::uint32_t i = first_successor_[op]; i < first_successor_[op + 1]; ++i) {
    const auto [successor, inputs] = successors_[i];
    const std::uint32_t to = state_.ops[successor].device;
    nodes_[op].rank += to == device ? kAny : kAny + kElsewhere;
    if (to == device || state_.ops[successor].missing > inputs) continue;
    nodes_[op].rank += kBecomesReady;
    targets_.push_back(to);
  }
  std::ranges::sort(targets_);
  std::uint32_t kind = device;
  for (const std::uint32_t to : targets_) kind = kind_with(kind, to);
  insert(op, kind);
  change_waiting(device, 1);
}

void SuccessorQueues::change_waiting(std::uint32_t device, int by) {
  waiting_[device] += by;
  if (changed_set_.add(device)) changed_.push_back(device);
}

void SuccessorQueues::delivered(std::uint32_t op) {
  // Of a predecessor that waits all outputs are missing: only one that makes just as many as are
  // missing makes the op ready, and there is at most one.
  const std::uint32_t missing = state_.ops[op].missing;
  const auto end = predecessors_.begin() + first_predecessor_[op + 1];
  auto at = std::lower_bound(predecessors_.begin() + first_predecessor_[op], end, missing,
                             [](const Neighbour& a, std::uint32_t b) { return a.inputs < b; });
  while (at != end && at->inputs == missing && nodes_[at->op].kind == kNone) ++at;
  if (at == end || at->inputs != missing) return;
  const std::uint32_t maker = at->op;
  const std::uint32_t to = state_.ops[op].device;
  if (state_.ops[maker].device == to) return;
  const std::uint32_t kind = kind_with(nodes_[maker].kind, to);
  remove(maker);
  nodes_[maker].rank += kBecomesReady;
  insert(maker, kind);
}

void SuccessorQueues::begin_round() {
  for (const std::uint32_t device : changed_) {
    is_idle_[device] = waiting_[device] == 0 ? 1 : 0;
  }
  changed_.clear();
  changed_set_.clear();
}

std::optional<std::uint32_t> SuccessorQueues::pop(std::uint32_t device) {
  std::uint32_t best = kNone;
  std::int64_t best_rank = 0;
  for (std::uint32_t* link = &first_kind_[device]; *link != kNone;) {
    Kind& kind = kinds_[*link];
    if (kind.top == kNone) {
      kind.is_listed = false;
      *link = kind.next_listed;
      continue;
    }
    const std::int64_t rank = nodes_[kind.top].rank + idle_rank(*link);
    const bool is_better =
        best == kNone || rank > best_rank || (rank == best_rank && comes_before(kind.top, best));
    if (is_better) std::tie(best, best_rank) = std::pair(kind.top, rank);
    link = &kind.next_listed;
    ++steps_;
  }
  if (best == kNone) return std::nullopt;
  remove(best);
  nodes_[best].kind = kNone;
  change_waiting(device, -1);
  return best;
}

/// The kind that makes one op more ready, on device `to`.
std::uint32_t SuccessorQueues::kind_with(std::uint32_t kind, std::uint32_t to) {
  for (std::uint32_t child = kinds_[kind].first_child; child != kNone;
       child = kinds_[child].next_sibling) {
    if (kinds_[child].to == to) return child;
  }
  const auto made = static_cast<std::uint32_t>(kinds_.size());
  kinds_.push_back({.parent = kind, .to = to, .next_sibling = kinds_[kind].first_child});
  kinds_[kind].first_child = made;
  return made;
}

/// What idle devices add to the ranks of a kind.
std::int64_t SuccessorQueues::idle_rank(std::uint32_t kind) const {
  std::int64_t rank = 0;
  for (; kinds_[kind].parent != kNone; kind = kinds_[kind].parent) {
    if (is_idle_[kinds_[kind].to] != 0) rank += kFeedsIdle;
  }
  return rank;
}

/// Of ops of one successor rank.
bool SuccessorQueues::comes_before(std::uint32_t a, std::uint32_t b) const {
  const auto merits = [this](std::uint32_t op) {
    return std::tuple(-state_.ranks[op], state_.ready_ps[op], layout_.id_of[op]);
  };
  return merits(a) < merits(b);
}

/// The heap of two, either of which may be empty.
std::uint32_t SuccessorQueues::merged(std::uint32_t a, std::uint32_t b) {
  std::uint32_t top = kNone, parent = kNone;
  std::uint32_t* link = &top;
  while (a != kNone && b != kNone) {
    const std::int64_t lead = nodes_[a].rank - nodes_[b].rank;
    if (lead < 0 || (lead == 0 && comes_before(b, a))) std::swap(a, b);
    Node& first = nodes_[a];
    first.parent = std::exchange(parent, a);
    *link = a;
    a = std::exchange(first.right, first.left);
    link = &first.left;
  }
  *link = a == kNone ? b : a;
  if (*link != kNone) nodes_[*link].parent = parent;
  return top;
}

void SuccessorQueues::insert(std::uint32_t op, std::uint32_t kind) {
  nodes_[op].kind = kind;
  nodes_[op].left = nodes_[op].right = kNone;
  Kind& own = kinds_[kind];
  own.top = merged(own.top, op);
  if (std::exchange(own.is_listed, true)) return;
  own.next_listed = std::exchange(first_kind_[state_.ops[op].device], kind);
}

void SuccessorQueues::remove(std::uint32_t op) {
  const Node& node = nodes_[op];
  const std::uint32_t rest = merged(node.left, node.right);
  if (rest != kNone) nodes_[rest].parent = node.parent;
  if (node.parent == kNone) {
    kinds_[node.kind].top = rest;
    return;
  }
  Node& parent = nodes_[node.parent];
  (parent.left == op ? parent.left : parent.right) = rest;
}

}  // namespace placer
