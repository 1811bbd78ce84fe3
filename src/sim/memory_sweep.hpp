#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/compact_layout.hpp"

namespace placer {

/// What is known of an op before and after its commit.
struct OpState {
  std::int64_t ready;     // the last arrival so far (Moment)
  std::uint32_t missing;  // inputs
  std::uint32_t device;
};

/// The times of a step, as far as memory depends on them.
struct StepRecord {
  struct Transfer {
    std::uint32_t tensor, to;
    Picoseconds begin_ps, end_ps;
  };
  std::vector<std::uint32_t> order;  // of commits: each device's ops as it runs them
  std::vector<Picoseconds> end_ps;   // by op
  std::vector<Transfer> transfers;   // as sent: by producer in that order, then by tensor
};

/// Finds what devices hold, once the times of a step are known. The allocations and frees by a
/// device's own ops are in order, as the ops are; those that transfers cause are sorted and merged
/// with them.
class MemorySweep {
 public:
  explicit MemorySweep(const CompactLayout& layout);

  /// By how many bytes the peaks of `devices`, a set of bits, are above their capacities, all
  /// together. Empty where a time does not fit a key. `ops` says on which device each op runs.
  std::optional<std::int64_t> overflow_bytes(const StepRecord& record,
                                             const std::vector<OpState>& ops, std::uint64_t devices,
                                             Picoseconds step_ps);

 private:
  struct Event {
    std::uint64_t key;  // device, time
    std::int64_t bytes;
  };
  struct Held {  // by a device
    std::int64_t bytes, peak_bytes;
    Picoseconds now_ps;
    std::size_t next, end;  // its part of the sorted events
  };

  bool collect(const StepRecord& record, const std::vector<OpState>& ops, std::uint64_t devices,
               Picoseconds step_ps);
  std::size_t collect_tensor(const StepRecord& record, const std::vector<OpState>& ops,
                             std::uint32_t tensor, std::size_t transfer);
  void add_event(std::uint32_t device, Picoseconds time_ps, std::int64_t bytes);
  void sort_events();
  void catch_up(Held& held, Picoseconds until_ps) const;
  static void apply(Held& held, Picoseconds time_ps, std::int64_t bytes);

  const CompactLayout& layout_;
  std::uint64_t devices_ = 0;
  int time_bits_ = 0;                      // of a key; the device is above
  std::vector<std::int64_t> freed_bytes_;  // by op: by its end, as the last consumer
  std::vector<Event> events_, scratch_;
  std::span<const Event> sorted_;
  std::vector<Held> held_;
  std::vector<Picoseconds> last_end_ps_;  // by device: of the consumers of one tensor
  std::vector<std::uint32_t> last_op_;
};

}  // namespace placer
