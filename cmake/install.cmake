# find_package(molejo) and pkg-config from another project: headers, library, program.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(MOLEJO_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/molejo)
install(TARGETS molejo EXPORT molejo_targets)
# where they were built: `make run` has no use for a shared library
install(TARGETS molejo_shared EXPORT molejo_shared_targets OPTIONAL)
if(TARGET molejo_mpi)
  install(TARGETS molejo_mpi DESTINATION ${CMAKE_INSTALL_LIBDIR}/molejo OPTIONAL)
endif()
if(TARGET molejo_cli)
  install(TARGETS molejo_cli)
  install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/molejo)
endif()
install(DIRECTORY molejo/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/molejo
        FILES_MATCHING PATTERN "*.h")
install(EXPORT molejo_targets NAMESPACE molejo:: DESTINATION ${MOLEJO_PACKAGE_DIR})
install(EXPORT molejo_shared_targets NAMESPACE molejo:: DESTINATION ${MOLEJO_PACKAGE_DIR})

configure_package_config_file(cmake/molejo-config.cmake.in molejo-config.cmake
                              INSTALL_DESTINATION ${MOLEJO_PACKAGE_DIR}
                              PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(molejo-config-version.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH MOLEJO_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/molejo.pc.in molejo.pc @ONLY)
configure_file(cmake/molejo-shared.pc.in molejo-shared.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/molejo-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/molejo-config-version.cmake
        DESTINATION ${MOLEJO_PACKAGE_DIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/molejo.pc ${CMAKE_CURRENT_BINARY_DIR}/molejo-shared.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
