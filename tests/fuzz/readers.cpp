// libFuzzer's target for the readers of files; PLACER_READER names the one that it runs. What is no
// file of its kind is one line that begins with the file's name; what reads can be written, reads
// back and is written the same. PLACER_SEEDS names a folder: a good file of each kind that the
// repository has no example of is written there instead.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/bench/baseline.hpp"
#include "cli/bench/suite.hpp"
#include "cli/cli.hpp"
#include "cli/shared/config.hpp"
#include "fuzz/plans.hpp"
#include "io/machines/devices_shorthand.hpp"
#include "placer/base/errors.hpp"
#include "placer/io/checkpoint_file.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/files.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/io/import.hpp"
#include "placer/io/placement_file.hpp"
#include "placer/io/plan.hpp"
#include "placer/io/policy_file.hpp"
#include "placer/io/probe.hpp"
#include "placer/io/profile.hpp"
#include "support/onnx_builder.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

const std::string kFile = "input";

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

/// What the devices make of the graph is a problem or an error, whose line begins as it likes.
void make_problem(const Graph& graph, const Topology* devices) {
  if (devices == nullptr) return;
  try {
    const Problem problem(graph, *devices);
  } catch (const Error&) {
  }
}

std::string rewritten_graph(const std::string& text) {
  const GraphFile read = parse_graph(text, kFile);
  const Topology* devices = read.devices ? &*read.devices : nullptr;
  make_problem(read.graph, devices);
  return write_graph(read.graph, devices, read.yield);
}

void fuzz_graph(const std::string& text) {
  const std::string written = rewritten_graph(text);
  require(rewritten_graph(written) == written, "a graph read back differs");
}

void fuzz_devices(const std::string& text) {
  const std::string written = write_devices(parse_devices(text, kFile));
  require(write_devices(parse_devices(written, kFile)) == written, "devices read back differ");
}

/// `parse` of what says itself what it is, not its file.
template <class Parse>
void fuzz_nameless(Parse parse) {
  try {
    parse();
  } catch (const Error& error) {
    throw Error(kFile + error.what());
  }
}

void fuzz_gpus(const std::string& text) {
  fuzz_nameless([&] {
    for (const FoundGpu& gpu : parse_gpu_query(text)) kind_of_gpu(gpu.name);
  });
}

void fuzz_shorthand(const std::string& text) {
  fuzz_nameless([&] {
    topology_of_shorthand(text);
    parse_shape(text);
  });
}

const Problem& placed_problem() {
  static const Problem problem(diamond(), alike());
  return problem;
}

/// Ops a, b, c and d on devices gpu:0 and gpu:1.
void fuzz_placement(const std::string& text) {
  const Problem& problem = placed_problem();
  const PlacementFile read = parse_placement(text, kFile, problem);
  const std::string written = write_placement(problem, read.placement, {}, read.sequences, "");
  require(parse_placement(written, kFile, problem).placement == read.placement,
          "a placement read back differs");
  parse_saved_request(text, kFile);
}

/// `text` with the checksum that `message` expects, or empty where the message is about others.
std::string with_right_checksum(std::string text, const std::string& message) {
  const std::string before = kFile + ": checksum: expected ", middle = ", found ",
                    after = ", so the file was changed";
  if (!message.starts_with(before) || !message.ends_with(after)) return "";
  const std::size_t comma = message.find(middle, before.size());
  const std::size_t from = comma + middle.size();
  const std::string found = message.substr(from, message.size() - after.size() - from);
  const std::size_t at = found.empty() ? std::string::npos : text.rfind(found);
  if (at == std::string::npos) return "";
  return text.replace(at, found.size(), message.substr(before.size(), comma - before.size()));
}

/// What `parse` reads, with a wrong checksum put right, which no fuzzer guesses.
template <class Parsed>
Parsed parse_sealed(const std::string& text,
                    Parsed (*parse)(const std::string&, const std::string&)) {
  try {
    return parse(text, kFile);
  } catch (const Error& error) {
    const std::string right = with_right_checksum(text, error.what());
    if (right.empty()) throw;
    return parse(right, kFile);
  }
}

void fuzz_policy(const std::string& text) {
  const std::string written = write_policy(parse_sealed(text, parse_policy));
  require(write_policy(parse_policy(written, kFile)) == written, "a policy read back differs");
}

void fuzz_checkpoint(const std::string& text) {
  const SearchCheckpoint read = parse_sealed(text, parse_checkpoint);
  const std::string written = write_checkpoint(read.request, read.scores);
  require(parse_checkpoint(written, kFile).scores == read.scores, "a checkpoint read back differs");
}

void import_as(const std::string& text, const std::string& format) {
  const Imported imported = import_text(text, kFile, {.format = format});
  const Topology* devices = imported.devices ? &*imported.devices : nullptr;
  make_problem(imported.graph, devices);
  rewritten_graph(write_graph(imported.graph, devices));
}

/// The name of a file that holds `text`, for readers that open files themselves; it is in the
/// working folder.
const std::string& written(const std::string& text) {
  std::FILE* file = std::fopen(kFile.c_str(), "wb");
  require(file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
              std::fclose(file) == 0,
          "the input could not be written");
  return kFile;
}

void fuzz_baseline(const std::string& text) {
  const std::string first = write_baseline(read_baseline(written(text)));
  require(write_baseline(read_baseline(written(first))) == first, "a baseline read back differs");
}

void fuzz_config(const std::string& text) { read_config(written(text), all_commands().front()); }

using Reader = std::function<void(const std::string& text)>;

std::map<std::string, Reader> all_readers() {
  std::map<std::string, Reader> readers = {
      {"graph", fuzz_graph},
      {"devices", fuzz_devices},
      {"shorthand", fuzz_shorthand},
      {"placement", fuzz_placement},
      {"policy", fuzz_policy},
      {"checkpoint", fuzz_checkpoint},
      {"profile", [](const std::string& text) { parse_profile(text, kFile); }},
      {"suite", [](const std::string& text) { read_suite(written(text)); }},
      {"baseline", fuzz_baseline},
      {"config", fuzz_config},
      {"gpus", fuzz_gpus},
      {"cpuinfo", [](const std::string& text) { parse_cpuinfo(text); }},
      {"meminfo", [](const std::string& text) { parse_meminfo(text, kFile); }},
  };
  for (const std::string& format : import_format_names()) {
    readers[format] = [format](const std::string& text) { import_as(text, format); };
  }
  for (const PlanTarget& target : plan_targets()) {
    if (target.read == nullptr) continue;
    readers["plan-" + target.name] = [&](const std::string& text) {
      require(reads_to_allowed_devices(target, text, kFile), "a device that may not have the op");
    };
  }
  return readers;
}

const Reader& chosen_reader() {
  static const std::map<std::string, Reader> readers = all_readers();
  const char* name = std::getenv("PLACER_READER");
  const auto found = readers.find(name != nullptr ? name : "");
  if (found != readers.end()) return found->second;
  for (const auto& [known, reader] : readers) std::printf("%s\n", known.c_str());
  std::exit(name == nullptr ? 0 : 1);
}

void write_seeds(const std::filesystem::path& folder) {
  const Placement placement = on_devices({0, 1, 0, 1});
  const Sequences sequences = {{OpId(0), OpId(2)}, {OpId(1), OpId(3)}};
  const std::vector<Score> scores = {{0, 8'000'000'000'000}, {3, 7'000'000'000'000}};
  Policy policy{.algorithm = "gdp", .devices = 2};
  policy.weights = {{"w", 1, 2, {0.5, -1}}};
  policy.counters = {{"updates", {3}}};
  const std::map<std::string, std::string> seeds = {
      {"placement.json", write_placement(placed_problem(), placement, scores[0], sequences,
                                         R"({"seed": 1, "order": "fifo", "devices": "2gpu"})")},
      {"checkpoint.json", write_checkpoint({{"seed", "1"}}, scores)},
      {"policy.json", write_policy(policy)},
      {"baseline.json", write_baseline(std::vector<BaselineCase>{{"a", scores[0], 100, 0.01}})},
      {"model.onnx", mixed_onnx_model()},
      {"shorthand.txt", "2*(2xA100-80:80GiB,1xCPU:32c8ch)@200Gbps"},
      {"shape.txt", "images=1x3x224x224"},
      {"gpus.txt", "NVIDIA GeForce RTX 3090, 24576\nNVIDIA A100-SXM4-80GB, 81920\n"},
      {"cpuinfo.txt", "processor\t: 0\nphysical id\t: 0\ncore id\t: 0\ncpu cores\t: 2\n"},
      {"meminfo.txt", "MemTotal:       65766856 kB\nMemFree: 12 kB\n"},
      {"profile.csv", "name,device,ms\na,gpu,0.5\nb,cpu,2\n"},
      {"profile.json", R"({"a": 0.002, "b": {"gpu": 0.002, "cpu": 0.03}})"},
      {"trace.json", R"({"traceEvents": [
          {"name": "ProfilerStep#1", "ph": "X", "ts": 0, "dur": 9},
          {"name": "a", "ph": "X", "ts": 1, "dur": 2, "args": {"name": "op"}},
          {"name": "b_kernel_time", "ph": "B", "ts": 3, "pid": 1, "tid": 2},
          {"name": "b_kernel_time", "ph": "E", "ts": 4, "pid": 1, "tid": 2}]})"},
  };
  for (const auto& [name, text] : plan_seeds()) write_atomically((folder / name).string(), text);
  for (const auto& [name, text] : seeds) write_atomically((folder / name).string(), text);
}

}  // namespace
}  // namespace placer::testing

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  if (const char* folder = std::getenv("PLACER_SEEDS")) {
    placer::testing::write_seeds(folder);
    std::exit(0);
  }
  placer::testing::chosen_reader();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    placer::testing::chosen_reader()(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const placer::Error& error) {
    const std::string message = error.what();
    placer::testing::require(message.starts_with(placer::testing::kFile), message);
    placer::testing::require(message.find('\n') == std::string::npos, "a message of two lines");
    placer::testing::require(message.size() < 2000, "a message that is too long");
  }
  return 0;
}
