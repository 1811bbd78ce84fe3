#include <catch2/catch.hpp>
#include <string>

#include "placer/base/errors.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/files.hpp"

namespace placer {
namespace {

using Catch::StartsWith;
using Names = std::vector<std::string>;

Names channels_of(const Topology& topology, const char* from, const char* to) {
  REQUIRE(topology.joins(*topology.find(from), *topology.find(to)));
  Names names;
  for (const ChannelId channel : topology.channels(*topology.find(from), *topology.find(to))) {
    names.push_back(topology.channel_name(channel));
  }
  return names;
}

double rate_of(const Topology& topology, const char* from, const char* to) {
  const std::size_t speed = topology.speed_class(*topology.find(from), *topology.find(to));
  return topology.speeds()[speed].bytes_per_second;
}

TEST_CASE("A list of devices gives them their data sheets' figures and numbers them by type") {
  const Topology topology = find_devices("2xA100-80,1xCPU");
  REQUIRE(topology.devices().size() == 3);
  CHECK(topology.devices()[0].name == "gpu:0");
  CHECK(topology.devices()[1].name == "gpu:1");
  CHECK(topology.devices()[2].name == "cpu:0");
  CHECK(topology.devices()[0].memory_bytes == 80'000'000'000);
  using Peaks = std::vector<std::pair<std::string, double>>;
  CHECK(topology.devices()[0].flops_per_second.of_dtype ==
        Peaks{{"float32", 19.5e12}, {"tf32", 156e12}, {"float16", 312e12}});
  CHECK(*topology.devices()[0].flops_per_second.of_others == 19.5e12);
  CHECK(topology.devices()[2].type == "cpu");
  CHECK(rate_of(topology, "gpu:0", "gpu:1") == 270e9);
  CHECK(rate_of(topology, "cpu:0", "gpu:1") == 25e9);
}

TEST_CASE("Two GPUs of one PCIe switch share the way up, and talk to each other below it") {
  const Topology topology = find_devices("4xV100-PCIE,1xCPU");
  CHECK(channels_of(topology, "gpu:0", "gpu:1") ==
        Names{"channel gpu:0 pcie out", "channel gpu:1 pcie in"});
  CHECK(channels_of(topology, "gpu:1", "gpu:2") ==
        Names{"channel gpu:1 pcie out", "channel switch:0 up", "channel switch:1 down",
              "channel gpu:2 pcie in"});
  CHECK(channels_of(topology, "cpu:0", "gpu:3") ==
        Names{"channel switch:1 down", "channel gpu:3 pcie in"});
}

TEST_CASE(
    "NVLinks of eight V100 join neighbours of the cube, by two links or one, others by PCIe") {
  const Topology topology = find_devices("8xV100-16");
  CHECK(rate_of(topology, "gpu:0", "gpu:1") == 23e9);
  CHECK(rate_of(topology, "gpu:0", "gpu:3") == 46e9);
  CHECK(rate_of(topology, "gpu:2", "gpu:6") == 23e9);
  CHECK(rate_of(topology, "gpu:0", "gpu:5") == 11e9);
  for (const char* from : {"gpu:0", "gpu:3", "gpu:6"}) {  // six links each
    double sum = 0;
    for (std::size_t to = 0; to < 8; ++to) {
      const std::string name = "gpu:" + std::to_string(to);
      if (name != from && rate_of(topology, from, name.c_str()) > 11e9) {
        sum += rate_of(topology, from, name.c_str());
      }
    }
    CHECK(sum == Approx(6 * 23e9));
  }
}

TEST_CASE("Different GPUs reach each other over the slower one's PCIe") {
  const Topology topology = find_devices("1xH100,1xt4");
  CHECK(rate_of(topology, "gpu:0", "gpu:1") == 11e9);
  CHECK(rate_of(topology, "gpu:1", "gpu:0") == 11e9);
}

TEST_CASE("A single kind, without a count, is one device; a list needs no CPU") {
  CHECK(find_devices("rtx4090").devices().size() == 1);
  CHECK(find_devices("64xT4").devices().size() == 64);
  CHECK(find_devices(" 2xT4, 1xCPU ").devices().size() == 3);
}

TEST_CASE("What is wrong in a list of devices is named") {
  CHECK_THROWS_WITH(find_devices("2xA100-8,1xCPU"),
                    StartsWith("devices: expected a list such as 2xA100-80,1xCPU of K80, P100, ") &&
                        Catch::EndsWith("found 'A100-8' (did you mean 'A100-80'?) in "
                                        "'2xA100-8,1xCPU'"));
  CHECK_THROWS_WITH(find_devices("2xV100"),
                    "devices: expected a list such as 2xA100-80,1xCPU of V100-16, V100-32, "
                    "V100-PCIE, found 'V100' (did you mean 'V100-16'?) in '2xV100'");
  CHECK_THROWS_WITH(
      find_devices("0xT4"),
      "devices: expected 1 to 64 devices of a kind (a file may have more), found '0xT4' in '0xT4'");
  CHECK_THROWS_WITH(
      find_devices("40xT4,40xCPU"),
      "devices: expected at most 64 devices (a file may have more), found 80 in '40xT4,40xCPU'");
  CHECK_THROWS_WITH(find_devices("2xT4,"), Catch::Contains("found '' in '2xT4,'"));
  CHECK_THROWS_WITH(find_devices("x.json,y"), StartsWith("devices: expected a file, one of"));
}

TEST_CASE("Specs that are shipped for lists are what the lists stand for") {
  for (const auto& [name, list] :
       {std::pair("p100-4", "4xP100,1xXEON-E5"), std::pair("v100-8", "8xV100-16,1xXEON-6248"),
        std::pair("t4-4", "4xT4,1xXEON-6248"), std::pair("h200-8", "8xH200,2xXEON-8480C"),
        std::pair("rtx3090-4", "4xRTX3090,1xEPYC-7742"),
        std::pair("rtx4090-4", "4xRTX4090,1xEPYC-9654")}) {
    CAPTURE(name);
    CHECK((write_devices(find_devices(list)) ==
           read_text(std::string(PLACER_SOURCE_DIR) + "/configs/devices/" + name + ".json")));
  }
}

TEST_CASE("A kind in a list may have another memory than its own, in GiB or GB") {
  const Topology topology =
      find_devices("1xRTX3060:8GiB,1xrtx3060:12GB,1xRTX3060,1xXEON-E5:1.5TiB");
  CHECK(topology.devices()[0].memory_bytes == 8'589'934'592);
  CHECK(topology.devices()[1].memory_bytes == 12'000'000'000);
  CHECK(topology.devices()[2].memory_bytes == 12'884'901'888);
  CHECK(topology.devices()[3].memory_bytes == 1'649'267'441'664);
  CHECK(topology.devices()[3].flops_per_second.of_others == 1.18e12);
  for (const auto& [list, found] : {std::pair("2xT4:16", "16"),
                                    {"2xT4:GiB", "GiB"},
                                    {"2xT4:0GiB", "0GiB"},
                                    {"2xT4:", ""},
                                    {"2xT4:8c2ch", "8c2ch"}}) {
    CHECK_THROWS_WITH(find_devices(list), "devices: expected a memory such as 12GiB, found '" +
                                              std::string(found) + "' in '" + list + "'");
  }
}

TEST_CASE("A CPU of 32 cores and 8 memory channels has 2.56 TFLOP/s, 307.2 GB/s and 256 GiB") {
  const Topology topology = find_devices("1xCPU:32c8ch,cpu:4c1ch:20GiB");
  const Device& large = topology.devices()[0];
  CHECK(large.flops_per_second.of_others == 2.56e12);
  CHECK(*large.bytes_per_second == Approx(307.2e9));
  CHECK(large.memory_bytes == 274'877'906'944);
  CHECK(topology.devices()[1].flops_per_second.of_others == 0.32e12);
  CHECK(topology.devices()[1].memory_bytes == 21'474'836'480);
  for (const char* detail : {"32c", "0c8ch", "32c8", "32c0ch", "8ch", "32c65ch", "1025c8ch"}) {
    CHECK_THROWS_WITH(
        find_devices("1xCPU:" + std::string(detail)),
        "devices: expected cores and memory channels such as 32c8ch, or a memory such "
        "as 64GiB, found '" +
            std::string(detail) + "' in '1xCPU:" + detail + "'");
  }
}

TEST_CASE("Two hosts of a list number their devices through and share a network port each") {
  const Topology topology = find_devices("2*(2xA100-80,1xCPU)");
  Names names;
  for (const Device& device : topology.devices()) names.push_back(device.name);
  CHECK(names == Names{"gpu:0", "gpu:1", "cpu:0", "gpu:2", "gpu:3", "cpu:1"});
  CHECK(rate_of(topology, "gpu:0", "gpu:1") == 270e9);
  CHECK(rate_of(topology, "gpu:2", "cpu:1") == 25e9);
  CHECK(rate_of(topology, "gpu:1", "gpu:2") == 11.25e9);  // 90 % of 100 Gb/s
  CHECK(channels_of(topology, "gpu:1", "gpu:2") ==
        Names{"channel gpu:1 pcie out", "channel host:0 network out", "channel host:1 network in",
              "channel gpu:2 pcie in"});
  CHECK(channels_of(topology, "cpu:1", "cpu:0") ==
        Names{"channel host:1 network out", "channel host:0 network in"});
}

TEST_CASE("Copies between hosts are as fast as the slower one of network and PCIe") {
  const Topology topology = find_devices(" (1xA100-80,1xCPU), 2*( 1xT4 ) @ 200Gbps ");
  CHECK(topology.devices().size() == 4);
  CHECK(rate_of(topology, "cpu:0", "gpu:0") == 25e9);
  CHECK(rate_of(topology, "gpu:0", "gpu:1") == 11e9);  // PCIe 3 of the T4
  CHECK(rate_of(find_devices("2*(1xA100-80)@200Gbps"), "gpu:0", "gpu:1") == 22.5e9);
  CHECK(rate_of(find_devices("2*(1xA100-80)@1600.5Gbps"), "gpu:0", "gpu:1") == 25e9);
}

TEST_CASE("NVLinks of V100 join the devices of one host alone") {
  const Topology topology = find_devices("2*(2xV100-16)");
  CHECK(rate_of(topology, "gpu:2", "gpu:3") == 23e9);
  CHECK(rate_of(topology, "gpu:0", "gpu:2") == 11e9);
}

TEST_CASE("Each pair of MI300X has a link of its own") {
  const Topology topology = find_devices("3xMI300X");
  CHECK(rate_of(topology, "gpu:0", "gpu:2") == 48e9);
  CHECK(channels_of(topology, "gpu:2", "gpu:1") == Names{"channel fabric gpu:2 -> gpu:1"});
}

TEST_CASE("What is wrong in a list of hosts is named") {
  const std::string hosts = "devices: expected hosts in parentheses, such as 2*(4xA100-80,1xCPU), ";
  CHECK_THROWS_WITH(find_devices("2*(1xT4),1xCPU"), hosts + "found '1xCPU' in '2*(1xT4),1xCPU'");
  CHECK_THROWS_WITH(find_devices("2xT4@10Gbps"), hosts + "found '2xT4' in '2xT4@10Gbps'");
  CHECK_THROWS_WITH(find_devices("2*(1xT4"), hosts + "found '2*(1xT4' in '2*(1xT4'");
  CHECK_THROWS_WITH(find_devices("((1xT4))"), hosts + "found '((1xT4))' in '((1xT4))'");
  CHECK_THROWS_WITH(find_devices("2x(1xT4)"), hosts + "found '2x(1xT4)' in '2x(1xT4)'");
  CHECK_THROWS_WITH(find_devices("0*(1xT4)"),
                    "devices: expected 1 to 64 hosts, found '0*(1xT4)' in '0*(1xT4)'");
  CHECK_THROWS_WITH(
      find_devices("2*(1xT4)@10GB"),
      "devices: expected a network such as @200Gbps, found '10GB' in '2*(1xT4)@10GB'");
  CHECK_THROWS_WITH(find_devices("2*(1xT4)@0bps"), Catch::Contains("found '0bps'"));
  CHECK_THROWS_WITH(
      find_devices("3*(64xT4)"),
      "devices: expected at most 128 devices (a file may have more), found 192 in '3*(64xT4)'");
  CHECK_THROWS_WITH(find_devices("2*()"), StartsWith("devices: expected a list such as"));
  CHECK_THROWS_WITH(find_devices("(a).json"), StartsWith("devices: expected a file, one of"));
  CHECK(find_devices("2*(63xT4)").devices().size() == 126);
}

}  // namespace
}  // namespace placer
