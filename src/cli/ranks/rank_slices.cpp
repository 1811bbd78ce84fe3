#include "cli/ranks/rank_slices.hpp"

#include <fmt/format.h>

#include "cli/ranks/slice_text.hpp"
#include "cli/ranks/unit_answers.hpp"
#include "search/core/fingerprint.hpp"
#include "search/local/strategies.hpp"

namespace placer {
namespace {

/// What all slices depend on: the same for all ranks.
std::string job_of(const Problem& problem, const SearchRequest& request) {
  return fmt::format("optimize " PLACER_VERSION " {:x}", request_fingerprint(problem, request));
}

std::string answer_to(const std::string& unit, const Problem& problem,
                      const SearchRequest& request) {
  return answer_of([&] { return slice_text(run_strategy(problem, request, slice_task(unit))); });
}

}  // namespace

RankSlices::RankSlices(Transport& transport, const Problem& problem, const SearchRequest& request,
                       RankRules rules)
    : hand_out_(
          transport, job_of(problem, request),
          [&problem, &request](const std::string& unit) {
            return answer_to(unit, problem, request);
          },
          request.observer, request.interrupt, rules) {}

void RankSlices::run(std::span<const SliceTask> tasks,
                     const std::function<void(std::size_t, SliceEnd)>& take,
                     const std::function<bool()>& stop) {
  std::vector<std::string> units;
  for (const SliceTask& task : tasks) units.push_back(slice_text(task));
  run_units(
      hand_out_, units, "in a slice",
      [&](std::size_t at, const std::string& given) { take(at, slice_end(given)); }, stop);
}

bool serve_slices(Transport& transport, const Problem& problem, SearchRequest request,
                  RankRules rules) {
  std::atomic<bool> stop = false;
  request.interrupt = &stop;
  return serve_rank_0(
      transport, job_of(problem, request),
      [&](const std::string& unit) { return answer_to(unit, problem, request); }, stop, rules);
}

}  // namespace placer
