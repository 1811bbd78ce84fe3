#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/hardware.hpp"

namespace placer {
namespace {

/// A variable of the environment, which gets its value back.
class Variable {
 public:
  Variable(const char* name, const std::string& value)
      : name_(name), before_(std::getenv(name) == nullptr ? "" : std::getenv(name)) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::setenv(name_, before_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  const std::string& before() const { return before_; }

 private:
  const char* name_;
  std::string before_;
};

TEST_CASE("Devices lists every kind with its memory in GiB and its source") {
  const std::string text = run({"devices"}).out;
  for (const Hardware& kind : all_hardware()) {
    CHECK_THAT(text, Catch::Contains(std::string(kind.name) + " ") &&
                         Catch::Contains(std::string(kind.source)));
  }
  CHECK_THAT(text, Catch::Contains("RTX3060     12.00 GiB") && Catch::Contains("4gpu"));
}

TEST_CASE("Devices lists the kinds as JSON, with the peaks and wires that they have") {
  const auto kinds = run_json({"devices", "--json"})["kinds"];
  REQUIRE(kinds.size() == all_hardware().size());
  for (const auto& kind : kinds) {
    if (kind["name"] != "A100-80") continue;
    CHECK(kind["memory_bytes"] == 80'000'000'000);
    CHECK(kind["flops_per_second"] ==
          nlohmann::json{{"float32", 19.5e12}, {"tf32", 156e12}, {"float16", 312e12}});
    CHECK(kind["host_link"]["bytes_per_second"] == 25e9);
    CHECK(kind["fabric"]["name"] == "nvlink3");
  }
  CHECK(kinds[0]["name"] == "K80");
  CHECK(kinds[0]["flops_per_second"] == nlohmann::json{{"float32", 2.8e12}});
  CHECK(kinds[0]["fabric"].is_null());
}

TEST_CASE("What devices prints for a list means the same as the list, and can be written") {
  const TempFolder folder;
  const std::string file = folder.file("d.json");
  const std::string list = "2*(1xRTX3060:8GiB,1xCPU:8c2ch)@10Gbps";
  const Ran printed = run({"devices", list});
  CHECK(printed.out == write_devices(find_devices(list)));
  REQUIRE(run({"devices", list, "--output", file}).code == kDone);
  CHECK(text_of(file) == printed.out);
  CHECK(run({"devices", file}).out == printed.out);
  CHECK(run({"devices", "4gpu"}).out == write_devices(find_devices("4gpu")));
}

TEST_CASE("Devices refuses what is no spec, a spec beside --probe, and --output for nothing") {
  CHECK_THAT(run({"devices", "2xT5"}).err,
             Catch::StartsWith("placer: devices: expected a list such as"));
  CHECK(run({"devices", "2xT4", "--probe"}).err ==
        "placer: devices: expected a spec or --probe, found both: '2xT4'\n");
  CHECK(run({"devices", "-o", "d.json"}).err ==
        "placer: devices: --output: expected a spec or --probe, found neither\n");
}

TEST_CASE("A probe finds the GPUs that nvidia-smi tells of, beside this machine's CPUs") {
  const TempFolder folder;
  ::chmod(folder.write("nvidia-smi", "#!/bin/sh\necho 'NVIDIA GeForce RTX 3090, 24576'\n").c_str(),
          0755);
  const Variable path("PATH", folder.file(""));
  const Ran ran = run({"devices", "--probe"});
  REQUIRE(ran.code == kDone);
  const Topology topology = parse_devices(ran.out, "printed");
  CHECK(topology.devices()[0].name == "gpu:0");
  CHECK(topology.devices()[0].memory_bytes == 25'769'803'776);
  CHECK(*topology.devices()[0].bytes_per_second == 936e9);
  REQUIRE(topology.devices().size() >= 2);
  CHECK(topology.devices()[1].name == "cpu:0");
  CHECK_THAT(ran.err, Catch::Contains("this machine: --devices 1xRTX3090:24576MiB,1xCPU:"));
}

}  // namespace
}  // namespace placer
