#pragma once

#include <functional>

#include "nn/tape.hpp"

namespace placer::nn {

/// Rows first ... first + count of a batch.
struct RowRange {
  Index first, count;
};

/// What `body` makes of the rows of a batch, which do not look at each other: from what it borrows
/// of `whole` it computes, on the tape that it is given, a matrix of steps x range.count rows, step
/// by step; for every range the same operations. The result, steps x `rows` rows, is on `whole`.
///
/// Parts of the rows are computed side by side on tapes of their own, in the forward pass and in
/// the backward pass, where the arena that the caller runs in has threads. Right factors that it
/// has laid out (`Tape::lay_out`) serve them all. The bits do not depend on the parts: what all
/// rows add to is put off, and added in the order that one tape would add it in. `cost`: how many
/// multiplications a row takes, about.
Var in_row_parts(Tape& whole, Index rows, Index cost,
                 const std::function<Var(Tape& tape, RowRange range)>& body);

}  // namespace placer::nn
