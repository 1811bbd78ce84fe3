#include "cli/cli.hpp"

int main(int argc, char** argv) { return placer::run_program(argc, argv); }
