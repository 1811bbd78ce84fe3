#include "cli/manual/man.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "cli/shared/outputs.hpp"
#include "placer/base/errors.hpp"
#include "placer/io/files.hpp"

namespace placer {
namespace {

struct ManFlags {
  std::optional<std::string> folder;
};
constexpr std::array<FlagRow<ManFlags>, 1> kManFlags = {
    text_flag("folder", 0, &ManFlags::folder, "FOLDER",
              "write all pages here instead: placer.1, placer-optimize.1 and so on"),
};

/// `text` as roff shows it: no letter of it is a sign of roff.
std::string plain(std::string_view text) {
  std::string shown;
  for (const char letter : text) {
    if (letter == '\\') {
      shown += "\\e";
    } else if (letter == '-') {
      shown += "\\-";
    } else if (letter == '\'') {
      shown += "\\(aq";
    } else if (letter == '.' && (shown.empty() || shown.back() == '\n')) {
      shown += "\\&.";
    } else {
      shown += letter;
    }
  }
  return shown;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string slanted(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string header(const std::string& name, const std::string& summary) {
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return fmt::format(
      ".TH {} 1 \"\" \"placer {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
      plain(title), PLACER_VERSION, plain(name), plain(summary));
}

/// A paragraph under a tag that is roff already.
std::string tagged(const std::string& tag, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", tag, plain(text));
}

std::string flag_tag(const FlagInfo& flag) {
  std::string tag = bold("--" + flag.option.name);
  if (flag.letter != 0) tag += ", " + bold(fmt::format("-{}", flag.letter));
  return flag.value_name.empty() ? tag : tag + " " + slanted(flag.value_name);
}

std::string positionals_text(const Command& command) {
  std::string text;
  for (const Positional& positional : command.positionals) {
    const std::string name = slanted(positional.name);
    switch (positional.count) {
      case Positional::Count::kOne:
        text += " " + name;
        break;
      case Positional::Count::kOptional:
        text += " [" + name + "]";
        break;
      case Positional::Count::kMany:
        text += " " + name + " ...";
        break;
    }
  }
  return text;
}

std::string examples_text(const Command& command) {
  if (command.examples.empty()) return "";
  std::string text = ".SH EXAMPLES\n.nf\n";
  for (const std::string& example : command.examples) text += plain(example) + "\n";
  return text + ".fi\n";
}

std::string exit_codes() { return ".SH EXIT STATUS\n" + plain(kExitCodes) + "\n"; }

void write_pages(const std::string& folder, const std::vector<Command>& commands,
                 Console& console) {
  make_folder(folder);
  const std::filesystem::path path(folder);
  write_output(path / "placer.1", man_page(commands), console);
  for (const Command& command : commands) {
    write_output(path / ("placer-" + command.name + ".1"), man_page(command), console);
  }
}

}  // namespace

std::string man_page(const Command& command) {
  const std::string name = "placer-" + command.name;
  std::string text = header(name, command.summary);
  text += fmt::format("{} [{}]{}\n", bold("placer " + command.name), slanted("OPTIONS"),
                      positionals_text(command));
  text += ".SH DESCRIPTION\n";
  for (const Positional& positional : command.positionals) {
    text += tagged(slanted(positional.name), positional.meaning);
  }
  text += ".SH OPTIONS\n" + tagged(bold("--help") + ", " + bold("-h"), "print help and exit");
  for (const FlagInfo& flag : command.flags) text += tagged(flag_tag(flag), flag.option.meaning);
  if (command.takes_algorithm_options) {
    text += ".P\n" + plain("The options of an algorithm are flags as well: ") +
            bold("placer algorithms NAME") + plain(" lists them.") + "\n";
  }
  if (command.takes_model_options) {
    text += ".P\n" + plain("The options of a model are flags as well: ") +
            bold("placer " + command.name + " MODEL --help") + plain(" lists them.") + "\n";
  }
  return text + examples_text(command) + exit_codes() + ".SH SEE ALSO\n" + bold("placer") + "(1)\n";
}

std::string man_page(const std::vector<Command>& commands) {
  std::string text = header("placer", std::string(kProgramSummary));
  text += fmt::format("{} {} [{}]\n.SH COMMANDS\n", bold("placer"), slanted("COMMAND"),
                      slanted("ARGUMENTS"));
  std::vector<std::string> pages;
  for (const Command& command : commands) {
    text += tagged(bold(command.name), command.summary);
    pages.push_back(bold("placer-" + command.name) + "(1)");
  }
  text += ".SH OPTIONS\n" + tagged(bold("--help"), "list the commands") +
          tagged(bold("--version"), "print the version");
  return text + exit_codes() + ".SH SEE ALSO\n" + join(pages, ",\n") + "\n";
}

Command man_command(const Command& (*find)(const std::string&),
                    const std::vector<Command>& (*all)()) {
  const auto print = [=](const Arguments& arguments, Console& console) -> int {
    const auto flags = read_flags(kManFlags, arguments);
    if (flags.folder) {
      write_pages(*flags.folder, all(), console);
    } else if (arguments.positionals.empty()) {
      console.out << man_page(all());
    } else {
      console.out << man_page(find(arguments.positionals[0]));
    }
    return kDone;
  };
  return {.name = "man",
          .summary = "print the manual page of a command, or that of the program, in roff",
          .positionals = {{"COMMAND", "one command", Positional::Count::kOptional}},
          .flags = flags_of(kManFlags),
          .examples = {"placer man optimize > placer-optimize.1"},
          .run = print};
}

}  // namespace placer
