#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace placer {

/// The value in JSON; null where there is none.
template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace placer
