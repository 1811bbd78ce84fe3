#pragma once

#include <string>

#include "placer/model/measured.hpp"

namespace placer {

/// Reads measured times by op name, from
/// * CSV: a header with `name` (or `op`), one of `seconds`, `ms`, `us`, and perhaps `device`;
/// * JSON: {"conv1": 0.002, ...}, or {"conv1": {"gpu": 0.002, "cpu": 0.03}, ...};
/// * Chrome traces, as Kineto and ONNX Runtime write them too: an array of events, or an object
///   with `traceEvents`. The durations of events of one name, complete ones (ph X) or pairs of a
///   begin and an end (B, E), add up and are divided by the number of steps, the different names
///   that begin with "ProfilerStep#", or 1. An event's name is `args.name` where it has one, else
///   its own without "_kernel_time" at the end. Events of the category "transfer", which our own
///   traces have, are left out.
/// Throws Error: "FILE: PLACE: expected ..., found ...".
Profile read_profile(const std::string& path);
/// The same from text; `file` is what errors call it.
Profile parse_profile(const std::string& text, const std::string& file);

}  // namespace placer
