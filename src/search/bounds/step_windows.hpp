#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "placer/model/problem.hpp"
#include "search/groups/memory_fit.hpp"

namespace placer {

/// When and where each op has to run in a step that ends by a given time.
struct StepWindows {
  static constexpr Picoseconds kBarred = std::numeric_limits<Picoseconds>::min();

  std::vector<Picoseconds> starts_ps;  // the earliest, op * devices + device
  std::vector<Picoseconds> ends_ps;    // the latest, alike; kBarred where it cannot be
  std::size_t fixed_ops = 0;           // with one device and one start
  bool possible = true;                // false: no step ends by then

  bool may_be(OpId op, DeviceId device, std::size_t devices) const {
    return ends_ps[op.index() * devices + device.index()] != kBarred;
  }
};

/// The windows that every placement which fits keeps to, under order `given`, in a step of at most
/// `limit_ps`, as far as constraint propagation finds them (as in Carlier, Pinson, "An Algorithm
/// for Solving the Job-Shop Problem", Management Science 35(2), 1989). Ops without slack reserve
/// their devices, and transfers without slack their channels; nothing else fits in between, and
/// what an op would have to send ahead of such a transfer has to stay on its device. `stop` is
/// asked now and then; when it says so, the windows found so far are returned.
StepWindows windows_within(const Problem& problem, const MemoryFit& fit, Picoseconds limit_ps,
                           const std::function<bool()>& stop = {});

}  // namespace placer
