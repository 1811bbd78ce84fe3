#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"
#include "search/groups/index_lists.hpp"

namespace placer {

/// Who makes and who reads the tensors of a problem, and from when to when they live as ops are
/// lined up by their starts in a schedule. Positions in the line are in bands, of equally many ops.
class TensorLives {
 public:
  struct Net {  // a tensor of some bytes that some op reads
    TensorId tensor;
    std::uint32_t producer;  // its group
    std::uint32_t first_reader, end_reader;
    bool is_kept;
    double bytes;
    float start = 0;  // of its producer
  };
  struct Reader {
    std::uint32_t group;
    float end;  // of the last of its ops that read
  };

  TensorLives(const Problem& problem, std::size_t bands);

  void line_up(const Schedule& schedule);
  /// The band in which the op starts.
  std::size_t band(OpId op) const { return static_cast<std::size_t>(starts_[op.index()]); }
  static std::size_t band(const Net& net) { return static_cast<std::size_t>(net.start); }

  const std::vector<Net>& nets() const { return nets_; }
  const Net& net(std::uint32_t index) const { return nets_[index]; }
  std::span<const Reader> readers(const Net& net) const {
    return std::span(readers_).subspan(net.first_reader, net.end_reader - net.first_reader);
  }
  /// The indices of the nets that the group makes or reads.
  std::span<const std::uint32_t> nets_of(std::size_t group) const { return nets_of_[group]; }

 private:
  const Problem& problem_;
  float width_;  // of an op, in bands
  std::vector<Net> nets_;
  std::vector<Reader> readers_;
  IndexLists nets_of_;
  std::vector<float> starts_;  // by op
};

}  // namespace placer
