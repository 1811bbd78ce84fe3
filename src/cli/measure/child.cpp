#include "cli/measure/child.hpp"

#include <chrono>
#include <optional>

#include "cli/shared/interrupt.hpp"
#include "io/programs/child.hpp"

namespace placer {
namespace {

constexpr double kAskAgain = 0.02;  // seconds

ChildEnd watched(ChildProgram& program, double seconds, const std::function<bool()>& stop) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  while (!stop()) {
    if (const std::optional<int> code = program.wait(kAskAgain)) {
      return *code < 0 ? ChildEnd{ChildEnd::How::kSignal, -*code, {}, {}}
                       : ChildEnd{ChildEnd::How::kExit, *code, {}, {}};
    }
    const std::chrono::duration<double> passed = Clock::now() - begin;
    if (passed.count() >= seconds) return {ChildEnd::How::kTimedOut, 0, {}, {}};
  }
  return {ChildEnd::How::kStopped, 0, {}, {}};
}

}  // namespace

ChildEnd run_child(const std::string& command, double seconds, const std::function<bool()>& stop) {
  EndsWithProgram interrupt;
  ChildProgram program(command);
  interrupt.group(program.group());
  program.close_input();
  ChildEnd end = watched(program, seconds, stop);
  end.out = program.take_output();
  end.err = program.errors();
  return end;
}

}  // namespace placer
