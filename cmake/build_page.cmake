# Builds the page of the studio into OUT: index.html, app.js, style.css.
#
#   cmake -DSOURCE=web -DNODE=node -DOUT=folder -P build_page.cmake
#
# Without node, or without the packages of package.json, a page that says how to get the real one.
file(MAKE_DIRECTORY ${OUT})
get_filename_component(ROOT ${SOURCE} DIRECTORY)
set(MISSING "")
if(NOT EXISTS ${SOURCE}/build.mjs)
  set(MISSING "the sources of the page (web/) are not here")
elseif(NOT NODE)
  set(MISSING "node was not found when this program was built: apt-get install nodejs npm")
elseif(NOT EXISTS ${ROOT}/node_modules/esbuild AND NEEDS_PACKAGES)
  set(MISSING "packages were missing when this program was built: npm ci")
endif()

if(MISSING)
  message(STATUS "the studio has no page: ${MISSING}")
  file(WRITE ${OUT}/index.html
       "<!doctype html><meta charset=utf-8><title>Molejo</title><p>No page: ${MISSING}; then build again.</p>\n")
  file(WRITE ${OUT}/app.js "\n")
  file(WRITE ${OUT}/style.css "\n")
  return()
endif()

execute_process(COMMAND ${NODE} ${SOURCE}/build.mjs ${OUT} WORKING_DIRECTORY ${ROOT}
                RESULT_VARIABLE CODE)
if(NOT CODE EQUAL 0)
  message(FATAL_ERROR "node web/build.mjs failed")
endif()
foreach(name index.html app.js style.css)
  if(NOT EXISTS ${OUT}/${name})
    message(FATAL_ERROR "node web/build.mjs wrote no ${name}")
  endif()
  file(TOUCH ${OUT}/${name})
endforeach()
