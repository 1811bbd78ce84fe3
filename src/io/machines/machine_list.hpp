#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "placer/io/hardware.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// "2xRTX3060:12GiB" of a list.
struct ListedKind {
  const Hardware* kind;
  std::size_t count;
  Device figures;  // without a name
};

/// "2*(4xA100-80,1xCPU)" of a list: so many equal hosts.
struct ListedHosts {
  std::size_t count = 1;
  std::vector<ListedKind> kinds;
};

struct MachineList {
  std::vector<ListedHosts> hosts;   // one host where the list names none
  double network_bytes_per_second;  // what copies reach between hosts
};

/// Reads "2xA100-80,1xCPU" or "2*(4xA100-80,1xCPU)@200Gbps". A kind may be followed by its memory
/// (":12GiB"), and CPU by cores and memory channels (":32c8ch") too. Empty where `text` is no such
/// list, but a name or a path. Throws Error for what is wrong in a list.
std::optional<MachineList> parse_machine_list(const std::string& text);

}  // namespace placer
