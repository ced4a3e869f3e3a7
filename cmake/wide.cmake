# Kernels for processors with AVX2, beside those for all: molejo/math/instructions.h chooses.
#
# Inline functions and templates that are compiled for AVX2 must serve AVX2 alone, or the linker
# might take them for everybody. So the objects become one, and what that one defines is its own,
# but for namespace wide.
if(NOT (MOLEJO_UNITY  # clang-tidy reads the other build, and does not know every option of g++
        AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64"
        AND CMAKE_LINKER AND CMAKE_OBJCOPY))
  set(MOLEJO_WIDE_OBJECT)  # one set of kernels
  return()
endif()

add_library(molejo_wide OBJECT ${MOLEJO_PACK_SOURCES})
target_link_libraries(molejo_wide PRIVATE molejo_objects_settings)
target_compile_definitions(molejo_wide PRIVATE MOLEJO_SET=wide)
target_compile_options(molejo_wide PRIVATE -mavx2 -fvisibility=hidden -fno-gnu-unique)
target_compile_definitions(molejo_objects_settings INTERFACE MOLEJO_TWO_SETS)

set(MOLEJO_WIDE_OBJECT ${CMAKE_BINARY_DIR}/wide.o)
add_custom_command(OUTPUT ${MOLEJO_WIDE_OBJECT}
  COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o wide_all.o $<TARGET_OBJECTS:molejo_wide>
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=_ZN6molejo4wide*
          --keep-global-symbol=_ZN6molejo*4wide* wide_all.o ${MOLEJO_WIDE_OBJECT}
  COMMAND ${CMAKE_COMMAND} -E rm wide_all.o
  DEPENDS molejo_wide $<TARGET_OBJECTS:molejo_wide>
  COMMAND_EXPAND_LISTS VERBATIM COMMENT "Joining the kernels for AVX2")
set_source_files_properties(${MOLEJO_WIDE_OBJECT} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
