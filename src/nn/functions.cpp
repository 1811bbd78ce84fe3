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

void additive_scores_backward(const AdditiveScores& of, const double* scores_gradient,
                              double* queries_gradient, double* keys_gradient,
                              double* weights_gradient) {
  // Whole vectors: the gradients of features add up by themselves.
  const Index blocks = at((of.width + kLanes - 1) / kLanes);
  const Index of_block = at(of.query_count * of.key_count * kLanes) * kOfScore;
  share_out(blocks, of_block, [&](Index first, Index last) {
    run_widest<ScoresBackwardKernel>(of, counted(first) * kLanes,
                                     std::min(of.width, counted(last) * kLanes), scores_gradient,
                                     queries_gradient, keys_gradient, weights_gradient);
  });
}

}  // namespace placer::nn
