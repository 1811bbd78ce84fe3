#include "sim/trace.hpp"

#include <algorithm>

namespace placer {

Trace::Trace(const CompactLayout& layout)
    : layout_(layout),
      inputs_(layout.edge_consumers.size()),
      steps_(layout.op_count()),
      arrivals_(layout.edge_consumers.size()),
      shifts_((layout.op_count() >> kBlockBits) + 1),
      step_of_(layout.op_count()) {
  std::vector<std::uint32_t> next(layout.first_input.begin(), layout.first_input.end() - 1);
  for (std::uint32_t op = 0; op < size(); ++op) {
    const std::uint32_t tensor = layout.first_tensor[op];
    first_edge_.push_back(tensor < layout.tensors.size()
                              ? layout.tensors[tensor].first_edge
                              : static_cast<std::uint32_t>(arrivals_.size()));
  }
  first_edge_.push_back(static_cast<std::uint32_t>(arrivals_.size()));
  for (std::uint32_t op = 0; op < size(); ++op) {
    for (std::uint32_t edge = first_edge(op); edge < first_edge(op + 1); ++edge) {
      inputs_[next[layout.edge_consumers[edge]]++] = {op, edge};
    }
  }
  clear();
}

void Trace::clear() {
  std::ranges::fill(shifts_, 0);
  std::uint32_t step = 0;
  const auto add = [&](std::uint32_t op) {
    steps_[step] = {.op = op};
    step_of_[op] = step++;
  };
  for (const std::uint32_t op : layout_.sources) add(op);
  steps_.front().pending = step;
  for (std::uint32_t op = 0; op < size(); ++op) {
    if (layout_.input_count[op] > 0) add(op);
  }
}

void Trace::write(std::size_t step, const Step& made, const Picoseconds* arrivals,
                  Picoseconds later_ps) {
  const Picoseconds by = later_ps - shift(step);
  steps_[step] = {made.op,          made.pending,      made.ready_ps + by,
                  made.end_ps + by, made.last_ps + by, made.latest_ps + by};
  step_of_[made.op] = static_cast<std::uint32_t>(step);
  for (std::uint32_t edge = first_edge(made.op); edge < first_edge(made.op + 1); ++edge) {
    arrivals_[edge] = *arrivals++ + by;
  }
}

void Trace::move(std::size_t first, Picoseconds later_ps) {
  if (later_ps == 0 || first >= size()) return;
  const std::size_t block = first >> kBlockBits;
  const std::size_t end = std::min(size(), (block + 1) << kBlockBits);
  for (std::size_t step = first; step < end; ++step) {
    Step& moved = steps_[step];
    moved.ready_ps += later_ps;
    moved.end_ps += later_ps;
    moved.last_ps += later_ps;
    moved.latest_ps += later_ps;
    for (std::uint32_t edge = first_edge(moved.op); edge < first_edge(moved.op + 1); ++edge) {
      arrivals_[edge] += later_ps;
    }
  }
  for (std::size_t after = block + 1; after < shifts_.size(); ++after) shifts_[after] += later_ps;
}

}  // namespace placer
