#pragma once

#include <string>
#include <vector>

namespace placer {

struct EmbeddedText {
  std::string name;
  std::string text;
};

/// The files of configs/devices, written by cmake/embed.cmake.
const std::vector<EmbeddedText>& embedded_shipped_devices();

}  // namespace placer
