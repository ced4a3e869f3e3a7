# The library from molejo/<module>/*.cpp: a module is a folder, its headers are its face.
#
# Sources of a module are compiled several at a time (unity builds). What steps, searches and proves
# is compiled for speed; what reads, writes and serves is compiled quickly.
set(MOLEJO_FAST_MODULES math model collision physics optimise motion navigation tracking locomotion
  net)
set(MOLEJO_PLAIN_MODULES director io live studio)

# Eigen must not notice the instruction set, or sums would get another order and memory another
# alignment with AVX than without.
set(MOLEJO_DEFINITIONS EIGEN_DONT_VECTORIZE)

# What all objects of the library need; nothing of it is for its users.
add_library(molejo_objects_settings INTERFACE)
target_link_libraries(molejo_objects_settings INTERFACE molejo_settings Eigen3::Eigen
  Threads::Threads fmt::fmt pugixml::pugixml PNG::PNG nlohmann_json::nlohmann_json)
target_include_directories(molejo_objects_settings INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(molejo_objects_settings INTERFACE ${MOLEJO_DEFINITIONS})
# the same objects for libmolejo.a and libmolejo.so; nobody replaces single functions of the latter
target_compile_options(molejo_objects_settings INTERFACE -fPIC -fno-semantic-interposition
                       -fvisibility-inlines-hidden)

# g++ takes its time with Eigen here, and no step waits for these
set_source_files_properties(molejo/math/decompositions.cpp molejo/math/eigenvalues.cpp PROPERTIES
  COMPILE_OPTIONS $<$<CONFIG:Release>:-O1> SKIP_UNITY_BUILD_INCLUSION ON)

# Compiled for every processor, and once more for AVX2 (cmake/wide.cmake).
set(TREE_PACK_SOURCES
  molejo/physics/dynamics_pack.cpp molejo/physics/integrate_pack.cpp
  molejo/physics/contact_system_pack.cpp molejo/physics/ground_pack.cpp
  molejo/physics/point_contact_pack.cpp molejo/locomotion/rollout_pack.cpp)
set(CLIP_PACK_SOURCES
  molejo/motion/blend_pack.cpp molejo/motion/sampler_pack.cpp molejo/motion/skeleton_pack.cpp)
set(MOLEJO_PACK_SOURCES ${TREE_PACK_SOURCES} ${CLIP_PACK_SOURCES})
set_source_files_properties(${CLIP_PACK_SOURCES} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# g++ pairs neighbouring scalars of the tree kernels into wide registers, whose loads then wait for
# narrow stores: up to 15 % slower than plain scalars
set(KERNELS ${TREE_PACK_SOURCES}
  molejo/model/kinematics.cpp molejo/model/kinematics_pack.cpp molejo/physics/forces.cpp
  molejo/physics/forces_pack.cpp molejo/physics/dynamics.cpp molejo/physics/integrate.cpp
  molejo/physics/contact_system.cpp molejo/physics/point_contact.cpp
  molejo/locomotion/rollout.cpp)
set_source_files_properties(${KERNELS} PROPERTIES
  COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize> SKIP_UNITY_BUILD_INCLUSION ON)
# in a large unit g++ inlines less: the play of nets was a quarter slower there
set_source_files_properties(molejo/net/run.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
# every step of a walker asks for heights of the ground
set_source_files_properties(molejo/io/terrain_relief.cpp PROPERTIES
  COMPILE_OPTIONS $<$<CONFIG:Release>:-O3> SKIP_UNITY_BUILD_INCLUSION ON)
# the page of the gallery is part of the library
file(GLOB GALLERY_PAGE CONFIGURE_DEPENDS molejo/io/gallery_page/*)
set_source_files_properties(molejo/io/gallery_page.cpp PROPERTIES OBJECT_DEPENDS "${GALLERY_PAGE}"
  COMPILE_DEFINITIONS MOLEJO_GALLERY_DIR="${PROJECT_SOURCE_DIR}/molejo/io/gallery_page"
  SKIP_UNITY_BUILD_INCLUSION ON)
# where molejo_mpi.so is looked for
include(GNUInstallDirs)
set_source_files_properties(molejo/optimise/mpi.cpp PROPERTIES COMPILE_DEFINITIONS
  "MOLEJO_LIBRARY_FOLDER=\"${CMAKE_INSTALL_LIBDIR}\";MOLEJO_FULL_LIBRARY_FOLDER=\"${CMAKE_INSTALL_FULL_LIBDIR}\""
  SKIP_UNITY_BUILD_INCLUSION ON)

function(molejo_objects target)
  add_library(${target} OBJECT)
  foreach(module ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS molejo/${module}/*.cpp)
    compile_together(${target} ${module} ${sources})
  endforeach()
  target_link_libraries(${target} PRIVATE molejo_objects_settings)
endfunction()
molejo_objects(molejo_fast ${MOLEJO_FAST_MODULES})
molejo_objects(molejo_plain ${MOLEJO_PLAIN_MODULES})
target_compile_options(molejo_plain PRIVATE ${MOLEJO_PLAIN_OPTIONS})
include(cmake/wide.cmake)

# libmolejo.a, and libmolejo.so of the same objects
add_library(molejo STATIC)
add_library(molejo_shared SHARED)
add_library(molejo::molejo ALIAS molejo)
add_library(molejo::shared ALIAS molejo_shared)
set_target_properties(molejo_shared PROPERTIES OUTPUT_NAME molejo EXPORT_NAME shared
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
foreach(library molejo molejo_shared)
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:molejo_fast> $<TARGET_OBJECTS:molejo_plain>
                                    ${MOLEJO_WIDE_OBJECT})
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                               $<INSTALL_INTERFACE:include>)
  target_compile_features(${library} PUBLIC cxx_std_20)
  target_compile_definitions(${library} PUBLIC ${MOLEJO_DEFINITIONS})
  target_link_libraries(${library}
    PUBLIC Eigen3::Eigen Threads::Threads
    PRIVATE fmt::fmt pugixml::pugixml PNG::PNG ${CMAKE_DL_LIBS}
            $<BUILD_INTERFACE:molejo_settings> $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
endforeach()
configure_file(cmake/libmolejo.map.in libmolejo.map @ONLY)
target_link_options(molejo_shared PRIVATE LINKER:--version-script=${CMAKE_BINARY_DIR}/libmolejo.map)
set_target_properties(molejo_shared PROPERTIES LINK_DEPENDS ${CMAKE_BINARY_DIR}/libmolejo.map)

# What knows MPI: loaded by programs that mpirun starts, see molejo/optimise/mpi_module.h.
if(MPI_CXX_FOUND)
  add_library(molejo_mpi MODULE apps/mpi/module.cpp)
  target_link_libraries(molejo_mpi PRIVATE molejo_settings MPI::MPI_CXX)
  target_include_directories(molejo_mpi PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(molejo_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_compile_options(molejo_mpi PRIVATE -fvisibility=hidden)
  set_target_properties(molejo_mpi PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endif()
