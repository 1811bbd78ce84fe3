#include "cli/shared/layout.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <sstream>

namespace placer {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kLeastHanging = 24;  // columns that are worth wrapping into
constexpr std::size_t kPlainIndent = 4;

/// The words by which a cell says how something went.
struct Verdict {
  std::string_view begins;
  Tone tone;
};
constexpr std::array kVerdicts = {
    Verdict{"does not fit", Tone::kRed}, Verdict{"too much", Tone::kRed},
    Verdict{"INFEASIBLE", Tone::kRed},   Verdict{"MISSED", Tone::kRed},
    Verdict{"REGRESSION", Tone::kRed},   Verdict{"improved", Tone::kGreen},
};

struct CharacterRange {
  char32_t first, last;
};
/// After Markus Kuhn's wcwidth.c, and emoji.
constexpr std::array kWide = {
    CharacterRange{0x1100, 0x115f},   CharacterRange{0x2e80, 0x303e},
    CharacterRange{0x3041, 0xa4cf},   CharacterRange{0xac00, 0xd7a3},
    CharacterRange{0xf900, 0xfaff},   CharacterRange{0xfe30, 0xfe6f},
    CharacterRange{0xff00, 0xff60},   CharacterRange{0xffe0, 0xffe6},
    CharacterRange{0x1f300, 0x1f64f}, CharacterRange{0x1f900, 0x1f9ff},
    CharacterRange{0x20000, 0x3fffd},
};
constexpr std::array kCombining = {
    CharacterRange{0x0300, 0x036f},
    CharacterRange{0x200b, 0x200f},
    CharacterRange{0xfe00, 0xfe0f},
};

bool is_in(std::span<const CharacterRange> ranges, char32_t character) {
  return std::ranges::any_of(ranges, [&](const CharacterRange& range) {
    return range.first <= character && character <= range.last;
  });
}

/// What is shown as one: an escape sequence, or a character.
struct Piece {
  std::size_t bytes = 1, columns = 1;
  bool is_control = false;
};

Piece escape_sequence(std::string_view text) {
  Piece piece{2, 0};
  while (piece.bytes < text.size() && (text[piece.bytes] < '@' || text[piece.bytes] > '~')) {
    ++piece.bytes;
  }
  piece.bytes = std::min(piece.bytes + 1, text.size());
  return piece;
}

/// The first one of `text`, which is not empty.
Piece first_piece(std::string_view text) {
  if (text.starts_with("\x1b[")) return escape_sequence(text);
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, 1, lead < 0x20 || lead == 0x7f};
  const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
  char32_t character = lead & (0x3fU >> more);
  Piece piece;
  while (piece.bytes <= more && piece.bytes < text.size()) {
    const auto next = static_cast<unsigned char>(text[piece.bytes]);
    if ((next & 0xc0U) != 0x80U) break;
    character = (character << 6U) | (next & 0x3fU);
    ++piece.bytes;
  }
  if (is_in(kWide, character)) piece.columns = 2;
  if (is_in(kCombining, character)) piece.columns = 0;
  return piece;
}

/// The bytes of the longest beginning of `text` that takes at most `width` columns.
std::size_t bytes_within(std::string_view text, std::size_t width) {
  std::size_t bytes = 0, columns = 0;
  while (bytes < text.size()) {
    const Piece piece = first_piece(text.substr(bytes));
    columns += piece.columns;
    if (columns > width) break;
    bytes += piece.bytes;
  }
  return bytes;
}

std::vector<std::size_t> widths_of(const Rows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
    }
  }
  return widths;
}

bool is_left(std::size_t column, const std::vector<std::size_t>& left) {
  return column == 0 || std::ranges::count(left, column) > 0;
}

std::string line_of(const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                    const std::vector<std::size_t>& left) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string padding(widths[i] - columns_of(row[i]), ' ');
    if (i > 0) line += kGap;
    line += is_left(i, left) ? row[i] + padding : padding + row[i];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// The column where the row's last cell with anything in it begins.
std::size_t last_cell_begin(const std::vector<std::string>& row,
                            const std::vector<std::size_t>& widths) {
  std::size_t last = row.size();
  while (last > 1 && row[last - 1].empty()) --last;
  std::size_t begin = 0;
  for (std::size_t i = 0; i + 1 < last; ++i) begin += widths[i] + kGap.size();
  return begin;
}

void tone_verdicts(Rows& rows, const Look& look) {
  if (!look.color) return;
  for (auto& row : rows) {
    for (std::size_t i = 1; i < row.size(); ++i) {
      const auto verdict = std::ranges::find_if(
          kVerdicts, [&](const Verdict& known) { return row[i].starts_with(known.begins); });
      if (verdict != kVerdicts.end()) row[i] = toned(row[i], verdict->tone, look);
    }
  }
}

/// The first column and those from `begin` to `end`; a row that has nothing in these is left out,
/// but for the header and in the first part.
Rows part_of(const Rows& rows, std::size_t begin, std::size_t end) {
  Rows part;
  for (const auto& row : rows) {
    std::vector<std::string> cells = {row.empty() ? "" : row[0]};
    for (std::size_t i = begin; i < std::min(end, row.size()); ++i) cells.push_back(row[i]);
    const auto is_empty = [](const std::string& cell) { return cell.empty(); };
    const bool is_shown = part.empty() || begin == 1;
    if (!is_shown && std::all_of(cells.begin() + 1, cells.end(), is_empty)) continue;
    part.push_back(std::move(cells));
  }
  return part;
}

}  // namespace

std::string toned(const std::string& text, Tone tone, const Look& look) {
  if (!look.color) return text;
  constexpr std::array<std::string_view, 3> kCodes = {"\x1b[1m", "\x1b[31m", "\x1b[32m"};
  return std::string(kCodes[static_cast<std::size_t>(tone)]) + text + "\x1b[0m";
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Piece piece = first_piece(text);
    columns += piece.columns;
    text.remove_prefix(piece.bytes);
  }
  return columns;
}

std::string cut(std::string_view text, std::size_t width) {
  constexpr std::string_view kEnd = "...";
  const bool fits = columns_of(text) <= width;
  const std::size_t room = fits ? width : width - std::min(width, kEnd.size());
  std::string result(text.substr(0, bytes_within(text, room)));
  for (char& letter : result) {
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) letter = '?';
  }
  if (!fits) result += kEnd.substr(0, width);
  return result;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    while (columns_of(line) > width) {
      const std::size_t space = line.rfind(' ', bytes_within(line, width));
      if (space == std::string::npos || columns_of(line.substr(0, space)) <= indent) break;
      const std::size_t next = line.find_first_not_of(' ', space);
      if (next == std::string::npos) break;
      all += line.substr(0, line.find_last_not_of(' ', space) + 1) + "\n";
      line = std::string(indent, ' ') + line.substr(next);
    }
    all += line + "\n";
  }
  return all;
}

std::string aligned(const Rows& rows, const std::vector<std::size_t>& left) {
  const std::vector<std::size_t> widths = widths_of(rows);
  std::string text;
  for (const auto& row : rows) text += line_of(row, widths, left);
  return text;
}

std::string text_rows(Rows rows, const std::vector<std::size_t>& left, const Look& look) {
  tone_verdicts(rows, look);
  const std::vector<std::size_t> widths = widths_of(rows);
  std::string text;
  for (const auto& row : rows) {
    const std::size_t begin = last_cell_begin(row, widths);
    const bool is_roomy = look.width >= begin + kLeastHanging;
    text += wrapped(line_of(row, widths, left), look.width, is_roomy ? begin : kPlainIndent);
  }
  return text;
}

std::string table_rows(Rows rows, const std::vector<std::size_t>& left, const Look& look) {
  tone_verdicts(rows, look);
  std::vector<std::size_t> widths = widths_of(rows);
  while (widths.size() > 1 && widths.back() == 0) widths.pop_back();
  std::string text;
  for (std::size_t begin = 1, end = 1; begin < std::max<std::size_t>(widths.size(), 2);
       begin = end) {
    std::size_t width = widths.empty() ? 0 : widths[0];
    for (; end < widths.size(); ++end) {
      width += kGap.size() + widths[end];
      if (width > look.width && end > begin) break;
    }
    end = std::max(end, begin + 1);
    std::vector<std::size_t> part_left;
    for (const std::size_t column : left) {
      if (column >= begin) part_left.push_back(column - begin + 1);
    }
    text += (begin > 1 ? "\n" : "") + aligned(part_of(rows, begin, end), part_left);
  }
  return text;
}

}  // namespace placer
