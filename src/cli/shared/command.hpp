#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/shared/terminal.hpp"
#include "placer/base/deadline.hpp"
#include "placer/base/observer.hpp"
#include "placer/base/options.hpp"
#include "placer/model/problem.hpp"

namespace placer {

inline constexpr const char* kStandardAlgorithm = "auto";

/// What every command may end with; 130 comes before 2, and 2 before 3, when several hold.
enum ExitCode {
  kDone = 0,
  kBadInput = 1,
  kNothingFits = 2,
  kMissed = 3,
  kOurFault = 4,
  kInterrupted = 130
};

inline constexpr std::string_view kProgramSummary =
    "predicts the step time of an op graph on devices, and searches for the best placement";
inline constexpr std::string_view kExitCodes =
    "0 done, 1 bad input or command line, 2 nothing fits in memory, 3 target missed or regression, "
    "4 a fault of ours, 130 interrupted (the best so far is written).";

class Transport;

/// Where a command prints, and how it learns that it should stop.
struct Console {
  std::ostream& out;  // results
  std::ostream& err;  // progress and errors
  /// The errno of the first write to `out` that failed, after writing what is held back; 0: none.
  std::function<int()> out_fault = [] { return 0; };
  bool err_is_terminal = false;  // one that can rewrite its line
  Look look = {};                // of results
  std::function<std::size_t()> err_width = [] { return Look().width; };  // asked at each drawing
  const std::atomic<bool>* interrupt = nullptr;  // set: stop soon, write the best so far
  std::function<void()> ended = [] {};  // called once the output is written and the code is known
  /// Called once there may be something to keep: until then an interrupt ends the program at once.
  std::function<void()> search_begins = [] {};
  Deadline::Clock::time_point begin = Deadline::Clock::now();  // limits on time count from here
  Observer log = {};             // where warnings, errors and what happens go
  bool shows_live_line = false;  // on err, now
  bool out_is_taken = false;     // by an output that "-" sends there: summaries go to err
  bool lacks_output = false;     // a file that was asked for could not be written, which was told
  std::string doing = {};        // what memory is wanted for: "reading g.json"
  std::vector<std::string> line = {};  // the command and what follows it, as given
  Transport* ranks = nullptr;          // of a run of several; null: this process is alone
  std::vector<Problem> kept = {};      // to the end of the process: to free a graph takes long
};

/// A flag of a command. A text without choices (`Choices{}`) may be anything.
struct FlagInfo {
  OptionInfo option;       // its name without dashes; its default is never read
  char letter = 0;         // 'o' for -o; 0 for none
  std::string value_name;  // what help shows: "FILE"; "" for a switch
  bool repeats = false;    // may be given again; the values come as lines of one text
};

/// What the command line (and the file of --config, beneath it) gave; checked against the flags.
struct Arguments {
  std::vector<std::string> positionals;
  OptionValues flags;                    // only those given, by name
  OptionValues options;                  // of the chosen algorithm or model, only those given
  std::vector<std::string> from_config;  // the flags that the file of --config gave
};

struct Positional {
  std::string name;  // what help shows: "GRAPH"
  std::string meaning;
  enum class Count { kOne, kOptional, kMany } count = Count::kOne;
};

/// A row of the table of commands in program.cpp.
struct Command {
  std::string name;
  std::string summary;
  std::vector<Positional> positionals;
  std::vector<FlagInfo> flags;
  std::vector<std::string> examples = {};  // lines for a shell; one that ends in "\\" goes on
  bool takes_algorithm_options = false;    // the options of --algo join the flags
  bool takes_model_options = false;        // those of the model that the first positional names
  bool interruptible = false;              // watches Console::interrupt; else Ctrl-C ends at once
  bool uses_ranks = false;                 // Console::ranks; else rank 0 alone runs it
  std::function<int(const Arguments&, Console&)> run;  // returns an ExitCode
};

/// A member of `F` for one of the values of an enum, or none: written by its place among `names`.
template <class F>
struct ChoiceFlag {
  std::span<const std::string_view> names;
  void (*set)(F&, std::size_t);
};

/// One row for each member of a struct of flags `F`; a member that was not given keeps its default
/// (an empty optional, or false).
template <class F>
struct FlagRow {
  std::string_view name;
  char letter;
  std::string_view value_name;
  std::variant<std::optional<std::int64_t> F::*, std::optional<double> F::*,
               std::optional<std::string> F::*, ChoiceFlag<F>, bool F::*>
      member;
  std::int64_t least_integer;
  double least_real;
  std::string_view meaning;
  bool repeats = false;
  std::int64_t most_integer = std::numeric_limits<std::int64_t>::max();
};

/// An integer from `least` to `most`.
template <class F>
constexpr FlagRow<F> flag(std::string_view name, std::optional<std::int64_t> F::*member,
                          std::int64_t least, std::string_view meaning,
                          std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  return {name, 0, "N", member, least, 0, meaning, false, most};
}
/// A number of at least `least`.
template <class F>
constexpr FlagRow<F> flag(std::string_view name, std::optional<double> F::*member, double least,
                          std::string_view value_name, std::string_view meaning) {
  return {name, 0, value_name, member, 0, least, meaning};
}
/// `choice_flag<&CompareFlags::format>("format", ...)`: one of the names of an enum.
template <auto kMember, class F = OwnerOf<kMember>>
constexpr FlagRow<F> choice_flag(std::string_view name, std::string_view meaning) {
  using Value = typename ValueOf<kMember>::value_type;
  const ChoiceFlag<F> member = {
      kNames<Value>, [](F& flags, std::size_t at) { flags.*kMember = static_cast<Value>(at); }};
  return {name, 0, {}, member, 0, 0, meaning};
}
/// Any text.
template <class F>
constexpr FlagRow<F> text_flag(std::string_view name, char letter,
                               std::optional<std::string> F::*member, std::string_view value_name,
                               std::string_view meaning) {
  return {name, letter, value_name, member, 0, 0, meaning};
}
/// Any text, as often as wanted; the member gets the texts as lines.
template <class F>
constexpr FlagRow<F> texts_flag(std::string_view name, std::optional<std::string> F::*member,
                                std::string_view value_name, std::string_view meaning) {
  return {name, 0, value_name, member, 0, 0, meaning, true};
}
/// True when given.
template <class F>
constexpr FlagRow<F> switch_flag(std::string_view name, char letter, bool F::*member,
                                 std::string_view meaning) {
  return {name, letter, {}, member, 0, 0, meaning};
}

/// Adds the flags of `rows` to `flags`.
template <class F, std::size_t N>
void add_flags(std::vector<FlagInfo>& flags, const std::array<FlagRow<F>, N>& rows) {
  for (const FlagRow<F>& row : rows) {
    FlagInfo info;
    info.option.name = row.name;
    info.option.meaning = row.meaning;
    info.letter = row.letter;
    info.value_name = row.value_name;
    info.repeats = row.repeats;
    if (row.value_name == "SECONDS") info.option.measure = Measure::kSeconds;
    switch (row.member.index()) {
      case 0:
        info.option.range = IntegerRange{row.least_integer, row.most_integer};
        break;
      case 1:
        info.option.range = RealRange{row.least_real, std::numeric_limits<double>::infinity()};
        break;
      case 2:
        info.option.range = Choices{};
        break;
      case 3: {
        const auto& names = std::get<3>(row.member).names;
        const Choices choices{{names.begin(), names.end()}};
        info.option.range = choices;
        info.value_name = join(choices.names, "|");
        break;
      }
      default:
        info.option.range = Flag{};
    }
    flags.push_back(std::move(info));
  }
}

/// The rows of two tables of one struct.
template <class F, std::size_t N, std::size_t M>
constexpr std::array<FlagRow<F>, N + M> joined(const std::array<FlagRow<F>, N>& first,
                                               const std::array<FlagRow<F>, M>& second) {
  return [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>,
                                                 std::index_sequence<J...>) {
    return std::array<FlagRow<F>, N + M>{first[I]..., second[J]...};
  }
  (std::make_index_sequence<N>(), std::make_index_sequence<M>());
}

/// The flags of several tables: `flags_of(kProblemFlags, kSearchFlags)`.
template <class... Rows>
std::vector<FlagInfo> flags_of(const Rows&... rows) {
  std::vector<FlagInfo> flags;
  (add_flags(flags, rows), ...);
  return flags;
}

namespace detail {

template <class F, class T>
void set(std::optional<T> F::*member, const OptionValue& value, F& flags) {
  flags.*member = std::get<T>(value);
}
template <class F>
void set(const ChoiceFlag<F>& member, const OptionValue& value, F& flags) {
  member.set(flags, index_of(member.names, std::get<std::string>(value)));
}

}  // namespace detail

/// The members of `F` that were given.
template <class F, std::size_t N>
F read_flags(const std::array<FlagRow<F>, N>& rows, const Arguments& arguments) {
  F read{};
  for (const FlagRow<F>& row : rows) {
    const auto at = arguments.flags.find(std::string(row.name));
    if (at == arguments.flags.end()) continue;
    std::visit([&](const auto& member) { detail::set(member, at->second, read); }, row.member);
  }
  return read;
}

}  // namespace placer
