#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>

#include "io/hardware.hpp"
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
  CHECK_THROWS_WITH(find_devices("0xT4"),
                    "devices: expected 1 to 64 devices of a kind, found '0xT4' in '0xT4'");
  CHECK_THROWS_WITH(find_devices("40xT4,40xCPU"),
                    "devices: expected at most 64 devices, found 80 in '40xT4,40xCPU'");
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

TEST_CASE("configs/README.md cites every kind of device with the figures in use") {
  std::istringstream lines(read_text(std::string(PLACER_SOURCE_DIR) + "/configs/README.md"));
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line);) {
    for (const Hardware& kind : all_hardware()) {
      if (!line.starts_with("| `" + std::string(kind.name) + "` |")) continue;
      ++found;
      std::ostringstream figures;
      figures << "| " << kind.tera_flops_per_second << " TFLOP/s | " << kind.giga_bytes_per_second
              << " GB/s | " << kind.giga_bytes << " GB | " << kind.efficiency << " | "
              << kind.host_link << " |";
      INFO(line);
      CHECK(line.find(figures.str()) != std::string::npos);
    }
  }
  CHECK(found == all_hardware().size());
}

TEST_CASE("configs/README.md cites the peaks by dtype that are in use") {
  const std::string text = read_text(std::string(PLACER_SOURCE_DIR) + "/configs/README.md");
  for (const Peaks& peaks : all_peaks()) {
    std::ostringstream row;
    row << "| " << peaks.name << " | " << peaks.tera_float32 << " | ";
    if (peaks.tera_tf32 > 0) row << peaks.tera_tf32 << " ";
    row << "| " << peaks.tera_float16 << " |";
    INFO(row.str());
    CHECK(text.find(row.str()) != std::string::npos);
    CHECK(find_hardware(peaks.name) != nullptr);
  }
}

}  // namespace
}  // namespace placer
