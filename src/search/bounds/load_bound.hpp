#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placer/base/deadline.hpp"
#include "placer/base/units.hpp"
#include "placer/model/problem.hpp"
#include "search/lists/linear_program.hpp"

namespace placer {

/// Items of work to be shared out among devices. For any prices p_d, m_d, q_k >= 0
/// of a picosecond and a byte on each device and of a picosecond on each path,
///   T (sum_d p_d slots_d + sum_k q_k) >=
///       sum over items of min_d (p_d work + m_d bytes + sum_k q_k path_k) - sum_d m_d memory_d,
/// as p_d load_d <= p_d slots_d T, a path's ops run one after the other and what is held fits.
/// Multiplicative weights look for good prices in floating point; the bound on T is worked out in
/// integers. Identical devices, and where there are many devices, those that are alike, are one
/// pool with all of their slots and memory, at one price.
class LoadBound {
 public:
  /// Once the problem's deadline has passed, no better prices are looked for.
  explicit LoadBound(const Problem& problem);

  /// The item at hand may go to `device`, and there takes `work_ps` and holds
  /// `bytes` throughout, at most the device's memory.
  void add_choice(DeviceId device, Picoseconds work_ps, std::int64_t bytes = 0);
  DeviceId first_of_pool(DeviceId device) const { return firsts_[pool_of_[device.index()]]; }
  /// Whether `add_choice` counts the device: one of each pool does.
  bool counts(DeviceId device) const { return first_of_pool(device) == device; }
  /// The item at hand has had all its choices, at least one; the next begins.
  void end_item();

  /// Once all items have had their choices: no device holds more than the largest sum of some
  /// items' bytes that it has room for.
  void round_memory_to_sums();

  /// From now on, items count by what they are of a device's memory: at most m items of more than
  /// an (m+1)th of it fit, one of more than j (m+1)ths counting as j of them, for the m for which
  /// the items fill most (a dual feasible function, Fekete, Schepers 2001). Only on pools where
  /// that says more than the bytes; false where there is none.
  bool count_memory();

  /// Starts from the best prices of another bound instead of from equal loads.
  void start_from(const LoadBound& other) { first_ = other.best_; }
  /// The bound by work alone, after so many steps of looking for good prices.
  Picoseconds bound(int steps);
  /// The same, where an item's work may be spread over a device's slots.
  Picoseconds bound_of_sums(int steps);
  /// The bound by work and memory, at least `known_ps`, a bound by work alone. Empty where nothing
  /// fits.
  std::optional<Picoseconds> bound_in_memory(int steps, Picoseconds known_ps);
  /// From now on, what an item takes of a path counts as well: `times_ps` by choice, in the order
  /// in which the choices were added.
  void add_path(std::vector<Picoseconds> times_ps);
  /// Takes the best prices of another bound with the same paths as the best so far.
  void continue_from(const LoadBound& other) { best_ = other.best_; }
  /// The bound by work, paths and, with `in_memory`, memory, at least `known_ps`, after so many
  /// steps from the best prices so far. Nothing shows that no placement fits.
  Picoseconds bound_with_paths(int steps, Picoseconds known_ps, bool in_memory);
  /// The same by the best prices there are, those of the linear program's optimum; they become the
  /// best so far. Empty where this build cannot solve it, or not in so many steps.
  std::optional<Picoseconds> bound_by_program(int steps, bool in_memory);
  /// By choice: the share of the item that went there in the later steps of the last bound, or in
  /// the linear program's optimum. Empty where there are so many items that only some were tried.
  const std::vector<double>& shares() const { return shares_; }
  /// By choice: what it costs in work and on paths at the best prices so far.
  std::vector<double> costs() const;
  /// By choice: what it costs in work, memory and on paths at the best prices so far, in ps of the
  /// step; 0 where time costs nothing.
  std::vector<double> costs_ps() const;
  /// The best prices of work found so far, by device, the dearest being 2^40; all are 0 where there
  /// is no work.
  std::vector<std::int64_t> work_prices() const;
  /// The best prices of a byte found so far, by device, on the scale of work_prices(); all are 0
  /// where none have been looked for.
  std::vector<double> memory_prices() const;

 private:
  struct Choice {
    std::uint32_t pool;
    double load;  // work per slot
    double fill;  // share of the pool's memory
  };
  struct Exact {  // the same choice, in integers
    Picoseconds work_ps;
    std::int64_t bytes;
  };
  struct Weights {
    std::vector<double> work, memory;  // by pool: of its slots' time and of its memory
    std::vector<double> path;          // all together sum to 1
    double target_ps = 1;              // the time in which the loads are to be done
  };
  /// What is paid for a choice.
  struct Prices {
    std::vector<std::int64_t> work, path;  // of a picosecond: by pool, by path
    std::vector<__int128> memory;          // of a byte: by pool
  };

  /// Of all choices.
  std::vector<std::vector<std::int64_t>> bytes_of_pools() const;
  std::size_t items() const { return offsets_.size() - 1; }
  bool is_sampled() const { return items() > kMostSampled; }
  Weights equal_loads() const;
  void draw_sample();
  double assign(const Weights& weights);
  void reweigh(Weights& weights, double rate) const;
  void improve(Weights& weights, int steps);
  bool overfull(int steps);
  void price_paths(const Weights& weights);
  LinearProgram program(bool in_memory) const;
  void add_path_loads();
  double dearest_time() const;
  __int128 cost(const Prices& prices, std::size_t choice) const;
  std::vector<std::int64_t> pool_prices() const;
  Picoseconds exact_bound() const;
  Picoseconds largest_item_ps() const;

  static constexpr std::size_t kMostSampled = 65'536;  // items that prices are looked for with
  static constexpr std::int64_t kMostMemory = 2'000'000'000'000'000'000;  // of a pool, in bytes

  Deadline deadline_;
  std::vector<std::uint32_t> pool_of_;              // by device
  std::vector<DeviceId> firsts_;                    // by pool
  std::vector<std::int64_t> slots_, memory_bytes_;  // by pool
  std::vector<std::int64_t> device_slots_;          // of one device, by pool
  std::vector<std::int64_t> device_bytes_;          // of memory, the same
  std::vector<Choice> choices_;                     // item after item
  std::vector<Exact> exact_;                        // of choices_
  std::vector<std::size_t> offsets_{0};             // of the items in choices_
  std::vector<Choice> sample_;                      // of some items; empty where all are looked at
  std::vector<std::size_t> sample_offsets_;         // of the items in sample_
  std::vector<double> loads_, fills_;               // where each item goes to its cheapest device
  std::vector<std::vector<Picoseconds>> paths_;     // by path and choice
  std::vector<double> path_costs_;                  // by choice, of all paths; empty without
  std::vector<double> path_loads_;                  // by path
  std::vector<std::size_t> chosen_;                 // by item
  std::vector<double> shares_;                      // by choice
  Weights first_, best_;
};

}  // namespace placer
