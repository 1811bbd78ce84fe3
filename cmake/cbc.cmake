# CBC solves the mixed-integer linear program of 'milp'; without it the algorithm says so. Only one
# file is compiled otherwise.
find_path(CBC_INCLUDE_DIR CbcModel.hpp PATH_SUFFIXES coin)
set(cbc_libraries "")
foreach(name Cbc Cgl OsiClp Clp Osi CoinUtils)  # each before those that it needs, where it is static
  find_library(${name}_LIBRARY_OF_CBC ${name})
  list(APPEND cbc_libraries ${${name}_LIBRARY_OF_CBC})
  mark_as_advanced(${name}_LIBRARY_OF_CBC)
endforeach()
mark_as_advanced(CBC_INCLUDE_DIR)

if(NOT CBC_INCLUDE_DIR OR cbc_libraries MATCHES "NOTFOUND")
  message(STATUS "coinor-libcbc-dev is missing: this build is without the algorithm 'milp'")
else()
  set_source_files_properties(src/search/exact/mixed_solver.cpp PROPERTIES
                              COMPILE_DEFINITIONS PLACER_CBC
                              COMPILE_OPTIONS "-isystem${CBC_INCLUDE_DIR}")
  target_link_libraries(placer PRIVATE ${cbc_libraries})
  set(PLACER_SOLVES_MIXED_PROGRAMS TRUE)  # for the tests
endif()
