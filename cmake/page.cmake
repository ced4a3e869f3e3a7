# The page of the studio as part of the program: apps/cli/page.cpp takes its three files in.
find_program(NODE node)
file(GLOB_RECURSE PAGE_SOURCES CONFIGURE_DEPENDS web/*)
list(FILTER PAGE_SOURCES EXCLUDE REGEX "/(dist|node_modules)/")
set(PAGE_DIR ${CMAKE_BINARY_DIR}/page)
set(PAGE_FILES ${PAGE_DIR}/index.html ${PAGE_DIR}/app.js ${PAGE_DIR}/style.css)
set(PAGE_NEEDS_PACKAGES OFF)
if(EXISTS ${PROJECT_SOURCE_DIR}/web/build.mjs)
  file(STRINGS web/build.mjs PAGE_BUNDLER REGEX "esbuild")
  if(PAGE_BUNDLER)
    set(PAGE_NEEDS_PACKAGES ON)
  endif()
endif()
add_custom_command(OUTPUT ${PAGE_FILES}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/web "-DNODE=$<$<BOOL:${NODE}>:${NODE}>"
          -DOUT=${PAGE_DIR} -DNEEDS_PACKAGES=${PAGE_NEEDS_PACKAGES}
          -P ${PROJECT_SOURCE_DIR}/cmake/build_page.cmake
  DEPENDS ${PAGE_SOURCES} ${PROJECT_SOURCE_DIR}/package.json
          ${PROJECT_SOURCE_DIR}/cmake/build_page.cmake
  COMMENT "Building the page of the studio" VERBATIM)
add_custom_target(molejo_page DEPENDS ${PAGE_FILES})
