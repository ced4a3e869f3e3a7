# add_molejo_library(NAME): the library from molejo/<module>/*.cpp.
#
# A function, because an optimised build makes it twice: `molejo` without asserts is what ships,
# `molejo_checked` with asserts is what the tests link.
file(GLOB_RECURSE MOLEJO_SOURCES CONFIGURE_DEPENDS molejo/*.cpp)

# the files that step four worlds at once use the wide registers where this machine has them
file(GLOB_RECURSE MOLEJO_PACK_SOURCES CONFIGURE_DEPENDS molejo/*_pack.cpp)
if(MOLEJO_AVX2 AND MOLEJO_PACK_SOURCES)
  set_source_files_properties(${MOLEJO_PACK_SOURCES} PROPERTIES COMPILE_OPTIONS -mavx2)
endif()

function(add_molejo_library name)
  add_library(${name} ${ARGN} ${MOLEJO_SOURCES})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                            $<INSTALL_INTERFACE:include>)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name}
    PUBLIC Eigen3::Eigen Threads::Threads
    PRIVATE fmt::fmt pugixml::pugixml
            $<BUILD_INTERFACE:molejo_settings> $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
endfunction()
