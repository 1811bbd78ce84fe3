#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace placer {

/// The arguments in the text, as llama.cpp's parser has them after a shell: flags with dashes where
/// they were written with underscores. Throws Error for text that is no arguments, a flag that
/// lacks its value, and arguments that place tensors in ways which are not simulated.
std::vector<std::string> llamacpp_words(const std::string& text, const std::string& file);

/// The flag in a word: up to its '=', where it has one.
std::string flag_of(const std::string& word);
/// What stands after the '=' of a checked flag, else the next word.
std::string value_of(const std::vector<std::string>& words, std::size_t flag);

/// The value of the last flag in one of these spellings, which is the one that llama.cpp takes.
std::optional<std::string> argument(const std::vector<std::string>& words,
                                    std::initializer_list<std::string_view> spellings);

}  // namespace placer
