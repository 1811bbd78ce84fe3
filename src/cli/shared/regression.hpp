#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/shared/command.hpp"
#include "placer/io/json_reader.hpp"
#include "placer/model/graph.hpp"
#include "placer/model/objective.hpp"
#include "placer/sim/score.hpp"

namespace placer {

/// How much longer than a stored one a step may be, of commands that guard one.
struct ToleranceFlags {
  std::optional<std::string> tolerance;
};
inline constexpr std::array<FlagRow<ToleranceFlags>, 1> kToleranceFlags = {
    text_flag("tolerance", 0, &ToleranceFlags::tolerance, "SHARE|PERCENT%",
              "how much longer than the baseline's a step may be: 0.02 or 2%; not at all unless "
              "given"),
};
/// The tolerance as a share; 0 where none is given. Throws Error.
double tolerance_of(const ToleranceFlags& flags);

/// "step_seconds" and "overflow_bytes" of an object that may have other keys. Throws Error.
Score read_score(JsonObject& object);

/// What a file says of a result.
struct StoredResult {
  Score score;
  std::optional<Objective> objective;
  std::optional<std::string> graph;             // its name
  std::optional<std::vector<std::string>> ops;  // that are placed, by name
};
/// Reads a placement file, or what `--json` printed. Throws Error.
StoredResult read_result(const std::string& path);
/// Throws Error, which begins with `title`, where the result says that it is one of another graph
/// than `graph`, which messages call `name`: by the graph's own name, or by the names of the ops.
void check_graph(const StoredResult& result, const std::string& title, const std::string& name,
                 const Graph& graph);

/// Whether a step is longer than the stored one by more than `tolerance`, a share of that.
bool is_longer(Picoseconds step_ps, Picoseconds stored_ps, double tolerance);
/// The same of scores: more overflow is worse whatever the tolerance.
bool is_worse(const Score& score, const Score& stored, double tolerance);

/// "5.100 s, 2.00 % longer than 5.000 s (tolerance 1 %)", of a step that `is_worse`; or by how much
/// more it does not fit.
std::string worse_text(const Score& score, const Score& stored, double tolerance);

}  // namespace placer
