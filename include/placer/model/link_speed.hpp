#pragma once

#include <compare>
#include <cstdint>
#include <tuple>
#include <vector>

#include "placer/model/fields.hpp"

namespace placer {

/// What a link reaches with messages of one size, as a benchmark of collectives or copies prints
/// it. `kMessageBandwidthFields` says what each member means.
struct MessageBandwidth {
  std::int64_t bytes = 0;
  double bytes_per_second = 0;

  double seconds() const { return static_cast<double>(bytes) / bytes_per_second; }
  friend auto operator<=>(const MessageBandwidth&, const MessageBandwidth&) = default;
};

inline constexpr std::tuple kMessageBandwidthFields = {
    field("bytes", &MessageBandwidth::bytes,
          {.presence = Presence::kRequired, .range = {.least = 1}},
          "Size of the message in bytes; more than the one before it."),
    field("bytes_per_second", &MessageBandwidth::bytes_per_second,
          {.presence = Presence::kRequired, .range = {.is_above = true}},
          "Bandwidth in bytes per second, without the link's latency; no larger message may take "
          "less time."),
};

/// How long a link takes for a message. Links of equal speed take as long for every one.
struct LinkSpeed {
  double latency_seconds = 0;
  double bytes_per_second = 0;
  std::vector<MessageBandwidth> by_message_size = {};

  double seconds(double bytes) const { return latency_seconds + copy_seconds(bytes); }
  /// Without the latency. Messages up to the first size of the table have its bandwidth; between
  /// two sizes the time is a line; what a message has above the last size goes at
  /// `bytes_per_second`, as everything does without a table.
  double copy_seconds(double bytes) const;

  friend auto operator<=>(const LinkSpeed&, const LinkSpeed&) = default;
};

}  // namespace placer
