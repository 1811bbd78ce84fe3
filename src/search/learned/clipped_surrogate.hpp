#pragma once

#include <span>
#include <vector>

#include "nn/matrix.hpp"

namespace placer {

/// The objective of proximal policy optimization (Schulman et al. 2017) for samples that choose a
/// column of each row: the mean over samples and rows of min(r A, clip(r) A), where r is the ratio
/// of a choice's probability to the one it was drawn with, and A the sample's advantage.
class ClippedSurrogate {
 public:
  /// `choices`: by sample, then by row. `log_chances` (rows x columns) are of the policy that drew
  /// them. Ratios pull as far as `clip` from 1. The spans outlive this.
  ClippedSurrogate(std::span<const std::vector<nn::Index>> choices,
                   std::span<const double> advantage, double clip,
                   const nn::ConstView& log_chances);

  /// With respect to the log probabilities of now.
  nn::Matrix gradient(const nn::ConstView& log_chances) const;
  double value(const nn::ConstView& log_chances) const;

 private:
  double ratio(const nn::ConstView& log_chances, std::size_t sample, nn::Index row) const;

  std::span<const std::vector<nn::Index>> choices_;
  std::span<const double> advantage_;
  double clip_;
  nn::Matrix before_;  // log probabilities of the choices when drawn: rows x samples
};

}  // namespace placer
