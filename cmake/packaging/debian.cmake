# `cpack -G DEB` in a build folder writes placer_VERSION_ARCHITECTURE.deb of the component `program`.
set(changelog ${PROJECT_BINARY_DIR}/changelog.gz)
execute_process(COMMAND gzip -9nc ${CMAKE_CURRENT_LIST_DIR}/changelog OUTPUT_FILE ${changelog})
install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright ${changelog} COMPONENT program
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME placer)
set(CPACK_PACKAGE_VENDOR "The placer authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME placer)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The placer authors <placer@example.org>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "predict the step time of neural networks on devices, and place them")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
"Reads the graph of a training or inference step and a machine, predicts by
simulation how long the step takes under any placement of its ops, and
searches for the best one with some forty interchangeable algorithms.")
include(CPack)
