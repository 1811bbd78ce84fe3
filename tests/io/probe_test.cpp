#include "placer/io/probe.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>

#include "cli/command_line.hpp"
#include "placer/base/errors.hpp"

namespace placer {
namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;

/// Two sockets of two cores with two threads each.
std::string cpuinfo_of_two_sockets() {
  std::string text;
  for (int processor = 0; processor < 8; ++processor) {
    text += "processor\t: " + std::to_string(processor) + "\nmodel name\t: Some: CPU\n" +
            "physical id\t: " + std::to_string(processor % 2) +
            "\ncore id\t\t: " + std::to_string(processor / 4) + "\nflags\t\t: fma avx2\n\n";
  }
  return text;
}

/// What a probe reads, in a folder of its own.
class Machine {
 public:
  Machine() {
    std::filesystem::create_directories(folder.file("proc"));
    std::filesystem::create_directories(folder.file("nodes"));
    folder.write("proc/cpuinfo", cpuinfo_of_two_sockets());
    folder.write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree:  1 kB\n");
    sources.proc = folder.file("proc");
    sources.nodes = folder.file("nodes");
    sources.gpu_query = folder.file("nvidia-smi");
  }
  void add_node(const std::string& name, const std::string& cpus) {
    std::filesystem::create_directories(folder.file("nodes/" + name));
    folder.write("nodes/" + name + "/cpulist", cpus);
    folder.write("nodes/" + name + "/meminfo", "\nNode 0 MemTotal:        4194304 kB\n");
  }
  void set_query(const std::string& script) {
    ::chmod(folder.write("nvidia-smi", "#!/bin/sh\n" + script).c_str(), 0755);
  }

  TempFolder folder;
  ProbeSources sources;
};

TEST_CASE("The query of nvidia-smi is read line by line, and shared memory is left open") {
  using Gpus = std::vector<FoundGpu>;
  CHECK(parse_gpu_query("NVIDIA GeForce RTX 3090, 24576\nTesla T4, 15360\n") ==
        Gpus{{"NVIDIA GeForce RTX 3090", 24576 * kMebi}, {"Tesla T4", 15360 * kMebi}});
  CHECK(parse_gpu_query("Orin (nvgpu), [N/A]\r\n") == Gpus{{"Orin (nvgpu)", {}}});
  CHECK(parse_gpu_query("\n").empty());
  CHECK_THROWS_WITH(parse_gpu_query("No devices were found\n"),
                    "nvidia-smi: expected lines 'NAME, MiB', found 'No devices were found'");
  CHECK_THROWS_WITH(parse_gpu_query("Tesla T4, many"), Catch::EndsWith("found 'Tesla T4, many'"));
}

TEST_CASE("Names of GPUs are kinds where maker, socket and kind of memory are left out") {
  for (const auto& [name, kind] : {std::pair("Tesla V100-SXM2-16GB", "V100-16"),
                                   {"Tesla V100-PCIE-32GB", "V100-PCIE"},
                                   {"NVIDIA A100-SXM4-80GB", "A100-80"},
                                   {"NVIDIA A100-SXM4-40GB", "A100-40"},
                                   {"NVIDIA A100 80GB PCIe", "A100-PCIE"},
                                   {"NVIDIA A100-PCIE-40GB", "A100-PCIE"},
                                   {"NVIDIA H100 80GB HBM3", "H100"},
                                   {"NVIDIA H100 PCIe", "H100-PCIE"},
                                   {"NVIDIA L4", "L4"},
                                   {"Tesla P100-PCIE-16GB", "P100-PCIE"},
                                   {"NVIDIA RTX A6000", "A6000"},
                                   {"NVIDIA GeForce RTX 4060 Ti", "RTX4060TI"},
                                   {"Orin (nvgpu)", "ORIN-AGX"}}) {
    CAPTURE(name);
    CHECK(kind_of_gpu(name) == kind);
  }
  for (const char* name : {"NVIDIA GeForce RTX 4070 Ti", "NVIDIA GeForce RTX 3080 Laptop GPU",
                           "NVIDIA T400", "NVIDIA H100 NVL", ""}) {
    CAPTURE(name);
    CHECK(!kind_of_gpu(name));
  }
}

TEST_CASE("Cores are counted without their second threads; without ids each processor is one") {
  CHECK(parse_cpuinfo(cpuinfo_of_two_sockets()) == FoundCpus{2, 4});
  CHECK(parse_cpuinfo("processor : 0\nBogoMIPS : 50\n\nprocessor : 1\n") == FoundCpus{1, 2});
  CHECK(parse_cpuinfo("") == FoundCpus{1, 1});
}

TEST_CASE("The memory of a machine and that of a node are read in KiB") {
  CHECK(parse_meminfo("MemTotal:  2048 kB\n", "f") == 2 * kMebi);
  CHECK(parse_meminfo("Node 1 MemFree: 1 kB\nNode 1 MemTotal:  1024 kB\n", "f") == kMebi);
  CHECK_THROWS_WITH(parse_meminfo("MemTotal: all\n", "f"),
                    "f: expected a line 'MemTotal: N kB', found none");
}

TEST_CASE("A machine without nvidia-smi and without nodes is one CPU") {
  Machine machine;
  const ProbedMachine probed = probe_machine(machine.sources);
  CHECK(probed.list == "1xCPU:4c16ch:16384MiB");
  CHECK(probed.notes.at(0) == "no nvidia-smi: no GPUs are listed");
}

TEST_CASE("Each NUMA node with processors is a CPU with its share of cores and channels") {
  Machine machine;
  machine.add_node("node0", "0-3\n");
  machine.add_node("node1", "4-7\n");
  machine.add_node("node2", "\n");  // memory alone
  CHECK(probe_machine(machine.sources).list == "1xCPU:2c8ch:4096MiB,1xCPU:2c8ch:4096MiB");
}

TEST_CASE("GPUs stand before the CPUs, alike ones in a row as one item") {
  Machine machine;
  machine.set_query(
      "echo \"$1\" | grep -q name,memory.total || exit 1\n"
      "echo 'NVIDIA L4, 23034'; echo 'NVIDIA L4, 23034'; echo 'Tesla T4, 15360'\n");
  CHECK(probe_machine(machine.sources).list == "2xL4:23034MiB,1xT4:15360MiB,1xCPU:4c16ch:16384MiB");
}

TEST_CASE("A GPU of no known kind is named, with what to do") {
  Machine machine;
  machine.set_query("echo 'NVIDIA GeForce GTX 1080, 8192'\n");
  CHECK_THROWS_WITH(probe_machine(machine.sources),
                    Catch::StartsWith("nvidia-smi: expected kinds of GPU that 'placer devices' "
                                      "lists, found 'NVIDIA GeForce GTX 1080'"));
}

TEST_CASE("An nvidia-smi that fails or hangs leaves the CPU alone, with a note") {
  Machine machine;
  machine.set_query("echo 'Failed to initialize NVML'; exit 9\n");
  CHECK(probe_machine(machine.sources).notes.at(0) == "nvidia-smi failed: no GPUs are listed");
  machine.set_query("sleep 60\n");
  machine.sources.gpu_query_seconds = 0.05;
  const ProbedMachine probed = probe_machine(machine.sources);
  CHECK(probed.list == "1xCPU:4c16ch:16384MiB");
  CHECK(probed.notes.at(0) == "nvidia-smi did not answer within 0.05 s: no GPUs are listed");
}

}  // namespace
}  // namespace placer
