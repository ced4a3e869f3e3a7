# Compiler settings of our own targets.
add_library(molejo_settings INTERFACE)
target_compile_options(molejo_settings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Werror
  -ffp-contract=off  # no fused multiply-add: the same bits in every build
  # g++ 12: false alarms about strings and variants
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-array-bounds
    -Wno-maybe-uninitialized>
  -UNDEBUG  # our asserts are few and cheap: on in every build, so that what is tested is what ships
  $<$<CONFIG:Debug>:-Og>)  # Eigen without any optimisation is ten times slower
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND MOLEJO_UNITY)  # clang-tidy reads the other one
  # collecting garbage costs g++ a tenth of its time; below 1 GB it need not
  target_compile_options(molejo_settings INTERFACE --param=ggc-min-heapsize=1000000)
endif()
target_compile_definitions(molejo_settings INTERFACE $<$<NOT:$<CONFIG:Debug>>:EIGEN_NO_DEBUG>)

# Of what nobody waits for. For a unit of templates g++ takes a fifth less with -Og than with -O1,
# and no less with -O0.
set(MOLEJO_PLAIN_OPTIONS $<$<CONFIG:Release>:-Og>)

set(MOLEJO_SANITIZERS)
if(MOLEJO_SANITIZE STREQUAL "thread")
  set(MOLEJO_SANITIZERS -fsanitize=thread)
elseif(MOLEJO_SANITIZE OR MOLEJO_FUZZ)
  set(MOLEJO_SANITIZERS -fsanitize=address,undefined -fno-sanitize-recover=undefined)
endif()
if(MOLEJO_SANITIZERS)
  target_compile_options(molejo_settings INTERFACE ${MOLEJO_SANITIZERS} -fno-omit-frame-pointer)
  target_link_options(molejo_settings INTERFACE ${MOLEJO_SANITIZERS})
  target_compile_definitions(molejo_settings INTERFACE _GLIBCXX_ASSERTIONS)
endif()
if(MOLEJO_FUZZ)
  target_compile_options(molejo_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()
