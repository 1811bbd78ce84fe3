#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "placer/base/errors.hpp"
#include "placer/base/rng.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/files.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/io/placement_file.hpp"
#include "support/sanitizers.hpp"

namespace placer::testing {
namespace {

const std::string kGood = std::string(PLACER_SOURCE_DIR) + "/tests/bad/good/";

/// Swaps a number, a mark or a word of the format for another, which random bytes seldom do.
void replace_token(std::string& text, Rng& rng) {
  constexpr std::array<std::string_view, 16> kTokens = {
      "0", "-1", "1e300", "1e999", "9007199254740993", "0.5", "null", "true",
      "[", "}",  ",",     "\"\"",  "\"*\"",            "{}",  "[]",   "\"\\u0000\""};
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const std::size_t start = rng.below(text.size());
  std::size_t end = start + 1;
  while (end < text.size() && is_word(text[start]) && is_word(text[end])) ++end;
  text.replace(start, end - start, rng.pick<std::string_view>(kTokens));
}

void mutate(std::string& text, Rng& rng) {
  if (text.empty()) return;
  const std::size_t at = rng.below(text.size());
  const std::size_t length = 1 + rng.below(std::min<std::size_t>(40, text.size() - at));
  const char byte = static_cast<char>(rng.below(256));
  switch (rng.below(6)) {
    case 0:
      text[at] = static_cast<char>(text[at] ^ (1 << rng.below(8)));
      return;
    case 1:
      text.erase(at, length);
      return;
    case 2:
      text.insert(at, 1, byte);
      return;
    case 3:
      text.insert(rng.below(text.size()), text.substr(at, length));
      return;
    case 4:
      if (rng.chance(0.2)) text.resize(at);
      return;
    default:
      replace_token(text, rng);
  }
}

bool is_one_printable_line(std::string_view message) {
  return !message.empty() && std::ranges::none_of(message, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
  });
}

struct Outcomes {
  std::size_t accepted = 0, refused = 0;
};

/// Reads mutants of a good file. Only Error may come out, with a message of one line that names the
/// file.
Outcomes read_mutants(const std::string& name,
                      const std::function<void(const std::string& text)>& read) {
  const std::size_t count = kSanitized ? 2'000 : 20'000;
  const std::string good = read_text(kGood + name);
  const Rng seed(30);
  Outcomes outcomes;
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng = seed.stream(name, i);
    std::string text = good;
    for (std::size_t left = 1 + rng.below(3); left > 0; --left) mutate(text, rng);
    try {
      read(text);
      ++outcomes.accepted;
    } catch (const Error& error) {
      ++outcomes.refused;
      const std::string message = error.what();
      if (is_one_printable_line(message) && message.starts_with("x.json: ")) continue;
      INFO("mutant " << i << ":\n" << text);
      FAIL_CHECK(message);
    } catch (const std::exception& fault) {
      INFO("mutant " << i << ":\n" << text);
      FAIL_CHECK(fault.what());
    }
  }
  CHECK(outcomes.accepted > count / 100);
  CHECK(outcomes.refused > count / 2);
  return outcomes;
}

TEST_CASE("A mutated graph file is read or refused with one line", "[fuzz]") {
  read_mutants("graph.json", [](const std::string& text) { parse_graph(text, "x.json"); });
}

TEST_CASE("A mutated devices file is read or refused with one line", "[fuzz]") {
  read_mutants("devices.json", [](const std::string& text) { parse_devices(text, "x.json"); });
}

TEST_CASE("A mutated placement file is read or refused with one line", "[fuzz]") {
  const Problem problem(read_graph(kGood + "graph.json").graph,
                        read_devices(kGood + "devices.json"));
  read_mutants("placement.json",
               [&](const std::string& text) { parse_placement(text, "x.json", problem); });
}

TEST_CASE("A mutated graph that was read is one that writes and reads back", "[fuzz]") {
  read_mutants("graph.json", [](const std::string& text) {
    const GraphFile read = parse_graph(text, "x.json");
    const std::string written = write_graph(read.graph);
    if (write_graph(parse_graph(written, "x.json").graph) != written) {
      throw std::logic_error("another graph:\n" + written);
    }
  });
}

}  // namespace
}  // namespace placer::testing
