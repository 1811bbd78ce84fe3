#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "placer/base/units.hpp"
#include "placer/search/bounds.hpp"

namespace placer {

/// "78.81 ms": four digits in the unit that suits; "0 s".
std::string time_text(Picoseconds time);
/// "12.88 GB": decimal units.
std::string bytes_text(double bytes);
/// A graph's parameters: "190.7 MB, the optimizer's state included".
std::string params_text(std::int64_t bytes);
/// "1 op", "829 ops".
std::string counted(std::size_t count, std::string_view thing);
/// "829 ops in 123 groups"
std::string grouped_text(std::size_t ops, std::size_t groups);
/// "45.0 %"
std::string share_text(double share);

/// "622.8 ms (B4: work over devices)": the largest and whence it comes.
std::string bound_text(const LowerBounds& bounds);

/// Lines of columns two spaces apart, each as wide as its widest cell; the first one and those of
/// `left` (by index) to the left, the others to the right.
std::string aligned(const std::vector<std::vector<std::string>>& rows,
                    const std::vector<std::size_t>& left = {});

/// `text` with its lines broken at spaces before column `width`; what follows is indented by
/// `indent`.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace placer
