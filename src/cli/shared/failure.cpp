#include "cli/shared/failure.hpp"

#include "placer/base/errors.hpp"

namespace placer {

std::string out_of_memory(const std::string& doing) {
  return "expected enough memory" + (doing.empty() ? "" : " for " + doing) + ", found too little";
}

std::optional<Failure> failure_of(const std::function<void()>& part, const std::string& doing) {
  try {
    part();
    return std::nullopt;
  } catch (const Error& error) {
    return Failure{error.what(), false};
  } catch (const std::exception& error) {
    if (lacks_memory(error)) return Failure{out_of_memory(doing), false};
    return Failure{std::string("a fault of ours: ") + error.what(), true};
  }
}

}  // namespace placer
