# Programs that watch a part of the sources: that part is compiled anew, with a fuzzer, a sanitizer or
# counters of branches; the rest comes from libplacer.a and libplacer_cli.a of the folder PLACER_BUILT.
function(add_watched_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 "" "" PARTS "SOURCES;FLAGS")
  set(parts ${library_sources} ${cli_sources})
  list(FILTER parts INCLUDE REGEX "/src/${_PARTS}")
  list(FILTER parts EXCLUDE REGEX "/src/model/zoo/")
  # First, so that where others hold an inline function too, the watched one is taken.
  add_executable(${name} EXCLUDE_FROM_ALL ${parts} ${_SOURCES})
  target_include_directories(${name} PRIVATE include src tests)
  target_include_directories(${name} SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/generated
                                                    ${EIGEN3_INCLUDE_DIRS})
  target_compile_definitions(${name} PRIVATE PLACER_VERSION="${PROJECT_VERSION}"
                                             PLACER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_precompile_headers(${name} PRIVATE ${common_headers})
  target_compile_options(${name} PRIVATE ${_FLAGS})
  target_link_options(${name} PRIVATE ${_FLAGS})
  get_target_property(libraries placer LINK_LIBRARIES)
  target_link_libraries(${name} PRIVATE ${PLACER_BUILT}/libplacer_cli.a ${PLACER_BUILT}/libplacer.a
                                        ${libraries} CLI11::CLI11 spdlog::spdlog_header_only)
endfunction()

file(GLOB test_support CONFIGURE_DEPENDS tests/support/*.cpp)
file(GLOB_RECURSE simulator_tests CONFIGURE_DEPENDS tests/sim/*.cpp)

if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # No -fsanitize=undefined: all of its checks take a third of the build.
  set(undefined signed-integer-overflow,float-cast-overflow,integer-divide-by-zero,shift)
  add_watched_executable(placer_fuzz_readers
    PARTS "((base|model|io)/.*|cli/bench/(suite|baseline)|cli/shared/config)\\.cpp$"
    SOURCES tests/fuzz/plans.cpp tests/fuzz/readers.cpp tests/support/onnx_builder.cpp
            tests/support/problems.cpp
    FLAGS -O1 -g1 -fno-sanitize-recover=all -fsanitize=fuzzer,address,${undefined})
else()
  add_watched_executable(placer_threads
    PARTS "((base|model|sim|search/core)/.*|cli/ranks/(hand_out|own_thread|rank_.*))\\.cpp$"
    SOURCES tests/main.cpp ${test_support} tests/cli/ranks/hand_out_test.cpp
            tests/cli/ranks/rank_scores_test.cpp tests/cli/ranks/rank_slices_test.cpp
            tests/search/core/batch_scorer_test.cpp tests/search/core/deadline_test.cpp
            tests/search/core/resume_test.cpp tests/search/core/threads_test.cpp
            tests/search/optimizers/battery_test.cpp
    FLAGS -O1 -g1 -fsanitize=thread)
  # Without inlining every function has its own branches; tests may be fast.
  set_source_files_properties(${test_support} ${simulator_tests} PROPERTIES COMPILE_OPTIONS -finline)
  add_watched_executable(placer_branches
    PARTS "sim/.*\\.cpp$" SOURCES tests/main.cpp ${test_support} ${simulator_tests}
    FLAGS -O1 -fno-inline -g1 --coverage)
endif()
