#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"
#include "search/groups/changing_sums.hpp"
#include "search/groups/tensor_lives.hpp"

namespace placer {

/// What each device would hold after moves of groups, estimated from the schedule before them in a
/// thousandth of the time of a simulation. Ops are lined up as they started, and the line is cut
/// into bands of equally many ops. What a device holds in a band is its groups' parameters and the
/// tensors that live then, from the start of their producer to the end of their last reader on the
/// device.
class EstimatedMemory {
 public:
  static constexpr std::size_t kUsualBands = 64;

  /// With so many bands, of an op at least.
  explicit EstimatedMemory(const Problem& problem, std::size_t most_bands = kUsualBands);
  /// Whether a device may lack memory in a step: elsewhere there is nothing to estimate.
  static bool serves(const Problem& problem);

  /// Estimates from this schedule on.
  void stand_at(const Schedule& schedule);
  const Placement& placement() const { return placement_; }
  const TensorLives& lives() const { return lives_; }
  double capacity_bytes(std::size_t device) const { return capacity_bytes_[device]; }
  /// The simulated peak over the estimated one.
  double peak_scale(std::size_t device) const { return peak_scale_[device]; }

  /// Works out what these moves, one after the other, would change.
  void ask(std::span<const Move> moves);
  /// The same with one move more, of another group, after those that were asked about last.
  void ask_more(const Move& move);
  /// By band * devices + device; changed by the moves that were asked about last.
  const ChangingSums& bytes() const { return bytes_; }
  /// By how many bytes more the peaks would be above the capacities, all together, after the moves
  /// that were asked about last. Peaks are scaled as the simulated ones ask for.
  double more_overflow_bytes() const;
  /// The same if one move more, of another group, came after them. They remain those that were
  /// asked about last.
  double more_overflow_bytes_with(const Move& move);
  /// The device whose overflow would grow most by them.
  DeviceId fullest_asked() const;
  /// Makes the moves that were asked about last.
  void move();
  /// Makes the moves that lead to `placement`.
  void follow(const Placement& placement);

 private:
  using Net = TensorLives::Net;

  void add_all();
  void read_peaks(const Schedule& schedule);
  void add_parameters(GroupId group, std::uint32_t device, double sign);
  void make(const Move& move);
  void undo();
  void collect(const Move& move);
  void collect(GroupId group, std::uint32_t from, std::uint32_t to);
  float made_end(const Net& net) const;
  void collect_net(const Net& net, std::uint32_t group, std::uint32_t from, std::uint32_t to);
  void hold(const Net& net, std::uint32_t device, float before, float after);
  double overflow_bytes(std::size_t device, double most_bytes) const;
  double more_overflow_bytes(std::size_t device) const;

  const Problem& problem_;
  const std::size_t devices_, bands_;
  TensorLives lives_;
  std::vector<double> params_bytes_;  // by group
  Placement placement_;
  ChangingSums bytes_;                               // band * devices + device
  std::vector<double> peak_scale_, capacity_bytes_;  // by device
  std::vector<Move> asked_, undone_;
  std::vector<std::size_t> touched_;  // devices, by the moves that were asked about
};

}  // namespace placer
