#include "cli/shared/failure.hpp"

#include <new>

#include "placer/base/errors.hpp"

namespace placer {

std::optional<Failure> failure_of(const std::function<void()>& part) {
  try {
    part();
    return std::nullopt;
  } catch (const Error& error) {
    return Failure{error.what(), false};
  } catch (const std::bad_alloc&) {
    return Failure{"expected enough memory, found too little", false};
  } catch (const std::exception& error) {
    return Failure{std::string("a fault of ours: ") + error.what(), true};
  }
}

}  // namespace placer
