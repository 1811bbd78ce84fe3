// The groups are weighted by work and by the transfers between them and partitioned by multilevel
// recursive bisection: the devices are halved, and the groups with them, in proportion to the
// speeds on both sides, with the least transfers between. Parts for equally fast devices are mapped
// to the cheapest links, and memory and allowed devices are repaired afterwards. "A Fast and High
// Quality Multilevel Scheme for Partitioning Irregular Graphs".

#ifdef PLACER_METIS
#include <metis.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include "base/abandonable.hpp"
#include "placer/search/optimizer.hpp"
#include "search/local/partitioning.hpp"

namespace placer {
namespace {

struct MetisOptions {
  double imbalance = 0.03;
};
constexpr std::array<OptionRow<MetisOptions>, 1> kRows = {
    option("imbalance", &MetisOptions::imbalance, 0.001, 10,
           "how far a part may exceed its share of the work"),
};
static_assert(kRows.size() == member_count<MetisOptions>);

#ifdef PLACER_METIS

constexpr const char* kUnavailable = "";

/// The part of a graph between some of its vertices, in their order.
PartitionGraph between(const PartitionGraph& graph, const std::vector<std::int32_t>& vertices,
                       std::vector<std::int32_t>& position, const Deadline& deadline) {
  Watch watch(deadline);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    position[static_cast<std::size_t>(vertices[i])] = static_cast<std::int32_t>(i);
  }
  PartitionGraph inner{.offsets = {0}, .neighbours = {}, .edge_weights = {}, .vertex_weights = {}};
  for (const std::int32_t vertex : vertices) {
    watch.check();
    const auto v = static_cast<std::size_t>(vertex);
    inner.vertex_weights.push_back(graph.vertex_weights[v]);
    for (std::int32_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      const auto edge = static_cast<std::size_t>(e);
      const std::int32_t to = position[static_cast<std::size_t>(graph.neighbours[edge])];
      if (to < 0) continue;
      inner.neighbours.push_back(to);
      inner.edge_weights.push_back(graph.edge_weights[edge]);
    }
    inner.offsets.push_back(static_cast<std::int32_t>(inner.neighbours.size()));
  }
  for (const std::int32_t vertex : vertices) position[static_cast<std::size_t>(vertex)] = -1;
  return inner;
}

/// 0 or 1 for each vertex; `first_share` of the work is wanted in 0.
std::vector<std::int32_t> bisect(PartitionGraph graph, double first_share, double imbalance,
                                 std::int32_t seed) {
  static_assert(sizeof(idx_t) == sizeof(std::int32_t));
  static std::mutex one_at_a_time;  // METIS draws from the C library's one generator
  const std::scoped_lock lock(one_at_a_time);
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = seed;
  options[METIS_OPTION_UFACTOR] =
      std::max<idx_t>(1, static_cast<idx_t>(std::lround(imbalance * 1000)));
  auto vertices = static_cast<idx_t>(graph.vertex_weights.size());
  idx_t constraints = 1, parts = 2, cut = 0;
  std::array<real_t, 2> shares = {static_cast<real_t>(first_share),
                                  static_cast<real_t>(1 - first_share)};
  std::vector<std::int32_t> side(graph.vertex_weights.size(), 0);
  METIS_PartGraphRecursive(&vertices, &constraints, graph.offsets.data(), graph.neighbours.data(),
                           graph.vertex_weights.data(), nullptr, graph.edge_weights.data(), &parts,
                           shares.data(), nullptr, options.data(), &cut, side.data());
  return side;
}

/// Halves the devices and the groups with them, until each device has its own. METIS would do the
/// same by itself, but prints to stdout where a half is left without vertices.
class Halving {
 public:
  Halving(const Problem& problem, const std::vector<Part>& parts, double imbalance, Rng& rng)
      : graph_(partition_graph(problem)),
        parts_(parts),
        imbalance_(imbalance / std::max(1.0, std::ceil(std::log2(parts.size())))),
        rng_(rng),
        deadline_(problem.deadline()),
        position_(problem.groups().size(), -1),
        part_of_(problem.groups().size(), 0) {}

  std::vector<std::int32_t> run() {
    std::vector<std::int32_t> all(part_of_.size());
    for (std::size_t v = 0; v < all.size(); ++v) all[v] = static_cast<std::int32_t>(v);
    split(all, 0, parts_.size());
    return part_of_;
  }

 private:
  double share(std::size_t first, std::size_t end) const {
    double sum = 0;
    for (std::size_t p = first; p < end; ++p) sum += parts_[p].work_share;
    return sum;
  }

  void split(const std::vector<std::int32_t>& vertices, std::size_t first, std::size_t end) {
    if (vertices.empty()) return;
    if (end - first == 1) {
      for (const std::int32_t vertex : vertices) {
        part_of_[static_cast<std::size_t>(vertex)] = static_cast<std::int32_t>(first);
      }
      return;
    }
    const std::size_t middle = first + (end - first) / 2;
    const double first_share = share(first, middle) / share(first, end);
    std::array<std::vector<std::int32_t>, 2> halves;
    if (vertices.size() == 1) {
      halves[first_share >= 0.5 ? 0 : 1] = vertices;
    } else {
      PartitionGraph graph = between(graph_, vertices, position_, deadline_);
      const auto seed = static_cast<std::int32_t>(rng_.below(1U << 30));
      const std::vector<std::int32_t> side = run_abandonable(
          [graph = std::move(graph), first_share, imbalance = imbalance_, seed]() mutable {
            return bisect(std::move(graph), first_share, imbalance, seed);
          },
          deadline_);
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        halves[side[i] == 0 ? 0 : 1].push_back(vertices[i]);
      }
    }
    split(halves[0], first, middle);
    split(halves[1], middle, end);
  }

  const PartitionGraph graph_;
  const std::vector<Part>& parts_;
  const double imbalance_;
  Rng& rng_;
  const Deadline deadline_;
  std::vector<std::int32_t> position_, part_of_;
};

void run(const MetisOptions& options, Search& search) {
  const std::vector<Part> parts = wanted_parts(search.problem());
  evaluate_partition(search, parts,
                     Halving(search.problem(), parts, options.imbalance, search.rng()).run());
}

#else

constexpr const char* kUnavailable =
    "this build is without METIS; install libmetis-dev and build again";

void run(const MetisOptions&, Search&) {}

#endif

}  // namespace

Optimizer metis() {
  return make_optimizer(
      {.summary = "parts of balanced work and few transfers by METIS, one for each device",
       .unfit_for =
           "ops that wait for each other, as parts of equal work may run one after the other",
       .source = "Karypis, Kumar 1998",
       .deterministic = false,
       .anytime = true,
       .unavailable = kUnavailable},
      kRows, run);
}

}  // namespace placer
