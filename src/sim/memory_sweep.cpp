// Peaks from the known times of a step; the same as following memory event by event:
// * Of an output, the op's start allocates; of a copy, the begin of its transfer. An output is
//   freed by whatever ends last of its op, its local consumers and its transfers; a copy by the
//   last local consumer. So every free is the end of an op on that device or of a transfer from it.
// * An op on the device is the last consumer, or a transfer is: equal times need no order, since
//   what happens at one instant is summed before it counts.
// * What is still held at the end of the step, `keep` and parameters, is never freed here, and the
//   last instant, at which the rest is freed, is not looked at.
#include "sim/memory_sweep.hpp"

#include <algorithm>
#include <bit>

#include "sim/radix.hpp"

namespace placer {

MemorySweep::MemorySweep(const CompactLayout& layout)
    : layout_(layout),
      freed_bytes_(layout.op_count()),
      held_(layout.devices),
      last_end_ps_(layout.devices),
      last_op_(layout.devices) {
  const std::size_t most_events = 2 * layout.edge_consumers.size();
  events_.reserve(most_events);
  scratch_.reserve(most_events);
}

std::optional<std::int64_t> MemorySweep::overflow_bytes(const StepRecord& record,
                                                        const std::vector<OpState>& ops,
                                                        std::uint64_t devices,
                                                        Picoseconds step_ps) {
  if (!collect(record, ops, devices, step_ps)) return std::nullopt;
  sort_events();
  for (const std::uint32_t op : record.order) {
    const std::uint32_t device = ops[op].device;
    if ((devices >> device & 1) == 0) continue;
    Held& held = held_[device];
    const Picoseconds end_ps = record.end_ps[op];
    const Picoseconds start_ps = end_ps - layout_.op_ps(op, device);
    catch_up(held, start_ps);
    apply(held, start_ps, layout_.start_bytes[op]);
    catch_up(held, end_ps);
    apply(held, end_ps, -layout_.end_bytes[op] - freed_bytes_[op]);
  }
  std::int64_t overflow_bytes = 0;
  for (std::uint64_t left = devices; left != 0; left &= left - 1) {
    const auto device = static_cast<std::size_t>(std::countr_zero(left));
    catch_up(held_[device], kAnyTime);
    apply(held_[device], step_ps, 0);
    overflow_bytes +=
        std::max<std::int64_t>(0, held_[device].peak_bytes - layout_.capacity_bytes[device]);
  }
  return overflow_bytes;
}

/// Parameters, what each op's end frees, and the events that transfers cause.
bool MemorySweep::collect(const StepRecord& record, const std::vector<OpState>& ops,
                          std::uint64_t devices, Picoseconds step_ps) {
  devices_ = devices;
  time_bits_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(step_ps)));
  if (time_bits_ + static_cast<int>(std::bit_width(layout_.devices)) > 64) return false;
  events_.clear();
  std::ranges::fill(freed_bytes_, 0);
  std::ranges::fill(held_, Held{});
  std::size_t transfer = 0;
  for (const std::uint32_t op : record.order) {
    held_[ops[op].device].bytes += layout_.op_bytes[op] - layout_.start_bytes[op];
    for (std::uint32_t t = layout_.first_tensor[op]; t < layout_.first_tensor[op + 1]; ++t) {
      transfer = collect_tensor(record, ops, t, transfer);
    }
  }
  for (Held& held : held_) held.peak_bytes = held.bytes;
  return true;
}

/// `transfer` is the tensor's first, if it has any; returns the next tensor's.
std::size_t MemorySweep::collect_tensor(const StepRecord& record, const std::vector<OpState>& ops,
                                        std::uint32_t tensor, std::size_t transfer) {
  const auto [bytes, first_edge, end_edge] = layout_.tensors[tensor];
  if (bytes == 0) return transfer;
  const std::uint32_t producer = layout_.producer[tensor];
  const std::uint32_t from = ops[producer].device;
  std::size_t end = transfer;
  for (; end < record.transfers.size() && record.transfers[end].tensor == tensor; ++end) {
    last_end_ps_[record.transfers[end].to] = -1;
  }
  last_op_[from] = producer;
  last_end_ps_[from] = record.end_ps[producer];
  for (std::uint32_t edge = first_edge; edge < end_edge; ++edge) {
    const std::uint32_t consumer = layout_.edge_consumers[edge];
    const std::uint32_t device = ops[consumer].device;
    if (record.end_ps[consumer] <= last_end_ps_[device]) continue;
    last_end_ps_[device] = record.end_ps[consumer];
    last_op_[device] = consumer;
  }
  Picoseconds last_transfer_ps = -1;
  for (; transfer < end; ++transfer) {
    const StepRecord::Transfer& sent = record.transfers[transfer];
    last_transfer_ps = std::max(last_transfer_ps, sent.end_ps);
    add_event(sent.to, sent.begin_ps, bytes);
    freed_bytes_[last_op_[sent.to]] += bytes;
  }
  if (layout_.keep[tensor] != 0) return end;
  if (last_transfer_ps > last_end_ps_[from]) {
    add_event(from, last_transfer_ps, -bytes);
  } else {
    freed_bytes_[last_op_[from]] += bytes;
  }
  return end;
}

void MemorySweep::add_event(std::uint32_t device, Picoseconds time_ps, std::int64_t bytes) {
  if ((devices_ >> device & 1) == 0) return;
  events_.push_back(
      {std::uint64_t{device} << time_bits_ | static_cast<std::uint64_t>(time_ps), bytes});
}

/// By device, then time, and gives each device its part.
void MemorySweep::sort_events() {
  scratch_.resize(events_.size());
  const int end_bit = time_bits_ + static_cast<int>(std::bit_width(layout_.devices));
  sorted_ = radix_sort(std::span(events_), std::span(scratch_), 0, end_bit,
                       [](const Event& event) { return event.key; });
  for (std::size_t at = 0; at < sorted_.size(); ++at) {
    Held& held = held_[sorted_[at].key >> time_bits_];
    if (held.end == 0) held.next = at;
    held.end = at + 1;
  }
}

void MemorySweep::catch_up(Held& held, Picoseconds until_ps) const {
  const std::uint64_t time_mask = (std::uint64_t{1} << time_bits_) - 1;
  for (; held.next < held.end; ++held.next) {
    const auto [key, bytes] = sorted_[held.next];
    const auto time_ps = static_cast<Picoseconds>(key & time_mask);
    if (time_ps > until_ps) return;
    apply(held, time_ps, bytes);
  }
}

/// Once time moves on, what was held after the instant before counts.
void MemorySweep::apply(Held& held, Picoseconds time_ps, std::int64_t bytes) {
  if (time_ps > held.now_ps) held.peak_bytes = std::max(held.peak_bytes, held.bytes);
  held.now_ps = time_ps;
  held.bytes += bytes;
}

}  // namespace placer
