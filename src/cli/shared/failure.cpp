#include "cli/shared/failure.hpp"

#include "placer/base/errors.hpp"

namespace placer {

std::optional<Failure> failure_of(const std::function<void()>& part) {
  try {
    part();
    return std::nullopt;
  } catch (const Error& error) {
    return Failure{error.what(), false};
  } catch (const std::exception& error) {
    if (lacks_memory(error)) return Failure{"expected enough memory, found too little", false};
    return Failure{std::string("a fault of ours: ") + error.what(), true};
  }
}

}  // namespace placer
