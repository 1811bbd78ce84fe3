#pragma once

#include <cstddef>
#include <string>

#include "placer/io/hardware.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// A device and where it hangs.
struct Placed {
  const Hardware* kind;
  std::string name;         // "gpu:3"
  std::size_t index;        // among those of its kind in its host
  std::string pcie_switch;  // "" where it has lanes of its own
  std::size_t host;
};

/// The link from one device to another of the same host, with a named channel for each of its
/// wires.
Link link_within_host(const Placed& from, const Placed& to);
/// The same between hosts, over one network port of each, which copies fill with
/// `bytes_per_second` where PCIe is no slower.
Link link_between_hosts(const Placed& from, const Placed& to, double bytes_per_second);

}  // namespace placer
