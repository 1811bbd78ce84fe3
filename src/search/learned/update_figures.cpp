#include "search/learned/update_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/base/errors.hpp"
#include "placer/base/real.hpp"

namespace placer {

std::string update_text(std::int64_t number, const UpdateFigures& figures) {
  std::vector<std::string> words;
  for (const UpdateFigure& figure : kUpdateFigures) {
    const std::optional<double>& value = figures.*figure.value;
    if (value) words.push_back(fmt::format("{} {:.4g}{}", figure.words, *value, figure.unit));
  }
  return fmt::format("update {}: {}", number, join(words));
}

double mean_cost_seconds(const Search& search, std::span<const Score> scores) {
  double sum = 0;
  for (const Score& score : scores) sum += search.cost_seconds(score);
  return sum / static_cast<double>(scores.size());
}

double mean_entropy(const nn::Matrix& probabilities) {
  double sum = 0;
  for (nn::Index i = 0; i < probabilities.size(); ++i) {
    const double p = probabilities.data()[i];
    if (p > 1e-300) sum -= p * portable_log(p);
  }
  return sum / static_cast<double>(probabilities.rows());
}

double mean_kl(const nn::Matrix& before, const nn::Matrix& after) {
  double sum = 0;
  for (nn::Index i = 0; i < after.size(); ++i) {
    const double p = before.data()[i], q = after.data()[i];
    if (p > 1e-300 && q > 1e-300) sum += p * portable_log(p / q);
  }
  return sum / static_cast<double>(after.rows());
}

double reinforce_loss(const nn::Matrix& probabilities, std::span<const nn::Index> choices,
                      std::span<const double> advantage) {
  double sum = 0;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const double p = probabilities(static_cast<nn::Index>(i), choices[i]);
    sum -= advantage[i % advantage.size()] * portable_log(std::max(p, 1e-300));
  }
  return sum / static_cast<double>(choices.size());
}

}  // namespace placer
