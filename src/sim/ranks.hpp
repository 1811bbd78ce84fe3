#pragma once

#include <algorithm>
#include <vector>

#include "sim/compact_layout.hpp"

namespace placer {

/// `upward_ranks` by the layout's numbers; `device_of(op)` tells the placement, and
/// `transfer_ps(tensor, from, to)` the time of a transfer, which counts between different devices
/// only; `ranks` has one entry for each op.
template <class DeviceOf, class TransferPs>
void fill_upward_ranks(const CompactLayout& layout, DeviceOf device_of, TransferPs transfer_ps,
                       std::vector<Picoseconds>& ranks) {
  for (auto op = static_cast<std::uint32_t>(layout.op_count()); op-- > 0;) {
    const std::uint32_t from = device_of(op);
    Picoseconds longest = 0;
    for (std::uint32_t t = layout.first_tensor[op]; t < layout.first_tensor[op + 1]; ++t) {
      const CompactLayout::Tensor& tensor = layout.tensors[t];
      for (std::uint32_t edge = tensor.first_edge; edge < tensor.end_edge; ++edge) {
        const std::uint32_t consumer = layout.edge_consumers[edge];
        const std::uint32_t to = device_of(consumer);
        const Picoseconds sent_ps = transfer_ps(t, from, to);
        longest = std::max(longest, ranks[consumer] + (to == from ? 0 : sent_ps));
      }
    }
    ranks[op] = layout.op_ps(op, from) + longest;
  }
}

}  // namespace placer
