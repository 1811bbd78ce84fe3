#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "placer/base/errors.hpp"

namespace placer {

/// run(), with `file` in front of messages that begin with `subject`.
template <class Run>
auto with_file(const std::optional<std::string>& file, std::string_view subject, Run run) {
  try {
    return run();
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!file || !what.starts_with(subject)) throw;
    throw Error(*file + ": " + std::string(what));
  }
}

/// run(), with the policy's file in front of what is wrong with the policy.
template <class Run>
auto with_policy_file(const std::optional<std::string>& file, Run run) {
  return with_file(file, "policy: ", run);
}

}  // namespace placer
