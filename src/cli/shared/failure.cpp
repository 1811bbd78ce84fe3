#include "cli/shared/failure.hpp"

#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>

#include "placer/base/errors.hpp"

namespace placer {

bool lacks_memory(const std::exception& error) {
  // Of a thread that could not begin, std::thread and oneTBB tell nothing but the system's words.
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         std::string_view(error.what()).ends_with(std::strerror(EAGAIN));
}

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
