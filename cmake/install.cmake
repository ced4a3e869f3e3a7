# What is installed: the program with its page and scenes, and the library for other projects
# (find_package(molejo), pkg-config). The packages are in package.cmake.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(MOLEJO_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/molejo)
set(MOLEJO_INSTALLED molejo)
install(TARGETS molejo EXPORT molejo_targets COMPONENT library)
if(TARGET molejo_cli)
  list(APPEND MOLEJO_INSTALLED molejo_cli)
  install(TARGETS molejo_cli COMPONENT program)
  install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/molejo COMPONENT program)
endif()
if(TARGET molejo_shared)
  list(APPEND MOLEJO_INSTALLED molejo_shared)
  install(TARGETS molejo_shared EXPORT molejo_shared_targets OPTIONAL
          LIBRARY COMPONENT program NAMELINK_COMPONENT library)
  install(EXPORT molejo_shared_targets NAMESPACE molejo:: DESTINATION ${MOLEJO_PACKAGE_DIR}
          COMPONENT library)
endif()
if(TARGET molejo_mpi)  # apart, so that only those who train on several machines need MPI
  list(APPEND MOLEJO_INSTALLED molejo_mpi)
  install(TARGETS molejo_mpi DESTINATION ${CMAKE_INSTALL_LIBDIR}/molejo COMPONENT mpi OPTIONAL)
endif()
add_custom_target(molejo_installed DEPENDS ${MOLEJO_INSTALLED})
install(DIRECTORY molejo/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/molejo COMPONENT library
        FILES_MATCHING PATTERN "*.h" PATTERN gallery_page EXCLUDE)
install(EXPORT molejo_targets NAMESPACE molejo:: DESTINATION ${MOLEJO_PACKAGE_DIR}
        COMPONENT library)

configure_package_config_file(cmake/molejo-config.cmake.in molejo-config.cmake
                              INSTALL_DESTINATION ${MOLEJO_PACKAGE_DIR}
                              PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(molejo-config-version.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH MOLEJO_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/molejo.pc.in molejo.pc @ONLY)
configure_file(cmake/molejo-shared.pc.in molejo-shared.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/molejo-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/molejo-config-version.cmake
        DESTINATION ${MOLEJO_PACKAGE_DIR} COMPONENT library)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/molejo.pc ${CMAKE_CURRENT_BINARY_DIR}/molejo-shared.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
