// Memory-constrained small communication times. As m-etf, but a device keeps itself for the
// favourite child of its last op where that is ready and can start nowhere earlier; meanwhile it
// takes only ops whose inputs could be on every device by then. Favourite children come from
// Baechi's linear program, of the mean costs that all list schedulers plan with: solved with CLP
// and rounded at 0.5, where the original has Mosek. It takes 0.02 s for 500 ops, 0.08 s for 1,000,
// 0.5 s for 3,000, 2 to 8 s for 10,000; beyond 5,000 ops, and in a build without CLP, they are
// chosen along longest paths. Unlike the original, what overflows is packed anew. "Baechi: Fast
// Device Placement of Machine Learning Graphs", SoCC.

#include "search/lists/linear_program.hpp"
#include "search/lists/scheduler_options.hpp"

namespace placer {
namespace {

enum class Favourites { kLinearProgram, kLongestPaths };
constexpr Names<2> names_of(Favourites) { return {"linear-program", "longest-paths"}; }

struct Options {
  bool insertion = false;
  bool memory = true;
  Activations activations = Activations::kAlways;
  bool contention = false;
  Eligible devices = Eligible::kFast;
  ListRule::Group group = ListRule::Group::kFirstOp;
  Favourites favourites =
      LinearProgram::solvable() ? Favourites::kLinearProgram : Favourites::kLongestPaths;
};

constexpr std::array<OptionRow<Options>, 7> kRows = {
    insertion_row<Options>(),
    memory_row<Options>(),
    activations_row<Options>(),
    contention_row<Options>(),
    devices_row<Options>(),
    group_row<Options>(),
    option<&Options::favourites>(
        "favourites",
        "how favourite children are found; the program for up to 5,000 ops and where the build "
        "has CLP"),
};
static_assert(kRows.size() == member_count<Options>);

void run(const Options& options, Search& search) {
  if (options.favourites == Favourites::kLinearProgram && !LinearProgram::solvable()) {
    throw Error(
        "algorithm m-sct: option favourites: expected longest-paths, as this build is without CLP "
        "(coinor-libclp-dev), found linear-program");
  }
  using FavouriteChildren = ListRule::FavouriteChildren;
  const FavouriteChildren favourites = options.favourites == Favourites::kLinearProgram
                                           ? FavouriteChildren::kByProgram
                                           : FavouriteChildren::kAlongPaths;
  run_list_rule({.next = ListRule::Next::kEarliestStart, .favourites = favourites}, options,
                search);
}

}  // namespace

Optimizer m_sct() {
  return make_optimizer(
      list_scheduler_info(
          "ETF within memory in which a device waits for the favourite child of its last op",
          "transfers that take longer than ops, and devices of different speed",
          "Jeon, Cai, Srivastava, Jiang, Ke, Meng, Xie, Gupta 2020"),
      kRows, run);
}

}  // namespace placer
