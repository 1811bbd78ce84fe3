#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/shared/terminal.hpp"

namespace placer {

inline constexpr std::size_t kProseWidth = 100;  // of whole sentences, at most

using Rows = std::vector<std::vector<std::string>>;

enum class Tone { kBold, kRed, kGreen };
/// `text` in a tone of the terminal; as it is where `look` has no color.
std::string toned(const std::string& text, Tone tone, const Look& look);

/// The columns in which a terminal shows `text`, which is UTF-8: none for escape sequences and
/// combining characters, two for East Asian wide ones and emoji.
std::size_t columns_of(std::string_view text);

/// `text` in at most `width` columns: the end of a longer one becomes "...". A control character
/// becomes "?".
std::string cut(std::string_view text, std::size_t width);

/// `text` with its lines broken at spaces so that each takes at most `width` columns; what follows
/// is indented by `indent`. A word that is longer stays whole.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

/// Lines of columns two spaces apart, each as wide as its widest cell; the first one and those of
/// `left` (by index) to the left, the others to the right.
std::string aligned(const Rows& rows, const std::vector<std::size_t>& left = {});

/// The same for cells that are read as text: a line too wide for `look` goes on below its last
/// cell. Where `look` has color, verdicts ("does not fit", "REGRESSION", ...) are toned.
std::string text_rows(Rows rows, const std::vector<std::size_t>& left, const Look& look);

/// The same for numbers under a header, the first row: a table too wide for `look` becomes several
/// below each other, each with the first column and as many others as fit. A row with nothing in a
/// later part is left out of it.
std::string table_rows(Rows rows, const std::vector<std::size_t>& left, const Look& look);

}  // namespace placer
