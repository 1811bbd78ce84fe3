#include "cli/report/page.hpp"

#include <fmt/format.h>

#include <array>

#include "cli/report/curve_file.hpp"
#include "cli/report/page_data.hpp"
#include "cli/report/page_parts.hpp"
#include "cli/report/updates_file.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/markup.hpp"

namespace placer {
namespace {

constexpr std::array<std::string_view, 5> kScripts = {"gantt", "graph", "main", "text", "tracks"};

std::string scripts() {
  std::string text;
  for (const std::string_view name : kScripts) text += page_text(name);
  return text;
}

/// Empty where nothing was searched.
std::string curve_of(const Report& report) {
  const SearchResult& result = report.result;
  if (result.curve.empty()) return "";
  std::vector<ChartMark> levels = {{to_seconds(bound_ps(report)), "bound"}};
  if (report.single) {
    levels.push_back({to_seconds(report.single->score.step_ps),
                      report.loaded->problem.topology().device(report.single->device).name});
  }
  const std::string curve = curve_svg({{report.algorithm, result.curve, result.samples}}, levels);
  return result.updates.empty() ? curve : curve + updates_svg(report);
}

std::string step_sentence(const Report& report) {
  const LoadedProblem& loaded = *report.loaded;
  return fmt::format(
      "{} takes {} per step on {} with {}, which {}.", loaded.graph_name,
      time_text(report.schedule.score.step_ps), loaded.devices_name,
      report.searched ? "the placement that " + report.algorithm + " found" : "the given placement",
      report.schedule.score.fits() ? "fits in memory" : "does not fit in memory");
}

std::string single_sentence(const Report& report) {
  if (!report.single) return "No device holds everything alone.";
  return fmt::format("{} alone would take {}: {}.",
                     report.loaded->problem.topology().device(report.single->device).name,
                     time_text(report.single->score.step_ps), verdict(report));
}

std::string bound_sentence(const Report& report) {
  if (is_optimal(report)) return "No placement is faster: that is proven.";
  const std::string bound = time_text(bound_ps(report));
  const std::optional<std::string>& target = report.loaded->flags.target;
  const std::string able = target            ? fmt::format(" that {} can run", *target)
                           : report.pipeline ? " of these micro-batches and replicas"
                                             : "";
  const std::optional<double> over = gap(report);
  if (!over) return fmt::format("No placement that fits{} takes less than {}.", able, bound);
  return fmt::format(
      "No placement{} takes less than {}, so that this one is at most {} from the best.", able,
      bound, share_text(*over));
}

}  // namespace

std::vector<std::string> answer_sentences(const Report& report) {
  std::vector<std::string> sentences = {step_sentence(report), single_sentence(report),
                                        bound_sentence(report)};
  if (report.measured) {
    sentences.push_back("On the real machine: " + measured_sentence(*report.measured) + ".");
  }
  return sentences;
}

std::string html_report(const Report& report, const SearchFlags& search,
                        const std::string& command) {
  const Explanation explanation = explain(*report.loaded, report.result.placement, report.order,
                                          report.result.order, report.deadline);
  return whole_page("page", report.loaded->graph_name, [&](std::string_view name) {
    if (name == "curve") return curve_of(report);
    if (name == "command") return markup_text(command);
    if (name == "data") return page_data(report, search, explanation);
    return scripts();
  });
}

}  // namespace placer
