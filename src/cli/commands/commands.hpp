#pragma once

#include "cli/shared/command.hpp"

namespace placer {

/// One function for each command, in the file of its name; the table in program.cpp calls them.
Command optimize_command();
Command simulate_command();
Command explain_command();
Command advise_command();
Command compare_command();
Command bench_command();
Command inspect_command();
Command algorithms_command();
Command generate_command();
Command import_command();
Command export_command();
Command train_command();
Command devices_command();
Command fit_command();

}  // namespace placer
