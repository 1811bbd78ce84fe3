#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/compact_layout.hpp"

namespace placer {

/// What each device would hold at the end of a step if it never freed anything: no step holds more.
class HeldBytes {
 public:
  HeldBytes(const CompactLayout& layout, const std::vector<std::uint32_t>& device_of)
      : layout_(&layout), device_of_(&device_of), bytes_(layout.devices) {}

  void clear() { std::ranges::fill(bytes_, 0); }
  void add(std::uint32_t op) { change(op, 1); }
  void remove(std::uint32_t op) { change(op, -1); }
  bool surely_fits() const {
    return std::ranges::equal(bytes_, layout_->capacity_bytes, std::ranges::less_equal());
  }

 private:
  /// Adds or takes away what the op keeps on its own device, and the copies that it sends to
  /// others.
  void change(std::uint32_t op, std::int64_t sign) {
    const std::uint32_t device = (*device_of_)[op];
    bytes_[device] += sign * layout_->op_bytes[op];
    for (std::uint32_t t = layout_->first_tensor[op]; t < layout_->first_tensor[op + 1]; ++t) {
      const CompactLayout::Tensor& tensor = layout_->tensors[t];
      std::uint64_t receivers = 0;
      for (std::uint32_t edge = tensor.first_edge; edge < tensor.end_edge; ++edge) {
        receivers |= std::uint64_t{1} << (*device_of_)[layout_->edge_consumers[edge]];
      }
      receivers &= ~(std::uint64_t{1} << device);
      for (; receivers != 0; receivers &= receivers - 1) {
        bytes_[static_cast<std::size_t>(std::countr_zero(receivers))] += sign * tensor.bytes;
      }
    }
  }

  const CompactLayout* layout_;
  const std::vector<std::uint32_t>* device_of_;
  std::vector<std::int64_t> bytes_;  // by device
};

}  // namespace placer
