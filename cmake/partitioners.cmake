# METIS and Scotch, for the algorithms of these names; without one of them its algorithm says so.
# Only the file of the algorithm is compiled otherwise.
function(use_partitioner name package include_dir libraries)
  if(NOT include_dir OR libraries MATCHES "NOTFOUND")
    message(STATUS "${package} is missing: this build is without the algorithm '${name}'")
    return()
  endif()
  string(TOUPPER ${name} upper)
  set(file src/search/optimizers/${name}.cpp)
  set_source_files_properties(${file} PROPERTIES COMPILE_DEFINITIONS PLACER_${upper})
  if(NOT include_dir IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    set_source_files_properties(${file} PROPERTIES INCLUDE_DIRECTORIES ${include_dir})
  endif()
  target_link_libraries(placer PRIVATE ${libraries})
endfunction()

find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY metis)
use_partitioner(metis libmetis-dev "${METIS_INCLUDE_DIR}" "${METIS_LIBRARY}")

find_path(SCOTCH_INCLUDE_DIR scotch.h PATH_SUFFIXES scotch)
find_library(SCOTCH_LIBRARY scotch)
find_library(SCOTCH_ERROR_LIBRARY scotcherr)
use_partitioner(scotch libscotch-dev "${SCOTCH_INCLUDE_DIR}"
                "${SCOTCH_LIBRARY};${SCOTCH_ERROR_LIBRARY}")

mark_as_advanced(METIS_INCLUDE_DIR METIS_LIBRARY SCOTCH_INCLUDE_DIR SCOTCH_LIBRARY
                 SCOTCH_ERROR_LIBRARY)
