#include "placer/io/hardware.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <sstream>
#include <string>

#include "placer/io/files.hpp"

namespace placer {
namespace {

/// "16 GB" or "24 GiB", whichever is whole.
std::string memory_of(const Hardware& kind) {
  constexpr std::int64_t kGibi = std::int64_t{1} << 30;
  const bool is_binary = kind.memory_bytes % kGibi == 0;
  return std::to_string(kind.memory_bytes / (is_binary ? kGibi : 1'000'000'000)) +
         (is_binary ? " GiB" : " GB");
}

TEST_CASE("configs/README.md cites every kind of device with the figures in use") {
  std::istringstream lines(read_text(std::string(PLACER_SOURCE_DIR) + "/configs/README.md"));
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line);) {
    for (const Hardware& kind : all_hardware()) {
      if (!line.starts_with("| `" + std::string(kind.name) + "` |")) continue;
      ++found;
      std::ostringstream figures;
      figures << "| " << kind.peaks.tera_product() << " TFLOP/s | " << kind.giga_bytes_per_second
              << " GB/s | " << memory_of(kind) << " | " << kind.efficiency << " | "
              << kind.host_link << " |";
      INFO(line);
      CHECK(line.find(figures.str()) != std::string::npos);
      CHECK_THAT(line, Catch::EndsWith("| " + std::string(kind.source) + " |"));
    }
  }
  CHECK(found == all_hardware().size());
}

TEST_CASE("configs/README.md cites the peaks by dtype that are in use") {
  const std::string text = read_text(std::string(PLACER_SOURCE_DIR) + "/configs/README.md");
  for (const Hardware& kind : all_hardware()) {
    const Peaks& peaks = kind.peaks;
    if (!peaks.tells_types()) continue;
    std::ostringstream row;
    row << "| " << kind.name << " | " << peaks.tera_float32 << " | ";
    if (peaks.tera_tf32 > 0) row << peaks.tera_tf32 << " ";
    row << "| " << peaks.tera_float16 << " |";
    INFO(row.str());
    CHECK(text.find(row.str()) != std::string::npos);
  }
}

TEST_CASE("Kinds are found in upper and lower case, and CPU is a XEON-6248") {
  CHECK(find_hardware("rtx4060ti")->name == "RTX4060TI");
  CHECK(find_hardware("Cpu")->name == "XEON-6248");
  CHECK(find_hardware("RTX4060") == nullptr);
  CHECK(is_any_cpu("cpu"));
  CHECK(!is_any_cpu("XEON-6248"));
  std::set<std::string_view> names;
  for (const Hardware& kind : all_hardware()) names.insert(kind.name);
  CHECK(names.size() == all_hardware().size());
}

TEST_CASE("Kinds that were added have the memory that vendors name in GiB, older ones in GB") {
  CHECK(find_hardware("RTX3060")->memory_bytes == 12'884'901'888);
  CHECK(find_hardware("MI300X")->memory_bytes == 206'158'430'208);
  CHECK(find_hardware("A100-80")->memory_bytes == 80'000'000'000);
}

}  // namespace
}  // namespace placer
