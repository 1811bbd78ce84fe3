#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/shared/config.hpp"
#include "cli/shared/request.hpp"
#include "placer/io/placement_file.hpp"

namespace placer {

/// Which placement of the graph is meant: flags of the commands that take one.
struct PlacementFlags {
  std::optional<std::string> placement, plan, from;
  std::optional<Order> order;
};
inline constexpr std::array<FlagRow<PlacementFlags>, 4> kPlacementFlags = {
    text_flag("placement", 0, &PlacementFlags::placement, "FILE",
              "the placement to score, a placer-placement file"),
    text_flag("plan", 0, &PlacementFlags::plan, "FILE",
              "the plan of a framework to score, such as a device_map"),
    text_flag("from", 0, &PlacementFlags::from, "TARGET",
              "whose plan it is; 'placer export --help' lists the targets"),
    choice_flag<&PlacementFlags::order>(
        "order",
        "in which order a device takes its ops; given where the placement file has "
        "sequences, else that of its request, else fifo"),
};

/// The placement to score, and how.
struct GivenPlacement {
  LoadedProblem loaded;
  PlacementFile file;  // of a plan, the placement alone
  Order order = Order::kFifo;
  std::string rules;  // under which the file's step time was found

  /// What the sequences of order `given` stand for; empty under other orders.
  OpOrder sequence() const;
};

/// Throws Error where not exactly one placement is given; `command` is in front of its message.
void check_placement_flags(std::string_view command, const PlacementFlags& flags);

/// The files that are read: those of the problem, and the placement or plan.
std::vector<NamedFile> placement_files(const Arguments& arguments, const PlacementFlags& flags);

/// The placement, with the graph on the devices of the command line, else those of its file. Throws
/// Error.
GivenPlacement load_placement(const Arguments& arguments, const PlacementFlags& flags,
                              Console& console);

}  // namespace placer
