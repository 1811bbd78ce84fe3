#include "io/hardware.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace placer {
namespace {

// 85 to 95 % of the wires: PCIe x16 of 15.8, 31.5 and 63 GB/s; NVLink 1 and 2 of 20 and 25 GB/s for
// each link, NVLink 3 and 4 with all 12 and 18 links of 25 GB/s behind a switch.
constexpr std::array kBuses = std::to_array<Bus>({
    {"board", 7.6, 25},
    {"pcie3", 11, 20},
    {"pcie4", 25, 15},
    {"pcie5", 50, 15},
    {"nvlink1", 18, 10},
    {"nvlink2", 23, 10},
    {"nvlink3", 270, 10},
    {"nvlink4", 400, 10},
    {"socket", 40, 5},
});

constexpr std::array kHardware = std::to_array<Hardware>({
    {"K80", "gpu", 2.8, 240, 12, 5, 0.5, "board", 2},
    {"P100", "gpu", 10.6, 732, 16, 5, 0.67, "pcie3", 2, Fabric::kOneLink, "nvlink1"},
    {"P100-PCIE", "gpu", 9.3, 732, 16, 5, 0.67, "pcie3", 2},
    {"V100-16", "gpu", 15.7, 900, 16, 5, 0.75, "pcie3", 2, Fabric::kMesh, "nvlink2"},
    {"V100-32", "gpu", 15.7, 900, 32, 5, 0.75, "pcie3", 2, Fabric::kMesh, "nvlink2"},
    {"V100-PCIE", "gpu", 14, 900, 16, 5, 0.75, "pcie3", 2},
    {"T4", "gpu", 8.1, 320, 16, 5, 0.6, "pcie3", 1},
    {"A100-40", "gpu", 156, 1555, 40, 4, 0.45, "pcie4", 2, Fabric::kSwitch, "nvlink3"},
    {"A100-80", "gpu", 156, 2039, 80, 4, 0.45, "pcie4", 2, Fabric::kSwitch, "nvlink3"},
    {"A100-PCIE", "gpu", 156, 1935, 80, 4, 0.45, "pcie4", 2},
    {"H100", "gpu", 494.7, 3350, 80, 4, 0.45, "pcie5", 1, Fabric::kSwitch, "nvlink4"},
    {"H100-PCIE", "gpu", 378, 2000, 80, 4, 0.45, "pcie5", 2},
    {"H200", "gpu", 494.7, 4800, 141, 4, 0.45, "pcie5", 1, Fabric::kSwitch, "nvlink4"},
    {"RTX3090", "gpu", 35.6, 936, 24, 5, 0.6, "pcie4", 1},
    {"RTX4090", "gpu", 82.6, 1008, 24, 5, 0.6, "pcie4", 1},
    {"XEON-E5", "cpu", 1.18, 76.8, 128, 5, 0.3, "socket", 1},
    {"XEON-6248", "cpu", 2.05, 140.8, 192, 5, 0.3, "socket", 1},
    {"XEON-8480C", "cpu", 7.15, 307.2, 1000, 5, 0.3, "socket", 1},
    {"EPYC-7742", "cpu", 4.6, 204.8, 1000, 5, 0.3, "socket", 1},
    {"EPYC-9654", "cpu", 7.4, 460.8, 1500, 5, 0.3, "socket", 1},
});

// Products of float32 take tf32 where there is one.
constexpr std::array kPeaks = std::to_array<Peaks>({
    {"P100", 10.6, 0, 21.2},
    {"P100-PCIE", 9.3, 0, 18.7},
    {"V100-16", 15.7, 0, 125},
    {"V100-32", 15.7, 0, 125},
    {"V100-PCIE", 14, 0, 112},
    {"T4", 8.1, 0, 65},
    {"A100-40", 19.5, 156, 312},
    {"A100-80", 19.5, 156, 312},
    {"A100-PCIE", 19.5, 156, 312},
    {"H100", 67, 494.7, 989.4},
    {"H100-PCIE", 51.2, 378, 756},
    {"H200", 67, 494.7, 989.4},
    {"RTX3090", 35.6, 35.6, 71},
    {"RTX4090", 82.6, 82.6, 165.2},
});

constexpr std::string_view kAnyCpu = "CPU", kStandardCpu = "XEON-6248";

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool equal_words(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

std::span<const Hardware> all_hardware() { return kHardware; }

std::span<const Peaks> all_peaks() { return kPeaks; }

const Peaks* find_peaks(std::string_view kind) {
  const auto at = std::ranges::find(kPeaks, kind, &Peaks::name);
  return at == kPeaks.end() ? nullptr : &*at;
}

std::vector<std::string> hardware_names() {
  std::vector<std::string> names;
  for (const Hardware& kind : kHardware) names.emplace_back(kind.name);
  names.emplace_back(kAnyCpu);
  return names;
}

const Hardware* find_hardware(std::string_view name) {
  if (equal_words(name, kAnyCpu)) name = kStandardCpu;
  const auto at = std::ranges::find_if(
      kHardware, [&](const Hardware& kind) { return equal_words(kind.name, name); });
  return at == kHardware.end() ? nullptr : &*at;
}

const Bus& find_bus(std::string_view name) {
  const auto at = std::ranges::find(kBuses, name, &Bus::name);
  assert(at != kBuses.end());
  return *at;
}

}  // namespace placer
