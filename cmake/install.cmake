# find_package(molejo) and pkg-config from another project: headers, library, program.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(MOLEJO_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/molejo)
install(TARGETS molejo EXPORT molejo_targets)
if(TARGET molejo_cli)
  install(TARGETS molejo_cli)
  install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/molejo)
endif()
install(DIRECTORY molejo/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/molejo
        FILES_MATCHING PATTERN "*.h")
install(EXPORT molejo_targets NAMESPACE molejo:: DESTINATION ${MOLEJO_PACKAGE_DIR})

configure_package_config_file(cmake/molejo-config.cmake.in molejo-config.cmake
                              INSTALL_DESTINATION ${MOLEJO_PACKAGE_DIR})
write_basic_package_version_file(molejo-config-version.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH MOLEJO_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(MOLEJO_PC_OPTIONS -Wno-psabi)
if(MOLEJO_AVX2)
  set(MOLEJO_PC_OPTIONS -mavx2)
endif()
if(MPI_CXX_FOUND)
  list(JOIN MPI_CXX_LIBRARIES " " MOLEJO_PC_MPI)
  string(PREPEND MOLEJO_PC_MPI " -Wl,--as-needed ")
endif()
configure_file(cmake/molejo.pc.in molejo.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/molejo-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/molejo-config-version.cmake
        DESTINATION ${MOLEJO_PACKAGE_DIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/molejo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
