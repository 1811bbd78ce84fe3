#include "cli/report/answer_check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "placer/io/files.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/io/placement_file.hpp"
#include "placer/sim/schedule_check.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

std::string case_text(const LoadedProblem& loaded, Order order, const SearchResult& result,
                      const Schedule& schedule, const std::string& fault) {
  const Problem& problem = loaded.problem;
  std::optional<Sequences> sequences;
  if (order == Order::kGiven && !result.order.empty()) {
    sequences = sequences_of(problem, result.placement, result.order);
  }
  const auto json = [](const Score& score) {
    return Json{{"step_ps", score.step_ps}, {"overflow_bytes", score.overflow_bytes}};
  };
  Json object;
  object["fault"] = fault;
  object["version"] = PLACER_VERSION;
  object["order"] = name_of(order);
  object["claimed"] = json(result.score);
  object["found"] = json(schedule.score);
  object["graph"] = Json::parse(write_graph(problem.graph(), &problem.topology()));
  object["placement"] =
      Json::parse(write_placement(problem, result.placement, result.score, sequences, ""));
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Where it was written; "" where it could not be.
std::string save_case(const std::string& text) {
  std::error_code none;
  const std::string name = fmt::format("placer-wrong-answer-{}.json", ::getpid());
  for (const auto& folder :
       {std::filesystem::path("."), std::filesystem::temp_directory_path(none)}) {
    const std::string path = (folder / name).lexically_normal().string();
    try {
      write_atomically(path, text);
      return path;
    } catch (const Error&) {
      continue;
    }
  }
  return "";
}

}  // namespace

void check_answer(const LoadedProblem& loaded, Order order, const SearchResult& result,
                  const Schedule& schedule) {
  if (result.score == Score::deadlock()) return;
  const std::string fault = refuted_claim(loaded.problem, result.placement, result.score, schedule);
  if (fault.empty()) return;
  const std::string saved = save_case(case_text(loaded, order, result, schedule, fault));
  throw WrongAnswer(fmt::format(
      "{}; {}", fault,
      saved.empty() ? "the case could not be saved" : "please report it with " + saved));
}

void check_answer(const LoadedProblem& loaded, Order order, const SearchResult& result) {
  Schedule schedule;
  Simulator(loaded.problem, order).evaluate(result.placement, result.order, &schedule);
  check_answer(loaded, order, result, schedule);
}

}  // namespace placer
