#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace placer {

/// xoshiro256++ (Blackman, Vigna 2019), seeded by splitmix64. Ours, because each standard library
/// draws differently from its distributions: the same seed gives the same draws on every machine.
class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  /// An independent generator for (purpose, index); does not advance this one.
  Rng stream(std::string_view purpose, std::uint64_t index = 0) const;

  std::uint64_t next();
  /// A number from [0, 1) with 53 random bits.
  double uniform();
  /// An integer from [0, count), all equally likely; `count` is above 0.
  std::size_t below(std::size_t count);
  bool chance(double probability) { return uniform() < probability; }
  /// One of `items`, which are not empty.
  template <class T>
  const T& pick(std::span<const T> items) {
    return items[below(items.size())];
  }
  /// Puts `items` in a random order, all orders equally likely (Fisher, Yates).
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[below(left)]);
    }
  }

 private:
  std::uint64_t seed_;
  std::array<std::uint64_t, 4> state_;
};

}  // namespace placer
