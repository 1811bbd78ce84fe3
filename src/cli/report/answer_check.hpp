#pragma once

#include <stdexcept>
#include <string>

#include "cli/shared/request.hpp"

namespace placer {

/// An answer that does not hold: a fault of ours.
class WrongAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws WrongAnswer where the schedule of the plain event loop, or the rules of the model, refute
/// the score that a search claims for its placement. The message names a new file in the current
/// folder, or else in the temporary one, that holds the graph with its devices, the placement and
/// both scores.
void check_answer(const LoadedProblem& loaded, Order order, const SearchResult& result,
                  const Schedule& schedule);
/// The same, with a schedule of its own.
void check_answer(const LoadedProblem& loaded, Order order, const SearchResult& result);

}  // namespace placer
