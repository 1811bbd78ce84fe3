#pragma once

#include <span>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// All groups, in the order of their first ops in the program order, and which of them are alike:
/// allowed on the same kinds of devices, as long on each, with as many bytes of parameters and of
/// outputs. Where layers repeat, whole stretches of the sequence are alike.
class AlikeGroups {
 public:
  /// Throws Stopped where the problem's deadline passes first.
  explicit AlikeGroups(const Problem& problem);

  /// All groups like this one, itself among them, in the order of the sequence.
  std::span<const GroupId> like(GroupId group) const { return members_[kind_[group.index()]]; }
  /// How many places of the sequence lie between the two.
  std::size_t distance(GroupId one, GroupId other) const;

  struct Pair {
    GroupId group, like;
  };
  /// `group` and at most `before` groups before it and `after` after it, up to where they are no
  /// longer alike, each with the one that stands to `like`, another group, as it stands to `group`.
  /// Beyond the distance of the two, what lies between them repeats.
  std::vector<Pair> stretch(const Pair& middle, std::size_t before, std::size_t after) const;

 private:
  std::vector<GroupId> sequence_;
  std::vector<std::size_t> position_;          // in the sequence, by group
  std::vector<std::size_t> kind_;              // by group
  std::vector<std::vector<GroupId>> members_;  // by kind
};

}  // namespace placer
