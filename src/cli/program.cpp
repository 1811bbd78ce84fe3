#include "cli/cli.hpp"

namespace placer {

int run_program(int, const char* const*) { return 4; }

}  // namespace placer
