include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The component `program` is what the Debian package holds, `library` what C++ needs; what only fits
# other prefixes than /usr is `local`.
install(TARGETS placer EXPORT placer-targets COMPONENT library
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS placer_program COMPONENT program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/placer COMPONENT library DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY schemas configs COMPONENT program DESTINATION ${CMAKE_INSTALL_DATADIR}/placer)
install(FILES LICENSE COMPONENT local DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md COMPONENT program DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs COMPONENT program DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT placer-targets COMPONENT library NAMESPACE placer::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/placer)

set(shells ${PROJECT_SOURCE_DIR}/src/cli/manual/shells)
install(FILES ${shells}/bash.completion COMPONENT program
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME placer)
install(FILES ${shells}/fish.completion COMPONENT program
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME placer.fish)
install(FILES ${shells}/zsh.completion COMPONENT program
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _placer)
install(FILES ${shells}/zsh.completion COMPONENT local
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _placer)

set(manual ${PROJECT_BINARY_DIR}/manual)
install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:placer_program>
                -DFOLDER=${manual} -P ${PROJECT_SOURCE_DIR}/cmake/packaging/manual.cmake
                COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
install(DIRECTORY ${manual}/ COMPONENT program DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

set(pugixml_dependency "")
if(pugixml_FOUND)
  set(pugixml_dependency "find_dependency(pugixml)\n")
endif()
file(WRITE ${PROJECT_BINARY_DIR}/placer-config.cmake
"include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(TBB)
find_dependency(nlohmann_json)
${pugixml_dependency}include(\${CMAKE_CURRENT_LIST_DIR}/placer-targets.cmake)
")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/placer-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/placer-config.cmake
              ${PROJECT_BINARY_DIR}/placer-config-version.cmake
        COMPONENT library DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/placer)

if(PROJECT_IS_TOP_LEVEL)
  include(cmake/packaging/debian.cmake)
endif()
