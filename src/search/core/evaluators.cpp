#include "search/core/evaluators.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace placer {
namespace {

// The thread sanitizer does not see into oneTBB, which distributions build without it, so that it
// is told where one thread leaves to another what it has done. An address stands for what is left.
#ifdef __SANITIZE_THREAD__
char batch;
void leave(void* what) { __tsan_release(what); }
void take(void* what) { __tsan_acquire(what); }
void leave_batch() { leave(&batch); }
void take_batch() { take(&batch); }
#else
void leave(void*) {}
void take(void*) {}
void leave_batch() {}
void take_batch() {}
#endif

}  // namespace

struct Evaluators::Arena {
  tbb::task_arena threads;
};

Evaluators::Evaluators(const Problem& problem, Order order, int threads)
    : problem_(problem),
      order_(order),
      simulators_(static_cast<std::size_t>(std::max(threads, 1))),
      arena_(threads > 1 ? std::make_unique<Arena>(Arena{tbb::task_arena(threads)}) : nullptr) {}

Evaluators::~Evaluators() = default;

Simulator& Evaluators::simulator(std::size_t thread) {
  std::unique_ptr<Simulator>& simulator = simulators_[thread];
  if (!simulator) simulator = std::make_unique<Simulator>(problem_, order_);
  return *simulator;
}

Score Evaluators::moved(std::uint64_t walk, const Placement& current, const Placement& proposed,
                        std::span<const Move> moves) {
  const bool is_another = std::exchange(walk_, walk) != walk;
  if (problem_.goal().objective == Objective::kThroughput) {
    if (!load_walk_) load_walk_ = std::make_unique<LoadWalk>(problem_);
    if (is_another) load_walk_->restart();
    return load_walk_->propose(current, moves);
  }
  if (!Incremental::serves(order_) || !problem_.goal().is_step()) {
    return simulator(0).evaluate(proposed);
  }
  if (!incremental_) incremental_ = std::make_unique<Incremental>(simulator(0));
  if (is_another) incremental_->restart();
  return incremental_->propose(current, proposed, moves);
}

void Evaluators::accepted(std::uint64_t walk) {
  if (incremental_ && walk_ == walk) incremental_->accept();
  if (load_walk_ && walk_ == walk) load_walk_->accept();
}

std::vector<Score> Evaluators::all(std::span<const Placement> placements,
                                   std::span<const OpOrder> orders,
                                   const std::function<bool(std::size_t)>& skip) {
  std::vector<Score> scores(placements.size());
  std::vector<char> skipped(placements.size(), 0);
  const auto evaluate = [&](std::size_t index, std::size_t thread) {
    skipped[index] = skip(index) ? 1 : 0;
    if (skipped[index] != 0) return;
    scores[index] = simulator(thread).evaluate(placements[index], order_at(orders, index));
  };
  if (!arena_) {
    for (std::size_t index = 0; index < placements.size(); ++index) evaluate(index, 0);
  } else {
    const auto evaluate_here = [&](std::size_t index) {
      take_batch();
      const auto thread = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
      take(&simulators_[thread]);
      evaluate(index, thread);
      leave(&simulators_[thread]);
    };
    leave_batch();
    arena_->threads.execute(
        [&] { tbb::parallel_for(std::size_t{0}, placements.size(), evaluate_here); });
    for (std::unique_ptr<Simulator>& simulator : simulators_) take(&simulator);
  }
  const auto first_skipped = std::ranges::find(skipped, 1);
  scores.resize(static_cast<std::size_t>(first_skipped - skipped.begin()));
  return scores;
}

}  // namespace placer
