#include "placer/model/topology.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "support/fields.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

using Catch::Message;
using Names = std::vector<std::string>;

Device device(std::string name, std::string type) {
  Device made;
  made.name = std::move(name);
  made.type = std::move(type);
  return made;
}

Link link(std::string from, std::string to, double bytes_per_second, Names channels = {}) {
  return {std::move(from), std::move(to), bytes_per_second, 0, std::move(channels)};
}

std::vector<Device> one_cpu_two_gpus() {
  return {device("host", "cpu"), device("g0", "gpu"), device("g1", "gpu")};
}

double speed(const Topology& topology, std::size_t from, std::size_t to) {
  return topology.speeds()[topology.speed_class(DeviceId(from), DeviceId(to))].bytes_per_second;
}

Names channels(const Topology& topology, std::size_t from, std::size_t to) {
  Names names;
  for (const ChannelId id : topology.channels(DeviceId(from), DeviceId(to))) {
    names.push_back(topology.channel_name(id));
  }
  return names;
}

TEST_CASE("A device's name beats its type, and its type beats the star", "[model]") {
  const Topology topology(one_cpu_two_gpus(), {link("*", "*", 1), link("gpu", "gpu", 2),
                                               link("g0", "g1", 4), link("cpu", "*", 8)});
  CHECK(speed(topology, 0, 1) == 8);
  CHECK(speed(topology, 1, 0) == 1);
  CHECK(speed(topology, 1, 2) == 4);
  CHECK(speed(topology, 2, 1) == 2);
  CHECK_FALSE(topology.joins(DeviceId(1), DeviceId(1)));
  CHECK(topology.speeds().size() == 4);
}

TEST_CASE("Two links that fit a pair equally well are refused with both places", "[model]") {
  CHECK_THROWS_MATCHES(
      Topology(one_cpu_two_gpus(),
               {link("gpu", "gpu", 2), link("*", "*", 1), link("gpu", "gpu", 3)}),
      Error,
      Message(
          "links[2]: expected one most specific link from 'g0' to 'g1', found links[0] as well"));
  // A type towards a star against a star towards a type.
  CHECK_THROWS_AS(Topology(one_cpu_two_gpus(), {link("gpu", "*", 2), link("*", "gpu", 3)}), Error);
  // A more specific third link settles it.
  CHECK_NOTHROW(Topology(one_cpu_two_gpus(),
                         {link("gpu", "*", 2), link("*", "gpu", 3), link("gpu", "gpu", 4)}));
}

TEST_CASE("A pair without a link has no route", "[model]") {
  const Topology topology(one_cpu_two_gpus(), {link("host", "gpu", 1)});
  CHECK(topology.joins(DeviceId(0), DeviceId(2)));
  CHECK_FALSE(topology.joins(DeviceId(2), DeviceId(0)));
}

TEST_CASE("Wires that read the same are still different channels", "[model]") {
  const auto channel = [](const Topology& topology, std::size_t from, std::size_t to) {
    return *topology.channels(DeviceId(from), DeviceId(to)).begin();
  };
  // "a" to "b -> c" and "a -> b" to "c" both read "a -> b -> c".
  const Topology arrows(
      {device("a", "gpu"), device("b -> c", "gpu"), device("a -> b", "gpu"), device("c", "gpu")},
      {link("*", "*", 1)});
  CHECK(channels(arrows, 0, 1) == channels(arrows, 2, 3));
  CHECK(channel(arrows, 0, 1) != channel(arrows, 2, 3));
  // A file's own "x out" and the way out of a device named "channel x".
  const Topology own({device("channel x", "gpu"), device("b", "cpu")},
                     {link("gpu", "cpu", 1), link("cpu", "gpu", 1, {"x out"})},
                     Contention::kEgress);
  CHECK(channels(own, 0, 1) == channels(own, 1, 0));
  CHECK(channel(own, 0, 1) != channel(own, 1, 0));
}

TEST_CASE("Each contention gives a link its channels", "[model]") {
  const auto from_g0_to_g1 = [](Contention contention) {
    return channels(Topology(one_cpu_two_gpus(), {link("*", "*", 1)}, contention), 1, 2);
  };
  CHECK(from_g0_to_g1(Contention::kLink) == Names{"g0 -> g1"});
  CHECK(from_g0_to_g1(Contention::kEgress) == Names{"g0 out"});
  CHECK(from_g0_to_g1(Contention::kPorts) == Names{"g0 out", "g1 in"});
  CHECK(from_g0_to_g1(Contention::kHalfDuplex) == Names{"g0 link", "g1 link"});
  CHECK(from_g0_to_g1(Contention::kNone).empty());
}

TEST_CASE("A link's own channels replace those of the contention", "[model]") {
  const Topology topology(one_cpu_two_gpus(),
                          {link("*", "*", 1), link("gpu", "gpu", 1, {"switch", "nic"})},
                          Contention::kEgress);
  CHECK(channels(topology, 1, 2) == Names{"channel switch", "channel nic"});
  CHECK(channels(topology, 2, 1) == Names{"channel switch", "channel nic"});
  CHECK(channels(topology, 0, 1) == Names{"host out"});
}

TEST_CASE("Faults of devices are refused with their place", "[model]") {
  CHECK_THROWS_MATCHES(Topology({}, {}), Error,
                       Message("devices: expected at least one device, found none"));
  CHECK_THROWS_MATCHES(Topology({device("a", "gpu"), device("a", "gpu")}, {}), Error,
                       Message("devices[1].name: expected a unique name, found 'a' again"));
  CHECK_THROWS_AS(Topology({device("", "gpu")}, {}), Error);
  CHECK_THROWS_AS(Topology({device("*", "gpu")}, {}), Error);
  Device idle = device("a", "gpu");
  idle.slots = 0;
  CHECK_THROWS_MATCHES(Topology({idle}, {}), Error,
                       Message("devices[0].slots: expected an integer from 1 to 65536, found 0"));
  Device lossy = device("a", "gpu");
  lossy.efficiency = 1.5;
  CHECK_THROWS_MATCHES(
      Topology({lossy}, {}), Error,
      Message("devices[0].efficiency: expected a number above 0 and at most 1, found 1.5"));
}

TEST_CASE("Faults of links are refused with their place", "[model]") {
  CHECK_THROWS_MATCHES(
      Topology(one_cpu_two_gpus(), {link("tpu", "*", 1)}), Error,
      Message("links[0].from: expected a device name, a device type or *, found 'tpu'"));
  CHECK_THROWS_MATCHES(Topology(one_cpu_two_gpus(), {link("*", "*", 0)}), Error,
                       Message("links[0].bytes_per_second: expected a number above 0, found 0"));
  CHECK_THROWS_MATCHES(Topology(one_cpu_two_gpus(), {link("*", "*", 1, {"a", "b", "a"})}), Error,
                       Message("links[0].channels: expected distinct names, found one twice"));
}

TEST_CASE("A fault of a device or link shows no more than the begin of a long name", "[model]") {
  const std::string name(5000, 'n'), shown = std::string(200, 'n') + "...";
  CHECK_THROWS_MATCHES(
      Topology(one_cpu_two_gpus(), {link("*", name, 1)}), Error,
      Message("links[0].to: expected a device name, a device type or *, found '" + shown + "'"));
  CHECK_THROWS_MATCHES(
      Topology({device(name, "gpu"), device(name, "gpu")}, {}), Error,
      Message("devices[1].name: expected a unique name, found '" + shown + "' again"));
}

TEST_CASE("Devices that differ in name only are identical", "[model]") {
  const Topology topology(one_cpu_two_gpus(), {link("*", "*", 1)});
  CHECK(topology.first_identical(DeviceId(0)) == DeviceId(0));
  CHECK(topology.first_identical(DeviceId(2)) == DeviceId(1));
}

TEST_CASE("Devices that differ in any one field but the name are not identical", "[model]") {
  for_each_field(kDeviceFields, [](const auto& row) {
    CAPTURE(row.name);
    std::vector<Device> devices = {device("g0", "gpu"), device("g1", "gpu")};
    CHECK(Topology(devices, {}).first_identical(DeviceId(1)) == DeviceId(0));
    change(devices[1].*row.member);
    const bool are_identical = Topology(devices, {}).first_identical(DeviceId(1)) == DeviceId(0);
    CHECK(are_identical == (row.name == "name"));
  });
}

TEST_CASE("Devices with other memory, another link or named channels are not identical",
          "[model]") {
  std::vector<Device> devices = one_cpu_two_gpus();
  devices[2].memory_bytes = 1;
  CHECK(Topology(devices, {link("*", "*", 1)}).first_identical(DeviceId(2)) == DeviceId(2));
  CHECK(Topology(one_cpu_two_gpus(), {link("*", "*", 1), link("host", "g1", 2)})
            .first_identical(DeviceId(2)) == DeviceId(2));
  CHECK(Topology(one_cpu_two_gpus(), {link("*", "*", 1, {"bus"})}).first_identical(DeviceId(2)) ==
        DeviceId(2));
}

/// The position of the most specific link of a pair, or -1; the number of links where two tie.
int link_by_pairs(const std::vector<Link>& links, const Device& from, const Device& to) {
  const auto fit = [](const std::string& pattern, const Device& device) {
    return pattern == device.name ? 2 : pattern == device.type ? 1 : pattern == "*" ? 0 : -9;
  };
  int best = -1, most = -1;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const int found = fit(links[i].from, from) + fit(links[i].to, to);
    if (found < 0 || found < most) continue;
    best = found == most ? static_cast<int>(links.size()) : static_cast<int>(i);
    most = found;
  }
  return best;
}

TEST_CASE("The link of each pair is the most specific that matches it, in random topologies",
          "[model]") {
  const Names patterns = {"a", "b", "c", "d", "*"};  // names and types at once
  Rng rng(3);
  int built = 0, refused = 0;
  for (int round = 0; round < 2'000; ++round) {
    std::vector<Device> devices;
    for (std::size_t i = 0; i < 4; ++i) {
      devices.push_back(device(patterns[i], patterns[rng.below(4)]));
    }
    std::vector<Link> links;
    const auto count = 1 + rng.below(5);
    for (std::size_t i = 0; i < count; ++i) {
      const Link made = link(rng.pick(std::span(patterns)), rng.pick(std::span(patterns)),
                             static_cast<double>(i + 1));
      const auto matched = [&](const std::string& pattern) {
        return std::ranges::any_of(devices, [&](auto& one) { return matches(pattern, one); });
      };
      if (matched(made.from) && matched(made.to)) links.push_back(made);
    }
    bool ties = false;
    for (std::size_t i = 0; i < 16; ++i) {
      const int found = link_by_pairs(links, devices[i / 4], devices[i % 4]);
      ties = ties || (i / 4 != i % 4 && found == static_cast<int>(links.size()) && found > 0);
    }
    if (ties) {
      ++refused;
      CHECK_THROWS_AS(Topology(devices, links), Error);
      continue;
    }
    ++built;
    const Topology topology(devices, links);
    for (std::size_t i = 0; i < 16; ++i) {
      const int found = link_by_pairs(links, devices[i / 4], devices[i % 4]);
      const bool joined = topology.joins(DeviceId(i / 4), DeviceId(i % 4));
      REQUIRE(joined == (i / 4 != i % 4 && found >= 0 && !links.empty()));
      if (!joined) continue;
      REQUIRE(speed(topology, i / 4, i % 4) ==
              links[static_cast<std::size_t>(found)].bytes_per_second);
    }
  }
  CHECK(built > 200);
  CHECK(refused > 200);
}

/// "d0", "d1", ... of `types` types in turn.
std::vector<Device> cluster(std::size_t count, std::size_t types = 1) {
  std::vector<Device> devices;
  for (std::size_t i = 0; i < count; ++i) {
    devices.push_back(device("d" + std::to_string(i), "t" + std::to_string(i % types)));
  }
  return devices;
}

TEST_CASE("Devices that no link tells apart share an end of links", "[model]") {
  // The nodes t0, t1 and t2 have a fast link each; d5, of t2, has one of its own.
  const Topology topology(cluster(9'000, 3), {link("*", "*", 1), link("t0", "t0", 2),
                                              link("t1", "t1", 2), link("d5", "*", 4)});
  CHECK(topology.link_table().ends == 4);  // t0, t1, d5, and the rest of t2
  CHECK(speed(topology, 0, 3) == 2);
  CHECK(speed(topology, 0, 1) == 1);
  CHECK(speed(topology, 5, 8) == 4);
  CHECK(speed(topology, 8, 5) == 1);
  CHECK(topology.pairs_of_speeds().size() == 3);
  CHECK(topology.pairs_of_speeds()[topology.speed_class(DeviceId(5), DeviceId(0))] == 8'999);
  CHECK(topology.pairs_of_speeds()[topology.speed_class(DeviceId(0), DeviceId(3))] ==
        2.0 * 3'000 * 2'999);
  CHECK(topology.first_identical(DeviceId(8'999)) == DeviceId(2));
  CHECK(channels(topology, 8'999, 0) == Names{"d8999 -> d0"});
}

TEST_CASE("More devices, ends of links or channels than a topology takes are refused", "[model]") {
  CHECK_THROWS_MATCHES(Topology(cluster(16'385), {}), Error,
                       Message("devices: expected at most 16384 devices, found 16385"));
  std::vector<Link> by_name;
  for (int i = 0; i < 4'096; ++i) by_name.push_back(link("d" + std::to_string(i), "*", 1));
  CHECK_THROWS_MATCHES(
      Topology(cluster(4'097), by_name), Error,
      Message("links: expected at most 4096 devices that links tell apart, found 4097"));
  Names names;
  for (int i = 0; i < 257; ++i) names.push_back("c" + std::to_string(i));
  CHECK_THROWS_MATCHES(Topology(cluster(2), {link("*", "*", 1, names)}), Error,
                       Message("links[0].channels: expected at most 256 channels, found 257"));
  std::vector<Link> wired;
  for (int i = 0; i < 257; ++i) {
    names.clear();
    for (int c = 0; c < 256; ++c) names.push_back(std::to_string(i) + "." + std::to_string(c));
    wired.push_back(link("d" + std::to_string(i), "*", 1, names));
  }
  CHECK_THROWS_MATCHES(Topology(cluster(257), wired), Error,
                       Message("links: expected at most 65536 different channels, found 65792"));
}

TEST_CASE("A device is found by its name only", "[model]") {
  const Topology topology(one_cpu_two_gpus(), {});
  CHECK(topology.find("g1") == DeviceId(2));
  CHECK(topology.find("gpu") == std::nullopt);
}

}  // namespace
}  // namespace placer::testing
