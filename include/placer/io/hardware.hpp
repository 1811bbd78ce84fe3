#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placer {

/// How devices of one kind reach each other without their host.
enum class Fabric {
  kNone,     // over PCIe alone
  kOneLink,  // DGX-1's hybrid cube mesh, one NVLink for each neighbour
  kMesh,     // the same, one or two NVLinks for each neighbour
  kEach,     // a link of its own to every other
  kSwitch    // NVSwitch: each device with all of its NVLinks to every other
};

/// In 10^12 floating-point operations per second: one for all types, or one each (fp16 with sums in
/// float32, no sparsity).
struct Peaks {
  double tera_float32 = 0;
  double tera_tf32 = 0, tera_float16 = 0;  // 0: none of its own

  bool tells_types() const { return tera_tf32 > 0 || tera_float16 > 0; }
  /// That of products of float32.
  double tera_product() const { return tera_tf32 > 0 ? tera_tf32 : tera_float32; }
};

/// A kind of device in words of its data sheet.
struct Hardware {
  std::string_view name;  // in `--devices 2xNAME`
  std::string_view type;  // cpu or gpu
  Peaks peaks;
  double giga_bytes_per_second;
  std::int64_t memory_bytes;  // older kinds: decimal GB, less than their GiB; others: GiB
  double launch_microseconds;
  double efficiency;
  std::string_view host_link;  // a row of `kBuses`: pcie3
  std::size_t per_switch;      // how many share a PCIe switch; 1: each has the host's lanes
  std::string_view source;     // of the figures, as configs/README.md has it
  Fabric fabric = Fabric::kNone;
  std::string_view fabric_link = {};  // a row of `kBuses`: nvlink3, one link's or all of them's
};

/// What copies reach in one direction.
struct Bus {
  std::string_view name;
  double giga_bytes_per_second;
  double latency_microseconds;
};

std::span<const Hardware> all_hardware();
/// The names of all kinds, and "CPU", which is the XEON-6248.
std::vector<std::string> hardware_names();
/// "CPU" in upper or lower case.
bool is_any_cpu(std::string_view name);
/// The kind of that name, in upper or lower case; null for an unknown one.
const Hardware* find_hardware(std::string_view name);
/// The bus of that name, which is one that `Hardware` has.
const Bus& find_bus(std::string_view name);

}  // namespace placer
