#include <fmt/format.h>

#include <ostream>

#include "cli/cli.hpp"
#include "cli/commands/commands.hpp"
#include "cli/shared/arguments.hpp"
#include "cli/shared/interrupt.hpp"

namespace placer {
namespace {

std::string program_help() {
  std::string text =
      "placer: predicts the step time of an op graph on devices, and searches for the best "
      "placement\n\nUsage: placer COMMAND [ARGUMENTS]\n\nCommands:\n";
  for (const Command& command : all_commands()) {
    text += fmt::format("  {:<12}{}\n", command.name, command.summary);
  }
  return text +
         "\n'placer COMMAND --help' says more of each; 'placer --version' prints the version.\n"
         "Exit codes: 0 done, 1 bad input or command line, 2 nothing fits in memory, 3 target "
         "missed "
         "or\nregression, 4 a fault of ours, 130 interrupted (the best so far is written).\n";
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

int run_command(const Command& command, std::span<const std::string> line, Console& console) {
  const ParsedLine parsed = parse_arguments(command, line);
  if (parsed.help) {
    console.out << *parsed.help;
    return kDone;
  }
  if (!parsed.note.empty()) console.err << "placer: " << parsed.note << "\n";
  if (!command.interruptible || console.interrupt != nullptr) {
    return command.run(parsed.arguments, console);
  }
  const Interrupts interrupts;
  console.interrupt = interrupts.flag();
  const int code = command.run(parsed.arguments, console);
  console.interrupt = nullptr;
  return code;
}

int dispatch(std::span<const std::string> line, Console& console) {
  const std::string first = line.empty() ? "help" : line[0];
  if (first == "--version" || first == "version") {
    console.out << "placer " PLACER_VERSION "\n";
    return kDone;
  }
  if (first == "help" && line.size() > 1) {
    const std::vector<std::string> asked = {"--help"};
    return run_command(find_command(line[1]), asked, console);
  }
  if (first == "help" || first == "--help" || first == "-h") {
    console.out << program_help();
    return kDone;
  }
  if (first.starts_with('-')) {
    const std::vector<std::string> known = {"--help", "--version"};
    throw Error(fmt::format("expected a command, found {}{}; 'placer --help' lists them", first,
                            did_you_mean(first, known)));
  }
  return run_command(find_command(first), line.subspan(1), console);
}

}  // namespace

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands = {
      optimize_command(),   train_command(),    simulate_command(),
      compare_command(),    bench_command(),    inspect_command(),
      algorithms_command(), generate_command(), import_command(),
  };
  return commands;
}

int run_program(std::span<const std::string> line, Console& console) {
  try {
    return dispatch(line, console);
  } catch (const Error& error) {
    console.err << "placer: " << error.what() << "\n";
    return kBadInput;
  } catch (const std::exception& error) {
    console.err << "placer: a fault of ours: " << error.what() << "\n";
    return kOurFault;
  }
}

}  // namespace placer
