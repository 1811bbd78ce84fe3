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

constexpr Peaks tera(double float32, double tf32 = 0, double float16 = 0) {
  return {float32, tf32, float16};
}
constexpr std::int64_t gb(double giga) { return static_cast<std::int64_t>(giga * 1e9); }
constexpr std::int64_t gib(std::int64_t gibi) { return gibi << 30; }

// Products of float32 take tf32 where there is one.
constexpr std::array kHardware = std::to_array<Hardware>({
    {"K80", "gpu", tera(2.8), 240, gb(12), 5, 0.5, "board", 2,
     "NVIDIA BD-07317-001: a die at base clock; efficiency from measured trainings"},
    {"P100", "gpu", tera(10.6, 0, 21.2), 732, gb(16), 5, 0.67, "pcie3", 2,
     "data sheet, SXM2; 219 images/s of ResNet-50 in fp32 (TensorFlow benchmarks, 2017)",
     Fabric::kOneLink, "nvlink1"},
    {"P100-PCIE", "gpu", tera(9.3, 0, 18.7), 732, gb(16), 5, 0.67, "pcie3", 2,
     "data sheet; efficiency as of the P100"},
    {"V100-16", "gpu", tera(15.7, 0, 125), 900, gb(16), 5, 0.75, "pcie3", 2,
     "data sheet, SXM2; 367 images/s of ResNet-50 in fp32 (NVIDIA DeepLearningExamples)",
     Fabric::kMesh, "nvlink2"},
    {"V100-32", "gpu", tera(15.7, 0, 125), 900, gb(32), 5, 0.75, "pcie3", 2,
     "data sheet, SXM2; efficiency as of the V100-16", Fabric::kMesh, "nvlink2"},
    {"V100-PCIE", "gpu", tera(14, 0, 112), 900, gb(16), 5, 0.75, "pcie3", 2,
     "data sheet; efficiency as of the V100-16"},
    {"T4", "gpu", tera(8.1, 0, 65), 320, gb(16), 5, 0.6, "pcie3", 1,
     "data sheet; 426 images/s of ResNet-50 inference in fp32 (NVIDIA DeepLearningExamples)"},
    {"A100-40", "gpu", tera(19.5, 156, 312), 1555, gb(40), 4, 0.45, "pcie4", 2,
     "data sheet, SXM4; TF32 without sparsity; efficiency as of the A100-80", Fabric::kSwitch,
     "nvlink3"},
    {"A100-80", "gpu", tera(19.5, 156, 312), 2039, gb(80), 4, 0.45, "pcie4", 2,
     "data sheet, SXM4; TF32; 938 images/s of ResNet-50 in TF32 (NVIDIA DeepLearningExamples)",
     Fabric::kSwitch, "nvlink3"},
    {"A100-PCIE", "gpu", tera(19.5, 156, 312), 1935, gb(80), 4, 0.45, "pcie4", 2,
     "data sheet, 80 GB; TF32; efficiency as of the A100-80"},
    {"H100", "gpu", tera(67, 494.7, 989.4), 3350, gb(80), 4, 0.45, "pcie5", 1,
     "data sheet, SXM5; TF32 without sparsity; efficiency as of the A100-80", Fabric::kSwitch,
     "nvlink4"},
    {"H100-PCIE", "gpu", tera(51.2, 378, 756), 2000, gb(80), 4, 0.45, "pcie5", 2,
     "data sheet; TF32 without sparsity; efficiency as of the A100-80"},
    {"H200", "gpu", tera(67, 494.7, 989.4), 4800, gb(141), 4, 0.45, "pcie5", 1,
     "data sheet, SXM; TF32 without sparsity; efficiency as of the A100-80", Fabric::kSwitch,
     "nvlink4"},
    {"RTX3090", "gpu", tera(35.6, 35.6, 71), 936, gb(24), 5, 0.6, "pcie4", 1,
     "NVIDIA GA102 whitepaper; fp32, and TF32 without sparsity; efficiency an estimate"},
    {"RTX4090", "gpu", tera(82.6, 82.6, 165.2), 1008, gb(24), 5, 0.6, "pcie4", 1,
     "NVIDIA Ada whitepaper; fp32, and TF32 without sparsity; efficiency an estimate"},
    {"RTX3060", "gpu", tera(12.7, 12.7, 25.5), 360, gib(12), 5, 0.6, "pcie4", 1,
     "NVIDIA's page of the card, 12 GB: 3584 cores x 2 x 1.777 GHz; efficiency an estimate"},
    {"RTX3080", "gpu", tera(29.8, 29.8, 59.5), 760, gib(10), 5, 0.6, "pcie4", 1,
     "NVIDIA GA102 whitepaper, 10 GB; efficiency an estimate"},
    {"RTX4060TI", "gpu", tera(22.1, 22.1, 44.1), 288, gib(8), 5, 0.6, "pcie4x8", 1,
     "NVIDIA's page of the card, 8 GB: 4352 cores x 2 x 2.535 GHz; efficiency an estimate"},
    {"RTX4070", "gpu", tera(29.1, 29.1, 58.3), 504, gib(12), 5, 0.6, "pcie4", 1,
     "NVIDIA's page of the card: 5888 cores x 2 x 2.475 GHz; efficiency an estimate"},
    {"RTX4080", "gpu", tera(48.7, 48.7, 97.5), 717, gib(16), 5, 0.6, "pcie4", 1,
     "NVIDIA Ada whitepaper; efficiency an estimate"},
    {"RTX5080", "gpu", tera(56.3, 56.3, 112.6), 960, gib(16), 5, 0.6, "pcie5", 1,
     "NVIDIA RTX Blackwell whitepaper; efficiency an estimate"},
    {"RTX5090", "gpu", tera(104.8, 104.8, 209.5), 1792, gib(32), 5, 0.6, "pcie5", 1,
     "NVIDIA RTX Blackwell whitepaper; efficiency an estimate"},
    {"A10", "gpu", tera(31.2, 62.5, 125), 600, gib(24), 4, 0.45, "pcie4", 1,
     "data sheet; TF32 without sparsity; efficiency as of the A100-80"},
    {"A6000", "gpu", tera(38.7, 77.4, 154.8), 768, gib(48), 4, 0.45, "pcie4", 1,
     "RTX A6000 data sheet; TF32 without sparsity; efficiency as of the A100-80"},
    {"L4", "gpu", tera(30.3, 60, 121), 300, gib(24), 4, 0.45, "pcie4", 1,
     "data sheet; TF32 without sparsity; efficiency as of the A100-80, at 72 W a high estimate"},
    {"L40S", "gpu", tera(91.6, 183, 362), 864, gib(48), 4, 0.45, "pcie4", 2,
     "data sheet; TF32 without sparsity; efficiency as of the A100-80"},
    {"B200", "gpu", tera(75, 1125, 2250), 8000, gib(180), 4, 0.45, "pcie5", 1,
     "HGX B200 data sheet; TF32 without sparsity; efficiency as of the A100-80", Fabric::kSwitch,
     "nvlink5"},
    {"MI300X", "gpu", tera(163.4, 653.7, 1307.4), 5300, gib(192), 5, 0.45, "pcie5", 1,
     "data sheet; TF32 without sparsity; efficiency as of the A100-80", Fabric::kEach, "xgmi"},
    {"MI325X", "gpu", tera(163.4, 653.7, 1307.4), 6000, gib(256), 5, 0.45, "pcie5", 1,
     "data sheet; TF32 without sparsity; efficiency as of the A100-80", Fabric::kEach, "xgmi"},
    {"M2-ULTRA", "gpu", tera(27.2), 800, gib(192), 5, 0.6, "unified", 1,
     "Apple's figures, 76 GPU cores, all of the unified memory; efficiency an estimate"},
    {"M3-MAX", "gpu", tera(14.3), 400, gib(128), 5, 0.6, "unified", 1,
     "40 GPU cores x 256 x 1.398 GHz, Apple's bandwidth, all of the unified memory; efficiency an "
     "estimate"},
    {"M4-MAX", "gpu", tera(17.2), 546, gib(128), 5, 0.6, "unified", 1,
     "40 GPU cores x 256 x 1.678 GHz, Apple's bandwidth, all of the unified memory; efficiency an "
     "estimate"},
    {"ORIN-AGX", "gpu", tera(5.3, 21.3, 42.5), 204.8, gib(64), 5, 0.45, "unified", 1,
     "Jetson AGX Orin technical brief, 64 GB; TF32 a quarter of dense INT8 (85 TOPS); all of the "
     "unified memory; efficiency as of the A100-80"},
    {"ORIN-NX", "gpu", tera(1.9, 7.5, 15), 102.4, gib(16), 5, 0.45, "unified", 1,
     "data sheet, 16 GB; TF32 a quarter of dense INT8 (30 TOPS); all of the unified memory; "
     "efficiency as of the A100-80"},
    {"XEON-E5", "cpu", tera(1.18), 76.8, gb(128), 5, 0.3, "socket", 1,
     "E5-2686 v4, a socket: 16 x 2.3 GHz x 32, 4 x DDR4-2400; efficiency an estimate, as of all "
     "CPUs"},
    {"XEON-6248", "cpu", tera(2.05), 140.8, gb(192), 5, 0.3, "socket", 1,
     "a socket: 20 x 1.6 GHz (AVX-512 clock) x 64, 6 x DDR4-2933"},
    {"XEON-8480C", "cpu", tera(7.15), 307.2, gb(1000), 5, 0.3, "socket", 1,
     "a socket: 56 x 2.0 GHz x 64, 8 x DDR5-4800"},
    {"EPYC-7742", "cpu", tera(4.6), 204.8, gb(1000), 5, 0.3, "socket", 1,
     "a socket: 64 x 2.25 GHz x 32, 8 x DDR4-3200"},
    {"EPYC-9654", "cpu", tera(7.4), 460.8, gb(1500), 5, 0.3, "socket", 1,
     "a socket: 96 x 2.4 GHz x 32, 12 x DDR5-4800"},
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
