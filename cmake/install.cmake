include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS placer EXPORT placer-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS placer_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/placer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY schemas configs DESTINATION ${CMAKE_INSTALL_DATADIR}/placer)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT placer-targets NAMESPACE placer:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/placer)

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
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/placer)
