#include "placer/base/errors.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace placer {
namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// Capitals count as small letters.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

constexpr std::size_t kLeastBeginning = 3;  // letters of `opt`, for optimize
constexpr std::size_t kLeastBegun = 4;      // letters of a name for which `--algorithm` is `--algo`

/// Whether letters left out of `name` leave `found`.
bool is_left_out_of(std::string_view found, std::string_view name) {
  std::size_t at = 0;
  for (const char letter : name) {
    if (at < found.size() && found[at] == letter) ++at;
  }
  return at == found.size();
}

/// The shortest that begins so, which is the nearest of those.
std::span<const std::string>::iterator shortest_continuation(std::string_view found,
                                                             std::span<const std::string> known) {
  auto suggested = known.end();
  if (found.size() < kLeastBeginning) return suggested;
  for (auto name = known.begin(); name != known.end(); ++name) {
    if (!name->starts_with(found)) continue;
    if (suggested == known.end() || name->size() < suggested->size()) suggested = name;
  }
  return suggested;
}

/// The one of the least edit distance, where few letters differ.
std::span<const std::string>::iterator nearest_of(std::string_view found,
                                                  std::span<const std::string> known) {
  std::size_t nearest = std::max<std::size_t>(2, found.size() / 3) + 1;
  auto suggested = known.end();
  for (auto name = known.begin(); name != known.end(); ++name) {
    const std::size_t distance = edit_distance(found, *name);
    if (distance < nearest && distance < name->size()) {
      nearest = distance;
      suggested = name;
    }
  }
  return suggested;
}

}  // namespace

bool lacks_memory(const std::exception& error) {
  // Of a thread that could not begin, std::thread and oneTBB tell nothing but the system's words.
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         std::string_view(error.what()).ends_with(std::strerror(EAGAIN));
}

std::string did_you_mean(std::string_view found, std::span<const std::string> known) {
  auto suggested = shortest_continuation(found, known);
  if (suggested == known.end()) suggested = nearest_of(found, known);
  if (suggested == known.end() && found.size() >= 4) {
    suggested = std::ranges::find_if(known, [&](const std::string& name) {
      return name.size() > found.size() && is_left_out_of(found, name);
    });
  }
  if (suggested == known.end()) {
    suggested = std::ranges::find_if(known, [&](const std::string& name) {
      return name.size() >= kLeastBegun && found.starts_with(name);
    });
  }
  return suggested == known.end() ? "" : " (did you mean '" + *suggested + "'?)";
}

std::string join(std::span<const std::string> words, std::string_view separator) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += separator;
    line += word;
  }
  return line;
}

}  // namespace placer
