#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placer/io/plan.hpp"

namespace placer::plans {

inline constexpr std::int64_t kGiB = std::int64_t{1} << 30;

/// embed, three layers of two ops, norm, head; 1 second and 1 GiB of parameters each. The second op
/// of a layer is in its module `second`.
Graph model(const std::string& second = "mlp");
/// The model that begins with a convolution, alone in module conv1, of these parameters.
Graph with_convolution(const std::vector<std::string>& params);
/// The model whose layers end with experts.
Graph experts_model();
/// cpu:0 of 100 GiB and two GPUs of 8 GiB, over links of 1 GiB/s.
Topology machine();
/// The model on the machine by the target's rules.
Problem problem_for(const std::string& target, bool ties_units = true);
Problem problem_for(const std::string& target, Graph graph, bool ties_units = true);

using Devices = std::vector<std::size_t>;  // by op

/// The ops' devices by their numbers.
Placement placed(const Problem& problem, const Devices& devices);
Devices devices_of(const Problem& problem, const Placement& placement);

/// The plan that is written for the model.
std::string plan_of(const std::string& target, const Devices& devices,
                    const Graph& graph = model());
/// Where a plan has the ops of the model.
Devices read(const std::string& target, const std::string& text, const Graph& graph = model());
/// Why a plan of the model is not read; "" where it is.
std::string refusal(const std::string& target, const std::string& text,
                    const Graph& graph = model());

}  // namespace placer::plans
