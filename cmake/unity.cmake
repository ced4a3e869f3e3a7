# Sources that are compiled as one. The larger a unit, the less work in all: three units as one take
# a third less. But a change compiles its unit anew, so the units of the program stay small enough
# for seconds. A unit names its sources by their path in the project, so that it is
# the same in every clone: ccache then shares what it compiled. (CMake's own units have the whole
# path, and precompiled headers save nothing where each unit parses them once.)
option(MOLEJO_UNITY "compile several sources at a time" ON)
set(MOLEJO_UNITY_BYTES 60000)        # about, of text that takes long: many templates
set(MOLEJO_LIGHT_UNITY_BYTES 130000) # of text that does not
set(MOLEJO_LIGHT_MODULES collision director io live motion navigation net physics)
set(MOLEJO_TEST_UNITY_BYTES 120000)  # of tests: the program does not wait for them

# groups_of(LIST PREFIX BYTES SOURCE...): the names of the groups; PREFIX_<name> are the sources of each
function(groups_of list prefix most_bytes)
  set(names)
  set(group 1)
  set(bytes 0)
  set(members)
  foreach(source ${ARGN})
    file(SIZE ${source} size)
    math(EXPR bytes "${bytes} + ${size}")
    if(bytes GREATER most_bytes AND members)
      list(APPEND names ${group})
      set(${prefix}_${group} ${members} PARENT_SCOPE)
      math(EXPR group "${group} + 1")
      set(bytes ${size})
      set(members)
    endif()
    list(APPEND members ${source})
  endforeach()
  list(APPEND names ${group})
  set(${prefix}_${group} ${members} PARENT_SCOPE)
  set(${list} ${names} PARENT_SCOPE)
endfunction()

# compile_together(TARGET NAME SOURCE...): they share one scope, so their names must differ. Sources
# with the property SKIP_UNITY_BUILD_INCLUSION stay alone.
function(compile_together target name)
  if(NOT MOLEJO_UNITY)
    target_sources(${target} PRIVATE ${ARGN})
    return()
  endif()
  set(together)
  foreach(source ${ARGN})
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(alone)
      target_sources(${target} PRIVATE ${source})
    else()
      list(APPEND together ${source})
    endif()
  endforeach()
  set(most_bytes ${MOLEJO_UNITY_BYTES})
  if(name IN_LIST MOLEJO_LIGHT_MODULES)
    set(most_bytes ${MOLEJO_LIGHT_UNITY_BYTES})
  endif()
  groups_of(groups sources ${most_bytes} ${together})
  foreach(group ${groups})
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/Unity/unity_${name}_${group}.cxx)
    set(text)
    foreach(source ${sources_${group}})
      file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR} ${source})
      string(APPEND text "#include \"${source}\"\n")
    endforeach()
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
    target_sources(${target} PRIVATE ${unit})
  endforeach()
endfunction()

# compile_tests_together(TARGET NAME SOURCE...): each in a namespace of its own, so that tests may
# use the same names. Sources that reopen a namespace, or have a header, stay alone.
function(compile_tests_together target name)
  if(NOT MOLEJO_UNITY)
    target_sources(${target} PRIVATE ${ARGN})
    return()
  endif()
  set(together)
  foreach(source ${ARGN})
    string(REGEX REPLACE "cpp$" "h" header ${source})
    file(STRINGS ${source} outside REGEX "^(namespace [a-z:]+ {|template <>|extern \"C\"|#define|#if)")
    if(outside OR EXISTS ${header})
      target_sources(${target} PRIVATE ${source})
    else()
      list(APPEND together ${source})
    endif()
  endforeach()
  if(NOT together)
    return()
  endif()
  groups_of(groups sources ${MOLEJO_TEST_UNITY_BYTES} ${together})
  foreach(group ${groups})
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/Unity/unity_${name}_${group}.cxx)
    add_custom_command(OUTPUT ${unit}
      COMMAND ${CMAKE_COMMAND} -DOUT=${unit} -DROOT=${PROJECT_SOURCE_DIR} "-DSOURCES=${sources_${group}}"
              -P ${PROJECT_SOURCE_DIR}/cmake/write_test_unit.cmake
      DEPENDS ${sources_${group}} ${PROJECT_SOURCE_DIR}/cmake/write_test_unit.cmake
      COMMENT "Putting tests of ${name} together" VERBATIM)
    target_sources(${target} PRIVATE ${unit})
  endforeach()
endfunction()
