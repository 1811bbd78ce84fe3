#include "cli/ranks/rank_slices.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cli/ranks/slice_text.hpp"
#include "cli/shared/failure.hpp"
#include "placer/base/errors.hpp"
#include "search/core/fingerprint.hpp"
#include "search/local/strategies.hpp"

namespace placer {
namespace {

// What an answer begins with.
constexpr char kEnd = 'e', kFailed = 'f', kOurFault = 'o';

/// What all slices depend on: the same for all ranks.
std::string job_of(const Problem& problem, const SearchRequest& request) {
  return fmt::format("optimize " PLACER_VERSION " {:x}", request_fingerprint(problem, request));
}

std::string answer_to(const std::string& unit, const Problem& problem,
                      const SearchRequest& request) {
  std::string answer;
  const auto failure = failure_of(
      [&] { answer = kEnd + slice_text(run_strategy(problem, request, slice_task(unit))); });
  return failure ? (failure->is_ours ? kOurFault : kFailed) + failure->reason : answer;
}

void take_answer(const std::string& answer, std::size_t at,
                 const std::function<void(std::size_t, SliceEnd)>& take) {
  const std::string text = answer.substr(1);
  if (answer.at(0) == kFailed) throw Error(text);
  if (answer.at(0) == kOurFault) throw std::runtime_error("in a slice: " + text);
  take(at, slice_end(text));
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
  std::exception_ptr fault;
  hand_out_.run(
      units,
      [&](std::size_t at, const std::string& answer) {
        try {
          if (!fault) take_answer(answer, at, take);
        } catch (...) {
          fault = std::current_exception();
        }
      },
      [&] { return fault != nullptr || stop(); });
  if (fault) std::rethrow_exception(fault);
}

void serve_slices(Transport& transport, const Problem& problem, SearchRequest request,
                  RankRules rules) {
  std::atomic<bool> stop = false;
  request.interrupt = &stop;
  serve_rank_0(
      transport, job_of(problem, request),
      [&](const std::string& unit) { return answer_to(unit, problem, request); }, stop, rules);
}

}  // namespace placer
