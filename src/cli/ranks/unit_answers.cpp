#include "cli/ranks/unit_answers.hpp"

#include <exception>
#include <stdexcept>

#include "cli/shared/failure.hpp"
#include "placer/base/errors.hpp"

namespace placer {
namespace {

// What an answer begins with.
constexpr char kGiven = 'g', kFailed = 'f', kOurFault = 'o';

std::string given_by(const std::string& answer, const std::string& where) {
  std::string text = answer.substr(1);
  if (answer.at(0) == kFailed) throw Error(text);
  if (answer.at(0) == kOurFault) throw std::runtime_error(where + ": " + text);
  return text;
}

}  // namespace

std::string answer_of(const std::function<std::string()>& work) {
  std::string answer;
  const auto failure = failure_of([&] { answer = kGiven + work(); });
  return failure ? (failure->is_ours ? kOurFault : kFailed) + failure->reason : answer;
}

void run_units(HandOut& hand_out, const std::vector<std::string>& units, const std::string& where,
               const std::function<void(std::size_t, const std::string&)>& take,
               const std::function<bool()>& stop) {
  std::exception_ptr fault;
  hand_out.run(
      units,
      [&](std::size_t at, const std::string& answer) {
        try {
          if (!fault) take(at, given_by(answer, where));
        } catch (...) {
          fault = std::current_exception();
        }
      },
      [&] { return fault != nullptr || stop(); });
  if (fault) std::rethrow_exception(fault);
}

}  // namespace placer
