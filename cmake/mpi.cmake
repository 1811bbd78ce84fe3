# Open MPI lets several ranks share the work of a command. Only one file is compiled otherwise.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND)
  set_source_files_properties(src/cli/ranks/mpi_transport.cpp PROPERTIES
                              COMPILE_DEFINITIONS "PLACER_MPI;OMPI_SKIP_MPICXX")
  target_include_directories(placer_cli SYSTEM PRIVATE ${MPI_CXX_INCLUDE_DIRS})
  target_link_libraries(placer_cli PRIVATE ${MPI_CXX_LIBRARIES})
  set(PLACER_RUNS_ON_RANKS TRUE)  # for the tests
else()
  message(STATUS "libopenmpi-dev is missing: a run has one process")
endif()
