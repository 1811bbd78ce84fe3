#include "cli/shared/regression.hpp"

#include <fmt/format.h>

#include <set>

#include "cli/shared/text.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/quantity.hpp"
#include "placer/base/text.hpp"
#include "placer/io/files.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {
namespace {

constexpr double kLongestSeconds = 9e6;  // the horizon of the cost model

/// Of a placement file, or of the one inside what `--json` printed.
std::optional<std::vector<std::string>> placed_ops(JsonObject& document) {
  const auto placement = document.find("placement");
  if (!placement) return std::nullopt;
  std::vector<std::string> ops;
  const auto read = [&](const JsonCursor& rows) {
    rows.for_each_member([&](std::string_view name, const JsonCursor&) { ops.emplace_back(name); });
  };
  if (document.has("format")) {
    read(*placement);
  } else {
    JsonObject file(*placement);
    read(file.required("placement"));
  }
  return ops;
}

}  // namespace

double tolerance_of(const ToleranceFlags& flags) {
  if (!flags.tolerance) return 0;
  const std::string_view text = *flags.tolerance;
  const bool is_percent = text.ends_with('%');
  const std::optional<double> number =
      parse_quantity(text.substr(0, text.size() - (is_percent ? 1 : 0)), Measure::kPlain);
  if (!number || !(*number >= 0)) {
    throw Error(fmt::format(
        "option --tolerance: expected a share or percent from 0 (0.02 or 2%), found '{}'",
        one_line(text, 80)));
  }
  return is_percent ? *number / 100 : *number;
}

Score read_score(JsonObject& object) {
  Score score;
  score.step_ps = to_picoseconds(object.required("step_seconds").number(0, kLongestSeconds));
  if (const auto overflow = object.find("overflow_bytes")) {
    score.overflow_bytes = overflow->integer(0);
  }
  return score;
}

StoredResult read_result(const std::string& path) {
  const std::string file = file_title(path);
  const JsonDocument root = parse_json(read_text(path), file);
  const JsonCursor cursor(root, file);
  JsonObject document(cursor);
  const JsonCursor scored = document.find("score").value_or(cursor);
  const JsonCursor request = document.find("request").value_or(cursor);
  JsonObject score(scored), asked(request);
  StoredResult result{.score = read_score(score)};
  if (const auto objective = asked.find("objective"))
    result.objective = objective->one_of<Objective>();
  if (const auto graph = document.find("graph")) result.graph = graph->name();
  result.ops = placed_ops(document);
  return result;
}

void check_graph(const StoredResult& result, const std::string& title, const std::string& name,
                 const Graph& graph) {
  const bool has_own_name = !graph.name().empty();  // else the name is that of the file
  if (result.graph && has_own_name && *result.graph != name) {
    throw Error(fmt::format("{}: graph: expected '{}', which is what is simulated, found '{}'",
                            title, name, one_line(*result.graph, 80)));
  }
  if (!result.ops) return;
  const auto refuse = [&](const std::string& found) {
    throw Error(fmt::format("{}: placement: expected the ops of {}, found {}", title, name, found));
  };
  const std::set<std::string_view> placed(result.ops->begin(), result.ops->end());
  std::set<std::string_view> own;
  for (const Op& op : graph.ops()) {
    if (!placed.contains(op.name)) refuse(fmt::format("none named '{}'", op.name));
    own.insert(op.name);
  }
  for (const std::string& op : *result.ops) {
    if (!own.contains(op)) refuse(fmt::format("'{}', which is none of them", one_line(op, 80)));
  }
}

bool is_longer(Picoseconds step_ps, Picoseconds stored_ps, double tolerance) {
  return static_cast<double>(step_ps - stored_ps) > tolerance * static_cast<double>(stored_ps);
}

bool is_worse(const Score& score, const Score& stored, double tolerance) {
  if (score <= stored) return false;
  return score.overflow_bytes > stored.overflow_bytes ||
         is_longer(score.step_ps, stored.step_ps, tolerance);
}

std::string worse_text(const Score& score, const Score& stored, double tolerance) {
  if (score.overflow_bytes > stored.overflow_bytes) {
    return fmt::format(
        "{} over the memory, {} more than before",
        bytes_text(static_cast<double>(score.overflow_bytes)),
        bytes_text(static_cast<double>(score.overflow_bytes - stored.overflow_bytes)));
  }
  if (stored.step_ps == 0) return fmt::format("{}, expected 0 s", time_text(score.step_ps));
  const auto before = static_cast<double>(stored.step_ps);
  return fmt::format("{}, {:.3g} % longer than {}{}", time_text(score.step_ps),
                     100 * static_cast<double>(score.step_ps - stored.step_ps) / before,
                     time_text(stored.step_ps),
                     tolerance > 0 ? fmt::format(" (tolerance {:.3g} %)", 100 * tolerance) : "");
}

}  // namespace placer
