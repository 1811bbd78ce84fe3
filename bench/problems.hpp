#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "placer/base/rng.hpp"
#include "placer/model/problem.hpp"

namespace placer::bench {

/// What is evaluated: a graph of a family, on identical devices, at a placement.
struct Scenario {
  std::string family;   // of families.hpp, or "inception_v3", graphs/inception_v3.json on `4gpu`
  std::size_t ops = 0;  // about as many; of a file 0
  std::size_t devices = 4;
  bool good = true;  // placed by HEFT without insertion; else a device drawn for each group
  Contention contention = Contention::kLink;
  std::int64_t slots = 1;
  bool tight = false;  // so little memory that the simulator has to follow it

  /// "FAMILY/OPS/DEVICES/good"
  std::string name() const;
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

struct PlacedProblem {
  Problem problem;
  Placement placement;
};

/// The last one that was asked for is kept: rows of one scenario follow each other.
const PlacedProblem& placed_problem(const Scenario& scenario);

/// A device drawn for each group.
Placement random_placement(const Problem& problem, std::uint64_t seed);
/// One random group to a random other device.
Move random_move(const Problem& problem, const Placement& from, Rng& rng);

}  // namespace placer::bench
