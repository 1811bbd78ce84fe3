#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "search/joins/device_kinds.hpp"
#include "search/joins/join_region.hpp"

namespace placer {

/// Calls `function(bit)` for each bit that is set, the lowest first.
template <class Function>
void for_each_bit(std::uint64_t bits, Function function) {
  for (; bits != 0; bits &= bits - 1) function(static_cast<std::size_t>(std::countr_zero(bits)));
}

/// What is known of a join that starts on `places.front()`.
struct JoinBasis {
  OpId join;
  std::span<const DeviceId> places;  // the join's device, and one other of each kind
  std::span<const Picoseconds> heads_ps;
  const DeviceColumns& columns;  // of these
  Picoseconds least_ps;          // it does not start earlier

  Picoseconds head_ps(OpId op, DeviceId device) const { return heads_ps[columns.at(op, device)]; }
};

/// Which ops before a join count: those that some place makes so late that they alone delay the
/// join or, with kNearlyLate, also those that would delay it if their outputs had to be sent once
/// more.
enum class Reach { kLate, kNearlyLate };

/// The ops right before a join that could delay it, with the tensors between them: back to the one
/// that all paths lead through, or to the most that are looked at together.
class JoinMembers {
 public:
  static constexpr std::size_t kMost = 24;

  struct Member {
    OpId op;
    std::size_t group = 0;                         // of the members' groups
    std::uint64_t ancestors = 0;                   // bit m: the m-th member, directly or not
    std::uint64_t inputs = 0;                      // bit f: the f-th flow
    std::size_t first_output = 0, end_output = 0;  // of the flows
  };
  struct Flow {
    TensorId tensor;
    std::size_t producer;
    std::uint64_t consumers;  // bit m: the m-th member
  };

  explicit JoinMembers(const Problem& problem);

  /// Selects members from `region`, which was found around the join. There are none where one op
  /// alone decides when the join starts.
  void select(const JoinBasis& basis, const JoinRegion& region, Reach reach);

  /// The members in program order; the last one is the join.
  const std::vector<Member>& all() const { return members_; }
  /// The tensors between members, by producer, then tensor: those of one producer are sent in this
  /// order. At most 64.
  const std::vector<Flow>& flows() const { return flows_; }
  /// The groups of the members: first that of the join, then the others in the order of their first
  /// members.
  const std::vector<GroupId>& groups() const { return groups_; }
  /// The least time from the end of the m-th member on the k-th place to the start of the join.
  Picoseconds path_ps(std::size_t m, std::size_t k) const { return paths_ps_[m * places_ + k]; }

 private:
  struct Candidate {
    std::size_t position;  // in program order
    std::size_t index;     // in the region
    bool is_found;         // a chosen one waits for it
  };
  void find_candidates(const JoinBasis& basis, const JoinRegion& region, Picoseconds from_ps);
  Picoseconds longest_way_back_ps(const JoinRegion& region) const;
  Picoseconds latest_start_ps(const JoinBasis& basis, const JoinRegion& region,
                              std::size_t index) const;
  std::size_t find_producers(OpId op);
  bool choose(const JoinBasis& basis, const JoinRegion& region);
  void add(OpId op);
  void add_flow(TensorId tensor, std::size_t consumer);
  void sort_flows();

  const Problem& problem_;
  std::size_t places_ = 0;
  std::vector<Member> members_;
  std::vector<Flow> flows_;
  std::vector<GroupId> groups_;
  std::vector<Picoseconds> paths_ps_;  // member * places + place
  std::vector<Candidate> candidates_;  // nearest to the join first
  std::vector<std::size_t> chosen_;    // of the candidates
  std::vector<std::int32_t> slots_;    // by op: its candidate, then its member; or -1
};

}  // namespace placer
