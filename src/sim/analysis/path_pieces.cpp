#include "placer/sim/path_pieces.hpp"

namespace placer {
namespace {

PathPiece piece_of(const Problem& problem, const Schedule& schedule, const CriticalStep& step,
                   const std::vector<std::size_t>& unit_of) {
  PathPiece piece{.is_transfer = step.is_transfer, .wait = step.wait};
  if (!step.is_transfer) {
    const OpRun& run = schedule.ops[step.at];
    piece.device = piece.to = run.device;
    piece.unit = unit_of[step.at];
    piece.begin_ps = run.start_ps;
    piece.end_ps = run.end_ps;
    return piece;
  }
  const TransferRun& run = schedule.transfers[step.at];
  piece.device = run.from;
  piece.to = run.to;
  piece.unit = unit_of[problem.graph().tensor(run.tensor).producer.index()];
  piece.begin_ps = run.begin_ps;
  piece.end_ps = run.end_ps;
  return piece;
}

bool go_together(const PathPiece& piece, const PathPiece& next) {
  return piece.is_transfer == next.is_transfer && piece.device == next.device &&
         piece.to == next.to && (piece.is_transfer || piece.unit == next.unit);
}

}  // namespace

std::vector<PathPiece> path_pieces(const Problem& problem, const Schedule& schedule,
                                   const CriticalPath& path,
                                   const std::vector<std::size_t>& unit_of) {
  std::vector<PathPiece> pieces;
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    PathPiece next = piece_of(problem, schedule, path.steps[i], unit_of);
    next.first = next.last = i;
    if (!pieces.empty() && go_together(pieces.back(), next)) {
      pieces.back().last = i;
      pieces.back().end_ps = next.end_ps;
    } else {
      pieces.push_back(next);
    }
  }
  return pieces;
}

}  // namespace placer
