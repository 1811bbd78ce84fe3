# CLP solves the linear program of 'm-sct'; without it the algorithm does without the program.
# Only one file is compiled otherwise.
find_path(CLP_INCLUDE_DIR Clp_C_Interface.h PATH_SUFFIXES coin)
find_library(CLP_LIBRARY Clp)
find_library(COINUTILS_LIBRARY CoinUtils)  # which the linker wants beside a static libClp
mark_as_advanced(CLP_INCLUDE_DIR CLP_LIBRARY COINUTILS_LIBRARY)

if(NOT CLP_INCLUDE_DIR OR NOT CLP_LIBRARY)
  message(STATUS "coinor-libclp-dev is missing: 'm-sct' finds favourite children along paths")
else()
  set_source_files_properties(src/search/lists/linear_program.cpp PROPERTIES
                              COMPILE_DEFINITIONS PLACER_CLP
                              INCLUDE_DIRECTORIES ${CLP_INCLUDE_DIR})
  target_link_libraries(placer PRIVATE ${CLP_LIBRARY})
  if(COINUTILS_LIBRARY)
    target_link_libraries(placer PRIVATE ${COINUTILS_LIBRARY})
  endif()
endif()
