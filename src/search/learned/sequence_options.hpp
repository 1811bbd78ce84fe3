#pragma once

#include <cstdint>

#include "search/learned/preset_row.hpp"

namespace placer {

// Rows of the options that the sequence learners share.

template <class O>
constexpr OptionRow<O> sequence_batch_row(std::int64_t O::*member) {
  return option("batch", member, 2, 100000, "placements drawn for each update");
}
template <class O>
constexpr OptionRow<O> hidden_row(std::int64_t O::*member) {
  return option("hidden", member, 1, 4096, "width of the LSTMs");
}
template <class O>
constexpr OptionRow<O> attention_row(std::int64_t O::*member) {
  return option("attention", member, 1, 4096, "width in which queries and keys meet");
}
template <class O>
constexpr OptionRow<O> type_embedding_row(std::int64_t O::*member) {
  return option("type-embedding", member, 1, 4096, "width of an op type's embedding");
}
template <class O>
constexpr OptionRow<O> adam_row(double O::*member) {
  return option("learning-rate", member, 1e-8, 10, "Adam's step");
}
template <class O>
constexpr OptionRow<O> clip_norm_row(double O::*member) {
  return option("clip-norm", member, 1e-6, 1e6, "largest norm of a gradient");
}

}  // namespace placer
