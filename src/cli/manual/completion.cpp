#include "cli/manual/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/manual/shells.hpp"
#include "cli/shared/chosen.hpp"
#include "cli/shared/layout.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/exec.hpp"
#include "placer/io/hardware.hpp"
#include "placer/io/import.hpp"
#include "placer/io/plan.hpp"
#include "placer/model/zoo.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {
namespace {

constexpr std::size_t kMeaningWidth = 60;
constexpr std::string_view kFiles = ":files";

std::vector<OfferedWord> named(const std::vector<std::string>& names) {
  std::vector<OfferedWord> all;
  for (const std::string& name : names) all.push_back({name, ""});
  return all;
}

std::vector<OfferedWord> algorithms() {
  std::vector<OfferedWord> all;
  for (const Optimizer& optimizer : all_optimizers()) {
    all.push_back({optimizer.name, optimizer.info.summary});
  }
  return all;
}

std::vector<OfferedWord> algorithms_and_programs() {
  std::vector<OfferedWord> all = algorithms();
  all.push_back({std::string(kExecPrefix), "a program of yours"});
  return all;
}

std::vector<OfferedWord> models() {
  std::vector<OfferedWord> all;
  for (const Model& model : all_models()) all.push_back({model.name, model.summary});
  return all;
}

std::vector<OfferedWord> targets() {
  std::vector<OfferedWord> all;
  for (const PlanTarget& target : plan_targets()) all.push_back({target.name, target.summary});
  return all;
}

/// Shipped names; "4x" and each kind where that much of a list is there.
std::vector<OfferedWord> machines(std::string_view begun) {
  const std::size_t sign = begun.find('x');
  const bool counts = sign != std::string_view::npos && sign > 0 &&
                      std::ranges::all_of(begun.substr(0, sign), [](char letter) {
                        return letter >= '0' && letter <= '9';
                      });
  if (!counts) return named(shipped_device_names());
  std::vector<OfferedWord> all = named(hardware_names());
  for (OfferedWord& kind : all) kind.word.insert(0, begun.substr(0, sign + 1));
  return all;
}

/// The words among "auto|none|N|FILE": those in small letters.
std::vector<OfferedWord> literal_words(const std::string& value_name) {
  std::vector<OfferedWord> all;
  for (const std::string& part : split(value_name, '|')) {
    const std::string word = part.substr(0, part.find('['));
    const bool is_literal = !word.empty() && std::ranges::all_of(word, [](char letter) {
      return (letter >= 'a' && letter <= 'z') || letter == '-';
    });
    if (is_literal) all.push_back({word, ""});
  }
  return all;
}

/// What an argument may be, in words of help: the name of its value and its own.
struct Wanted {
  std::string value_name;  // "FILE"
  std::string name;        // "algo", "GRAPH"
};

bool is_list(const Wanted& wanted) {
  return wanted.value_name.find(",...") != std::string::npos || wanted.name == "devices" ||
         wanted.name == "SPEC";
}

bool takes_files(const Wanted& wanted) {
  const std::vector<std::string> parts = split(wanted.value_name, '|');
  return std::ranges::any_of(parts, [](const std::string& part) {
    return part == "FILE" || part == "GRAPH" || part == "SUITE" || part == "SPEC" ||
           part == "FOLDER";
  });
}

/// All values, of which `begun` is the beginning of one; `commands` are the program's.
std::vector<OfferedWord> values(const Wanted& wanted, std::string_view begun,
                                std::span<const Command> commands) {
  if (wanted.name == "algo") return algorithms_and_programs();
  if (wanted.name == "NAME") return algorithms();
  if (wanted.name == "MODEL") return models();
  if (wanted.name == "format" && wanted.value_name == "NAME") return named(import_format_names());
  if (wanted.value_name == "TARGET") return targets();
  if (wanted.name == "order") return named(all_names<Order>());
  if (wanted.name == "devices" || wanted.name == "SPEC") return machines(begun);
  if (wanted.name == "SHELL") {
    std::vector<OfferedWord> shells;
    for (const EmbeddedText& shell : embedded_shells()) shells.push_back({shell.name, ""});
    return shells;
  }
  if (wanted.name == "COMMAND") {
    std::vector<OfferedWord> names;
    for (const Command& command : commands) names.push_back({command.name, command.summary});
    return names;
  }
  return literal_words(wanted.value_name);
}

/// `prefix` is what stands before the value in the word: "--algo=" or nothing.
Completions value_completions(const Wanted& wanted, const std::string& prefix,
                              const std::string& begun, std::span<const Command> commands) {
  Completions found;
  const std::size_t comma = is_list(wanted) ? begun.rfind(',') : std::string::npos;
  const std::string before = comma == std::string::npos ? "" : begun.substr(0, comma + 1);
  const std::string last = begun.substr(before.size());
  for (const OfferedWord& value : values(wanted, last, commands)) {
    if (!value.word.starts_with(last)) continue;
    found.words.push_back({prefix + before + value.word, value.meaning});
  }
  found.files = takes_files(wanted);
  return found;
}

/// The flags of the command, and those of the algorithm or model that the line chooses.
std::vector<FlagInfo> known_flags(const Command& command, std::span<const std::string> line) {
  std::vector<FlagInfo> flags = command.flags;
  flags.push_back({.option = {"help", "print this and exit", Flag{}, false}, .letter = 'h'});
  try {
    std::optional<Chosen> chosen;
    if (const Optimizer* optimizer = chosen_optimizer(command, line, {})) {
      chosen = Chosen{optimizer->name, optimizer->options};
    }
    if (command.takes_model_options) chosen = chosen_model(command, line);
    if (!chosen) return flags;
    for (const OptionInfo& option : chosen->options) {
      const bool is_switch = chosen->has_switches && std::holds_alternative<Flag>(option.range);
      const auto* choices = std::get_if<Choices>(&option.range);
      std::string value_name = is_switch ? "" : "true|false";
      if (choices != nullptr) value_name = join(choices->names, "|");
      flags.push_back({.option = option, .value_name = value_name});
    }
  } catch (const Error&) {  // the name of the algorithm or model is not written to its end
  }
  return flags;
}

const FlagInfo* find_flag(std::span<const FlagInfo> flags, std::string_view word) {
  const auto at = std::ranges::find_if(flags, [&](const FlagInfo& flag) {
    return word == "--" + flag.option.name ||
           (flag.letter != 0 && word == fmt::format("-{}", flag.letter));
  });
  return at == flags.end() ? nullptr : &*at;
}

Completions flag_completions(std::span<const FlagInfo> flags, const std::string& begun) {
  Completions found;
  for (const FlagInfo& flag : flags) {
    const std::string word = "--" + flag.option.name;
    if (word.starts_with(begun)) found.words.push_back({word, flag.option.meaning});
  }
  return found;
}

/// How many words before the last one are no flags and no values of flags.
std::size_t positionals_before(std::span<const FlagInfo> flags,
                               std::span<const std::string> words) {
  std::size_t count = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const FlagInfo* flag = find_flag(flags, words[i]);
    if (flag != nullptr && !flag->value_name.empty()) {
      ++i;
    } else if (!words[i].starts_with('-')) {
      ++count;
    }
  }
  return count;
}

/// `words` are those behind the command's name.
Completions command_completions(const Command& command, std::span<const std::string> words,
                                std::span<const Command> commands) {
  const std::vector<FlagInfo> flags = known_flags(command, words.first(words.size() - 1));
  const std::string& begun = words.back();
  const FlagInfo* before = words.size() > 1 ? find_flag(flags, words[words.size() - 2]) : nullptr;
  if (before != nullptr && !before->value_name.empty()) {
    return value_completions({before->value_name, before->option.name}, "", begun, commands);
  }
  if (const std::size_t sign = begun.find('=');
      begun.starts_with("--") && sign != std::string::npos) {
    const FlagInfo* flag = find_flag(flags, begun.substr(0, sign));
    if (flag == nullptr || flag->value_name.empty()) return {};
    return value_completions({flag->value_name, flag->option.name}, begun.substr(0, sign + 1),
                             begun.substr(sign + 1), commands);
  }
  if (begun.starts_with('-')) return flag_completions(flags, begun);
  const std::size_t at = positionals_before(flags, words);
  if (command.positionals.empty()) return {};
  const Positional& last = command.positionals.back();
  if (at >= command.positionals.size() && last.count != Positional::Count::kMany) return {};
  const std::string& name = command.positionals[std::min(at, command.positionals.size() - 1)].name;
  return value_completions({name, name}, "", begun, commands);
}

Completions first_completions(std::span<const Command> commands, const std::string& begun) {
  Completions found;
  for (const Command& command : commands) {
    if (command.name.starts_with(begun)) found.words.push_back({command.name, command.summary});
  }
  for (const auto& [word, meaning] :
       {std::pair("--help", "list the commands"), {"--version", "print the version"}}) {
    if (!begun.empty() && std::string_view(word).starts_with(begun)) {
      found.words.push_back({word, meaning});
    }
  }
  return found;
}

std::string shell_script(const std::string& shell) {
  std::vector<std::string> names;
  for (const EmbeddedText& known : embedded_shells()) {
    if (known.name == shell) return known.text;
    names.push_back(known.name);
  }
  throw Error(fmt::format("completion: expected a shell ({}), found '{}'{}", join(names), shell,
                          did_you_mean(shell, names)));
}

}  // namespace

Completions completions(std::span<const Command> commands, std::span<const std::string> line) {
  if (line.size() == 1) return first_completions(commands, line[0]);
  const auto command = std::ranges::find(commands, line[0], &Command::name);
  if (command != commands.end()) return command_completions(*command, line.subspan(1), commands);
  if (line[0] != "help" || line.size() > 2) return {};
  return value_completions({"COMMAND", "COMMAND"}, "", line[1], commands);
}

std::string completions_text(const Completions& completions) {
  std::string text;
  for (const OfferedWord& candidate : completions.words) {
    text += fmt::format("{}\t{}\n", candidate.word, cut(candidate.meaning, kMeaningWidth));
  }
  if (completions.files) text += fmt::format("{}\n", kFiles);
  return text;
}

Command completion_command() {
  return {.name = "completion",
          .summary = "print what makes a shell complete the lines of this program",
          .positionals = {{"SHELL", "bash, zsh or fish"}},
          .examples = {"source <(placer completion bash)"},
          .run = [](const Arguments& arguments, Console& console) -> int {
            console.out << shell_script(arguments.positionals.at(0));
            return kDone;
          }};
}

}  // namespace placer
