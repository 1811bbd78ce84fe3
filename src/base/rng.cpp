#include "placer/base/rng.hpp"

#include <bit>

#include "placer/base/hash.hpp"

namespace placer {
namespace {

std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(std::uint64_t seed) : seed_(seed) {
  for (std::uint64_t& word : state_) word = splitmix64(seed);
}

Rng Rng::stream(std::string_view purpose, std::uint64_t index) const {
  std::uint64_t mixed = seed_ ^ fnv1a(purpose);
  mixed = splitmix64(mixed) ^ index;
  return Rng(splitmix64(mixed));
}

std::uint64_t Rng::next() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Rng::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

std::size_t Rng::below(std::size_t count) {
  // Lemire's multiply-and-reject, 128-bit.
  const std::uint64_t threshold = -count % count;
  while (true) {
    const auto product = static_cast<unsigned __int128>(next()) * count;
    if (static_cast<std::uint64_t>(product) >= threshold) {
      return static_cast<std::size_t>(product >> 64);
    }
  }
}

}  // namespace placer
