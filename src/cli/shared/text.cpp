#include "cli/shared/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace placer {
namespace {

struct Unit {
  double size;
  const char* name;
};

template <std::size_t N>
std::string in_unit(double value, const std::array<Unit, N>& units) {
  for (const Unit& unit : units) {
    if (value < unit.size * 0.99995 && &unit != &units.back()) continue;
    const double shown = value / unit.size;
    const int decimals = shown >= 999.95 ? 0 : shown >= 99.995 ? 1 : shown >= 9.9995 ? 2 : 3;
    return fmt::format("{:.{}f} {}", shown, decimals, unit.name);
  }
  return {};
}

}  // namespace

std::string time_text(Picoseconds time) {
  constexpr std::array<Unit, 5> kUnits = {Unit{1e12, "s"}, Unit{1e9, "ms"}, Unit{1e6, "us"},
                                          Unit{1e3, "ns"}, Unit{1, "ps"}};
  return time == 0 ? "0 s" : in_unit(static_cast<double>(time), kUnits);
}

std::string bytes_text(double bytes) {
  constexpr std::array<Unit, 4> kUnits = {Unit{1e12, "TB"}, Unit{1e9, "GB"}, Unit{1e6, "MB"},
                                          Unit{1e3, "kB"}};
  return bytes < 1000 ? fmt::format("{:.0f} B", bytes) : in_unit(bytes, kUnits);
}

std::string params_text(std::int64_t bytes) {
  return bytes_text(static_cast<double>(bytes)) + ", the optimizer's state included";
}

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string grouped_text(std::size_t ops, std::size_t groups) {
  return fmt::format("{} in {}", counted(ops, "op"), counted(groups, "group"));
}

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string bound_text(const LowerBounds& bounds) {
  const LowerBoundInfo& best = best_bound(bounds);
  return fmt::format("{} ({}: {})", time_text(bounds.*best.value), best.name, best.meaning);
}

std::string aligned(const std::vector<std::vector<std::string>>& rows,
                    const std::vector<std::size_t>& left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool to_left = i == 0 || std::ranges::count(left, i) > 0;
      if (i > 0) line += "  ";
      line += to_left ? fmt::format("{:<{}}", row[i], widths[i])
                      : fmt::format("{:>{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    while (line.size() > width) {
      const std::size_t space = line.rfind(' ', width);
      if (space == std::string::npos || space <= indent) break;
      all += line.substr(0, space) + "\n";
      line = std::string(indent, ' ') + line.substr(space + 1);
    }
    all += line + "\n";
  }
  return all;
}

}  // namespace placer
