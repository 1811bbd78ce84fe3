#include "search/learned/clipped_surrogate.hpp"

#include <algorithm>

#include "placer/base/real.hpp"

namespace placer {

ClippedSurrogate::ClippedSurrogate(std::span<const std::vector<nn::Index>> choices,
                                   std::span<const double> advantage, double clip,
                                   const nn::ConstView& log_chances)
    : choices_(choices),
      advantage_(advantage),
      clip_(clip),
      before_(log_chances.rows(), static_cast<nn::Index>(choices.size())) {
  for (std::size_t sample = 0; sample < choices.size(); ++sample) {
    for (nn::Index row = 0; row < log_chances.rows(); ++row) {
      before_(row, static_cast<nn::Index>(sample)) =
          log_chances(row, choices[sample][static_cast<std::size_t>(row)]);
    }
  }
}

double ClippedSurrogate::ratio(const nn::ConstView& log_chances, std::size_t sample,
                               nn::Index row) const {
  const nn::Index choice = choices_[sample][static_cast<std::size_t>(row)];
  const double difference = log_chances(row, choice) - before_(row, static_cast<nn::Index>(sample));
  return portable_exp(std::clamp(difference, -20.0, 20.0));
}

nn::Matrix ClippedSurrogate::gradient(const nn::ConstView& log_chances) const {
  nn::Matrix gradient = nn::Matrix::Zero(log_chances.rows(), log_chances.cols());
  const double share = 1 / static_cast<double>(choices_.size() * choices_[0].size());
  for (std::size_t sample = 0; sample < choices_.size(); ++sample) {
    for (nn::Index row = 0; row < log_chances.rows(); ++row) {
      const double r = ratio(log_chances, sample, row);
      const double gain = advantage_[sample];
      if (gain > 0 ? r > 1 + clip_ : r < 1 - clip_) continue;
      gradient(row, choices_[sample][static_cast<std::size_t>(row)]) += share * r * gain;
    }
  }
  return gradient;
}

double ClippedSurrogate::value(const nn::ConstView& log_chances) const {
  double sum = 0;
  for (std::size_t sample = 0; sample < choices_.size(); ++sample) {
    for (nn::Index row = 0; row < log_chances.rows(); ++row) {
      const double r = ratio(log_chances, sample, row);
      const double clipped = std::clamp(r, 1 - clip_, 1 + clip_);
      sum += std::min(r * advantage_[sample], clipped * advantage_[sample]);
    }
  }
  return sum / static_cast<double>(before_.size());
}

}  // namespace placer
