#pragma once

#include <Eigen/Core>

namespace placer::nn {

using Index = Eigen::Index;
/// All matrices of this folder are row-major doubles; a sample, an op or a step is a row.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<Matrix>;
using ConstView = Eigen::Map<const Matrix>;

/// An index as Eigen counts, and as the standard library does.
constexpr Index at(std::size_t index) { return static_cast<Index>(index); }
constexpr std::size_t at(Index index) { return static_cast<std::size_t>(index); }

}  // namespace placer::nn
