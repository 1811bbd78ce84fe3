#include "placer/io/hardware.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace placer {
namespace {

// 75 to 95 % of the wires: PCIe x16 of 15.8, 31.5 and 63 GB/s; NVLink 1 and 2 of 20 and 25 GB/s for
// each link, NVLink 3, 4 and 5 with all 12, 18 and 18 links of 25, 25 and 50 GB/s behind a switch;
// AMD's links of 64 GB/s; a copy within unified memory.
constexpr std::array kBuses = std::to_array<Bus>({
    {"board", 7.6, 25},
    {"pcie3", 11, 20},
    {"pcie4", 25, 15},
    {"pcie4x8", 12.5, 15},
    {"pcie5", 50, 15},
    {"nvlink1", 18, 10},
    {"nvlink2", 23, 10},
    {"nvlink3", 270, 10},
    {"nvlink4", 400, 10},
    {"nvlink5", 800, 10},
    {"xgmi", 48, 10},
    {"unified", 50, 5},
    {"socket", 40, 5},
});

constexpr std::int64_t gb(double giga) { return static_cast<std::int64_t>(giga * 1e9); }
constexpr std::int64_t gib(std::int64_t gibi) { return gibi << 30; }

constexpr std::array kHardware = std::to_array<Hardware>({
    {"K80", "gpu", 2.8, 240, gb(12), 5, 0.5, "board", 2,
     "NVIDIA BD-07317-001: a die at base clock; efficiency from measured trainings"},
    {"P100", "gpu", 10.6, 732, gb(16), 5, 0.67, "pcie3", 2,
     "data sheet, SXM2; 219 images/s of ResNet-50 in fp32 (TensorFlow benchmarks, 2017)",
     Fabric::kOneLink, "nvlink1"},
    {"P100-PCIE", "gpu", 9.3, 732, gb(16), 5, 0.67, "pcie3", 2,
     "data sheet; efficiency as of the P100"},
    {"V100-16", "gpu", 15.7, 900, gb(16), 5, 0.75, "pcie3", 2,
     "data sheet, SXM2; 367 images/s of ResNet-50 in fp32 (NVIDIA DeepLearningExamples)",
     Fabric::kMesh, "nvlink2"},
    {"V100-32", "gpu", 15.7, 900, gb(32), 5, 0.75, "pcie3", 2,
     "data sheet, SXM2; efficiency as of the V100-16", Fabric::kMesh, "nvlink2"},
    {"V100-PCIE", "gpu", 14, 900, gb(16), 5, 0.75, "pcie3", 2,
     "data sheet; efficiency as of the V100-16"},
    {"T4", "gpu", 8.1, 320, gb(16), 5, 0.6, "pcie3", 1,
     "data sheet; 426 images/s of ResNet-50 inference in fp32 (NVIDIA DeepLearningExamples)"},
    {"A100-40", "gpu", 156, 1555, gb(40), 4, 0.45, "pcie4", 2,
     "data sheet, SXM4; TF32 without sparsity; efficiency as of the A100-80", Fabric::kSwitch,
     "nvlink3"},
    {"A100-80", "gpu", 156, 2039, gb(80), 4, 0.45, "pcie4", 2,
     "data sheet, SXM4; TF32; 938 images/s of ResNet-50 in TF32 (NVIDIA DeepLearningExamples)",
     Fabric::kSwitch, "nvlink3"},
    {"A100-PCIE", "gpu", 156, 1935, gb(80), 4, 0.45, "pcie4", 2,
     "data sheet, 80 GB; TF32; efficiency as of the A100-80"},
    {"H100", "gpu", 494.7, 3350, gb(80), 4, 0.45, "pcie5", 1,
     "data sheet, SXM5; TF32 without sparsity; efficiency as of the A100-80", Fabric::kSwitch,
     "nvlink4"},
    {"H100-PCIE", "gpu", 378, 2000, gb(80), 4, 0.45, "pcie5", 2,
     "data sheet; TF32 without sparsity; efficiency as of the A100-80"},
    {"H200", "gpu", 494.7, 4800, gb(141), 4, 0.45, "pcie5", 1,
     "data sheet, SXM; TF32 without sparsity; efficiency as of the A100-80", Fabric::kSwitch,
     "nvlink4"},
    {"RTX3090", "gpu", 35.6, 936, gb(24), 5, 0.6, "pcie4", 1,
     "NVIDIA GA102 whitepaper; fp32, and TF32 without sparsity; efficiency an estimate"},
    {"RTX4090", "gpu", 82.6, 1008, gb(24), 5, 0.6, "pcie4", 1,
     "NVIDIA Ada whitepaper; fp32, and TF32 without sparsity; efficiency an estimate"},
    {"RTX3060", "gpu", 12.7, 360, gib(12), 5, 0.6, "pcie4", 1,
     "NVIDIA's page of the card, 12 GB: 3584 cores x 2 x 1.777 GHz; efficiency an estimate"},
    {"RTX3080", "gpu", 29.8, 760, gib(10), 5, 0.6, "pcie4", 1,
     "NVIDIA GA102 whitepaper, 10 GB; efficiency an estimate"},
    {"RTX4060TI", "gpu", 22.1, 288, gib(8), 5, 0.6, "pcie4x8", 1,
     "NVIDIA's page of the card, 8 GB: 4352 cores x 2 x 2.535 GHz; efficiency an estimate"},
    {"RTX4070", "gpu", 29.1, 504, gib(12), 5, 0.6, "pcie4", 1,
     "NVIDIA's page of the card: 5888 cores x 2 x 2.475 GHz; efficiency an estimate"},
    {"RTX4080", "gpu", 48.7, 717, gib(16), 5, 0.6, "pcie4", 1,
     "NVIDIA Ada whitepaper; efficiency an estimate"},
    {"RTX5080", "gpu", 56.3, 960, gib(16), 5, 0.6, "pcie5", 1,
     "NVIDIA RTX Blackwell whitepaper; efficiency an estimate"},
    {"RTX5090", "gpu", 104.8, 1792, gib(32), 5, 0.6, "pcie5", 1,
     "NVIDIA RTX Blackwell whitepaper; efficiency an estimate"},
    {"A10", "gpu", 62.5, 600, gib(24), 4, 0.45, "pcie4", 1,
     "data sheet; TF32 without sparsity; efficiency as of the A100-80"},
    {"A6000", "gpu", 77.4, 768, gib(48), 4, 0.45, "pcie4", 1,
     "RTX A6000 data sheet; TF32 without sparsity; efficiency as of the A100-80"},
    {"L4", "gpu", 60, 300, gib(24), 4, 0.45, "pcie4", 1,
     "data sheet; TF32 without sparsity; efficiency as of the A100-80, at 72 W a high estimate"},
    {"L40S", "gpu", 183, 864, gib(48), 4, 0.45, "pcie4", 2,
     "data sheet; TF32 without sparsity; efficiency as of the A100-80"},
    {"B200", "gpu", 1125, 8000, gib(180), 4, 0.45, "pcie5", 1,
     "HGX B200 data sheet; TF32 without sparsity; efficiency as of the A100-80", Fabric::kSwitch,
     "nvlink5"},
    {"MI300X", "gpu", 653.7, 5300, gib(192), 5, 0.45, "pcie5", 1,
     "data sheet; TF32 without sparsity; efficiency as of the A100-80", Fabric::kEach, "xgmi"},
    {"MI325X", "gpu", 653.7, 6000, gib(256), 5, 0.45, "pcie5", 1,
     "data sheet; TF32 without sparsity; efficiency as of the A100-80", Fabric::kEach, "xgmi"},
    {"M2-ULTRA", "gpu", 27.2, 800, gib(192), 5, 0.6, "unified", 1,
     "Apple's figures, 76 GPU cores, all of the unified memory; efficiency an estimate"},
    {"M3-MAX", "gpu", 14.3, 400, gib(128), 5, 0.6, "unified", 1,
     "40 GPU cores x 256 x 1.398 GHz, Apple's bandwidth, all of the unified memory; efficiency an "
     "estimate"},
    {"M4-MAX", "gpu", 17.2, 546, gib(128), 5, 0.6, "unified", 1,
     "40 GPU cores x 256 x 1.678 GHz, Apple's bandwidth, all of the unified memory; efficiency an "
     "estimate"},
    {"ORIN-AGX", "gpu", 21.3, 204.8, gib(64), 5, 0.45, "unified", 1,
     "Jetson AGX Orin technical brief, 64 GB; TF32 a quarter of dense INT8 (85 TOPS); all of the "
     "unified memory; efficiency as of the A100-80"},
    {"ORIN-NX", "gpu", 7.5, 102.4, gib(16), 5, 0.45, "unified", 1,
     "data sheet, 16 GB; TF32 a quarter of dense INT8 (30 TOPS); all of the unified memory; "
     "efficiency as of the A100-80"},
    {"XEON-E5", "cpu", 1.18, 76.8, gb(128), 5, 0.3, "socket", 1,
     "E5-2686 v4, a socket: 16 x 2.3 GHz x 32, 4 x DDR4-2400; efficiency an estimate, as of all "
     "CPUs"},
    {"XEON-6248", "cpu", 2.05, 140.8, gb(192), 5, 0.3, "socket", 1,
     "a socket: 20 x 1.6 GHz (AVX-512 clock) x 64, 6 x DDR4-2933"},
    {"XEON-8480C", "cpu", 7.15, 307.2, gb(1000), 5, 0.3, "socket", 1,
     "a socket: 56 x 2.0 GHz x 64, 8 x DDR5-4800"},
    {"EPYC-7742", "cpu", 4.6, 204.8, gb(1000), 5, 0.3, "socket", 1,
     "a socket: 64 x 2.25 GHz x 32, 8 x DDR4-3200"},
    {"EPYC-9654", "cpu", 7.4, 460.8, gb(1500), 5, 0.3, "socket", 1,
     "a socket: 96 x 2.4 GHz x 32, 12 x DDR5-4800"},
});

// Products of float32 take tf32 where there is one.
constexpr std::array kPeaks = std::to_array<Peaks>({
    {"P100", 10.6, 0, 21.2},          {"P100-PCIE", 9.3, 0, 18.7},
    {"V100-16", 15.7, 0, 125},        {"V100-32", 15.7, 0, 125},
    {"V100-PCIE", 14, 0, 112},        {"T4", 8.1, 0, 65},
    {"A100-40", 19.5, 156, 312},      {"A100-80", 19.5, 156, 312},
    {"A100-PCIE", 19.5, 156, 312},    {"H100", 67, 494.7, 989.4},
    {"H100-PCIE", 51.2, 378, 756},    {"H200", 67, 494.7, 989.4},
    {"RTX3090", 35.6, 35.6, 71},      {"RTX4090", 82.6, 82.6, 165.2},
    {"RTX3060", 12.7, 12.7, 25.5},    {"RTX3080", 29.8, 29.8, 59.5},
    {"RTX4060TI", 22.1, 22.1, 44.1},  {"RTX4070", 29.1, 29.1, 58.3},
    {"RTX4080", 48.7, 48.7, 97.5},    {"RTX5080", 56.3, 56.3, 112.6},
    {"RTX5090", 104.8, 104.8, 209.5}, {"A10", 31.2, 62.5, 125},
    {"A6000", 38.7, 77.4, 154.8},     {"L4", 30.3, 60, 121},
    {"L40S", 91.6, 183, 362},         {"B200", 75, 1125, 2250},
    {"MI300X", 163.4, 653.7, 1307.4}, {"MI325X", 163.4, 653.7, 1307.4},
    {"ORIN-AGX", 5.3, 21.3, 42.5},    {"ORIN-NX", 1.9, 7.5, 15},
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

bool is_any_cpu(std::string_view name) { return equal_words(name, kAnyCpu); }

std::vector<std::string> hardware_names() {
  std::vector<std::string> names;
  for (const Hardware& kind : kHardware) names.emplace_back(kind.name);
  names.emplace_back(kAnyCpu);
  return names;
}

const Hardware* find_hardware(std::string_view name) {
  if (is_any_cpu(name)) name = kStandardCpu;
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
