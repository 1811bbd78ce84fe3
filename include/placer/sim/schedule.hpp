#pragma once

#include <cstdint>
#include <vector>

#include "placer/base/ids.hpp"
#include "placer/base/units.hpp"
#include "placer/sim/score.hpp"

namespace placer {

struct OpRun {
  OpId op;
  DeviceId device;
  Picoseconds start_ps = 0, end_ps = 0;
  friend bool operator==(const OpRun&, const OpRun&) = default;
};

struct TransferRun {
  TensorId tensor;
  DeviceId from, to;
  Picoseconds requested_ps = 0, begin_ps = 0, end_ps = 0;
  friend bool operator==(const TransferRun&, const TransferRun&) = default;
};

/// What ran and moved when and where in one step.
struct Schedule {
  std::vector<OpRun> ops;                // by op id
  std::vector<TransferRun> transfers;    // in the order of service
  std::vector<Picoseconds> busy_ps;      // by device: the sum of its ops' times
  std::vector<std::int64_t> peak_bytes;  // by device
  std::int64_t bytes_moved = 0;
  Score score;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

}  // namespace placer
