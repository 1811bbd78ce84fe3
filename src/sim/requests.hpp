#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sim/compact_layout.hpp"
#include "sim/radix.hpp"
#include "sim/ready_queue.hpp"

namespace placer {

/// Tensors that wait to be sent, in the order in which shared channels serve them: by time, then by
/// id in the file.
class Requests {
 public:
  /// Reserves room for each tensor of `layout`, which has to outlive this object.
  explicit Requests(const CompactLayout& layout)
      : layout_(layout), keys_(layout.tensors.size()), first_transfer_(layout.tensors.size()) {
    std::uint32_t largest = 0;
    for (const std::uint32_t id : layout.tensor_id) largest = std::max(largest, id);
    id_bits_ = static_cast<int>(std::bit_width(largest));
    tensor_of_.resize(std::size_t{largest} + 1);
    for (std::uint32_t tensor = 0; tensor < layout.tensor_id.size(); ++tensor) {
      tensor_of_[layout.tensor_id[tensor]] = tensor;
    }
  }

  void clear() { queue_ = ReadyQueue<std::uint64_t>(keys_, {}); }
  bool empty() const { return queue_.empty(); }
  /// The time of the first request.
  Picoseconds time_ps() const { return static_cast<Picoseconds>(queue_.front() >> id_bits_); }
  /// Adds a request. Its transfers are written to the step's record from `first_transfer` on.
  void push(std::uint32_t tensor, Picoseconds time_ps, std::size_t first_transfer) {
    first_transfer_[tensor] = static_cast<std::uint32_t>(first_transfer);
    queue_.push(static_cast<std::uint64_t>(time_ps) << id_bits_ | layout_.tensor_id[tensor]);
  }
  std::uint32_t pop() { return tensor_of_[queue_.pop() & ((std::uint64_t{1} << id_bits_) - 1)]; }
  std::uint32_t first_transfer(std::uint32_t tensor) const { return first_transfer_[tensor]; }
  /// False where a time does not fit the keys, so that the requests were not served in their order.
  bool in_order_until(Picoseconds step_ps) const { return fits_above(id_bits_, step_ps); }

 private:
  const CompactLayout& layout_;
  int id_bits_ = 0;
  std::vector<std::uint64_t> keys_;            // time << id bits | id in the file
  ReadyQueue<std::uint64_t> queue_;            // in keys_
  std::vector<std::uint32_t> tensor_of_;       // by id in the file
  std::vector<std::uint32_t> first_transfer_;  // by tensor
};

}  // namespace placer
