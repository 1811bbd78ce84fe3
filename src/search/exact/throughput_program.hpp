#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "placer/model/problem.hpp"
#include "search/exact/mixed_program.hpp"
#include "sim/objectives/static_memory.hpp"

namespace placer {

/// The best placement under throughput as a mixed-integer linear program, after Tarnawski et al.
/// (NeurIPS 2020, section 5.2): x(g, d) is 1 where group g is on device d. A tensor comes to d
/// where a consumer is there and its producer elsewhere; it leaves d where its producer is there
/// and a consumer elsewhere. What is minimised is the bottleneck, at least each device's load. What
/// devices hold, and the goal's contiguity, are rows as well. No placement that fits costs more
/// than its score: loads are those of DeviceLoads, but that slots share work without rounding up.
/// Free riders are with their hosts, and identical devices are used in one order only.
class ThroughputProgram {
 public:
  /// Times are in `unit_ps`. Empty where there would be more than `most_entries` coefficients.
  /// Throws Stopped.
  static std::optional<ThroughputProgram> of(const Problem& problem, double unit_ps,
                                             std::size_t most_entries);

  const MixedProgram& program() const { return program_; }
  /// The same program where the bottleneck is known to be in this range, in units.
  MixedProgram within(double low, double high) const;
  /// The placement of a solution.
  Placement placement(std::span<const double> values) const;

 private:
  using Term = MixedProgram::Term;
  using Terms = std::vector<Term>;
  using Sense = MixedProgram::Sense;
  static constexpr int kNone = -1;

  struct Loads {
    Terms work, sent, received, held;
  };
  /// A tensor between the unit that makes it and those that read it elsewhere.
  struct Crossing {
    TensorId tensor;
    std::uint32_t producer;
    std::vector<std::uint32_t> consumers;
  };
  enum class Way { kOut, kIn };

  ThroughputProgram(const Problem& problem, double unit_ps, std::size_t most_entries);

  bool is_too_large() const { return program_.entries() > most_entries_; }
  int x(std::uint32_t unit, DeviceId device) const {
    return x_[unit * problem_.device_count() + device.index()];
  }
  std::uint32_t unit_of(OpId op) const { return unit_of_[problem_.groups().of(op).index()]; }
  IdRange<DeviceId> devices() const { return IdRange<DeviceId>(problem_.device_count()); }
  Picoseconds transfer_ps(TensorId tensor, DeviceId device, DeviceId other, Way way) const;
  Picoseconds unit_ps(std::uint32_t unit, DeviceId device) const;
  /// Adds a row from terms in any order, some perhaps of the same column or of none.
  void add(Terms terms, double bound, Sense sense = Sense::kAtMost);
  /// A column from 0 to 1.
  int add_share(std::string name, bool is_integer);

  void number_units();
  void find_short_memories();
  void add_choices();
  void add_loads();
  void add_tensors(std::vector<Loads>& loads);
  void add_crossing(const Crossing& crossing, DeviceId device, Way way, Loads& loads);
  void add_crossing_rows(const Crossing& crossing, DeviceId device, Way way, Picoseconds least_ps,
                         int column);
  void add_load_rows(DeviceId device, const Loads& loads);
  void add_memory(DeviceId device, Terms held);

  void add_contiguity();
  void add_returns();
  void add_given_stages(const std::vector<DeviceId>& stages);
  void add_free_stages();
  void add_transitivity();
  /// Adds `sign` times whether `first` comes before `second` to terms; returns what is to be added
  /// to their sum.
  double before(DeviceId first, DeviceId second, double sign, Terms& terms) const;
  void use_identical_in_order();
  bool are_all_identical() const;
  /// Between units that the forward pass leads from one to the other.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> forward_arcs() const;

  Problem problem_;
  double unit_ps_;
  std::size_t most_entries_;
  StaticMemory memory_;
  MixedProgram program_;
  int bottleneck_ = kNone;
  std::vector<std::uint32_t> unit_of_;         // by group
  std::vector<std::vector<GroupId>> members_;  // by unit: a host, then its riders
  std::vector<std::uint32_t> heaviest_;        // units, those that take long first
  std::vector<int> x_;                         // unit * devices + device
  std::vector<char> is_short_;                 // by device: its memory may not do for everything
  // Among free stages, by pair of devices that are not identical, the smaller one first.
  std::map<std::pair<DeviceId, DeviceId>, int> before_;
};

}  // namespace placer
