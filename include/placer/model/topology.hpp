#pragma once

#include <array>
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
#include "placer/model/link_speed.hpp"

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
  bool host = false;
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
    field("host", &Device::host, {},
          "Whether others copy to and from it, so that copies cost it nothing under the objectives "
          "throughput and call-latency; under call-latency it runs any number of ops at once, each "
          "as soon as its inputs are there."),
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
  std::vector<MessageBandwidth> by_message_size = {};
};

LinkSpeed speed_of(const Link& link);
/// Makes every bandwidth of the link `times` as high.
void scale_bandwidth(Link& link, double times);

inline constexpr std::tuple kLinkFields = {
    field("from", &Link::from, {.presence = Presence::kRequired},
          "A device name, a device type or '*'."),
    field("to", &Link::to, {.presence = Presence::kRequired},
          "A device name, a device type or '*'."),
    field("bytes_per_second", &Link::bytes_per_second,
          {.presence = Presence::kRequired, .range = {.is_above = true}},
          "Bandwidth in bytes per second; beside by_message_size, of what a message has above the "
          "last size."),
    field("latency_seconds", &Link::latency_seconds, {.presence = Presence::kWritten},
          "Seconds before the first byte arrives."),
    field("channels", &Link::channels, {.items = "channel", .are_distinct = true},
          "Wires that a transfer holds while it runs, by name; links that name the same one share "
          "it. Instead of what contention says."),
    field("by_message_size", &Link::by_message_size, {.items = "size"},
          "Bandwidths that were measured with messages of some sizes, the smallest first. Smaller "
          "messages have the first one's; between two sizes the time is a line."),
};

/// How links without channels of their own share wires: one channel for each ordered pair, for each
/// sender, one out and one in for each device, one for each device, or nothing shared.
enum class Contention { kLink, kEgress, kPorts, kHalfDuplex, kNone };
constexpr Names<5> names_of(Contention) {
  return {"link", "egress", "ports", "half-duplex", "none"};
}

/// Under the objective throughput: copies run while a device computes, or it does one or the other.
enum class Transfers { kOverlap, kSerial };
constexpr Names<2> names_of(Transfers) { return {"overlap", "serial"}; }

/// True where `pattern` is `device`'s name, its type or "*".
bool matches(std::string_view pattern, const Device& device);

/// The channels of a link from one device to another: those that it names, or one or two of the
/// devices' own. Names live as long as the topology.
class LinkChannels {
 public:
  LinkChannels() = default;
  explicit LinkChannels(std::span<const ChannelId> named) : named_(named), size_(named.size()) {}
  explicit LinkChannels(ChannelId own) : own_{own}, size_(1) {}
  LinkChannels(ChannelId out, ChannelId in) : own_{out, in}, size_(2) {}

  const ChannelId* begin() const { return named_.empty() ? own_.data() : named_.data(); }
  const ChannelId* end() const { return begin() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  std::span<const ChannelId> named_;
  std::array<ChannelId, 2> own_;
  std::size_t size_ = 0;
};

/// Which link joins each pair of devices. Devices that no link tells apart share an end, so that
/// what is kept grows with what links name, not with pairs of devices.
struct LinkTable {
  static constexpr std::uint32_t kNoLink = 0xffffffff;

  std::uint32_t link(DeviceId from, DeviceId to) const {
    return links[end_of[from.index()] * ends + end_of[to.index()]];
  }

  std::size_t ends = 0;
  std::vector<std::uint32_t> end_of;  // by device
  std::vector<std::uint32_t> links;   // from * ends + to; where both are one device, it counts not
};

/// Devices and the links between them; checked when built, then immutable.
class Topology {
 public:
  static constexpr std::size_t kMostDevices = 16'384;
  static constexpr std::size_t kMostLinkEnds = 4'096;  // of devices that links tell apart
  static constexpr std::size_t kMostOfOneLink = 256;   // channels
  static constexpr std::size_t kMostNamedChannels = 65'536;

  /// Throws Error, its place relative to the devices object ("devices[1].name: ..."), for: no
  /// device, more than the limits above, an empty or duplicate name, a number out of range, a link
  /// that matches no device, two links that match a pair equally well, repeated channels.
  Topology(std::vector<Device> devices, std::vector<Link> links,
           Contention contention = Contention::kLink, Transfers transfers = Transfers::kOverlap);

  const std::vector<Device>& devices() const { return devices_; }
  const Device& device(DeviceId id) const { return devices_[id.index()]; }
  const std::vector<Link>& links() const { return links_; }
  Contention contention() const { return contention_; }
  Transfers transfers() const { return transfers_; }

  std::optional<DeviceId> find(std::string_view name) const;
  /// False for a device and itself.
  bool joins(DeviceId from, DeviceId to) const {
    return from != to && table_.link(from, to) != LinkTable::kNoLink;
  }
  /// Of two devices that are joined: links of equal speed share one.
  std::size_t speed_class(DeviceId from, DeviceId to) const {
    return speed_of_[table_.link(from, to)];
  }
  /// Of two devices that are joined.
  LinkChannels channels(DeviceId from, DeviceId to) const;
  const LinkTable& link_table() const { return table_; }
  const std::vector<LinkSpeed>& speeds() const { return speeds_; }
  /// The speed class of each link; LinkTable::kNoLink where it joins no pair of devices.
  const std::vector<std::uint32_t>& speeds_of_links() const { return speed_of_; }
  /// How many ordered pairs of devices have each speed.
  std::vector<double> pairs_of_speeds() const;

  /// LinkChannels have ids below this; there may be none where nothing is shared.
  std::size_t channel_count() const;
  /// "cpu:0 -> gpu:0", "gpu:0 out", "gpu:0 in", "gpu:0 link", or "channel x" for the file's own x:
  /// for people, since devices may be named so that two channels read the same.
  std::string channel_name(ChannelId channel) const;
  /// The first device that equals `device` in all but its name.
  DeviceId first_alike(DeviceId device) const { return alike_[device.index()]; }
  /// The first device that is alike, and whose links equal `device`'s; `device` itself where it is
  /// the first. Where any link names channels, every device is its own class.
  DeviceId first_identical(DeviceId device) const { return identical_[device.index()]; }

 private:
  void check_devices();
  void check_links() const;
  void number_channels();
  void number_speeds();
  void find_alike_devices();
  void find_identical_devices();
  bool have_equal_links(DeviceId a, DeviceId b) const;
  std::optional<std::size_t> speed_between(DeviceId from, DeviceId to) const;

  std::vector<Device> devices_;
  std::vector<Link> links_;
  Contention contention_;
  Transfers transfers_;
  std::vector<DeviceId> by_name_;
  LinkTable table_;
  std::vector<LinkSpeed> speeds_;
  std::vector<std::uint32_t> speed_of_;        // by link
  std::vector<std::vector<ChannelId>> named_;  // by link
  std::vector<std::string> named_channels_;    // the first ids
  std::size_t own_channels_ = 0;               // the ids behind them: of devices and pairs
  std::vector<DeviceId> alike_, identical_;
};

}  // namespace placer
