#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace placer {

/// Why one part of a command, such as a run of many, gave nothing while the others go on.
struct Failure {
  std::string reason;    // one line
  bool is_ours = false;  // a fault of the program
};

/// What is said where memory lacks for `doing`, of which nothing is said where it is empty.
std::string out_of_memory(const std::string& doing);

/// Calls `part`, which is `doing` something; empty where it returns, else what the exception that
/// ended it says.
std::optional<Failure> failure_of(const std::function<void()>& part, const std::string& doing = "");

}  // namespace placer
