# tools/cmake/perdure_add_test.cmake - one way to register a test program.
# Why: labels select tests by kind, and the folder decides which ones run under the sanitizers.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

if(PERDURE_TESTS)
  find_package(GTest 1.12 REQUIRED)
  include(GoogleTest)
  foreach(sanitizer IN ITEMS asan tsan fuzz)
    add_custom_target(tests-${sanitizer})  # builds what carries that label, and no more
  endforeach()
endif()

# perdure_add_test(name LABELS unit|cpu|golden|refuse|model|device|perf... [asan] [tsan]
#                  SOURCES file... [LIBS target...] [ARGS word...] [DEPENDS target...]
#                  [TIMEOUT seconds] [WORKING_DIRECTORY dir] [PLAIN] [BY_FACADE])
#
# Each TEST of GoogleTest becomes a test of ctest, named as the claim it makes. PLAIN: the program has a
# main of its own and is one test; it fails by its exit code, and 77 means skipped.
# BY_FACADE: it includes the library's public headers and no others.
# The labels asan, tsan and fuzz put it into the runs of those presets (and into targets tests-asan, tests-tsan, tests-fuzz).
function(perdure_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PLAIN;BY_FACADE" "TIMEOUT;WORKING_DIRECTORY"
                        "LABELS;SOURCES;LIBS;ARGS;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES OR NOT arg_LABELS)
    message(FATAL_ERROR "perdure_add_test(${name}): needs LABELS and SOURCES; "
                        "not understood: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(NOT arg_WORKING_DIRECTORY)
    set(arg_WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()

  add_executable(${name} ${arg_SOURCES})
  # A test of a library is no part of it: less optimised, and without the checks of undefined behaviour that the library has,
  # if it sees no more of it than the facade. Of inline functions that both have the linker takes the test's.
  if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
    target_compile_options(${name} PRIVATE -O1)
    if(PERDURE_SANITIZE MATCHES "undefined" AND arg_BY_FACADE)
      target_compile_options(${name} PRIVATE -fno-sanitize=undefined)
    endif()
  endif()
  # What all of a large test's files include is read once.
  list(LENGTH arg_SOURCES files)
  if(files GREATER 5)
    target_precompile_headers(${name} PRIVATE <functional> <string> <thread> <vector> <gtest/gtest.h>)
    if("perdure_runtime" IN_LIST arg_LIBS)
      target_precompile_headers(${name} PRIVATE <perdure/system.hpp>)
    endif()
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LIBS})
  foreach(sanitizer IN ITEMS asan tsan fuzz)
    if(sanitizer IN_LIST arg_LABELS)
      add_dependencies(tests-${sanitizer} ${name})
    endif()
  endforeach()
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()

  if(arg_PLAIN)
    add_test(NAME ${name} COMMAND ${name} ${arg_ARGS} WORKING_DIRECTORY "${arg_WORKING_DIRECTORY}")
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
                         SKIP_RETURN_CODE 77)
    return()
  endif()
  target_link_libraries(${name} PRIVATE GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    EXTRA_ARGS ${arg_ARGS} WORKING_DIRECTORY "${arg_WORKING_DIRECTORY}"
    PROPERTIES TIMEOUT ${arg_TIMEOUT})
  # Read by ctest after the discovered tests: a list of labels does not survive gtest_discover_tests.
  set(labels "${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake")
  file(WRITE "${labels}" "if(${name}_TESTS)\n"
       "  set_tests_properties(\${${name}_TESTS} PROPERTIES LABELS \"${arg_LABELS}\")\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels}")
endfunction()
