# The packages, into packages/ of the build: `make package`.
#
#   molejo           program, page, scenes, and the shared library where there is one
#   libmolejo-dev    headers and what other projects link
#   molejo-mpi       training on several machines, where there is a plugin for it
#   a .tar.gz        all of these, to be unpacked anywhere
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGE_NAME molejo)
set(CPACK_PACKAGE_VENDOR "The Molejo authors")
set(CPACK_PACKAGE_CONTACT "The Molejo authors")
set(CPACK_PACKAGE_DESCRIPTION "Characters and mechanisms that move by physics and logic instead of
hand-made keyframes: rigid bodies with joints and contact, gaits found from
natural vibrations, walks over uneven ground, scenes directed by Petri nets.
What comes out are .glb files for Blender and games, films, tables and plots.")
set(CPACK_PACKAGE_FILE_NAME
    ${CPACK_PACKAGE_NAME}-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL program library)
if(TARGET molejo_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# NAME of a component: its package, its section, and what it is
macro(molejo_package component name section summary)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
  set(CPACK_COMPONENT_${key}_DESCRIPTION "${summary}\n${CPACK_PACKAGE_DESCRIPTION}")
  install(FILES cmake/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
          COMPONENT ${component})
endmacro()
set(SAME_VERSION "(= ${PROJECT_VERSION})")

molejo_package(program molejo graphics "physically based character animation")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "chromium, ffmpeg")  # `molejo render`, films
if(TARGET molejo_shared)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
endif()

molejo_package(library libmolejo-dev libdevel "headers and library of Molejo")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
    "libeigen3-dev, libfmt-dev, libpugixml-dev, libpng-dev")
if(TARGET molejo_shared)
  string(APPEND CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS ", molejo ${SAME_VERSION}")
endif()
if(MPI_CXX_FOUND AND NOT TARGET molejo_mpi)  # else the static library calls it
  string(APPEND CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS ", libopenmpi-dev")
endif()

if(TARGET molejo_mpi)
  molejo_package(mpi molejo-mpi graphics "training of Molejo's gaits on several machines")
  set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "molejo ${SAME_VERSION}")
endif()
include(CPack)
