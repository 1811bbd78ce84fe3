#pragma once

#include <span>

#include "placer/model/problem.hpp"

namespace placer {

/// Whether devices are the same to a search once the placed groups are left aside: renaming alike
/// ones changes no score under contention `link` and `none` without named channels.
bool devices_are_renamable(const Problem& problem);
/// `device` or an earlier identical one is the first of its kind without a group: the others would
/// only rename. `placed` are the devices of the groups placed so far.
bool is_first_of_its_kind(const Problem& problem, std::span<const DeviceId> placed,
                          DeviceId device);

}  // namespace placer
