#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "placer/model/graph.hpp"
#include "placer/model/topology.hpp"

namespace placer::testing {

// Make another value of a field of it, one that the field's rules allow where this one is.
inline void change(std::string& text) { text += "2"; }
inline void change(bool& value) { value = !value; }
inline void change(std::int64_t& number) { ++number; }
inline void change(double& number) { number = number > 0 ? number / 2 : 0.5; }
inline void change(std::optional<double>& number) { number = number.value_or(1) / 2; }
inline void change(PeakFlops& peaks) { change(peaks.of_others); }
inline void change(OpId& op) { op = OpId(op.index() + 1); }
inline void change(std::vector<OpId>& ops) { ops.emplace_back(1); }
inline void change(std::vector<std::int64_t>& numbers) { numbers.push_back(1); }
inline void change(std::vector<std::string>& names) { names.emplace_back("other"); }
inline void change(std::vector<std::pair<std::string, double>>& numbers) {
  numbers.emplace_back("other", 1);
}
inline void change(std::vector<OutputShape>& outputs) { outputs.emplace_back(); }
inline void change(std::vector<MessageBandwidth>& sizes) { sizes.push_back({1, 1}); }

}  // namespace placer::testing
