#include "cli/command.hpp"

#include <algorithm>

namespace placer::detail {

Choices split_choices(std::string_view choices) {
  Choices split;
  while (!choices.empty()) {
    const std::size_t bar = std::min(choices.find('|'), choices.size());
    split.names.emplace_back(choices.substr(0, bar));
    choices.remove_prefix(std::min(bar + 1, choices.size()));
  }
  return split;
}

}  // namespace placer::detail
