#include "placer/io/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "io/machines/process_output.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/quantity.hpp"
#include "placer/base/text.hpp"
#include "placer/io/files.hpp"

namespace placer {
namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;
constexpr std::size_t kMostDesktopCores = 16;  // of a socket with two memory channels
constexpr std::size_t kDesktopChannels = 2, kServerChannels = 8;

/// nvidia-smi's names in capitals, without what words_of_name() leaves out.
constexpr std::array kGpuNames = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"K80", "K80"},
    {"P100", "P100"},
    {"P100 PCIE", "P100-PCIE"},
    {"V100", "V100-16"},
    {"V100 PCIE", "V100-PCIE"},
    {"T4", "T4"},
    {"A100", "A100-40"},
    {"A100 80GB", "A100-80"},
    {"A100 PCIE", "A100-PCIE"},
    {"A100 80GB PCIE", "A100-PCIE"},
    {"H100", "H100"},
    {"H100 PCIE", "H100-PCIE"},
    {"H200", "H200"},
    {"B200", "B200"},
    {"RTX 3060", "RTX3060"},
    {"RTX 3080", "RTX3080"},
    {"RTX 3090", "RTX3090"},
    {"RTX 4060 TI", "RTX4060TI"},
    {"RTX 4070", "RTX4070"},
    {"RTX 4080", "RTX4080"},
    {"RTX 4090", "RTX4090"},
    {"RTX 5080", "RTX5080"},
    {"RTX 5090", "RTX5090"},
    {"A10", "A10"},
    {"A10G", "A10"},
    {"RTX A6000", "A6000"},
    {"L4", "L4"},
    {"L40S", "L40S"},
    {"ORIN", "ORIN-AGX"},
});

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// "NVIDIA A100-SXM4-80GB" is "A100 80GB"; with `sizes` false, "A100".
std::string words_of_name(std::string_view name, bool sizes) {
  std::string words, word;
  for (std::size_t at = 0; at <= name.size(); ++at) {
    const char letter = at < name.size() ? name[at] : ' ';
    if (std::string_view(" -/()").find(letter) == std::string_view::npos) {
      word += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
      continue;
    }
    const bool is_noise = word.empty() || word == "NVIDIA" || word == "TESLA" ||
                          word == "GEFORCE" || word == "GPU" || word == "NVGPU" ||
                          word.starts_with("SXM") || word.starts_with("HBM") ||
                          (!sizes && word.ends_with("GB"));
    if (!is_noise) words += (words.empty() ? "" : " ") + word;
    word.clear();
  }
  return words;
}

/// What stands behind the colon of a line of /proc/cpuinfo that begins with `key`.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || trimmed(line.substr(0, colon)) != key) return std::nullopt;
  return trimmed(line.substr(colon + 1));
}

std::string gpu_items(const ProbeSources& sources, std::vector<std::string>& notes) {
  using End = ProcessOutput::End;
  const ProcessOutput query = output_of(
      {sources.gpu_query, "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"},
      sources.gpu_query_seconds);
  if (query.end == End::kMissing) notes.emplace_back("no nvidia-smi: no GPUs are listed");
  if (query.end == End::kFailed) notes.emplace_back("nvidia-smi failed: no GPUs are listed");
  if (query.end == End::kTimedOut) {
    notes.push_back(fmt::format("nvidia-smi did not answer within {} s: no GPUs are listed",
                                sources.gpu_query_seconds));
  }
  if (query.end != End::kDone) return {};
  std::vector<std::pair<std::string, std::size_t>> items;  // with how many in a row
  for (const FoundGpu& gpu : parse_gpu_query(query.text)) {
    const std::optional<std::string> kind = kind_of_gpu(gpu.name);
    if (!kind) {
      throw Error(fmt::format(
          "nvidia-smi: expected kinds of GPU that 'placer devices' lists, found '{}'; what the "
          "most alike kind prints can be changed: placer devices 1xRTX3060:8GiB,1xCPU",
          one_line(gpu.name, 80)));
    }
    std::string item = *kind;
    if (!gpu.memory_bytes) {
      notes.push_back(gpu.name + " shares the memory of the CPU, which counts for both");
    }
    if (gpu.memory_bytes) item += fmt::format(":{}MiB", *gpu.memory_bytes / kMebi);
    if (items.empty() || items.back().first != item) items.emplace_back(item, 0);
    ++items.back().second;
  }
  std::string list;
  for (const auto& [item, count] : items) list += fmt::format("{}x{},", count, item);
  return list;
}

/// The memory of each NUMA node with processors; of the machine where there are no nodes.
std::vector<std::int64_t> node_memories(const ProbeSources& sources) {
  namespace fs = std::filesystem;
  std::map<std::pair<std::size_t, std::string>, std::int64_t> memories;  // node10 after node2
  std::error_code fault;
  for (const fs::directory_entry& entry : fs::directory_iterator(sources.nodes, fault)) {
    const std::string name = entry.path().filename().string();
    const std::string cpus = entry.path() / "cpulist", memory = entry.path() / "meminfo";
    if (!name.starts_with("node") || !fs::exists(cpus, fault) || !fs::exists(memory, fault)) {
      continue;
    }
    if (trimmed(read_text(cpus)).empty()) continue;
    memories[{name.size(), name}] = parse_meminfo(read_text(memory), memory);
  }
  std::vector<std::int64_t> all;
  for (const auto& [name, bytes] : memories) all.push_back(bytes);
  const std::string whole = sources.proc + "/meminfo";
  if (all.empty()) all.push_back(parse_meminfo(read_text(whole), whole));
  return all;
}

std::string cpu_items(const ProbeSources& sources, std::vector<std::string>& notes) {
  const FoundCpus cpus = parse_cpuinfo(read_text(sources.proc + "/cpuinfo"));
  const std::vector<std::int64_t> memories = node_memories(sources);
  const std::size_t nodes = memories.size();
  const bool is_desktop = cpus.sockets == 1 && cpus.cores <= kMostDesktopCores;
  const std::size_t channels = is_desktop ? kDesktopChannels : kServerChannels * cpus.sockets;
  std::vector<std::string> items;
  for (const std::int64_t bytes : memories) {
    items.push_back(fmt::format("1xCPU:{}c{}ch:{}MiB", std::max<std::size_t>(1, cpus.cores / nodes),
                                std::max<std::size_t>(1, channels / nodes), bytes / kMebi));
  }
  notes.push_back(fmt::format(
      "memory channels are a guess: {} for {} cores in {} socket{}; cores count as of 2.5 GHz",
      channels, cpus.cores, cpus.sockets, cpus.sockets == 1 ? "" : "s"));
  return join(items, ",");
}

}  // namespace

std::vector<FoundGpu> parse_gpu_query(std::string_view text) {
  std::vector<FoundGpu> gpus;
  for (const std::string_view line : lines_of(text)) {
    if (line.empty()) continue;
    const std::size_t comma = line.rfind(',');
    const std::string_view name = trimmed(line.substr(0, comma));
    const std::string_view memory =
        comma == std::string_view::npos ? "" : trimmed(line.substr(comma + 1));
    const std::optional<double> mebi = parse_quantity(memory, Measure::kPlain);
    const bool is_shared = memory.starts_with('[');  // "[N/A]", of memory that is the host's
    if (name.empty() || (!is_shared && !(mebi && *mebi >= 1 && *mebi < 1e9))) {
      throw Error(
          fmt::format("nvidia-smi: expected lines 'NAME, MiB', found '{}'", one_line(line, 80)));
    }
    gpus.push_back({std::string(name), {}});
    if (!is_shared) gpus.back().memory_bytes = static_cast<std::int64_t>(*mebi) * kMebi;
  }
  return gpus;
}

FoundCpus parse_cpuinfo(std::string_view text) {
  std::set<std::string_view> sockets;
  std::set<std::pair<std::string_view, std::string_view>> cores;
  std::string_view socket;
  std::size_t processors = 0;
  for (const std::string_view line : lines_of(text)) {
    if (value_of(line, "processor")) ++processors;
    if (const auto id = value_of(line, "physical id")) sockets.insert(socket = *id);
    if (const auto id = value_of(line, "core id")) cores.emplace(socket, *id);
  }
  if (sockets.empty() || cores.empty()) return {1, std::max<std::size_t>(1, processors)};
  return {sockets.size(), cores.size()};
}

std::int64_t parse_meminfo(std::string_view text, const std::string& file) {
  constexpr std::string_view kKey = "MemTotal:", kUnit = "kB";
  for (std::string_view line : lines_of(text)) {
    const std::size_t at = line.find(kKey);
    if (at == std::string_view::npos || !line.ends_with(kUnit)) continue;
    line = line.substr(at + kKey.size());
    const auto kibi =
        parse_quantity(trimmed(line.substr(0, line.size() - kUnit.size())), Measure::kPlain);
    if (kibi && *kibi >= 1 && *kibi < 1e12) return static_cast<std::int64_t>(*kibi) << 10;
  }
  throw Error(fmt::format("{}: expected a line 'MemTotal: N kB', found none", file));
}

std::optional<std::string> kind_of_gpu(std::string_view name) {
  for (const bool sizes : {true, false}) {
    const auto at = std::ranges::find(kGpuNames, words_of_name(name, sizes),
                                      &std::pair<std::string_view, std::string_view>::first);
    if (at != kGpuNames.end()) return std::string(at->second);
  }
  return std::nullopt;
}

ProbedMachine probe_machine(const ProbeSources& sources) {
  ProbedMachine machine;
  machine.list = gpu_items(sources, machine.notes);
  machine.list += cpu_items(sources, machine.notes);
  return machine;
}

}  // namespace placer
