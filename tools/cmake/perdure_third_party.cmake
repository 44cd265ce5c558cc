# tools/cmake/perdure_third_party.cmake - finds the libraries that more than one folder uses.
# Why: the portable preset must carry them inside its programs, whatever the folders link by name.
# Invariant: fmt::fmt and spdlog::spdlog are header-only under PERDURE_PORTABLE; the rest has archives.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# Debian ships fmt and spdlog as shared libraries only. Defining the packages' targets here, before
# find_package, makes every folder that links them by name take the headers instead.
if(PERDURE_PORTABLE)
  set(ZLIB_USE_STATIC_LIBS ON)
  set(CMAKE_FIND_LIBRARY_SUFFIXES ".a;.so")
  foreach(name IN ITEMS fmt::fmt fmt::fmt-header-only spdlog::spdlog spdlog::spdlog_header_only)
    add_library(${name} INTERFACE IMPORTED GLOBAL)
    target_compile_definitions(${name} INTERFACE FMT_HEADER_ONLY=1)
  endforeach()
  foreach(name IN ITEMS spdlog::spdlog spdlog::spdlog_header_only)
    target_compile_definitions(${name} INTERFACE SPDLOG_FMT_EXTERNAL=1)
  endforeach()
endif()

find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(ZLIB REQUIRED)

# 16-byte atomics: g++ calls libatomic. The archive where there is one, so that nothing more is needed.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libatomic.a
                  OUTPUT_VARIABLE perdure_libatomic OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(PERDURE_PORTABLE AND IS_ABSOLUTE "${perdure_libatomic}")
    link_libraries("${perdure_libatomic}")
  else()
    link_libraries(atomic)
  endif()
endif()
