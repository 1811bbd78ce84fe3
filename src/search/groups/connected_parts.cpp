#include "search/groups/connected_parts.hpp"

#include <utility>

namespace placer {
namespace {

/// Appends what can be reached from `root` and was not seen, each after all that follows it.
void append_postorder(const IndexLists& arcs, std::uint32_t root, std::vector<char>& seen,
                      std::vector<std::uint32_t>& order, Watch& watch) {
  if (std::exchange(seen[root], 1) != 0) return;
  std::vector<std::pair<std::uint32_t, std::size_t>> path = {{root, 0}};
  while (!path.empty()) {
    watch.check();
    auto& [node, next] = path.back();
    if (next == arcs[node].size()) {
      order.push_back(node);
      path.pop_back();
      continue;
    }
    const std::uint32_t to = arcs[node][next++];
    if (std::exchange(seen[to], 1) == 0) path.emplace_back(to, 0);
  }
}

}  // namespace

std::vector<std::uint32_t> postorder(const IndexLists& arcs, Watch& watch) {
  std::vector<char> seen(arcs.size(), 0);
  std::vector<std::uint32_t> order;
  for (std::uint32_t node = 0; node < arcs.size(); ++node) {
    append_postorder(arcs, node, seen, order, watch);
  }
  return order;
}

ConnectedParts connected_parts(const IndexLists& arcs, Watch& watch) {
  const IndexLists back = arcs.transposed();
  const std::vector<std::uint32_t> order = postorder(arcs, watch);
  ConnectedParts parts{std::vector<std::uint32_t>(arcs.size())};
  std::vector<char> seen(arcs.size(), 0);
  std::vector<std::uint32_t> found;
  for (auto root = order.rbegin(); root != order.rend(); ++root) {
    found.clear();
    append_postorder(back, *root, seen, found, watch);
    for (const std::uint32_t node : found) parts.of[node] = parts.count;
    if (!found.empty()) ++parts.count;
  }
  return parts;
}

}  // namespace placer
