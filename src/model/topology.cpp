#include "placer/model/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <variant>

#include "model/field_checks.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/member_count.hpp"

namespace placer {
namespace {

static_assert(std::tuple_size_v<decltype(kDeviceFields)> == member_count<Device>);
static_assert(std::tuple_size_v<decltype(kLinkFields)> == member_count<Link>);

int specificity(std::string_view pattern, const Device& device) {
  if (pattern == device.name) return 2;
  if (pattern == device.type) return 1;
  return 0;
}

int specificity(const Link& link, const Device& from, const Device& to) {
  return specificity(link.from, from) + specificity(link.to, to);
}

/// Hands out channels: one for each wire of the contention, one for each name of the file's own.
class Wiring {
 public:
  Wiring(const std::vector<Device>& devices, Contention contention)
      : devices_(devices), contention_(contention) {}

  std::vector<ChannelId> channels_of(const Link& link, DeviceId from, DeviceId to) {
    std::vector<ChannelId> channels;
    if (!link.channels.empty()) {
      for (const std::string& own : link.channels) channels.push_back(id(own, "channel " + own));
      return channels;
    }
    switch (contention_) {
      case Contention::kLink:
        return {id(Wire{Kind::kPair, from, to}, name(from) + " -> " + name(to))};
      case Contention::kEgress:
        return {of_device(Kind::kOut, from, " out")};
      case Contention::kPorts:
        channels.push_back(of_device(Kind::kOut, from, " out"));
        channels.push_back(of_device(Kind::kIn, to, " in"));
        return channels;
      case Contention::kHalfDuplex:
        channels.push_back(of_device(Kind::kBoth, from, " link"));
        channels.push_back(of_device(Kind::kBoth, to, " link"));
        return channels;
      case Contention::kNone:
        return {};
    }
    return {};
  }

  /// For people only: devices may be named so that two channels read the same.
  std::vector<std::string> take_texts() { return std::move(texts_); }

 private:
  enum class Kind { kPair, kOut, kIn, kBoth };
  using Wire = std::tuple<Kind, DeviceId, DeviceId>;

  const std::string& name(DeviceId device) const { return devices_[device.index()].name; }
  ChannelId of_device(Kind kind, DeviceId device, std::string_view suffix) {
    return id(Wire{kind, device, device}, name(device) + std::string(suffix));
  }
  ChannelId id(std::variant<std::string, Wire> key, std::string text) {
    const auto [at, is_new] = ids_.emplace(std::move(key), ChannelId(texts_.size()));
    if (is_new) texts_.push_back(std::move(text));
    return at->second;
  }

  const std::vector<Device>& devices_;
  Contention contention_;
  std::map<std::variant<std::string, Wire>, ChannelId> ids_;
  std::vector<std::string> texts_;
};

}  // namespace

std::span<const std::string> peak_dtypes() {
  static const std::vector<std::string> names = {"float32", "tf32", "float16", "int8", "float64"};
  return names;
}

bool matches(std::string_view pattern, const Device& device) {
  return pattern == "*" || pattern == device.name || pattern == device.type;
}

Topology::Topology(std::vector<Device> devices, std::vector<Link> links, Contention contention)
    : devices_(std::move(devices)), links_(std::move(links)), contention_(contention) {
  check_devices();
  check_links();
  build_routes();
  find_identical_devices();
}

void Topology::check_devices() const {
  if (devices_.empty()) throw Error("devices: expected at least one device, found none");
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const Device& device = devices_[i];
    check_fields(kDeviceFields, device, "devices", i);
    if (!names.insert(device.name).second) {
      throw Error(fmt::format("devices[{}].name: expected a unique name, found '{}' again", i,
                              device.name));
    }
  }
}

void Topology::check_links() const {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const auto require_device = [&](std::string_view key, const std::string& pattern) {
      const auto matched = [&](const Device& device) { return matches(pattern, device); };
      if (std::ranges::any_of(devices_, matched)) return;
      throw Error(fmt::format(
          "links[{}].{}: expected a device name, a device type or *, found '{}'", i, key, pattern));
    };
    require_device("from", link.from);
    require_device("to", link.to);
    check_fields(kLinkFields, link, "links", i);
  }
}

std::optional<DeviceId> Topology::find(std::string_view name) const {
  const auto at = std::ranges::find(devices_, name, &Device::name);
  if (at == devices_.end()) return std::nullopt;
  return DeviceId(static_cast<std::size_t>(at - devices_.begin()));
}

const Route* Topology::route(DeviceId from, DeviceId to) const {
  const std::optional<Route>& route = routes_[from.index() * devices_.size() + to.index()];
  return route ? &*route : nullptr;
}

const Link* Topology::best_link(DeviceId from, DeviceId to) const {
  const Link* best = nullptr;
  const Link* rival = nullptr;
  int best_specificity = -1;
  for (const Link& link : links_) {
    if (!matches(link.from, device(from)) || !matches(link.to, device(to))) continue;
    const int found = specificity(link, device(from), device(to));
    if (found > best_specificity) {
      best = &link;
      rival = nullptr;
      best_specificity = found;
    } else if (found == best_specificity) {
      rival = &link;
    }
  }
  if (rival != nullptr) {
    throw Error(fmt::format(
        "links[{}]: expected one most specific link from '{}' to '{}', found links[{}] as well",
        rival - links_.data(), device(from).name, device(to).name, best - links_.data()));
  }
  return best;
}

void Topology::build_routes() {
  Wiring wiring(devices_, contention_);
  routes_.resize(devices_.size() * devices_.size());
  for (const DeviceId from : IdRange<DeviceId>(devices_.size())) {
    for (const DeviceId to : IdRange<DeviceId>(devices_.size())) {
      const Link* link = from == to ? nullptr : best_link(from, to);
      if (link == nullptr) continue;
      const LinkSpeed speed{link->latency_seconds, link->bytes_per_second};
      const auto at = std::ranges::find(speeds_, speed);
      Route route{static_cast<std::size_t>(at - speeds_.begin()),
                  wiring.channels_of(*link, from, to)};
      if (at == speeds_.end()) speeds_.push_back(speed);
      routes_[from.index() * devices_.size() + to.index()] = std::move(route);
    }
  }
  channel_names_ = wiring.take_texts();
}

void Topology::find_identical_devices() {
  for (const DeviceId device : IdRange<DeviceId>(devices_.size())) {
    DeviceId first = device;
    for (const DeviceId earlier : IdRange<DeviceId>(device.index())) {
      if (identical_[earlier.index()] == earlier && interchangeable(earlier, device)) {
        first = earlier;
        break;
      }
    }
    identical_.push_back(first);
  }
}

bool Topology::interchangeable(DeviceId a, DeviceId b) const {
  if (!are_alike(kDeviceFields, device(a), device(b))) return false;
  const auto named = [](const Link& link) { return !link.channels.empty(); };
  if (std::ranges::any_of(links_, named)) return false;
  const auto speed = [&](DeviceId from, DeviceId to) -> std::optional<std::size_t> {
    const Route* found = route(from, to);
    if (found == nullptr) return std::nullopt;
    return found->speed_class;
  };
  if (speed(a, b) != speed(b, a)) return false;
  for (const DeviceId other : IdRange<DeviceId>(devices_.size())) {
    if (other == a || other == b) continue;
    if (speed(a, other) != speed(b, other) || speed(other, a) != speed(other, b)) return false;
  }
  return true;
}

}  // namespace placer
