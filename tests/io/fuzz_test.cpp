#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "cli/cli.hpp"
#include "cli/command_line.hpp"
#include "cli/shared/config.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/rng.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/files.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/io/trace_file.hpp"
#include "placer/sim/simulator.hpp"
#include "support/sanitizers.hpp"

namespace placer::testing {
namespace {

const std::string kGood = PLACER_SOURCE_DIR "/tests/bad/program/good/";

/// Gives one number of the file another value, which random bytes seldom do in a way that is read.
void replace_number(std::string& text, Rng& rng) {
  constexpr std::array<std::string_view, 14> kNumbers = {
      "0",   "1",   "2",    "3",     "0.5",           "1e-300",           "1e-12",
      "1e6", "9e6", "1e15", "1e300", "4000000000000", "9007199254740992", "65536"};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t start = rng.below(text.size());
  while (start < text.size() && !is_digit(text[start])) ++start;
  std::size_t end = start;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.' || text[end] == 'e')) ++end;
  text.replace(start, end - start, rng.pick<std::string_view>(kNumbers));
}

void mutate_bytes(std::string& text, Rng& rng) {
  const std::size_t at = rng.below(text.size());
  const std::size_t length = 1 + rng.below(std::min<std::size_t>(40, text.size() - at));
  switch (rng.below(4)) {
    case 0:
      text[at] = static_cast<char>(text[at] ^ (1 << rng.below(8)));
      return;
    case 1:
      text.erase(at, std::min(length, text.size() - 1));
      return;
    case 2:
      text.insert(at, 1, static_cast<char>(rng.below(256)));
      return;
    default:
      text.insert(rng.below(text.size()), text.substr(at, length));
  }
}

bool is_one_line(std::string_view message) {
  return !message.empty() &&
         std::ranges::none_of(message, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

/// Calls `use` with a generator for each of `count` times; only Error may come out, with a message
/// of one line. Returns how often none did.
std::size_t accepted_of(std::size_t count, const std::function<void(Rng& rng)>& use) {
  const Rng seed(30);
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    INFO("mutant " << i);
    Rng rng = seed.stream("mutant", i);
    try {
      use(rng);
      ++accepted;
    } catch (const Error& error) {
      if (!is_one_line(error.what())) FAIL_CHECK(error.what());
    } catch (const std::exception& fault) {
      FAIL_CHECK("a fault of ours: " << fault.what());
    }
  }
  return accepted;
}

/// One step of each device alone: a time, and a trace that can be written.
void simulate_alone(const Problem& problem) {
  Simulator simulator(problem, Order::kFifo);
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const std::optional<Placement> placement = problem.all_on(device);
    if (!placement) continue;
    Schedule schedule;
    const Score score = simulator.evaluate(*placement, nullptr, &schedule);
    if (score.step_ps < 0 || score.overflow_bytes < 0) throw std::logic_error("a negative score");
    if (chrome_trace(problem, schedule).empty()) throw std::logic_error("no trace");
  }
}

TEST_CASE("Graphs and devices with any numbers make a problem that runs, or one line", "[fuzz]") {
  const std::string graph = read_text(kGood + "graph.json");
  const std::string devices = read_text(kGood + "devices.json");
  const std::size_t count = kSanitized ? 1'000 : 10'000;
  const std::size_t accepted = accepted_of(count, [&](Rng& rng) {
    std::string graph_text = graph, devices_text = devices;
    for (std::size_t left = 1 + rng.below(3); left > 0; --left) {
      replace_number(rng.chance(0.7) ? graph_text : devices_text, rng);
    }
    simulate_alone(Problem(parse_graph(graph_text, "graph.json").graph,
                           parse_devices(devices_text, "devices.json")));
  });
  CHECK(accepted > count / 4);
  CHECK(accepted < count - count / 10);
}

TEST_CASE("A mutated config file is read or refused with one line", "[fuzz]") {
  const TempFolder folder;
  const std::string config = read_text(kGood + "config.json");
  const Command& optimize = all_commands().front();
  const std::size_t count = 1'000;
  const std::size_t accepted = accepted_of(count, [&](Rng& rng) {
    std::string text = config;
    for (std::size_t left = 1 + rng.below(2); left > 0; --left) mutate_bytes(text, rng);
    std::filesystem::remove(folder.file("c.json"));  // faster than to overwrite it
    read_config(folder.write("c.json", text), optimize);
  });
  CHECK(accepted > 0);
  CHECK(accepted < count / 2);
}

}  // namespace
}  // namespace placer::testing
