#pragma once

#include <optional>
#include <string>

#include "nn/layers.hpp"

namespace placer::nn {

/// Row p of the result stands for the distance `first` + p: sines, then cosines, of
/// distance / 10000^(2 i / width); `width` is even. The same bits on every machine.
Matrix distance_encodings(Index first, Index count, Index width);

/// Multi-head attention over a segment and the memory of the one before, by content and by relative
/// distance (Dai et al.: Transformer-XL, 2019), in both directions.
class MultiHeadAttention {
 public:
  /// `width` is even and a multiple of `heads`.
  MultiHeadAttention(Parameters& parameters, const std::string& name, Index width, Index heads,
                     Rng& rng);
  /// `segment` is n x width; `memory` m x width stands before it, empty for the first segment. No
  /// gradient flows into the memory. The result is n x width.
  Var operator()(Var segment, std::optional<Var> memory) const;

 private:
  Index width_, heads_;
  Parameter *query_, *key_, *value_, *distance_;  // width x width
  Parameter *content_bias_, *distance_bias_;      // 1 x width
  Linear output_;
};

/// Attention, then a feed-forward layer; each added to its input and normalized.
class TransformerLayer {
 public:
  TransformerLayer(Parameters& parameters, const std::string& name, Index width, Index heads,
                   Index inner, Rng& rng);
  Var operator()(Var segment, std::optional<Var> memory) const;

 private:
  MultiHeadAttention attention_;
  LayerNorm attention_norm_;
  Linear inner_, outer_;
  LayerNorm outer_norm_;
};

}  // namespace placer::nn
