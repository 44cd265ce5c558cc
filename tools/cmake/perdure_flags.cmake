# tools/cmake/perdure_flags.cmake - compiler flags of every target of this tree.
# Why: host and device must compute the same numbers, and 16-byte atomics must be what they say.
# Invariant: no -march=native: what is built here runs on any x86-64 with cmpxchg16b.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# a * b + c is two roundings on the host as it is on the device (contract, clause 9).
add_compile_options(-ffp-contract=off)
# 16-byte __atomic operations: inline with Clang, so that ThreadSanitizer sees them; g++ calls libatomic.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options(-mcx16)
endif()

add_compile_options(-Wall -Wextra -Wpedantic)
# GCC 12 takes strings that are joined for overlapping ones at -O3 (its bug 105651); dev, at -O2, looks for such faults.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
   CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
endif()
if(PERDURE_WERROR)
  add_compile_options(-Werror)
endif()
# Debug information for stack traces, not for stepping through LLVM: half the link time and disk.
string(REPLACE "-g" "-g1" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")

if(PERDURE_SANITIZE)
  add_compile_options(-fsanitize=${PERDURE_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PERDURE_SANITIZE})
  if(PERDURE_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=all)
  endif()
endif()

if(PERDURE_PORTABLE)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()
