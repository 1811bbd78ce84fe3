#pragma once

#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace placer {

/// What the user can mend. The message is one line that names the place, what was expected and what
/// was found: "vgg.json: ops[3].flops: expected a number from 0, found -1".
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whether the error is that memory ran out, or that no further thread could begin.
bool lacks_memory(const std::exception& error);

/// " (did you mean 'x'?)" for the shortest of `known` that begins so ("opt": "optimize"), else the
/// nearest within two edits (or a third of the word), else the first that has more letters in
/// between ("evals": "evaluations"), else the first with which the word begins, else an empty
/// string. Ties go to the earlier name.
std::string did_you_mean(std::string_view found, std::span<const std::string> known);

/// "a, b, c"
std::string join(std::span<const std::string> words, std::string_view separator = ", ");

}  // namespace placer
