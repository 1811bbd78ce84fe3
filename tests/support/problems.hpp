#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "placer/base/rng.hpp"
#include "placer/model/placement.hpp"
#include "placer/model/problem.hpp"
#include "placer/sim/simulator.hpp"

namespace placer::testing {

inline constexpr std::array kAllOrders = {Order::kFifo, Order::kPriority, Order::kPct,
                                          Order::kMsr,  Order::kProgram,  Order::kGiven};

/// An op that takes `seconds` on every device of these factories (type "gpu").
Op timed_op(std::string name, double seconds);
/// `op`, allowed on those devices alone.
Op on(Op op, std::vector<std::string> devices);
/// "op0", "op1", ... of so many seconds, all in `group`; each in its own where that is empty.
std::vector<Op> seconds_each(std::vector<double> seconds, const std::string& group = "");
/// A tensor from op `producer` to the ops `consumers`, all by position.
Tensor tensor(std::size_t producer, std::vector<std::size_t> consumers, std::int64_t bytes);
Graph graph_of(std::vector<Op> ops, std::vector<Tensor> tensors);

/// Devices "gpu:0", "gpu:1", ... of type "gpu" that are alike.
struct Machine {
  std::size_t devices = 2;
  Contention contention = Contention::kLink;
  std::int64_t memory_bytes = 1'000'000'000;
  std::int64_t slots = 1;
  double bytes_per_second = 1;  // of the link of every pair
  double latency_seconds = 0;
};
Topology alike(const Machine& machine = {});

/// op0 -> op1 -> ... each of 1 second, over tensors of `bytes`.
Graph chain(std::size_t length, std::int64_t bytes = 1);
///            .-> op1 -.
///      op0 --+-> ...  +-> op(width+1)      1 second each; op0's output is one tensor
///            '-> opW -'
Graph fork_join(std::size_t width, std::int64_t bytes = 1);
/// a -> b, a -> c, b -> d, c -> d, with 1, 2, 3, 1 seconds; a's outputs are two tensors.
Graph diamond(std::int64_t bytes = 1);

/// The device of each op, for problems in which each op is its own group.
Placement on_devices(const std::vector<std::size_t>& devices);

/// What `random_problem` draws from; the defaults vary everything.
struct RandomProblem {
  std::size_t most_ops = 30;
  std::size_t most_devices = 5;
  std::optional<Contention> contention = std::nullopt;  // empty: any
  bool alike_devices = false;  // without preferences of ops or named channels
  bool colocation = true;
  bool real_times = true;  // in some problems, instead of whole seconds
  bool zero_times = true;  // ops and transfers that take no time, in some problems
  bool many_slots = true;  // in some problems
  bool limits = true;      // memory that may not suffice, ops barred from devices
};

/// Few distinct small times and sizes, zeros among them, so that ties are frequent.
Problem random_problem(Rng& rng, const RandomProblem& shape = {});
/// Layers that run forward and back, most of them groups, which leave tensors for the way back; of
/// the memories it is not known whether they hold that.
Problem random_training_step(Rng& rng, Contention contention);
/// An allowed device for each group.
Placement random_placement(const Problem& problem, Rng& rng);
/// Every op once, on its device, in the order of a random topological order or (about one time in
/// four) with two ops of a device swapped, which may deadlock.
Sequences random_sequences(const Problem& problem, const Placement& placement, Rng& rng);

/// `problem` with every time, size and capacity multiplied by two (links as fast as before).
Problem doubled(const Problem& problem);

}  // namespace placer::testing
