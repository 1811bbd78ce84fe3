#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <ostream>

#include "cli/cli.hpp"
#include "cli/commands/commands.hpp"
#include "cli/manual/completion.hpp"
#include "cli/manual/man.hpp"
#include "cli/ranks/hand_out.hpp"
#include "cli/ranks/transport.hpp"
#include "cli/shared/arguments.hpp"
#include "cli/shared/failure.hpp"
#include "cli/shared/interrupt.hpp"
#include "cli/shared/layout.hpp"
#include "cli/shared/log.hpp"
#include "cli/shared/memory_limit.hpp"
#include "cli/shared/outputs.hpp"
#include "placer/base/errors.hpp"
#include "placer/io/files.hpp"

namespace placer {
namespace {

std::string program_help(const Look& look) {
  constexpr std::size_t kSummaryColumn = 14;
  const std::size_t width = help_width(look);
  std::string commands;
  for (const Command& command : all_commands()) {
    commands += fmt::format("  {:<12}{}\n", command.name, command.summary);
  }
  return wrapped(fmt::format("placer: {}\n\nUsage: placer COMMAND [ARGUMENTS]\n\nCommands:\n",
                             kProgramSummary),
                 width, 0) +
         wrapped(commands, width, kSummaryColumn) +
         wrapped(
             fmt::format("\n'placer COMMAND --help' says more of each; 'placer --version' prints "
                         "the version.\nExit codes: {}\n",
                         kExitCodes),
             width, 0);
}

const Command& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : all_commands()) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  throw Error(fmt::format("expected a command ({}), found '{}'{}", join(names), name,
                          did_you_mean(name, names)));
}

/// Throws Error for a file that cannot be written or that the command reads or writes itself.
void follow_log_flags(const Command& command, const Arguments& arguments, Console& console,
                      Log& log) {
  const auto flags = read_flags(kLogFlags, arguments);
  if (flags.log_file && is_standard_output(*flags.log_file)) {
    throw Error(fmt::format(
        "--log-file: expected a file, found '{}'; without --log-file the log goes to stderr",
        *flags.log_file));
  }
  std::vector<NamedFile> others;
  for (std::size_t i = 0; i < arguments.positionals.size(); ++i) {
    const std::size_t at = std::min(i, command.positionals.size() - 1);
    others.push_back({command.positionals[at].name, arguments.positionals[i]});
  }
  for (const FlagInfo& flag : command.flags) {
    const auto given = arguments.flags.find(flag.option.name);
    const bool is_file = flag.value_name.starts_with("FILE") && flag.option.name != "log-file";
    if (!is_file || given == arguments.flags.end()) continue;
    others.push_back({"--" + flag.option.name, std::get<std::string>(given->second)});
  }
  // Streams are no files, and the command itself sees to them.
  std::erase_if(others, [](const NamedFile& other) { return is_standard_output(*other.path); });
  check_outputs({{"--log-file", flags.log_file}}, others);
  log.follow(flags);
  console.log = log.observer();
}

int run_command(const Command& command, std::span<const std::string> line, Console& console,
                Log& log, std::optional<Interrupts>& interrupts) {
  const ParsedLine parsed = parse_arguments(command, line, console.look);
  if (parsed.help) {
    console.out << *parsed.help;
    return kDone;
  }
  const auto limits = read_flags(kLimitFlags, parsed.arguments);
  if (limits.memory_limit) limit_memory(parse_memory_limit(*limits.memory_limit));
  follow_log_flags(command, parsed.arguments, console, log);
  if (!parsed.note.empty()) {
    console.log.tell(EventLevel::kWarn, "", [&] { return parsed.note; });
  }
  if (const auto config = parsed.arguments.flags.find("config");
      config != parsed.arguments.flags.end()) {
    console.log.tell(EventLevel::kInfo, "files",
                     [&] { return "config: " + std::get<std::string>(config->second); });
  }
  console.doing = command.name;
  if (console.ranks != nullptr && console.ranks->rank() > 0 && !command.uses_ranks) return kDone;
  if (!command.interruptible || console.interrupt != nullptr) {
    return command.run(parsed.arguments, console);
  }
  const Interrupts& watched = interrupts.emplace();
  console.interrupt = watched.flag();
  console.search_begins = [&] { watched.wait(); };
  const int code = command.run(parsed.arguments, console);
  console.interrupt = nullptr;
  console.search_begins = [] {};
  return code;
}

int dispatch(std::span<const std::string> line, Console& console, Log& log,
             std::optional<Interrupts>& interrupts) {
  const std::string first = line.empty() ? "help" : line[0];
  if (first == "--version" || first == "version") {
    console.out << "placer " PLACER_VERSION "\n";
    return kDone;
  }
  if (first == "--complete") {  // for the shells; no command, as people do not type it
    if (line.size() > 1)
      console.out << completions_text(completions(all_commands(), line.subspan(1)));
    return kDone;
  }
  if (first == "help" && line.size() > 1) {
    const std::vector<std::string> asked = {"--help"};
    return run_command(find_command(line[1]), asked, console, log, interrupts);
  }
  if (first == "help" || first == "--help" || first == "-h") {
    console.out << program_help(console.look);
    return kDone;
  }
  if (first.starts_with('-')) {
    const std::vector<std::string> known = {"--help", "--version"};
    throw Error(fmt::format("expected a command, found {}{}; 'placer --help' lists them", first,
                            did_you_mean(first, known)));
  }
  return run_command(find_command(first), line.subspan(1), console, log, interrupts);
}

/// What ended a run that did not go through.
struct Fault {
  int code;
  std::string message;
};

std::optional<Fault> fault_of_output(const Console& console) {
  const int fault = console.out_fault();
  if (fault == 0 || fault == EPIPE) return std::nullopt;  // a reader may leave early
  return Fault{kBadInput,
               fmt::format("standard output: expected a file that can be written, found: {}",
                           std::strerror(fault))};
}

/// Sets `code`, unless it returns a fault. Where the command is interruptible, `interrupts` watches
/// until its output is written, too.
std::optional<Fault> run_line(std::span<const std::string> line, Console& console, Log& log,
                              std::optional<Interrupts>& interrupts, int& code) {
  try {
    code = dispatch(line, console, log, interrupts);
  } catch (const Error& error) {
    return Fault{kBadInput, error.what()};
  } catch (const std::exception& error) {
    if (lacks_memory(error)) {
      return Fault{kBadInput, out_of_memory(console.doing)};
    }
    return Fault{kOurFault, fmt::format("a fault of ours: {}", error.what())};
  }
  return std::nullopt;
}

}  // namespace

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands = [] {
    std::vector<Command> made = {
        optimize_command(),   train_command(),
        simulate_command(),   explain_command(),
        advise_command(),     compare_command(),
        bench_command(),      inspect_command(),
        fit_command(),        devices_command(),
        algorithms_command(), generate_command(),
        import_command(),     export_command(),
        completion_command(), man_command(find_command, all_commands),
    };
    for (Command& command : made) {
      add_flags(command.flags, kLimitFlags);
      add_flags(command.flags, kLogFlags);
    }
    return made;
  }();
  return commands;
}

int run_program(std::span<const std::string> line, Console& console) {
  Log log(console);
  console.log = log.observer();
  console.line.assign(line.begin(), line.end());
  int code = kDone;
  std::optional<Interrupts> interrupts;
  std::optional<Fault> fault = run_line(line, console, log, interrupts, code);
  if (const std::optional<Fault> of_output = fault_of_output(console); !fault) fault = of_output;
  if (fault) {
    console.log.tell(EventLevel::kError, "", [&] { return fault->message; });
    code = fault->code;
    if (console.ranks != nullptr && console.ranks->rank() == 0) dismiss_ranks(*console.ranks);
  } else if (console.lacks_output) {
    code = kBadInput;
  }
  console.log = {};
  console.ended();
  return code;
}

}  // namespace placer
