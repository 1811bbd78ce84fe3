#include <algorithm>
#include <map>
#include <tuple>

#include "search/groups/levels.hpp"

namespace placer {
namespace {

constexpr int kRounds = 4;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a + 0x9e3779b97f4a7c15 * (b + 1);  // splitmix64's finalizer
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t text_hash(const std::string& text) {
  std::uint64_t hash = text.size();
  for (const char c : text) hash = mix(hash, static_cast<unsigned char>(c));
  return hash;
}

/// What an op is, without where it stands.
std::vector<std::uint64_t> op_hashes(const Problem& problem) {
  const Graph& graph = problem.graph();
  std::vector<std::uint64_t> hashes;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const GroupId group = problem.groups().of(op);
    std::uint64_t hash = mix(text_hash(graph.op(op).type), problem.groups().allowed_set(group));
    hash = mix(hash, static_cast<std::uint64_t>(graph.op(op).params_bytes));
    for (const DeviceId device : problem.groups().allowed(group)) {
      hash = mix(hash, static_cast<std::uint64_t>(problem.costs().op_ps(op, device)));
    }
    for (const TensorId tensor : graph.outputs(op)) {
      hash = mix(hash, static_cast<std::uint64_t>(graph.tensor(tensor).bytes));
    }
    hashes.push_back(hash);
  }
  return hashes;
}

/// One more hop of surroundings; sums, so that the order of neighbours does not matter.
std::vector<std::uint64_t> look_around(const Graph& graph,
                                       const std::vector<std::uint64_t>& hashes) {
  std::vector<std::uint64_t> before(hashes.size(), 0), after(hashes.size(), 0);
  for (const Tensor& tensor : graph.tensors()) {
    const std::size_t producer = tensor.producer.index();
    for (const OpId consumer : tensor.consumers) {
      before[consumer.index()] += mix(hashes[producer], 1);
      after[producer] += mix(hashes[consumer.index()], 2);
    }
  }
  std::vector<std::uint64_t> wider;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    wider.push_back(mix(mix(hashes[i], before[i]), after[i]));
  }
  return wider;
}

}  // namespace

std::vector<std::size_t> op_depths(const Graph& graph) {
  std::vector<std::size_t> depth(graph.ops().size(), 0);
  for (const OpId op : graph.program_order()) {
    for (const TensorId input : graph.inputs(op)) {
      depth[op.index()] =
          std::max(depth[op.index()], depth[graph.tensor(input).producer.index()] + 1);
    }
  }
  return depth;
}

std::optional<Problem> tie_repeats(const Problem& problem) {
  const Groups& groups = problem.groups();
  std::vector<std::uint64_t> hashes = op_hashes(problem);
  for (int round = 0; round < kRounds; ++round) hashes = look_around(problem.graph(), hashes);
  const std::vector<std::size_t> depth = op_depths(problem.graph());

  using Kind = std::tuple<std::uint64_t, std::size_t>;           // hash, allowed set
  std::map<std::pair<Kind, std::size_t>, std::size_t> at_depth;  // seen so far
  std::map<std::pair<Kind, std::size_t>, GroupId> tied;          // kind and number at its depth
  std::vector<GroupId> group_of(problem.op_count(), GroupId(0));
  Watch watch(problem.deadline());
  for (const GroupId group : IdRange<GroupId>(groups.size())) {
    watch.check(16);
    std::uint64_t sum = 0;
    for (const OpId op : groups.ops(group)) sum += mix(hashes[op.index()], 3);
    const Kind kind{sum, groups.allowed_set(group)};
    const std::size_t number = at_depth[{kind, depth[groups.ops(group).front().index()]}]++;
    const GroupId into = tied.emplace(std::pair(kind, number), GroupId(tied.size())).first->second;
    for (const OpId op : groups.ops(group)) group_of[op.index()] = into;
  }
  if (tied.size() * 2 > groups.size()) return std::nullopt;
  return problem.with_groups(std::move(group_of));
}

}  // namespace placer
