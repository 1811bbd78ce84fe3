// common_params_parse_ex of llama.cpp's common/arg.cpp.
#include "io/plans/llamacpp_words.hpp"

#include <algorithm>
#include <array>

#include "io/plans/target.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

constexpr std::array<std::string_view, 13> kTakeValues = {"--n-gpu-layers",
                                                          "--gpu-layers",
                                                          "-ngl",
                                                          "--tensor-split",
                                                          "-ts",
                                                          "--device",
                                                          "-dev",
                                                          "--split-mode",
                                                          "-sm",
                                                          "--n-cpu-moe",
                                                          "-ncmoe",
                                                          "-ot",
                                                          "--override-tensor"};

bool is_flag(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  return word[1] == '-' || (word[1] >= 'a' && word[1] <= 'z');
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string& line : split(text, '\n')) {
    for (std::string& word : split(line, ' ')) {
      std::erase_if(word, [](char letter) { return letter == '"' || letter == '\''; });
      if (word.empty() || word == "\\") continue;
      if (word.starts_with("--")) {
        const auto end = word.begin() + std::ssize(flag_of(word));
        std::replace(word.begin(), end, '_', '-');
      }
      words.push_back(std::move(word));
    }
  }
  return words;
}

void check_values(const std::vector<std::string>& words, const std::string& file) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string flag = flag_of(words[i]);
    if (std::ranges::count(kTakeValues, flag) == 0) continue;
    const bool is_last = flag == words[i] && i + 1 == words.size();
    const std::string value = is_last ? "" : value_of(words, i);
    if (!value.empty() && !is_flag(value)) continue;
    fail_plan(file, flag, "a value behind it",
              value.empty() ? "none" : "'" + one_line(value, 40) + "'");
  }
}

void check_kinds(const std::vector<std::string>& words, const std::string& file) {
  if (!words.empty() && std::ranges::none_of(words, is_flag)) {
    fail_plan(file, "arguments", "arguments of llama.cpp such as -ngl 33 -ts 3,1",
              "'" + one_line(words.front(), 40) + "'");
  }
  for (const std::string& word : words) {
    const std::string flag = flag_of(word);
    if (flag != "-mg" && flag != "--main-gpu") continue;
    fail_plan(file, flag, "arguments that place layers or experts", "it");
  }
  const auto mode = argument(words, {"--split-mode", "-sm"});
  if (mode && *mode != "layer") {
    fail_plan(file, "--split-mode", "layer", "'" + one_line(*mode, 40) + "'");
  }
}

}  // namespace

std::string flag_of(const std::string& word) { return word.substr(0, word.find('=')); }

std::string value_of(const std::vector<std::string>& words, std::size_t flag) {
  const std::size_t sign = words[flag].find('=');
  return sign == std::string::npos ? words[flag + 1] : words[flag].substr(sign + 1);
}

std::optional<std::string> argument(const std::vector<std::string>& words,
                                    std::initializer_list<std::string_view> spellings) {
  std::optional<std::string> value;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::ranges::count(spellings, flag_of(words[i])) > 0) value = value_of(words, i);
  }
  return value;
}

std::vector<std::string> llamacpp_words(const std::string& text, const std::string& file) {
  std::vector<std::string> words = split_words(text);
  check_values(words, file);
  check_kinds(words, file);
  return words;
}

}  // namespace placer
