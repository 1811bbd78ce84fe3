#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/shared/command.hpp"

namespace placer {

/// A word that may stand at the end of a line.
struct OfferedWord {
  std::string word;
  std::string meaning;
};

struct Completions {
  std::vector<OfferedWord> words;
  bool files = false;  // names of files may stand there as well
};

/// What may take the place of the last of `line`, which holds the words after the program's name
/// and is not empty: those words that begin as it does. From the tables that help is made from.
Completions completions(std::span<const Command> commands, std::span<const std::string> line);

/// A line for each word: the word, a tab, and half a line of its meaning; ":files" for files.
std::string completions_text(const Completions& completions);

/// `placer completion SHELL`
Command completion_command();

}  // namespace placer
