#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace placer {

/// What ranks say to each other. Rank 0 hands out units of work, numbered from 0; the others do
/// them.
struct RankWord {
  enum class Kind : char {
    kReady = 'R',   // to rank 0: units may come; the text says for what
    kUnit = 'U',    // from rank 0: do this
    kAnswer = 'A',  // to rank 0: done
    kBeat = 'B',    // both ways: alive; to rank 0: the last unit that came, kBusy while at it
    kFault = 'F',   // to rank 0: no units, because of the text
    kCut = 'C',     // from rank 0: answer soon, with what there is
    kEnd = 'E'      // from rank 0: no more units; kPart: a rank is lost, kOver: all is over
  } kind = Kind::kBeat;
  std::size_t unit = 0;
  std::string text;

  static constexpr std::size_t kNoUnit = std::numeric_limits<std::size_t>::max();
  static constexpr const char* kBusy = "busy";
  static constexpr const char* kPart = "part";
  static constexpr const char* kOver = "over";
};

std::string encoded(const RankWord& word);
/// Empty for bytes that are none.
std::optional<RankWord> decoded(std::string_view bytes);

}  // namespace placer
