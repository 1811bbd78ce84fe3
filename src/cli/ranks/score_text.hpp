#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/score.hpp"

namespace placer {

/// Placements for a rank to score.
struct ScoreUnit {
  std::size_t graph = 0;  // the number of their problem
  std::string groups;     // `group_text` of theirs; empty: the problem's own
  std::vector<Placement> placements;
  std::vector<OpOrder> orders;  // one for each placement, or none
};

/// What ranks say to each other of placements: a byte for a small number, which reads back as it
/// was written. Reading throws std::exception for other bytes.
std::string score_text(std::size_t graph, const std::string& groups,
                       std::span<const Placement> placements, std::span<const OpOrder> orders);
std::string score_text(std::span<const Score> scores);
/// The group of each op of `placed`.
std::string group_text(const Problem& placed);
ScoreUnit score_unit(const std::string& text);
std::vector<Score> scores_of(const std::string& text);
std::vector<GroupId> groups_of_ops(const std::string& text);

}  // namespace placer
