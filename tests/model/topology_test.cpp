#include "placer/model/topology.hpp"

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
  const Route* route = topology.route(DeviceId(from), DeviceId(to));
  return topology.speeds()[route->speed_class].bytes_per_second;
}

Names channels(const Topology& topology, std::size_t from, std::size_t to) {
  Names names;
  for (const ChannelId id : topology.route(DeviceId(from), DeviceId(to))->channels) {
    names.push_back(topology.channel_names()[id.index()]);
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
  CHECK(topology.route(DeviceId(1), DeviceId(1)) == nullptr);
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
  CHECK(topology.route(DeviceId(0), DeviceId(2)) != nullptr);
  CHECK(topology.route(DeviceId(2), DeviceId(0)) == nullptr);
}

TEST_CASE("Wires that read the same are still different channels", "[model]") {
  const auto channel = [](const Topology& topology, std::size_t from, std::size_t to) {
    return topology.route(DeviceId(from), DeviceId(to))->channels.at(0);
  };
  // "a" to "b -> c" and "a -> b" to "c" both read "a -> b -> c".
  const Topology arrows(
      {device("a", "gpu"), device("b -> c", "gpu"), device("a -> b", "gpu"), device("c", "gpu")},
      {link("*", "*", 1)});
  CHECK(channels(arrows, 0, 1) == channels(arrows, 2, 3));
  CHECK(channel(arrows, 0, 1) != channel(arrows, 2, 3));
  CHECK(arrows.channel_names().size() == 12);
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

TEST_CASE("A device is found by its name only", "[model]") {
  const Topology topology(one_cpu_two_gpus(), {});
  CHECK(topology.find("g1") == DeviceId(2));
  CHECK(topology.find("gpu") == std::nullopt);
}

}  // namespace
}  // namespace placer::testing
