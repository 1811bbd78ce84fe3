#include "search/bounds/least_copies.hpp"

#include <algorithm>

namespace placer {

std::vector<Picoseconds> least_copies_ps(const Problem& problem) {
  std::vector<Picoseconds> copies_ps;
  const std::size_t speeds = problem.topology().speeds().size();
  for (const TensorId tensor : IdRange<TensorId>(problem.graph().tensors().size())) {
    Picoseconds& least_ps = copies_ps.emplace_back(0);
    if (problem.graph().tensor(tensor).bytes == 0) continue;
    for (std::size_t speed = 0; speed < speeds; ++speed) {
      const Picoseconds copy_ps = problem.costs().transfer_ps(tensor, speed);
      least_ps = speed == 0 ? copy_ps : std::min(least_ps, copy_ps);
    }
  }
  return copies_ps;
}

}  // namespace placer
