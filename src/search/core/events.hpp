#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "placer/search/run.hpp"

namespace placer {

/// "0.0788 s", "0.0788 s with 12 bytes too much", "a deadlock"
std::string words_of(const Score& score);

/// What runs, on what and with which budget (info), and with which options (debug).
void tell_start(const Problem& problem, const SearchRequest& request, const OptionValues& options);
/// What came out and why it stopped (info); an interrupt is a warning.
void tell_end(const SearchRequest& request, const SearchResult& result);

/// A stage of an optimizer, which tells when it ends what it cost and gained (info): "auto: list
/// schedules: 14 evaluations in 0.02 s, best 0.0788 s, 3.1 % less" (debug where it scored nothing).
/// Both texts outlive it.
class Stage {
 public:
  Stage(const Search& search, std::string_view subject, std::string_view name);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

 private:
  std::string message() const;

  const Search& search_;
  std::string_view subject_, name_;
  std::int64_t evaluations_;
  double wall_seconds_;
  std::optional<Score> best_;  // when it began
};

}  // namespace placer
