#include "cli/shared/device_rows.hpp"

#include <catch2/catch.hpp>

namespace placer::testing {
namespace {

/// Devices "d0", "d1", ..., of the types in turn, with 1 byte each.
Topology cluster(std::size_t count, std::size_t types) {
  std::vector<Device> devices;
  for (std::size_t i = 0; i < count; ++i) {
    Device device;
    device.name = "d" + std::to_string(i);
    device.type = "type" + std::to_string(i % types);
    device.memory_bytes = 1;
    devices.push_back(std::move(device));
  }
  return Topology(std::move(devices), {});
}

TEST_CASE("Few devices have a row each, many one for each type, or for each capacity", "[cli]") {
  CHECK(device_rows(cluster(64, 2)).size() == 64);
  const std::vector<DeviceRow> by_type = device_rows(cluster(100, 2));
  REQUIRE(by_type.size() == 2);
  CHECK(by_type[1].name == "d1 and 49 others");
  CHECK(by_type[1].devices.at(1) == DeviceId(3));
  const std::vector<DeviceRow> by_capacity = device_rows(cluster(100, 100));
  REQUIRE(by_capacity.size() == 1);
  CHECK(by_capacity[0].name == "d0 and 99 others");
}

TEST_CASE("Five devices numbered through are a range, others are named, 16 parts at most",
          "[cli]") {
  const Topology topology = cluster(100, 1);
  const auto ranges = [&](const std::vector<std::size_t>& numbers) {
    const std::vector<DeviceId> devices(numbers.begin(), numbers.end());
    return device_ranges(topology, devices);
  };
  const std::vector<std::string> four = {"d0", "d1", "d2", "d3"};
  CHECK(ranges({0, 1, 2, 3}) == four);
  const std::vector<std::string> two_ranges = {"d1", "d7 to d11", "d20 to d24"};
  CHECK(ranges({1, 7, 8, 9, 10, 11, 20, 21, 22, 23, 24}) == two_ranges);
  std::vector<std::size_t> even;
  for (std::size_t i = 0; i < 100; i += 2) even.push_back(i);
  REQUIRE(ranges(even).size() == 17);
  CHECK(ranges(even)[15] == "d30");
  CHECK(ranges(even)[16] == "34 more");
}

TEST_CASE("A range of equal texts is one of them", "[cli]") {
  CHECK(range_text("1 %", "1 %") == "1 %");
  CHECK(range_text("1 %", "9 %") == "1 % to 9 %");
}

}  // namespace
}  // namespace placer::testing
