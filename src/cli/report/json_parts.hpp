#pragma once

#include <string>
#include <vector>

#include "placer/base/options.hpp"

namespace placer {

struct CurvePoint;

// Parts of what several commands print under `--json`, as JSON texts.

std::string options_json(const OptionValues& options);
std::string curve_json(const std::vector<CurvePoint>& curve);

}  // namespace placer
