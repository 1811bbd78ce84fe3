// The groups are weighted by work and by the transfers between them, the devices are a complete
// target graph weighted by speed, and dual recursive bipartitioning maps one onto the other. Parts
// for equally fast devices are then mapped to the cheapest links, and memory and allowed devices
// are repaired. "Scotch: A Software Package for Static Mapping by Dual Recursive Bipartitioning of
// Process and Architecture Graphs".

#ifdef PLACER_SCOTCH
#include <cstdint>
#include <cstdio>
// needs the two above
#include <scotch.h>
#endif

#include <array>
#include <cmath>

#include "base/abandonable.hpp"
#include "placer/search/optimizer.hpp"
#include "search/local/partitioning.hpp"

namespace placer {
namespace {

struct ScotchOptions {
  double imbalance = 0.03;
};
constexpr std::array<OptionRow<ScotchOptions>, 1> kRows = {
    option("imbalance", &ScotchOptions::imbalance, 0.001, 10,
           "how far a part may exceed its share of the work"),
};
static_assert(kRows.size() == member_count<ScotchOptions>);

#ifdef PLACER_SCOTCH

constexpr const char* kUnavailable = "";

/// One of Scotch's structures, which need an init before and an exit after use.
template <class T, int (*kInit)(T*), void (*kExit)(T*)>
class Owned {
 public:
  Owned() { kInit(&value_); }
  ~Owned() { kExit(&value_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  T* get() { return &value_; }

 private:
  T value_;
};
using TargetArch = Owned<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using SourceGraph = Owned<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using Strategy = Owned<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;
using Context = Owned<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;

/// Speeds as whole numbers of at least 1.
std::vector<SCOTCH_Num> whole_speeds(const std::vector<Part>& parts) {
  constexpr double kSpeedInAll = 10'000;
  std::vector<SCOTCH_Num> speeds;
  for (const Part& part : parts) {
    const auto speed = static_cast<SCOTCH_Num>(std::lround(part.work_share * kSpeedInAll));
    speeds.push_back(std::max<SCOTCH_Num>(1, speed));
  }
  return speeds;
}

/// By vertex: its part.
std::vector<std::int32_t> mapped(PartitionGraph weights, const std::vector<SCOTCH_Num>& speeds,
                                 double imbalance, SCOTCH_Num seed) {
  const auto count = static_cast<SCOTCH_Num>(speeds.size());
  const auto vertices = static_cast<SCOTCH_Num>(weights.vertex_weights.size());
  std::vector<std::int32_t> part_of(weights.vertex_weights.size(), 0);
  // Random numbers of its own and one thread: the same result whatever else runs.
  Context context;
  SCOTCH_contextThreadSpawn(context.get(), 1, nullptr);
  SCOTCH_contextRandomClone(context.get());
  SCOTCH_contextRandomSeed(context.get(), seed);
  SCOTCH_contextRandomReset(context.get());
  SourceGraph plain, graph;
  SCOTCH_graphBuild(plain.get(), 0, vertices, weights.offsets.data(), nullptr,
                    weights.vertex_weights.data(), nullptr, weights.offsets.back(),
                    weights.neighbours.data(), weights.edge_weights.data());
  SCOTCH_contextBindGraph(context.get(), plain.get(), graph.get());
  TargetArch devices;
  SCOTCH_archCmpltw(devices.get(), count, speeds.data());
  Strategy strategy;
  SCOTCH_stratGraphMapBuild(strategy.get(), SCOTCH_STRATDEFAULT, count, imbalance);
  SCOTCH_graphMap(graph.get(), devices.get(), strategy.get(), part_of.data());
  return part_of;
}

void run(const ScotchOptions& options, Search& search) {
  static_assert(sizeof(SCOTCH_Num) == sizeof(std::int32_t));
  const std::vector<Part> parts = wanted_parts(search.problem());
  std::vector<std::int32_t> part_of(search.problem().groups().size(), 0);
  if (parts.size() > 1) {
    part_of = run_abandonable(
        [weights = partition_graph(search.problem()), speeds = whole_speeds(parts),
         imbalance = options.imbalance,
         seed = static_cast<SCOTCH_Num>(search.rng().below(1U << 30))] {
          return mapped(weights, speeds, imbalance, seed);
        },
        search.problem().deadline());
  }
  evaluate_partition(search, parts, part_of);
}

#else

constexpr const char* kUnavailable =
    "this build is without Scotch; install libscotch-dev and build again";

void run(const ScotchOptions&, Search&) {}

#endif

}  // namespace

Optimizer scotch() {
  return make_optimizer(
      {.summary = "parts of balanced work and few transfers by Scotch, mapped onto the devices",
       .unfit_for =
           "ops that wait for each other, as parts of equal work may run one after the other",
       .source = "Pellegrini, Roman 1996",
       .deterministic = false,
       .anytime = true,
       .unavailable = kUnavailable},
      kRows, run);
}

}  // namespace placer
