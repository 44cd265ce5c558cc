# tests/breaks/expect_failure.cmake - runs a program that must fail, and for the reason given.
# Use: cmake -DPROGRAM=path -DFILTER=gtest-filter -DREASON=regex -P expect_failure.cmake
# Why: WILL_FAIL would also take a missing program or a crash for the failure that is meant.
# SPDX-License-Identifier: Apache-2.0
execute_process(COMMAND "${PROGRAM}" "--gtest_filter=${FILTER}" RESULT_VARIABLE code TIMEOUT 100
                OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(code STREQUAL "0")
  message(FATAL_ERROR "the deliberate break was not noticed: ${PROGRAM} passed\n${output}")
endif()
if(NOT output MATCHES "${REASON}")
  message(FATAL_ERROR "it failed (${code}), but not by '${REASON}':\n${output}")
endif()
message(STATUS "noticed: ${CMAKE_MATCH_0}")
