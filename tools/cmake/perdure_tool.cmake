# tools/cmake/perdure_tool.cmake - where perdure-gen comes from, and the LLVM it is built with.
# Why: sanitizer and portable builds borrow the tool of the dev build; only codegen/ needs LLVM.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

if(PERDURE_GEN)
  add_executable(perdure::gen IMPORTED GLOBAL)
  set_target_properties(perdure::gen PROPERTIES IMPORTED_LOCATION "${PERDURE_GEN}")
endif()

# Finds LLVM and Clang 19 for codegen/, or says what to install. A macro: the package's variables
# (LLVM_INCLUDE_DIRS, CLANG_INCLUDE_DIRS and so on) must reach the caller.
macro(perdure_find_llvm)
  find_package(LLVM 19.1 CONFIG QUIET HINTS /usr/lib/llvm-19/lib/cmake/llvm)
  if(LLVM_FOUND)
    find_package(Clang CONFIG QUIET HINTS "${LLVM_DIR}/../clang")
  endif()
  if(NOT LLVM_FOUND OR NOT Clang_FOUND)
    message(FATAL_ERROR "perdure-gen is built with LLVM and Clang 19.1, which were not found. "
      "On Debian: apt-get install llvm-19-dev libclang-19-dev (tools/setup does it). "
      "Elsewhere: pass -DLLVM_DIR=<prefix>/lib/cmake/llvm, or -DPERDURE_GEN=<a perdure-gen>.")
  endif()
endmacro()
