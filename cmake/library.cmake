# The library from molejo/<module>/*.cpp: a module is a folder, its headers are its face.
#
# Sources of a module are compiled several at a time (unity builds). What steps, searches and proves is compiled for speed; what reads,
# writes and serves is compiled quickly.
set(MOLEJO_FAST_MODULES math model collision physics optimise motion navigation locomotion net)
set(MOLEJO_PLAIN_MODULES director io live studio)

# All who see a Pack4 must agree on how it is passed, and that depends on AVX: functions that two
# files share would otherwise read each other's arguments wrongly. So the flag is for the whole
# library and its users. Eigen must not notice it, or sums would get another order and memory
# another alignment with it than without.
set(MOLEJO_DEFINITIONS EIGEN_DONT_VECTORIZE)
set(MOLEJO_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>)
if(MOLEJO_AVX2)
  set(MOLEJO_OPTIONS -mavx2)
endif()

# What all objects of the library need; nothing of it is for its users.
add_library(molejo_objects_settings INTERFACE)
target_link_libraries(molejo_objects_settings INTERFACE molejo_settings Eigen3::Eigen
  Threads::Threads fmt::fmt pugixml::pugixml PNG::PNG nlohmann_json::nlohmann_json)
target_include_directories(molejo_objects_settings INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(molejo_objects_settings INTERFACE ${MOLEJO_DEFINITIONS})
target_compile_options(molejo_objects_settings INTERFACE ${MOLEJO_OPTIONS})

# Eigen takes its time with these
set_source_files_properties(molejo/math/decompositions.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# g++ pairs neighbouring scalars of the tree kernels into wide registers, whose loads then wait for
# narrow stores: up to 15 % slower than plain scalars
set(KERNELS
  molejo/model/kinematics.cpp molejo/model/kinematics_pack.cpp molejo/physics/forces.cpp
  molejo/physics/forces_pack.cpp molejo/physics/dynamics.cpp molejo/physics/dynamics_pack.cpp
  molejo/physics/integrate.cpp molejo/physics/integrate_pack.cpp
  molejo/physics/contact_system.cpp molejo/physics/contact_system_pack.cpp
  molejo/physics/ground_pack.cpp molejo/physics/point_contact.cpp
  molejo/physics/point_contact_pack.cpp molejo/locomotion/rollout.cpp
  molejo/locomotion/rollout_pack.cpp)
set_source_files_properties(${KERNELS} PROPERTIES
  COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize> SKIP_UNITY_BUILD_INCLUSION ON)
# the page of the gallery is part of the library
file(GLOB GALLERY_PAGE CONFIGURE_DEPENDS molejo/io/gallery_page/*)
set_source_files_properties(molejo/io/gallery_page.cpp PROPERTIES OBJECT_DEPENDS "${GALLERY_PAGE}"
  COMPILE_DEFINITIONS MOLEJO_GALLERY_DIR="${PROJECT_SOURCE_DIR}/molejo/io/gallery_page"
  SKIP_UNITY_BUILD_INCLUSION ON)
if(MPI_CXX_FOUND)
  # one source knows of it: the others compile as they do without
  list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND -isystem OUTPUT_VARIABLE MPI_OPTIONS)
  set_source_files_properties(molejo/optimise/mpi.cpp PROPERTIES COMPILE_OPTIONS "${MPI_OPTIONS}"
    COMPILE_DEFINITIONS "MOLEJO_MPI;OMPI_SKIP_MPICXX;MPICH_SKIP_MPICXX" SKIP_UNITY_BUILD_INCLUSION ON)
endif()

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

add_library(molejo STATIC $<TARGET_OBJECTS:molejo_fast> $<TARGET_OBJECTS:molejo_plain>)
add_library(molejo::molejo ALIAS molejo)
target_include_directories(molejo PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                         $<INSTALL_INTERFACE:include>)
target_compile_features(molejo PUBLIC cxx_std_20)
target_compile_definitions(molejo PUBLIC ${MOLEJO_DEFINITIONS})
target_compile_options(molejo PUBLIC ${MOLEJO_OPTIONS})
target_link_libraries(molejo
  PUBLIC Eigen3::Eigen Threads::Threads
  PRIVATE fmt::fmt pugixml::pugixml PNG::PNG
          $<BUILD_INTERFACE:molejo_settings> $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
if(MPI_CXX_FOUND)
  target_link_libraries(molejo PRIVATE $<LINK_ONLY:MPI::MPI_CXX>)
  # programs that do not ask for it do not load it
  target_link_options(molejo INTERFACE -Wl,--as-needed)
endif()
