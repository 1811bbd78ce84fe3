#include "nn/functions.hpp"

#include "nn/function_kernels.hpp"
#include "nn/shared_out.hpp"

namespace placer::nn {
namespace {

/// Multiplications that a function takes for an element, about.
constexpr Index kOfFunction = 16, kOfScore = 8;

std::size_t counted(Index count) { return static_cast<std::size_t>(count); }

template <class Function>
void apply(const double* from, double* to, std::size_t count) {
  share_out(at(count), kOfFunction, [&](Index first, Index last) {
    run_widest<FunctionKernel<Function>>(from + first, to + first, counted(last - first));
  });
}

}  // namespace

void exp_all(const double* from, double* to, std::size_t count) { apply<Exp>(from, to, count); }
void tanh_all(const double* from, double* to, std::size_t count) { apply<Tanh>(from, to, count); }
void sigmoid_all(const double* from, double* to, std::size_t count) {
  apply<Sigmoid>(from, to, count);
}

void additive_scores(const AdditiveScores& of, double* scores) {
  share_out(at(of.query_count), at(of.key_count * of.width) * kOfScore,
            [&](Index first, Index last) {
              run_widest<ScoresKernel>(of, counted(first), counted(last), scores);
            });
}

void additive_scores_backward(std::span<const ScoreDerivatives> all) {
  // Whole vectors: the gradients of features add up by themselves.
  const std::size_t width = all.front().of.width;
  Index of_block = 0;
  for (const ScoreDerivatives& each : all) {
    of_block += at(each.of.query_count * each.of.key_count * kLanes) * kOfScore;
  }
  share_out(at((width + kLanes - 1) / kLanes), of_block, [&](Index first, Index last) {
    const std::size_t end = std::min(width, counted(last) * kLanes);
    for (const ScoreDerivatives& each : all) {
      run_widest<ScoresBackwardKernel>(each, counted(first) * kLanes, end);
    }
  });
}

}  // namespace placer::nn
