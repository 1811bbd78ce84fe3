#include "placer/model/device_subsets.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

using Sets = std::vector<std::vector<DeviceId>>;

Device device(std::string name, std::string type) {
  return {.name = std::move(name), .type = std::move(type), .memory_bytes = 1};
}

TEST_CASE("Sets of devices differ in how many of each kind they have") {
  const Topology topology({device("gpu:0", "gpu"), device("gpu:1", "gpu"), device("cpu:0", "cpu")},
                          {});
  const DeviceId gpu0(0), gpu1(1), cpu(2);
  CHECK(device_subsets(topology, 10) ==
        Sets{{gpu0}, {cpu}, {gpu0, gpu1}, {gpu0, cpu}, {gpu0, gpu1, cpu}});
}

TEST_CASE("Of many alike devices, powers of two and all are tried") {
  std::vector<std::size_t> sizes;
  for (const auto& set : device_subsets(alike({.devices = 6}), 5)) sizes.push_back(set.size());
  CHECK(sizes == std::vector<std::size_t>{1, 2, 4, 6});
}

TEST_CASE("Sets are counted without making them, a million at most") {
  CHECK(device_subset_count(alike({.devices = 6}), 5) == 4);
  CHECK(device_subset_count(alike({.devices = 6}), 6) == 6);
  std::vector<Device> devices;
  for (int kind = 0; kind < 100; ++kind) {
    devices.push_back(device("gpu:" + std::to_string(kind), std::to_string(kind)));
  }
  CHECK(device_subset_count(Topology(devices, {}), 64) == 1'000'000);
}

TEST_CASE("A part of a machine keeps the links between its devices") {
  const auto link = [](std::string from, std::string to) {
    return Link{.from = std::move(from), .to = std::move(to), .bytes_per_second = 1};
  };
  const Topology topology({device("gpu:0", "gpu"), device("gpu:1", "gpu"), device("cpu:0", "cpu")},
                          {link("gpu:0", "cpu"), link("gpu:1", "cpu"), link("cpu", "gpu")});
  const Topology part = topology_of(topology, {DeviceId(0), DeviceId(2)});
  CHECK(part.devices().size() == 2);
  CHECK(part.links().size() == 2);
  CHECK(part.joins(DeviceId(0), DeviceId(1)));
  CHECK(part.joins(DeviceId(1), DeviceId(0)));
}

}  // namespace
}  // namespace placer::testing
