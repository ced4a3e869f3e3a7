# add_molejo_library(NAME): the library from molejo/<module>/*.cpp.
#
# A function, because an optimised build makes it twice: `molejo` without asserts is what ships,
# `molejo_checked` with asserts is what the tests link.
file(GLOB_RECURSE MOLEJO_SOURCES CONFIGURE_DEPENDS molejo/*.cpp)

# All who see a Pack4 must agree on how it is passed, and that depends on AVX: functions that two
# files share would otherwise read each other's arguments wrongly. So the flag is for the whole
# library and its users. Eigen must not notice it, or sums would get another order and memory
# another alignment with it than without.
set(MOLEJO_DEFINITIONS EIGEN_DONT_VECTORIZE)
set(MOLEJO_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>)
if(MOLEJO_AVX2)
  set(MOLEJO_OPTIONS -mavx2)
endif()

function(add_molejo_library name)
  add_library(${name} ${ARGN} ${MOLEJO_SOURCES})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                            $<INSTALL_INTERFACE:include>)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_compile_definitions(${name} PUBLIC ${MOLEJO_DEFINITIONS})
  target_compile_options(${name} PUBLIC ${MOLEJO_OPTIONS})
  target_link_libraries(${name}
    PUBLIC Eigen3::Eigen Threads::Threads
    PRIVATE fmt::fmt pugixml::pugixml
            $<BUILD_INTERFACE:molejo_settings> $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
endfunction()
