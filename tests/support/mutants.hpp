#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "placer/base/rng.hpp"

namespace placer::testing {

/// `good` with one to three changes: bytes changed, dropped, doubled, inserted, or pieces that mean
/// something to a reader of text.
std::string mutant(const std::string& good, Rng& rng);

/// Reads `count` mutants of `good`: each reads or gives one line that begins with `place`. Returns
/// how many gave one. Any other exception ends the test.
int refused_mutants(const std::string& good, int count, std::string_view place,
                    const std::function<void(const std::string& text)>& read);

}  // namespace placer::testing
