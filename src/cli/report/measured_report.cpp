#include "cli/report/measured_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/shared/layout.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/names.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFailureWidth = 60;

std::string seconds_text(double seconds) { return time_text(to_picoseconds(seconds)); }

/// "+4.2 %": how far `predicted` is above `measured`.
std::string error_text(double predicted, double measured) {
  return fmt::format("{:+.1f} %", 100 * (predicted / measured - 1));
}

bool is_only_for_fit(const MeasuredRow& row) {
  return row.is_for_fit && row.failure.empty() && !row.racer.seconds.empty();
}

std::string fate_text(const MeasuredRow& row) {
  if (is_only_for_fit(row)) return "for the fit";
  const std::string p = row.racer.p_value ? fmt::format(" (p {:.2g})", *row.racer.p_value) : "";
  switch (row.racer.fate) {
    case RaceFate::kFirst:
      return "chosen";
    case RaceFate::kLeft:
      return "perhaps as fast" + p;
    case RaceFate::kSlower:
      return "slower" + p;
    case RaceFate::kFailed:
      return "cannot run: " + one_line(row.failure, kFailureWidth);
    case RaceFate::kUnmeasured:
      break;
  }
  return "not measured";
}

std::string_view fate_name(RaceFate fate) {
  switch (fate) {
    case RaceFate::kFirst:
      return "first";
    case RaceFate::kLeft:
      return "left";
    case RaceFate::kSlower:
      return "slower";
    case RaceFate::kFailed:
      return "failed";
    case RaceFate::kUnmeasured:
      break;
  }
  return "unmeasured";
}

std::string reason_text(const MeasuredReport& report) {
  return report.ended_by.empty() ? "" : ": " + report.ended_by;
}

std::string race_table(const MeasuredReport& report, const Look& look) {
  Rows rows = {{"placement", "predicted", "measured", "prediction", "runs", "", ""}};
  if (report.fit) rows[0][5] = "fitted";
  for (const MeasuredRow& row : report.rows) {
    const bool has_run = !row.racer.seconds.empty();
    const double median = row.racer.median_seconds();
    rows.push_back({row.name, seconds_text(row.predicted_seconds),
                    has_run ? seconds_text(median) : "",
                    has_run ? error_text(row.predicted_seconds, median) : "",
                    fmt::format("{}", row.racer.seconds.size()),
                    row.fitted_seconds && has_run ? error_text(*row.fitted_seconds, median) : "",
                    fate_text(row)});
  }
  return table_rows(std::move(rows), {6}, look);
}

std::string fit_text(const CostFit& fit, const Look& look) {
  Rows rows = {{"fitted", "factor"}};
  for (const CostFactor& factor : fit.factors) {
    if (factor.factor != 1) rows.push_back({factor.what, fmt::format("{:.3g}", factor.factor)});
  }
  return fmt::format(
             "\nprediction off by {} (root of the mean square), {} after the fit, "
             "about {} for a placement that it has not seen\n\n",
             share_text(fit.error_before), share_text(fit.error_after),
             share_text(fit.error_left_out)) +
         (rows.size() > 1 ? table_rows(std::move(rows), {}, look) : "");
}

Json row_json(const MeasuredRow& row) {
  Json object;
  object["name"] = row.name;
  object["predicted_seconds"] = row.predicted_seconds;
  object["measured_seconds"] =
      row.racer.seconds.empty() ? Json(nullptr) : Json(row.racer.median_seconds());
  if (row.fitted_seconds) object["fitted_seconds"] = *row.fitted_seconds;
  object["runs"] = row.racer.seconds;
  object["fate"] = is_only_for_fit(row) ? "fit" : fate_name(row.racer.fate);
  object["p_value"] = row.racer.p_value ? Json(*row.racer.p_value) : Json(nullptr);
  object["failure"] = row.failure.empty() ? Json(nullptr) : Json(row.failure);
  object["memory_bytes"] = row.memory_bytes;
  return object;
}

}  // namespace

std::string measured_sentence(const MeasuredReport& report) {
  if (!report.first) {
    return "nothing was measured, so the placement is the best of the simulation" +
           reason_text(report);
  }
  const MeasuredRow& row = report.rows[*report.first];
  const double median = row.racer.median_seconds();
  const double over = median / row.predicted_seconds - 1;
  return fmt::format(
      "{} measured in {}, {} {} than predicted; noise {} a run; {}", seconds_text(median),
      counted(row.racer.seconds.size(), "run"), share_text(std::abs(over)),
      over < 0 ? "less" : "more", share_text(report.noise),
      report.is_decided ? "decided: all others are slower" : "not decided" + reason_text(report));
}

std::string measured_text(const MeasuredReport& report, const Look& look) {
  std::string text = wrapped("measured: " + measured_sentence(report) + "\n", look.width, 2);
  text += "\n" + race_table(report, look);
  if (report.fit) text += fit_text(*report.fit, look);
  return text;
}

std::string measured_json(const MeasuredReport& report) {
  Json object;
  object["chosen"] = report.first ? Json(report.rows[*report.first].name) : Json(nullptr);
  object["seconds"] =
      report.first ? Json(report.rows[*report.first].racer.median_seconds()) : Json(nullptr);
  object["decided"] = report.is_decided;
  object["ended_by"] = report.ended_by.empty() ? Json(nullptr) : Json(report.ended_by);
  object["noise"] = report.noise;
  object["measuring_seconds"] = report.measuring_seconds;
  object["placements"] = Json::array();
  for (const MeasuredRow& row : report.rows) object["placements"].push_back(row_json(row));
  if (report.fit) {
    Json& fit = object["fit"];
    fit["error_before"] = report.fit->error_before;
    fit["error_after"] = report.fit->error_after;
    fit["error_left_out"] = report.fit->error_left_out;
    fit["factors"] = Json::object();
    for (const CostFactor& factor : report.fit->factors)
      fit["factors"][factor.what] = factor.factor;
  }
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace placer
