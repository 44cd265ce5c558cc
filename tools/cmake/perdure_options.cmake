# tools/cmake/perdure_options.cmake - every switch of the build, in one list.
# Why: the presets set these; a person who builds by hand finds them here.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

option(PERDURE_TESTS "Build the tests" ON)
option(PERDURE_WERROR "Warnings are errors" OFF)
option(PERDURE_PORTABLE "Link third-party and C++ libraries statically" OFF)
set(PERDURE_SANITIZE "" CACHE STRING "Argument of -fsanitize=, such as address,undefined or thread")
set(PERDURE_GEN "" CACHE FILEPATH
    "A perdure-gen built elsewhere; set, this build needs no LLVM and leaves codegen/ out")
set(PERDURE_PRECOMPILE "native" CACHE STRING
    "Architectures, such as sm_90, whose device code programs embed, which needs NVRTC; native: those of this machine's GPUs, if that can be; empty: none. As PRECOMPILE of perdure_add_actors()")

# An absent file is as good as unset only while nothing was promised: say so now, not in ninja.
if(PERDURE_GEN AND NOT EXISTS "${PERDURE_GEN}")
  message(FATAL_ERROR "PERDURE_GEN is ${PERDURE_GEN}, which does not exist; "
                      "build it first: cmake --preset dev && cmake --build --preset dev --target perdure-gen")
endif()
if(PERDURE_GEN)
  set(PERDURE_BUILD_TOOL OFF)
else()
  set(PERDURE_BUILD_TOOL ON)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

find_program(PERDURE_CCACHE ccache)
mark_as_advanced(PERDURE_CCACHE)
if(PERDURE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${PERDURE_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PERDURE_CCACHE}")
endif()
