#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "placer/base/ids.hpp"
#include "placer/base/names.hpp"
#include "placer/model/fields.hpp"

namespace placer {

/// Peaks in floating-point operations per second: one for all types of numbers, or one for each of
/// some.
struct PeakFlops {
  std::optional<double> of_others;                       // of types without their own
  std::vector<std::pair<std::string, double>> of_dtype;  // by one of peak_dtypes()
  friend bool operator==(const PeakFlops&, const PeakFlops&) = default;
};

/// `kDeviceFields` says what each member means.
struct Device {
  std::string name;
  std::string type;
  std::int64_t memory_bytes = 0;
  std::int64_t slots = 1;
  PeakFlops flops_per_second;
  std::optional<double> bytes_per_second;
  double launch_seconds = 0;
  double efficiency = 1;
};

inline constexpr std::tuple kDeviceFields = {
    field("name", &Device::name,
          {.presence = Presence::kRequired, .bearing = Bearing::kName, .barred = "*"},
          "Unique among the devices, and not '*'."),
    field("type", &Device::type, {.presence = Presence::kRequired},
          "What ops and links may call it by; the shipped specs use cpu and gpu."),
    field("memory_bytes", &Device::memory_bytes, {.presence = Presence::kRequired},
          "Capacity in bytes."),
    field("slots", &Device::slots, {.range = {.least = 1, .most = 65'536}},
          "Ops that run at once, each at full speed."),
    field("flops_per_second", &Device::flops_per_second, {.range = {.is_above = true}},
          "Peak, in floating-point operations per second (2 per multiply-add); or one for each of "
          "some types. Products of float32 take tf32's where there is one; other types take "
          "float32's, or the least."),
    field("bytes_per_second", &Device::bytes_per_second, {.range = {.is_above = true}},
          "Peak of its own memory, in bytes per second."),
    field("launch_seconds", &Device::launch_seconds, {},
          "Seconds added to each op whose time comes from flops and bytes."),
    field("efficiency", &Device::efficiency, {.range = {.is_above = true, .most = 1}},
          "The share of both peaks that is reached."),
};

/// float32, tf32 (of float32 factors in matrix products), float16 (bfloat16 too), int8, float64.
std::span<const std::string> peak_dtypes();

/// Joins every device that `from` means to every other device that `to` means. Where several links
/// match a pair of devices, one by name beats one by type, and one by type beats "*"; two links
/// that match equally well are an error. `kLinkFields` says what each member means.
struct Link {
  std::string from, to;
  double bytes_per_second = 0;
  double latency_seconds = 0;
  std::vector<std::string> channels;
};

inline constexpr std::tuple kLinkFields = {
    field("from", &Link::from, {.presence = Presence::kRequired},
          "A device name, a device type or '*'."),
    field("to", &Link::to, {.presence = Presence::kRequired},
          "A device name, a device type or '*'."),
    field("bytes_per_second", &Link::bytes_per_second,
          {.presence = Presence::kRequired, .range = {.is_above = true}},
          "Bandwidth in bytes per second."),
    field("latency_seconds", &Link::latency_seconds, {.presence = Presence::kWritten},
          "Seconds before the first byte arrives."),
    field("channels", &Link::channels, {.items = "channel", .are_distinct = true},
          "Wires that a transfer holds while it runs, by name; links that name the same one share "
          "it. Instead of what contention says."),
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
