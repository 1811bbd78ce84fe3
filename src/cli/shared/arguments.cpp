#include "cli/shared/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <sstream>

#include "cli/shared/chosen.hpp"
#include "cli/shared/config.hpp"
#include "cli/shared/layout.hpp"
#include "placer/io/files.hpp"
#include "placer/search/optimizer.hpp"

namespace placer {
namespace {

constexpr std::size_t kHelpColumn = 34, kNarrowHelpColumn = 12;  // where meanings begin
constexpr std::size_t kLeastMeaning = 36;                        // columns that a meaning wants
constexpr std::size_t kStandardHelpWidth = 80;
constexpr std::size_t kWidestNames = 40;  // of choices, in place of NAME

class Line {
 public:
  Line(const Command& command, const std::optional<Chosen>& chosen, const Look& look)
      : command_(command),
        help_width_(help_width(look)),
        usage_(command.takes_model_options && chosen ? command.name + " " + chosen->name
                                                     : command.name),
        algorithm_(chosen ? chosen->name : ""),
        app_(command.summary, "placer " + command.name) {
    app_.set_help_flag("-h,--help", "print this and exit");
    app_.allow_extras();
    for (const Positional& positional : command.positionals) add(positional);
    for (const FlagInfo& flag : command.flags) add(flag.option, flag, {});
    if (!chosen) return;
    for (const OptionInfo& option : chosen->options) {
      const bool is_switch = chosen->has_switches && std::holds_alternative<Flag>(option.range);
      add(option,
          {.option = option, .letter = 0, .value_name = is_switch ? "" : range_name(option)},
          "Options of " + chosen->name);
    }
  }

  ParsedLine parse(std::span<const std::string> line) {
    std::vector<std::string> reversed(line.rbegin(), line.rend());
    try {
      app_.parse(std::move(reversed));
    } catch (const CLI::CallForHelp&) {
      return {{}, help()};
    } catch (const CLI::ParseError& error) {
      refuse_unknown();
      refuse_miscounted();
      throw Error(fmt::format("{}: {}", command_.name, mismatch_text(error.what())));
    }
    refuse_unknown();
    return {{positionals(), values(false), values(true)}, std::nullopt};
  }

 private:
  struct Given {
    OptionInfo option;
    bool of_chosen = false, is_switch = false, repeats = false;
    bool value = false;  // of a switch
    std::string text;
    CLI::Option* parsed = nullptr;
  };

  static std::string range_name(const OptionInfo& option) {
    if (const auto* choices = std::get_if<Choices>(&option.range)) {
      const std::string names = join(choices->names, "|");
      return names.size() <= kWidestNames ? names : "NAME";
    }
    if (std::holds_alternative<Flag>(option.range)) return "true|false";
    return std::holds_alternative<IntegerRange>(option.range) ? "N" : "X";
  }

  void add(const Positional& positional) {
    CLI::Option* added =
        app_.add_option(positional.name, positionals_.emplace_back(), positional.meaning);
    if (positional.count != Positional::Count::kMany) added->expected(1);
    if (positional.count != Positional::Count::kOptional) added->required();
    added->type_name("");
  }

  void add(const OptionInfo& option, const FlagInfo& flag, const std::string& group) {
    Given& given = given_.emplace_back();
    given.option = option;
    given.of_chosen = !group.empty();
    given.is_switch = flag.value_name.empty();
    given.repeats = flag.repeats;
    const std::string names = fmt::format("--{}{}", option.name,
                                          flag.letter == 0 ? "" : fmt::format(",-{}", flag.letter));
    if (given.is_switch) {
      given.parsed = app_.add_flag(names, given.value, option.meaning)->disable_flag_override();
      if (given.of_chosen) given.parsed->group(group);
      return;
    }
    given.parsed = app_.add_option(names, given.text, meaning_text(given));
    given.parsed->type_name(flag.value_name);
    if (flag.repeats) given.parsed->join('\n');
    if (given.of_chosen) given.parsed->group(group);
  }

  static std::string meaning_text(const Given& given) {
    if (!given.of_chosen) return given.option.meaning;
    return fmt::format("{}; {}, {} by default", given.option.meaning, range_text(given.option),
                       to_text(given.option.standard));
  }

  std::string help() {
    const std::size_t column =
        help_width_ < kHelpColumn + kLeastMeaning ? kNarrowHelpColumn : kHelpColumn;
    auto formatter = std::make_shared<CLI::Formatter>();
    formatter->column_width(column);
    formatter->label("REQUIRED", "");
    app_.formatter(formatter);
    std::istringstream lines(app_.help());
    std::string text;
    for (std::string line; std::getline(lines, line);) {
      text += wrapped(line + "\n", help_width_, line.starts_with(' ') ? column : 0);
    }
    return text + examples();
  }

  std::string examples() const {
    if (command_.examples.empty()) return "";
    std::string text = "\nExamples:\n";
    for (const std::string& example : command_.examples) {
      text += wrapped("  " + example, help_width_, 6);
    }
    return text;
  }

  void refuse_unknown() const {
    std::vector<std::string> known = {"--help"};
    for (const Given& given : given_) known.push_back("--" + given.option.name);
    for (const std::string& extra : app_.remaining()) {
      if (extra == "--") continue;
      const std::string name = extra.substr(0, extra.find('='));
      if (!extra.starts_with('-')) {
        throw Error(
            fmt::format("{}: expected no more arguments, found '{}'", command_.name, extra));
      }
      refuse_option_of_others(name);
      throw Error(fmt::format("{}: unknown flag {}{}; 'placer {} --help' lists them", command_.name,
                              name, did_you_mean(name, known), usage_));
    }
  }

  /// Where another algorithm takes the flag.
  void refuse_option_of_others(const std::string& flag) const {
    if (!command_.takes_algorithm_options) return;
    std::vector<std::string> others;
    for (const Optimizer& optimizer : all_optimizers()) {
      const bool has = std::ranges::any_of(
          optimizer.options, [&](const OptionInfo& option) { return "--" + option.name == flag; });
      if (has) others.push_back(optimizer.name);
    }
    if (others.empty()) return;
    constexpr std::size_t kShown = 8;
    const std::string more = others.size() > kShown ? ", ..." : "";
    others.resize(std::min(others.size(), kShown));
    throw Error(fmt::format("{}: {}: expected an option of {}, found one of {}{}", command_.name,
                            flag, algorithm_, join(others), more));
  }

  void refuse_miscounted() const {
    for (const Positional& positional : command_.positionals) {
      const std::vector<std::string> found = app_.get_option(positional.name)->results();
      if (found.empty() && positional.count != Positional::Count::kOptional) {
        throw Error(fmt::format("{}: expected {}, found none", command_.name, positional.name));
      }
      if (found.size() > 1 && positional.count != Positional::Count::kMany) {
        throw Error(fmt::format("{}: expected one {}, found '{}' as well", command_.name,
                                positional.name, found[1]));
      }
    }
    for (const Given& given : given_) {
      if (given.is_switch || given.repeats || given.parsed->count() < 2) continue;
      throw Error(fmt::format("{}: --{}: expected it once, found it {} times", command_.name,
                              given.option.name, given.parsed->count()));
    }
  }

  /// "--seed: 1 required N missing" and the like.
  static std::string mismatch_text(const std::string& text) {
    const std::string name = text.substr(0, text.find(':'));
    if (text.ends_with("missing")) return name + ": expected a value, found none";
    if (text.ends_with("flag override")) {
      return fmt::format("--{}: expected no value, found one", text.substr(0, text.find(' ')));
    }
    return text.substr(0, text.find('\n'));
  }

  std::vector<std::string> positionals() const {
    std::vector<std::string> all;
    for (const std::vector<std::string>& some : positionals_) {
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }

  OptionValues values(bool of_chosen) const {
    OptionValues found;
    for (const Given& given : given_) {
      if (given.of_chosen != of_chosen || given.parsed->count() == 0) continue;
      OptionInfo named = given.option;
      named.name = "--" + named.name;
      found[given.option.name] =
          given.is_switch ? OptionValue(given.value) : parse_flag(named, given.text);
    }
    return found;
  }

  const Command& command_;
  std::size_t help_width_;
  std::string usage_;      // "generate resnet50"
  std::string algorithm_;  // whose options are flags, too
  CLI::App app_;
  std::deque<std::vector<std::string>> positionals_;
  std::deque<Given> given_;  // its members are the parser's targets and must not move
};

}  // namespace

std::size_t help_width(const Look& look) {
  return look.width == Look::kUnlimited ? kStandardHelpWidth : std::min(look.width, kProseWidth);
}

ParsedLine parse_arguments(const Command& command, std::span<const std::string> line,
                           const Look& look) {
  const bool takes_config = std::ranges::any_of(
      command.flags, [](const FlagInfo& flag) { return flag.option.name == "config"; });
  Config config;
  if (const auto file = scan(line, "config"); takes_config && file) {
    config = read_config(*file, command);
  }
  const Optimizer* optimizer = chosen_optimizer(command, line, config);
  std::optional<Chosen> chosen;
  if (optimizer != nullptr) chosen = Chosen{optimizer->name, optimizer->options};
  if (command.takes_model_options) chosen = chosen_model(command, line);
  ParsedLine parsed = Line(command, chosen, look).parse(line);
  // The file's options are those of its own algorithm.
  const bool same_algorithm = optimizer != nullptr && optimizer->name == config.algorithm;
  if (same_algorithm) {
    parsed.arguments.options.merge(config.options);
  } else if (optimizer != nullptr && !config.options.empty()) {
    parsed.note = fmt::format("{}: its options are those of {} and do not count, as --algo is {}",
                              *scan(line, "config"), config.algorithm, optimizer->name);
  }
  for (const auto& [name, value] : config.flags) {
    if (parsed.arguments.flags.emplace(name, value).second) {
      parsed.arguments.from_config.push_back(name);
    }
  }
  for (const NeededFlag& needed : config.needed) {
    if (parsed.help || parsed.arguments.flags.contains(needed.name)) continue;
    const auto flag = std::ranges::find(command.flags, needed.name,
                                        [](const FlagInfo& known) { return known.option.name; });
    throw Error(fmt::format("{}: {}: expected --{} {} as well, since {}; found none",
                            file_title(std::get<std::string>(parsed.arguments.flags.at("config"))),
                            needed.place, needed.name, flag->value_name, needed.why));
  }
  return parsed;
}

}  // namespace placer
