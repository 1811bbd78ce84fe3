#include "support/mutants.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"

namespace placer::testing {

std::string mutant(const std::string& good, Rng& rng) {
  static constexpr std::string_view kPieces[] = {
      "{",    "}",        "[",        "]",     ",",     ":",
      "\"",   "\\",       "null",     "1e999", "-1",    "\\u0000",
      "\xff", "\n",       "[[[[[[[[", "1e308", "\"a\"", "9223372036854775808",
      "-0.0", "{\"\": 0}"};
  std::string text = good;
  for (std::uint64_t changes = rng.below(3) + 1; changes > 0 && !text.empty(); --changes) {
    const std::size_t at = rng.below(text.size());
    switch (rng.below(6)) {
      case 0:
        text[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        text.erase(at, rng.below(8) + 1);
        break;
      case 2:
        text.insert(at, text.substr(at, rng.below(40) + 1));
        break;
      case 3:
        text.insert(at, kPieces[rng.below(std::size(kPieces))]);
        break;
      case 4:
        text.replace(at, rng.below(4) + 1, kPieces[rng.below(std::size(kPieces))]);
        break;
      default:
        if (rng.below(4) == 0) text.resize(at);
    }
  }
  return text;
}

int refused_mutants(const std::string& good, int count, std::string_view place,
                    const std::function<void(const std::string& text)>& read) {
  Rng rng(11);
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    const std::string text = mutant(good, rng);
    try {
      read(text);
    } catch (const Error& error) {
      const std::string_view message = error.what();
      const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
      if (!message.starts_with(place) || std::ranges::any_of(message, is_control) ||
          message.size() > 1000) {
        FAIL("'" << message << "' for " << text);
      }
      ++refused;
    }
  }
  return refused;
}

}  // namespace placer::testing
