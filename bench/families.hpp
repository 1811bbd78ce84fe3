#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "placer/model/problem.hpp"

namespace placer::bench {

/// A family of graphs, by the number of ops. Op times are drawn from a fixed seed, 10 us to 1 ms,
/// and a tensor takes about as long over a link, so that no two events fall on one instant by
/// chance.
struct Family {
  std::string name;
  Graph (*graph)(std::size_t ops);
};

/// chain: one after the other. branches: blocks of four branches of three ops between a fork and a
/// join. transformer: forward, backward and updates of layers of 34 ops. layered: layers of 8; an
/// op reads one to three of the layer before, mostly its own column. random: an op reads one to
/// three of the 64 before it. lattice: 8 recurrent layers unrolled in time. streams: 16 chains that
/// never meet.
extern const std::array<Family, 7> kFamilies;

/// Named as above.
const Family& find_family(const std::string& name);

}  // namespace placer::bench
