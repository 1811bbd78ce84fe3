#pragma once

#include <string>

namespace placer::testing {

/// Says, in "skipped: WHY", that the running test or a part of it cannot be run here. The test goes
/// on and may still fail; where it does not, it counts as skipped and not as passed.
void skip(const std::string& why);

/// True where the test that has just ended called `skip`.
bool take_skipped();

}  // namespace placer::testing
