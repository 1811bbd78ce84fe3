#pragma once

#include <string>

#include "search/core/slices.hpp"

namespace placer {

/// What ranks say to each other of slices: bytes that read back as they were written, in a process
/// of the same version. Reading throws std::exception for other bytes.
std::string slice_text(const SliceTask& task);
std::string slice_text(const SliceEnd& end);
SliceTask slice_task(const std::string& text);
SliceEnd slice_end(const std::string& text);

}  // namespace placer
