#include "cli/commands/offload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/commands/short_search.hpp"
#include "cli/shared/reserve.hpp"
#include "cli/shared/text.hpp"
#include "placer/io/plan.hpp"
#include "placer/model/cpus.hpp"

namespace placer {
namespace {

constexpr double kGiB = 1 << 30;

/// What was taken of an accelerator's memory before it came to be as it is.
std::int64_t taken_bytes(const PlanTarget& target, const LoadedProblem& loaded,
                         const Device& device) {
  if (loaded.flags.reserve) return reserve_bytes(*loaded.flags.reserve, device.name);
  if (loaded.own_devices) return 0;
  const double share = target.reserve.most_share;
  const double by_share = static_cast<double>(device.memory_bytes) * share / (1 - share);
  return std::min(target.reserve.bytes, static_cast<std::int64_t>(by_share));
}

/// What --reserve takes of an accelerator beyond what the runtime does.
std::int64_t kept_bytes(const PlanTarget& target, const LoadedProblem& loaded,
                        const Device& device) {
  if (!loaded.flags.reserve) return 0;
  const std::int64_t taken = taken_bytes(target, loaded, device);
  return std::max<std::int64_t>(taken - runtime_bytes(target.reserve, device.memory_bytes + taken),
                                0);
}

/// The --reserve that leaves `gib` of the worker; others keep what is reserved of them.
std::string reserve_of(const PlanTarget& target, const LoadedProblem& loaded, DeviceId worker,
                       double gib) {
  const Topology& topology = loaded.problem.topology();
  const auto others = std::ranges::count_if(topology.devices(), [&](const Device& device) {
    return !is_cpu(device) && device.name != topology.device(worker).name;
  });
  if (others == 0) return fmt::format("{}GiB", gib);
  const double by_default =
      loaded.own_devices ? 0 : static_cast<double>(target.reserve.bytes) / kGiB;
  return fmt::format("{},{}={}GiB", loaded.flags.reserve.value_or(fmt::format("{}GiB", by_default)),
                     topology.device(worker).name, gib);
}

/// The problem under another --reserve; empty where an accelerator has less.
std::optional<Problem> with_reserved(const PlanTarget& target, const LoadedProblem& loaded,
                                     const std::string& reserve) {
  const Topology& left = loaded.problem.topology();
  std::vector<Device> devices = left.devices();
  for (Device& device : devices) {
    if (is_cpu(device)) continue;
    device.memory_bytes += taken_bytes(target, loaded, device);
    if (reserve_bytes(reserve, device.name) > device.memory_bytes) return std::nullopt;
  }
  const Topology whole(std::move(devices), left.links(), left.contention(), left.transfers());
  return problem_on(loaded.problem, with_reserve(whole, reserve));
}

/// Whether what a short search finds has room for what it offloads, and some to spare; else what
/// that takes.
struct Trial {
  bool holds = false;
  std::int64_t needed_bytes = 0;
};

std::optional<Trial> try_reserve(const PlanTarget& target, const Problem& problem,
                                 std::int64_t room_bytes) {
  constexpr std::int64_t kOpsInAll = 400'000, kLeast = 40, kMost = 500;
  const auto ops = static_cast<std::int64_t>(problem.op_count());
  const SearchResult found =
      searched_shortly(problem, {std::clamp(kOpsInAll / ops, kLeast, kMost)}, std::nullopt);
  if (!found.score.fits()) return std::nullopt;
  const std::optional<OffloadNeed> need = offload_need(target, problem, found.placement);
  if (!need) return Trial{.holds = true};
  const std::int64_t spare = need->needed_bytes / 20;
  return Trial{need->needed_bytes + spare <= need->left_bytes + room_bytes, need->needed_bytes};
}

/// How much to reserve: the first of some that grow with which what is found holds; empty where
/// none does.
std::optional<std::string> wanted_reserve(const PlanTarget& target, const LoadedProblem& loaded,
                                          const OffloadNeed& need, std::int64_t most_bytes) {
  constexpr int kMostTrials = 12;
  const std::int64_t most = most_bytes + most_bytes / 16;
  std::int64_t room = need.needed_bytes;
  for (int trial = 0; trial < kMostTrials; ++trial) {
    room = std::min(room + room / 10, most);
    const double tenths = std::ceil(10 * static_cast<double>(room + target.reserve.bytes) / kGiB);
    const std::string reserve = reserve_of(target, loaded, need.worker, tenths / 10);
    const std::optional<Problem> problem = with_reserved(target, loaded, reserve);
    if (!problem) return std::nullopt;
    const auto reserved = static_cast<std::int64_t>(tenths / 10 * kGiB);
    const std::optional<Trial> tried =
        try_reserve(target, *problem, reserved - target.reserve.bytes);
    if (!tried) return std::nullopt;
    if (tried->holds) return reserve;
    if (room == most) return std::nullopt;
    room = std::max(room, tried->needed_bytes);
  }
  return std::nullopt;
}

std::string size_text(std::int64_t bytes) {
  return bytes_text(static_cast<double>(std::max<std::int64_t>(bytes, 0)));
}

std::string advice(const PlanTarget& target, const LoadedProblem& loaded,
                   const Placement& placement, const OffloadNeed& need) {
  const std::int64_t most_bytes =
      std::max(need.needed_bytes, most_offload_bytes(target, loaded.problem, placement));
  if (const auto reserve = wanted_reserve(target, loaded, need, most_bytes)) {
    return fmt::format("--reserve {} leaves it", *reserve);
  }
  return fmt::format("no --reserve that was tried leaves it; all of it together takes {}",
                     size_text(most_bytes));
}

}  // namespace

std::optional<std::string> offload_trouble(const LoadedProblem& loaded,
                                           const Placement& placement) {
  if (!loaded.flags.target) return std::nullopt;
  const PlanTarget& target = find_plan_target(*loaded.flags.target);
  const std::optional<OffloadNeed> need = offload_need(target, loaded.problem, placement);
  if (!need) return std::nullopt;
  const Device& worker = loaded.problem.topology().device(need->worker);
  const std::int64_t left = need->left_bytes + kept_bytes(target, loaded, worker);
  if (need->needed_bytes <= left) return std::nullopt;
  return fmt::format("what is offloaded takes {} on {} while it runs, which has {} left: {}",
                     size_text(need->needed_bytes), worker.name, size_text(left),
                     advice(target, loaded, placement, *need));
}

void warn_of_offload(const LoadedProblem& loaded, const Placement& placement,
                     const Observer& observer) {
  const std::optional<std::string> trouble = offload_trouble(loaded, placement);
  if (!trouble) return;
  observer.tell(EventLevel::kWarn, "",
                [&] { return fmt::format("plan for {}: {}", *loaded.flags.target, *trouble); });
}

}  // namespace placer
