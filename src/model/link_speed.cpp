#include "placer/model/link_speed.hpp"

#include <algorithm>
#include <iterator>

namespace placer {

double LinkSpeed::copy_seconds(double bytes) const {
  const auto size_of = [](const MessageBandwidth& known) {
    return static_cast<double>(known.bytes);
  };
  const auto above = std::ranges::upper_bound(by_message_size, bytes, {}, size_of);
  if (above == by_message_size.begin()) {
    return bytes / (by_message_size.empty() ? bytes_per_second : above->bytes_per_second);
  }
  const MessageBandwidth& below = *std::prev(above);
  const double more_bytes = bytes - size_of(below);
  if (above == by_message_size.end()) return below.seconds() + more_bytes / bytes_per_second;
  const double seconds_per_byte =
      (above->seconds() - below.seconds()) / (size_of(*above) - size_of(below));
  return below.seconds() + more_bytes * seconds_per_byte;
}

}  // namespace placer
