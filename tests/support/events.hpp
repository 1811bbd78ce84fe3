#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "placer/base/observer.hpp"

namespace placer::testing {

/// What an observer was told.
struct Events {
  std::vector<Event> all;

  Observer from(EventLevel least) {
    return Observer(least, [this](const Event& event) { all.push_back(event); });
  }

  /// The messages of `level` and `subject` that contain `part`.
  std::vector<std::string> messages(EventLevel level, std::string_view subject,
                                    std::string_view part = "") const {
    std::vector<std::string> found;
    for (const Event& event : all) {
      if (event.level == level && event.subject == subject &&
          event.message.find(part) != std::string::npos) {
        found.push_back(event.message);
      }
    }
    return found;
  }
};

}  // namespace placer::testing
