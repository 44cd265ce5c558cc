# tests/install/outside.cmake - install, then configure, build and run the project in a folder of its own.
# Why: a prefix that holds a path of the build tree works here and nowhere else; so look for one.
# Invariant: the project sees the prefix only; its sources are a copy.
# SPDX-License-Identifier: Apache-2.0
set(prefix "${SCRATCH}/prefix")
set(source "${SCRATCH}/source")
file(REMOVE_RECURSE "${SCRATCH}")
file(COPY "${PROJECT}/" DESTINATION "${source}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "exit ${code} from: ${command}\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")
file(GLOB_RECURSE configs "${prefix}/*.cmake")
foreach(config IN LISTS configs)
  file(STRINGS "${config}" lines)
  string(FIND "${lines}" "${BUILD}" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${config} names the build tree ${BUILD}")
  endif()
endforeach()

run("${CMAKE_COMMAND}" -G Ninja -S "${source}" -B "${SCRATCH}/build" "-DCMAKE_PREFIX_PATH=${prefix}"
    "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" -DCMAKE_BUILD_TYPE=Release)
run("${CMAKE_COMMAND}" --build "${SCRATCH}/build")
run("${CMAKE_COMMAND}" --build "${SCRATCH}/build")
if(output MATCHES "perdure-gen")
  message(FATAL_ERROR "nothing has changed, and the second build makes the program again:\n${output}")
endif()
run("${SCRATCH}/build/bank")
message(STATUS "${output}")
if(NOT output MATCHES "account 42 on cpu holds 101 cents")
  message(FATAL_ERROR "the program printed: ${output}")
endif()
