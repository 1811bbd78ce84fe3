#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace placer {

struct FoundGpu {
  std::string name;                          // "NVIDIA GeForce RTX 3090"
  std::optional<std::int64_t> memory_bytes;  // empty where it is the host's
  friend bool operator==(const FoundGpu&, const FoundGpu&) = default;
};

/// Reads what "nvidia-smi --query-gpu=name,memory.total --format=csv,noheader,nounits" prints: a
/// name and MiB on each line. Throws Error for another line.
std::vector<FoundGpu> parse_gpu_query(std::string_view text);

struct FoundCpus {
  std::size_t sockets = 1, cores = 1;  // cores of all sockets, without their second threads
  friend bool operator==(const FoundCpus&, const FoundCpus&) = default;
};

/// Reads /proc/cpuinfo. Where it tells no sockets and cores, as on ARM, each processor is a core of
/// one socket.
FoundCpus parse_cpuinfo(std::string_view text);

/// The bytes of "MemTotal" in /proc/meminfo, or in that of a NUMA node. Throws Error where there is
/// none.
std::int64_t parse_meminfo(std::string_view text, const std::string& file);

/// The kind of device that a GPU of this name is, as lists of devices call it; empty for one that
/// they do not know.
std::optional<std::string> kind_of_gpu(std::string_view name);

/// Where a probe looks.
struct ProbeSources {
  std::string proc = "/proc";
  std::string nodes = "/sys/devices/system/node";
  std::string gpu_query = "nvidia-smi";
  double gpu_query_seconds = 10;
};

struct ProbedMachine {
  std::string list;                // "1xRTX3090:24576MiB,1xCPU:16c2ch:64225MiB"
  std::vector<std::string> notes;  // what was guessed or left out
};

/// The machine that it runs on, as a list of devices: GPUs that nvidia-smi knows, and one CPU for
/// each NUMA node that has processors. Throws Error for a GPU of an unknown kind and for files that
/// cannot be read.
ProbedMachine probe_machine(const ProbeSources& sources = {});

}  // namespace placer
