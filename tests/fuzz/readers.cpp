// libFuzzer's target for the readers of files, one for each of `kReaders`; PLACER_READER names the
// one that it runs. What is no file of its kind is one line that begins with the file's name; what
// is written reads back and is written the same.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "placer/base/errors.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/io/import.hpp"
#include "placer/io/placement_file.hpp"
#include "placer/io/policy_file.hpp"
#include "placer/io/profile.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

const std::string kFile = "input";

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void read_devices_text(const std::string& text) {
  const std::string written = write_devices(parse_devices(text, kFile));
  require(write_devices(parse_devices(written, kFile)) == written, "devices read back differ");
}

void read_graph_text(const std::string& text) {
  const GraphFile read = parse_graph(text, kFile);
  const Topology* devices = read.devices ? &*read.devices : nullptr;
  const std::string written = write_graph(read.graph, devices);
  const GraphFile again = parse_graph(written, kFile);
  require(write_graph(again.graph, again.devices ? &*again.devices : nullptr) == written,
          "a graph read back differs");
}

/// Ops a, b, c and d on devices gpu:0 and gpu:1.
void read_placement_text(const std::string& text) {
  static const Problem problem(diamond(), alike());
  const PlacementFile read = parse_placement(text, kFile, problem);
  const std::string written = write_placement(problem, read.placement, Score(), read.sequences, "");
  require(parse_placement(written, kFile, problem).placement == read.placement,
          "a placement read back differs");
}

using Reader = void (*)(const std::string& text);
const std::map<std::string, Reader> kReaders = {
    {"devices", read_devices_text},
    {"graph", read_graph_text},
    {"placement", read_placement_text},
    {"policy", [](const std::string& text) { parse_policy(text, kFile); }},
    {"profile", [](const std::string& text) { parse_profile(text, kFile); }},
    {"import", [](const std::string& text) { import_text(text, kFile); }},
};

Reader chosen_reader() {
  const char* name = std::getenv("PLACER_READER");
  const auto found = kReaders.find(name != nullptr ? name : "");
  if (found != kReaders.end()) return found->second;
  for (const auto& [known, reader] : kReaders) std::fprintf(stderr, "%s\n", known.c_str());
  std::fprintf(stderr, "PLACER_READER: expected one of the above\n");
  std::exit(1);
}

}  // namespace
}  // namespace placer::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto read = placer::testing::chosen_reader();
  try {
    read(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const placer::Error& error) {
    const std::string message = error.what();
    placer::testing::require(message.starts_with(placer::testing::kFile), message.c_str());
    placer::testing::require(message.find('\n') == std::string::npos, "a message of two lines");
  }
  return 0;
}
