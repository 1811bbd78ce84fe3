#include "cli/shared/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "placer/base/text.hpp"
#include "placer/model/graph.hpp"
#include "placer/search/bounds.hpp"

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

/// Whether forward ops read from what is out of the forward pass, as they do not in training.
bool leads_forward(const Graph& graph) {
  return std::ranges::any_of(graph.tensors(), [&](const Tensor& tensor) {
    return graph.op(tensor.producer).backward &&
           std::ranges::any_of(tensor.consumers,
                               [&](OpId reader) { return !graph.op(reader).backward; });
  });
}

constexpr double kLeastShare = 1e-6;  // of a time, that is told

bool is_near_one(double times) { return std::abs(times - 1) < 0.05; }

}  // namespace

std::string time_text(Picoseconds time) {
  constexpr std::array<Unit, 5> kUnits = {Unit{1e12, "s"}, Unit{1e9, "ms"}, Unit{1e6, "us"},
                                          Unit{1e3, "ns"}, Unit{1, "ps"}};
  return time == 0 ? "0 s" : in_unit(static_cast<double>(time), kUnits);
}

std::string rough_time_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string bytes_text(double bytes) {
  constexpr std::array<Unit, 4> kUnits = {Unit{0x1p40, "TiB"}, Unit{0x1p30, "GiB"},
                                          Unit{0x1p20, "MiB"}, Unit{0x1p10, "KiB"}};
  return bytes < 1024 ? fmt::format("{:.0f} B", bytes) : in_unit(bytes, kUnits);
}

std::string params_text(const Graph& graph) {
  double bytes = 0;
  for (const Op& op : graph.ops()) bytes += static_cast<double>(op.params_bytes);
  const bool has_backward = std::ranges::any_of(graph.ops(), &Op::backward);
  return bytes_text(bytes) +
         (has_backward && !leads_forward(graph) ? ", the optimizer's state included" : "");
}

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string grouped_text(std::size_t ops, std::size_t groups) {
  return fmt::format("{} in {}", counted(ops, "op"), counted(groups, "group"));
}

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string times_text(double times) {
  const bool is_told_finely = is_near_one(times) && std::abs(times - 1) >= 0.5e-4;
  return fmt::format("{:.{}f}", times, is_told_finely ? 4 : 2);
}

std::string speed_text(double times) {
  if (!is_near_one(times)) return fmt::format("is {} times as fast", times_text(times));
  const double less = 1 - 1 / times;
  if (std::abs(less) < kLeastShare) return "is as fast";
  return fmt::format("takes {:.2g} % {} time", 100 * std::abs(less), less > 0 ? "less" : "more");
}

std::string bound_text(const LowerBounds& bounds) {
  const LowerBoundInfo& best = best_bound(bounds);
  return fmt::format("{} ({}: {})", time_text(bounds.*best.value), best.name, best.meaning);
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

std::string shell_line(std::span<const std::string> words) {
  std::string line = "placer";
  for (const std::string& word : words) line += " " + shell_word(word);
  return line;
}

}  // namespace placer
