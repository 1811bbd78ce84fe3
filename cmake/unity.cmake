# Compiles the sources of a room sixteen at a time as one, which halves the build: most of it goes into
# headers. What is private to a file needs a name of its own among these, then. By themselves are still
# rooms of rows, whose files are alike on purpose, files that other builds take out of the library
# (cmake/watched.cmake), and all with -DPLACER_UNITY=OFF, which suits work on a single file.
option(PLACER_UNITY "compile the sources of a room together" ON)

# `compile_together(TARGET REGEX...)`: all sources of the project but those that match.
function(compile_together target)
  if(NOT PLACER_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/(src|tests)/.*\\.cpp$")
  foreach(alone IN LISTS ARGN)
    list(FILTER sources EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}/${alone}\\.cpp$")
  endforeach()
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH room)
    file(RELATIVE_PATH room "${PROJECT_SOURCE_DIR}" "${room}")
    string(MAKE_C_IDENTIFIER "${room}" room)
    math(EXPR batch "0${count_${room}} / 16")
    math(EXPR count_${room} "0${count_${room}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
