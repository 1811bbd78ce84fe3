#include "cli/shared/regression.hpp"

#include <fmt/format.h>

#include "cli/shared/text.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/quantity.hpp"
#include "placer/base/text.hpp"
#include "placer/io/files.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {
namespace {

constexpr double kLongestSeconds = 9e6;  // the horizon of the cost model

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
  JsonValue root = parse_json(read_text(path), file);
  const JsonCursor cursor(root, file);
  JsonObject document(cursor);
  JsonObject score(document.find("score").value_or(cursor));
  JsonObject asked(document.find("request").value_or(cursor));
  StoredResult result{read_score(score), std::nullopt};
  if (const auto objective = asked.find("objective"))
    result.objective = objective->one_of<Objective>();
  return result;
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
