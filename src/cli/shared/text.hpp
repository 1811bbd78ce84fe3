#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placer/base/units.hpp"

namespace placer {

class Graph;
struct LowerBounds;

/// "78.81 ms": four digits in the unit that suits; "0 s".
std::string time_text(Picoseconds time);
/// "12 s", "5 min", "2.5 h": how long something roughly takes.
std::string rough_time_text(double seconds);
/// "12.00 GiB": powers of 1024, as nvidia-smi and frameworks count memory.
std::string bytes_text(double bytes);
/// A graph's parameters: "190.7 MiB, the optimizer's state included" of a training step; "97.49
/// MiB" of one without backward ops.
std::string params_text(const Graph& graph);
/// "1 op", "829 ops".
std::string counted(std::size_t count, std::string_view thing);
/// "829 ops in 123 groups"
std::string grouped_text(std::size_t ops, std::size_t groups);
/// A word of a shell's command line: quoted where the shell would read something else.
std::string shell_word(const std::string& text);
/// "placer simulate 'my graph.json'": the words of a command line, for a shell to run again.
std::string shell_line(std::span<const std::string> words);
/// "45.0 %"
std::string share_text(double share);
/// "1.43", or "1.0003" of what is near 1: how many times as fast something is.
std::string times_text(double times);
/// "is 1.43 times as fast", "takes 2.1 % less time", "takes 0.03 % more time", "is as fast".
std::string speed_text(double times);

/// "622.8 ms (B4: work over devices)": the largest and whence it comes.
std::string bound_text(const LowerBounds& bounds);

}  // namespace placer
