#include "cli/commands/keeper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/report/deliver.hpp"
#include "cli/shared/outputs.hpp"
#include "placer/io/checkpoint_file.hpp"
#include "placer/io/files.hpp"

namespace placer {
namespace {

constexpr double kEverySeconds = 2;
constexpr double kShare = 20;  // of the time, for one of writing

}  // namespace

void Keeper::keep(KeptFile file) {
  if (is_standard_output(file.path) || !is_replaced(file.path)) return;
  files_.push_back({std::move(file)});
}

void Keeper::look(const SearchState& state) {
  if (state.wall_seconds < next_seconds_) return;
  const auto begin = std::chrono::steady_clock::now();
  for (Kept& kept : files_) {
    if (!kept.file.only_better || kept.improvements < state.improvements) write(kept, state);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  next_seconds_ =
      state.wall_seconds + took.count() + std::max(kEverySeconds, kShare * took.count());
}

void Keeper::write(const SearchState& state) {
  for (Kept& kept : files_) write(kept, state);
}

void Keeper::write(Kept& kept, const SearchState& state) {
  const std::string fault = write_if_possible(kept.file.path, kept.file.text(state), console_);
  if (fault.empty()) kept.improvements = state.improvements;
  if (!fault.empty() && !kept.failed) {
    console_.log.tell(EventLevel::kWarn, "", [&] {
      return fmt::format("{}: not written for now, the search goes on: {}", kept.file.flag, fault);
    });
  }
  kept.failed = !fault.empty();
}

void keep_placement(const Report& known, const SearchFlags& search, const std::string& path,
                    Keeper& keeper) {
  const auto text = [&known, &search](const SearchState& state) {
    Report report = known;
    report.result.placement = state.best;
    report.result.order = state.order;
    report.schedule.score = state.score;
    return placement_text(report, search);
  };
  keeper.keep({.flag = "--output", .path = path, .text = text, .only_better = true});
}

void keep_checkpoint(RequestFacts request, const std::string& path, Keeper& keeper) {
  const auto text = [request = std::move(request)](const SearchState& state) {
    return write_checkpoint(request, state.scores);
  };
  keeper.keep({.flag = "--checkpoint", .path = path, .text = text});
}

void check_checkpoint_file(const std::optional<std::string>& path) {
  if (!path || !is_standard_output(*path)) return;
  throw Error(fmt::format("--checkpoint: expected a file that can be replaced, found '{}'", *path));
}

void check_resuming(const std::optional<std::string>& resume,
                    const std::optional<std::string>& checkpoint, const SearchFlags& search) {
  const char* flag = resume ? "--resume" : "--checkpoint";
  if ((resume || checkpoint) && search.time_limit) {
    throw Error(
        fmt::format("{}: expected a budget in evaluations, as a search by the clock cannot "
                    "be repeated; found --time-limit",
                    flag));
  }
  check_checkpoint_file(checkpoint);
}

}  // namespace placer
