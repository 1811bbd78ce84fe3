#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/ranks/hand_out.hpp"

namespace placer {

/// The answer to a unit: what `work` gives, or why it failed.
std::string answer_of(const std::function<std::string()>& work);

/// `hand_out.run` for units whose answers are of `answer_of`; `take` gets what their work gave.
/// Throws Error, or std::exception for a fault of ours, which begins with `where`, as soon as the
/// work of a unit or `take` has thrown one.
void run_units(HandOut& hand_out, const std::vector<std::string>& units, const std::string& where,
               const std::function<void(std::size_t index, const std::string& given)>& take,
               const std::function<bool()>& stop);

}  // namespace placer
