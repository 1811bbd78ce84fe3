#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placer/base/ids.hpp"
#include "placer/base/names.hpp"

namespace placer {

struct Device {
  std::string name;  // unique, not empty
  std::string type;
  std::int64_t memory_bytes = 0;
  std::int64_t slots = 1;                  // ops that run at once, each at full speed
  std::optional<double> flops_per_second;  // peak, for the roofline; of types without their own
  std::vector<std::pair<std::string, double>> dtype_flops_per_second;  // by one of peak_dtypes()
  std::optional<double> bytes_per_second;  // of its own memory, for the roofline
  double launch_seconds = 0;               // added to every roofline op
  double efficiency = 1;                   // share of both peaks that is reached, in (0, 1]
};

/// float32, tf32 (of float32 factors in matrix products), float16 (bfloat16 too), int8, float64.
std::span<const std::string> peak_dtypes();

/// Joins every device that `from` means to every other device that `to` means. Where several links
/// match a pair of devices, one by name beats one by type, and one by type beats "*"; two links
/// that match equally well are an error.
struct Link {
  std::string from, to;
  double bytes_per_second = 0;
  double latency_seconds = 0;
  std::vector<std::string> channels;  // empty: as the contention says
};

/// How links without channels of their own share wires: one channel for each ordered pair, for each
/// sender, one out and one in for each device, one for each device, or nothing shared.
enum class Contention { kLink, kEgress, kPorts, kHalfDuplex, kNone };
constexpr Names<5> names_of(Contention) {
  return {"link", "egress", "ports", "half-duplex", "none"};
}

/// True where `pattern` is `device`'s name, its type or "*".
bool matches(std::string_view pattern, const Device& device);

/// How bytes get from one device to another. Routes of equal speed share a `speed_class`.
struct Route {
  std::size_t speed_class = 0;
  std::vector<ChannelId> channels;
};

struct LinkSpeed {
  double latency_seconds = 0;
  double bytes_per_second = 0;
  friend bool operator==(const LinkSpeed&, const LinkSpeed&) = default;
};

/// Devices and the routes between them; checked when built, then immutable.
class Topology {
 public:
  /// Throws Error, its place relative to the devices object ("devices[1].name: ..."), for: no
  /// device, an empty or duplicate name, a number out of range, a link that matches no device, two
  /// links that match a pair equally well, repeated channels.
  Topology(std::vector<Device> devices, std::vector<Link> links,
           Contention contention = Contention::kLink);

  const std::vector<Device>& devices() const { return devices_; }
  const Device& device(DeviceId id) const { return devices_[id.index()]; }
  const std::vector<Link>& links() const { return links_; }
  Contention contention() const { return contention_; }

  std::optional<DeviceId> find(std::string_view name) const;
  /// How bytes get from one device to another; null where no link joins the pair, and for a device
  /// and itself.
  const Route* route(DeviceId from, DeviceId to) const;
  const std::vector<LinkSpeed>& speeds() const { return speeds_; }
  /// "cpu:0 -> gpu:0", "gpu:0 out", "gpu:0 in", "gpu:0 link", or "channel x" for the file's own x.
  /// By ChannelId; for people, since devices may be named so that two channels read the same.
  const std::vector<std::string>& channel_names() const { return channel_names_; }
  /// The first device that equals `device` in all but its name, and whose links equal `device`'s;
  /// `device` itself where it is the first. Where any link names channels, every device is its own
  /// class.
  DeviceId first_identical(DeviceId device) const { return identical_[device.index()]; }

 private:
  void check_devices() const;
  void check_links() const;
  const Link* best_link(DeviceId from, DeviceId to) const;
  void build_routes();
  void find_identical_devices();
  bool interchangeable(DeviceId a, DeviceId b) const;

  std::vector<Device> devices_;
  std::vector<Link> links_;
  Contention contention_;
  std::vector<LinkSpeed> speeds_;
  std::vector<std::optional<Route>> routes_;  // from * devices + to
  std::vector<std::string> channel_names_;
  std::vector<DeviceId> identical_;
};

}  // namespace placer
