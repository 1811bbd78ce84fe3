#include "placer/io/exec.hpp"

#include <fmt/format.h>

#include <chrono>

#include "io/programs/child.hpp"
#include "io/programs/exec_messages.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

constexpr double kToEnd = 1;         // seconds for a program that has closed its output
constexpr double kToStop = 0.2;      // seconds for one that was told to stop
constexpr std::size_t kShown = 200;  // bytes of what it complains about

struct Options {
  double patience = 60;
};
constexpr std::array<OptionRow<Options>, 1> kRows = {
    option("patience", &Options::patience, 0.01, 1e6,
           "seconds to wait for the program's next line before it counts as hung"),
};
static_assert(kRows.size() == member_count<Options>);

/// One run of the program.
class Talk {
 public:
  Talk(const std::string& command, double patience, Search& search)
      : patience_(patience), search_(search), child_(command) {}

  void run() {
    // 53 bits, which every JSON reader keeps.
    child_.send(problem_message(search_, static_cast<std::int64_t>(search_.rng().next() >> 11U)));
    for (std::string line; next_line(line);) {
      const std::string place = fmt::format("line {} of its output", ++lines_);
      const auto placement = parse_answer(line, place, search_.problem());
      if (!placement) {
        check_answered("the message that it is done");
        break;
      }
      ++placements_;
      const auto score = search_.evaluate(*placement);
      if (!score) break;
      child_.send(score_message(search_, *score));
    }
    if (has_ended_) return check_end();
    warn_unless_answered();
    child_.send(stop_message());
    if (!search_.problem().deadline().passed()) child_.wait(kToStop);  // before it is killed
  }

 private:
  bool is_over() const { return search_.spent() || search_.problem().deadline().passed(); }

  /// False where the search is over or the program has ended.
  bool next_line(std::string& line) {
    const auto begin = std::chrono::steady_clock::now();
    while (!is_over()) {
      switch (child_.listen(ChildProgram::kBetweenLooks, line)) {
        case ChildProgram::Heard::kLine:
          return true;
        case ChildProgram::Heard::kEnd:
          has_ended_ = true;
          return false;
        case ChildProgram::Heard::kNothing:
          break;
      }
      const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
      if (waited.count() < patience_) continue;
      throw Error(fmt::format("expected a placement within {} s (--patience), found none{}",
                              patience_, complaint()));
    }
    return false;
  }

  void check_end() {
    const std::optional<int> code = child_.wait(kToEnd);
    if (code && *code < 0) {
      throw Error(
          fmt::format("expected it to end by itself, found signal {}{}", -*code, complaint()));
    }
    if (code && *code > 0) {
      throw Error(fmt::format("expected exit code 0, found {}{}", *code, complaint()));
    }
    check_answered("the end of its output");
  }

  void check_answered(const std::string& found) const {
    if (placements_ == 0) throw Error("expected a placement, found " + found + complaint());
  }

  void warn_unless_answered() const {
    if (placements_ > 0) return;
    search_.observer().tell(EventLevel::kWarn, "exec", [&] {
      return "the program had printed no placement when the search was over" + complaint();
    });
  }

  std::string complaint() const {
    const std::string errors = child_.errors();
    const std::string_view last = last_line(errors);
    return last.empty() ? "" : " (it said: " + one_line(last, kShown) + ")";
  }

  double patience_;
  Search& search_;
  ChildProgram child_;
  std::int64_t lines_ = 0, placements_ = 0;
  bool has_ended_ = false;
};

}  // namespace

Optimizer exec_optimizer(std::string_view name) {
  const std::string command(trimmed(name.substr(kExecPrefix.size())));
  if (command.empty()) {
    throw Error(fmt::format("algorithm: expected {}COMMAND, found '{}'", kExecPrefix, name));
  }
  Optimizer made;
  made.name = name;
  made.info.summary = "a program of the user's, which reads problems and prints placements";
  made.info.unfit_for = "whatever the program is unfit for";
  made.options = describe_options(kRows);
  made.run = [command, title = "algorithm " + one_line(name, kShown) + ": "](
                 const OptionValues& values, Search& search) {
    try {
      Talk(command, read_options(kRows, values).patience, search).run();
    } catch (const Error& error) {
      throw Error(title + error.what());
    }
  };
  return made;
}

}  // namespace placer
