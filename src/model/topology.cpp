#include "placer/model/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <variant>

#include "placer/base/errors.hpp"

namespace placer {
namespace {

void require(bool holds, std::string_view place, std::string_view expected, double found) {
  if (holds) return;
  throw Error(fmt::format("{}: expected {}, found {}", place, expected, found));
}

bool positive(double value) { return value > 0 && std::isfinite(value); }
bool not_negative(double value) { return value >= 0 && std::isfinite(value); }

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
    const auto place = [i](std::string_view key) { return fmt::format("devices[{}].{}", i, key); };
    if (device.name.empty() || device.name == "*") {
      throw Error(fmt::format("{}: expected a name, found '{}'", place("name"), device.name));
    }
    if (!names.insert(device.name).second) {
      throw Error(
          fmt::format("{}: expected a unique name, found '{}' again", place("name"), device.name));
    }
    require(device.memory_bytes >= 0, place("memory_bytes"), "an integer from 0",
            static_cast<double>(device.memory_bytes));
    require(device.slots >= 1, place("slots"), "an integer from 1",
            static_cast<double>(device.slots));
    require(positive(device.flops_per_second.value_or(1)), place("flops_per_second"),
            "a number above 0", device.flops_per_second.value_or(1));
    for (const auto& [dtype, peak] : device.dtype_flops_per_second) {
      require(positive(peak), place("flops_per_second." + dtype), "a number above 0", peak);
    }
    require(positive(device.bytes_per_second.value_or(1)), place("bytes_per_second"),
            "a number above 0", device.bytes_per_second.value_or(1));
    require(not_negative(device.launch_seconds), place("launch_seconds"), "a number from 0",
            device.launch_seconds);
    require(device.efficiency > 0 && device.efficiency <= 1, place("efficiency"),
            "a number above 0 and at most 1", device.efficiency);
  }
}

void Topology::check_links() const {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const auto place = [i](std::string_view key) { return fmt::format("links[{}].{}", i, key); };
    const auto require_device = [&](std::string_view key, const std::string& pattern) {
      const auto matched = [&](const Device& device) { return matches(pattern, device); };
      if (std::ranges::any_of(devices_, matched)) return;
      throw Error(fmt::format("{}: expected a device name, a device type or *, found '{}'",
                              place(key), pattern));
    };
    require_device("from", link.from);
    require_device("to", link.to);
    require(positive(link.bytes_per_second), place("bytes_per_second"), "a number above 0",
            link.bytes_per_second);
    require(not_negative(link.latency_seconds), place("latency_seconds"), "a number from 0",
            link.latency_seconds);
    const std::set<std::string> distinct(link.channels.begin(), link.channels.end());
    if (distinct.size() < link.channels.size() || distinct.contains("")) {
      throw Error(place("channels") + ": expected distinct names, found " +
                  (distinct.contains("") ? "an empty one" : "one twice"));
    }
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
  const auto features = [](const Device& d) {
    return std::tie(d.type, d.memory_bytes, d.slots, d.flops_per_second, d.dtype_flops_per_second,
                    d.bytes_per_second, d.launch_seconds, d.efficiency);
  };
  if (features(device(a)) != features(device(b))) return false;
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
