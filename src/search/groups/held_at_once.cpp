#include "search/groups/held_at_once.hpp"

#include <algorithm>
#include <numeric>

namespace placer {
namespace {

constexpr std::size_t kMostInstants = 16;
constexpr std::size_t kMostWalked = 2'000'000;  // through the graph

class Instants {
 public:
  explicit Instants(const Problem& problem)
      : problem_(problem), graph_(problem.graph()), side_(problem.op_count(), Side::kNeither) {
    for (const Op& op : graph_.ops()) params_bytes_ += op.params_bytes;
  }

  std::optional<HeldAtOnce> fullest(std::int64_t enough_bytes) {
    const std::vector<std::int64_t> promised = promised_bytes();
    std::vector<OpId> ops;
    for (const OpId op : IdRange<OpId>(problem_.op_count())) {
      if (problem_.fastest_ps(op) > 0) ops.push_back(op);
    }
    const std::size_t steps = problem_.op_count() + graph_.edge_count() + 1;
    const std::size_t most = std::clamp<std::size_t>(kMostWalked / steps, 1, kMostInstants);
    const auto end = ops.begin() + static_cast<std::ptrdiff_t>(std::min(most, ops.size()));
    std::ranges::partial_sort(ops, end, std::greater<>(),
                              [&](OpId op) { return promised[op.index()]; });
    std::optional<HeldAtOnce> fullest;
    std::int64_t most_bytes = enough_bytes;
    Watch watch(problem_.deadline());
    for (auto op = ops.begin(); op != end && promised[op->index()] > most_bytes; ++op) {
      watch.check(steps);
      HeldAtOnce held = at(*op);
      const std::int64_t bytes =
          std::accumulate(held.bytes.begin(), held.bytes.end(), std::int64_t{0});
      if (bytes <= most_bytes) continue;
      most_bytes = bytes;
      fullest = std::move(held);
    }
    return fullest;
  }

 private:
  enum class Side : char { kNeither, kBefore, kAfter };

  /// By op: no less than what is held for certain while it runs, as topological order has it.
  std::vector<std::int64_t> promised_bytes() const {
    const std::vector<OpId>& order = graph_.program_order();
    std::vector<std::int64_t> change(order.size() + 1, 0);
    for (const Tensor& tensor : graph_.tensors()) {
      const std::size_t first = graph_.program_position(tensor.producer);
      std::size_t last = tensor.keep ? order.size() - 1 : first;
      for (const OpId consumer : tensor.consumers) {
        last = std::max(last, graph_.program_position(consumer));
      }
      change[first] += tensor.bytes;
      change[last + 1] -= tensor.bytes;
    }
    std::vector<std::int64_t> promised(order.size());
    std::int64_t held_bytes = params_bytes_;
    for (std::size_t at = 0; at < order.size(); ++at) {
      held_bytes += change[at];
      promised[order[at].index()] = held_bytes + graph_.op(order[at]).temp_bytes;
    }
    return promised;
  }

  HeldAtOnce at(OpId running) {
    mark(running);
    HeldAtOnce held{.op = running, .bytes = std::vector<std::int64_t>(problem_.groups().size(), 0)};
    const auto add = [&](GroupId group, std::int64_t bytes) { held.bytes[group.index()] += bytes; };
    for (const OpId op : IdRange<OpId>(problem_.op_count())) {
      add(problem_.groups().of(op), graph_.op(op).params_bytes);
    }
    add(problem_.groups().of(running), graph_.op(running).temp_bytes);
    for (const Tensor& tensor : graph_.tensors()) {
      if (!is_made(tensor.producer, running) || tensor.bytes == 0) continue;
      if (const std::optional<GroupId> holder = holder_of(tensor, running)) {
        add(*holder, tensor.bytes);
      } else if (is_read_later(tensor, running)) {
        held.open_bytes += tensor.bytes;
      }
    }
    return held;
  }

  bool is_made(OpId op, OpId running) const {
    return op == running || side_[op.index()] == Side::kBefore;
  }
  bool is_unread(OpId op, OpId running) const {
    return op == running || side_[op.index()] == Side::kAfter;
  }
  bool is_read_later(const Tensor& tensor, OpId running) const {
    return std::ranges::any_of(tensor.consumers,
                               [&](OpId consumer) { return is_unread(consumer, running); });
  }

  /// A group on whose device the tensor, which is made, is for certain.
  std::optional<GroupId> holder_of(const Tensor& tensor, OpId running) {
    const Groups& groups = problem_.groups();
    const GroupId maker = groups.of(tensor.producer);
    if (tensor.keep || tensor.producer == running) return maker;
    have_.clear();
    for (const OpId consumer : tensor.consumers) {
      if (is_made(consumer, running)) have_.push_back(groups.of(consumer));
    }
    std::ranges::sort(have_);
    std::optional<GroupId> holder;
    for (const OpId consumer : tensor.consumers) {
      if (!is_unread(consumer, running)) continue;
      const GroupId group = groups.of(consumer);
      if (group == maker) return maker;
      if (std::ranges::binary_search(have_, group)) holder = group;
    }
    return holder;
  }

  /// Which ops end before `running` begins, and which begin after it ends.
  void mark(OpId running) {
    std::ranges::fill(side_, Side::kNeither);
    const std::vector<OpId>& order = graph_.program_order();
    const auto at = order.begin() + static_cast<std::ptrdiff_t>(graph_.program_position(running));
    for (auto op = std::make_reverse_iterator(at); op != order.rend(); ++op) {
      const auto is_read = [&](TensorId output) {
        return std::ranges::any_of(graph_.tensor(output).consumers,
                                   [&](OpId reader) { return is_made(reader, running); });
      };
      if (std::ranges::any_of(graph_.outputs(*op), is_read)) side_[op->index()] = Side::kBefore;
    }
    for (auto op = at + 1; op != order.end(); ++op) {
      const auto is_late = [&](TensorId input) {
        return is_unread(graph_.tensor(input).producer, running);
      };
      if (std::ranges::any_of(graph_.inputs(*op), is_late)) side_[op->index()] = Side::kAfter;
    }
  }

  const Problem& problem_;
  const Graph& graph_;
  std::vector<Side> side_;
  std::vector<GroupId> have_;  // the tensor at hand
  std::int64_t params_bytes_ = 0;
};

}  // namespace

std::optional<HeldAtOnce> fullest_instant(const Problem& problem, std::int64_t enough_bytes) {
  return Instants(problem).fullest(enough_bytes);
}

}  // namespace placer
