#include "placer/model/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "model/field_checks.hpp"
#include "model/link_table.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/member_count.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

static_assert(std::tuple_size_v<decltype(kDeviceFields)> == member_count<Device>);
static_assert(std::tuple_size_v<decltype(kLinkFields)> == member_count<Link>);
static_assert(std::tuple_size_v<decltype(kMessageBandwidthFields)> ==
              member_count<MessageBandwidth>);

}  // namespace

std::span<const std::string> peak_dtypes() {
  static const std::vector<std::string> names = {"float32", "tf32", "float16", "int8", "float64"};
  return names;
}

LinkSpeed speed_of(const Link& link) {
  return {link.latency_seconds, link.bytes_per_second, link.by_message_size};
}

void scale_bandwidth(Link& link, double times) {
  link.bytes_per_second *= times;
  for (MessageBandwidth& known : link.by_message_size) known.bytes_per_second *= times;
}

bool matches(std::string_view pattern, const Device& device) {
  return pattern == "*" || pattern == device.name || pattern == device.type;
}

Topology::Topology(std::vector<Device> devices, std::vector<Link> links, Contention contention,
                   Transfers transfers)
    : devices_(std::move(devices)),
      links_(std::move(links)),
      contention_(contention),
      transfers_(transfers) {
  check_devices();
  check_links();
  table_ = links_between(devices_, links_);
  number_channels();
  number_speeds();
  find_alike_devices();
  find_identical_devices();
}

void Topology::check_devices() {
  if (devices_.empty()) throw Error("devices: expected at least one device, found none");
  if (devices_.size() > kMostDevices) {
    throw Error(fmt::format("devices: expected at most {} devices, found {}", kMostDevices,
                            devices_.size()));
  }
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const Device& device = devices_[i];
    check_fields(kDeviceFields, device, "devices", i);
    if (!names.insert(device.name).second) {
      throw Error(fmt::format("devices[{}].name: expected a unique name, found '{}' again", i,
                              shown_name(device.name)));
    }
    by_name_.emplace_back(i);
  }
  std::ranges::sort(by_name_, {}, [&](DeviceId id) { return std::string_view(device(id).name); });
}

void Topology::check_links() const {
  std::set<std::string_view> ends = {"*"};
  for (const Device& device : devices_) ends.insert({device.name, device.type});
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const auto require_device = [&](std::string_view key, const std::string& pattern) {
      if (ends.contains(pattern)) return;
      throw Error(
          fmt::format("links[{}].{}: expected a device name, a device type or *, found '{}'", i,
                      key, shown_name(pattern)));
    };
    require_device("from", link.from);
    require_device("to", link.to);
    if (link.channels.size() > kMostOfOneLink) {
      throw Error(fmt::format("links[{}].channels: expected at most {} channels, found {}", i,
                              kMostOfOneLink, link.channels.size()));
    }
    check_fields(kLinkFields, link, "links", i);
  }
}

std::optional<DeviceId> Topology::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(
      by_name_, name, {}, [&](DeviceId id) { return std::string_view(device(id).name); });
  if (at == by_name_.end() || device(*at).name != name) return std::nullopt;
  return *at;
}

/// First the named ones, then the devices' or pairs' own, where some link has no names.
void Topology::number_channels() {
  std::map<std::string_view, ChannelId> known;
  bool some_unnamed = false;
  for (const Link& link : links_) {
    some_unnamed = some_unnamed || link.channels.empty();
    std::vector<ChannelId> ids;
    for (const std::string& name : link.channels) {
      const auto [at, is_new] = known.emplace(name, ChannelId(named_channels_.size()));
      if (is_new) named_channels_.push_back(name);
      ids.push_back(at->second);
    }
    named_.push_back(std::move(ids));
  }
  if (named_channels_.size() > kMostNamedChannels) {
    throw Error(fmt::format("links: expected at most {} different channels, found {}",
                            kMostNamedChannels, named_channels_.size()));
  }
  if (!some_unnamed || devices_.size() == 1) return;
  if (contention_ == Contention::kLink) own_channels_ = devices_.size() * devices_.size();
  if (contention_ == Contention::kEgress || contention_ == Contention::kHalfDuplex) {
    own_channels_ = devices_.size();
  }
  if (contention_ == Contention::kPorts) own_channels_ = 2 * devices_.size();
}

LinkChannels Topology::channels(DeviceId from, DeviceId to) const {
  const std::vector<ChannelId>& named = named_[table_.link(from, to)];
  if (!named.empty()) return LinkChannels(named);
  const std::size_t first = named_channels_.size();
  switch (contention_) {
    case Contention::kLink:
      return LinkChannels(ChannelId(first + from.index() * devices_.size() + to.index()));
    case Contention::kEgress:
      return LinkChannels(ChannelId(first + from.index()));
    case Contention::kPorts:
      return {ChannelId(first + 2 * from.index()), ChannelId(first + 2 * to.index() + 1)};
    case Contention::kHalfDuplex:
      return {ChannelId(first + from.index()), ChannelId(first + to.index())};
    case Contention::kNone:
      return {};
  }
  return {};
}

std::size_t Topology::channel_count() const { return named_channels_.size() + own_channels_; }

std::string Topology::channel_name(ChannelId channel) const {
  if (channel.index() < named_channels_.size()) {
    return "channel " + named_channels_[channel.index()];
  }
  const std::size_t own = channel.index() - named_channels_.size();
  switch (contention_) {
    case Contention::kLink:
      return devices_[own / devices_.size()].name + " -> " + devices_[own % devices_.size()].name;
    case Contention::kEgress:
      return devices_[own].name + " out";
    case Contention::kPorts:
      return devices_[own / 2].name + (own % 2 == 0 ? " out" : " in");
    case Contention::kHalfDuplex:
      return devices_[own].name + " link";
    case Contention::kNone:
      break;
  }
  return "";
}

/// In the order of the pairs of devices that first have them.
void Topology::number_speeds() {
  std::map<LinkSpeed, std::uint32_t> known;
  speed_of_.assign(links_.size(), LinkTable::kNoLink);
  std::vector<char> is_seen(table_.ends, 0);
  for (const DeviceId from : IdRange<DeviceId>(devices_.size())) {
    if (std::exchange(is_seen[table_.end_of[from.index()]], 1) != 0) continue;
    for (const DeviceId to : IdRange<DeviceId>(devices_.size())) {
      if (!joins(from, to) || speed_of_[table_.link(from, to)] != LinkTable::kNoLink) continue;
      const LinkSpeed speed = speed_of(links_[table_.link(from, to)]);
      const auto [at, is_new] = known.emplace(speed, static_cast<std::uint32_t>(speeds_.size()));
      if (is_new) speeds_.push_back(speed);
      speed_of_[table_.link(from, to)] = at->second;
    }
  }
}

std::vector<double> Topology::pairs_of_speeds() const {
  std::vector<double> devices(table_.ends, 0), pairs(speeds_.size(), 0);
  for (const std::uint32_t end : table_.end_of) ++devices[end];
  for (std::size_t from = 0; from < table_.ends; ++from) {
    for (std::size_t to = 0; to < table_.ends; ++to) {
      const std::uint32_t link = table_.links[from * table_.ends + to];
      const double others = from == to ? devices[to] - 1 : devices[to];
      if (link != LinkTable::kNoLink && others > 0)
        pairs[speed_of_[link]] += devices[from] * others;
    }
  }
  return pairs;
}

void Topology::find_alike_devices() {
  std::map<std::pair<std::string_view, std::int64_t>, std::vector<DeviceId>> firsts;
  for (const DeviceId id : IdRange<DeviceId>(devices_.size())) {
    std::vector<DeviceId>& candidates = firsts[{device(id).type, device(id).memory_bytes}];
    const auto same = std::ranges::find_if(candidates, [&](DeviceId other) {
      return are_alike(kDeviceFields, device(other), device(id));
    });
    alike_.push_back(same == candidates.end() ? id : *same);
    if (same == candidates.end()) candidates.push_back(id);
  }
}

void Topology::find_identical_devices() {
  const bool any_named =
      std::ranges::any_of(links_, [](const Link& link) { return !link.channels.empty(); });
  std::vector<std::vector<DeviceId>> firsts(devices_.size());  // by the first alike
  for (const DeviceId device : IdRange<DeviceId>(devices_.size())) {
    std::vector<DeviceId>& candidates = firsts[first_alike(device).index()];
    const auto same = std::ranges::find_if(candidates, [&](DeviceId earlier) {
      return !any_named && have_equal_links(earlier, device);
    });
    identical_.push_back(same == candidates.end() ? device : *same);
    if (same == candidates.end()) candidates.push_back(device);
  }
}

std::optional<std::size_t> Topology::speed_between(DeviceId from, DeviceId to) const {
  return joins(from, to) ? std::optional(speed_class(from, to)) : std::nullopt;
}

bool Topology::have_equal_links(DeviceId a, DeviceId b) const {
  if (table_.end_of[a.index()] == table_.end_of[b.index()]) return true;
  if (speed_between(a, b) != speed_between(b, a)) return false;
  for (const DeviceId other : IdRange<DeviceId>(devices_.size())) {
    if (other == a || other == b) continue;
    if (speed_between(a, other) != speed_between(b, other)) return false;
    if (speed_between(other, a) != speed_between(other, b)) return false;
  }
  return true;
}

}  // namespace placer
