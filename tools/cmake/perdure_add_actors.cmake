# tools/cmake/perdure_add_actors.cmake - turns headers of actors into a program of the target.
# Why: the same call works in this tree and in a project that did find_package(perdure).
# Invariant: a header is read again exactly when it, something it includes, the flags or the tool change.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
cmake_policy(PUSH)
cmake_policy(VERSION 3.25)

# perdure_add_actors(target header... [PRECOMPILE native|sm_90...])
#
# For each STEM.hpp: runs perdure-gen, adds STEM.actors.cpp to the target, and makes
# `#include "STEM.actors.hpp"` work in its sources. The tool sees the target's include directories and
# definitions. The device code of these architectures is compiled in the build and embedded, so that no start
# waits for NVRTC; native stands for the GPUs of this machine, if there are any. Without PRECOMPILE it is as the
# variable PERDURE_PRECOMPILE says, and native where that is not set. Embedded is the code for options as they
# are; a system that asks for other lanes, more workers than processors or counted placement has its own compiled.
# The target must be made in the same directory; it is linked with perdure::perdure.
function(perdure_add_actors target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PRECOMPILE")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "perdure_add_actors: there is no target '${target}'; call add_executable first")
  endif()
  if(NOT arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "perdure_add_actors(${target}): name at least one header")
  endif()
  if(NOT "PRECOMPILE" IN_LIST ARGN)
    set(arg_PRECOMPILE native)
    if(DEFINED PERDURE_PRECOMPILE)
      set(arg_PRECOMPILE "${PERDURE_PRECOMPILE}")
    endif()
  endif()
  foreach(arch IN LISTS arg_PRECOMPILE)
    if(NOT arch MATCHES "^(native|sm_[0-9]+[af]?)$")
      message(FATAL_ERROR "perdure_add_actors(${target}): PRECOMPILE, or else PERDURE_PRECOMPILE, takes native or sm_NN, not '${arch}'")
    endif()
  endforeach()
  if(TARGET perdure-gen)
    set(tool perdure-gen)
  else()
    set(tool perdure::gen)
  endif()

  set(directory "${CMAKE_CURRENT_BINARY_DIR}/${target}.actors")
  set(precompile "")
  if(arg_PRECOMPILE)
    list(JOIN arg_PRECOMPILE "," archs)
    set(precompile "--precompile" "${archs}")
  endif()
  # The flags as lists that vanish when empty: `-I` once a directory, `-D` once a definition.
  set(includes "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>>")
  set(definitions "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>>")
  set(flags "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
            "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>")

  set(stems "")
  foreach(header IN LISTS arg_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH header BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    if(NOT EXISTS "${header}")
      message(FATAL_ERROR "perdure_add_actors(${target}): ${header} does not exist")
    endif()
    cmake_path(GET header STEM LAST_ONLY stem)
    if(stem IN_LIST stems)
      message(FATAL_ERROR "perdure_add_actors(${target}): two headers are named ${stem}")
    endif()
    list(APPEND stems "${stem}")
    set(base "${directory}/${stem}.actors")
    add_custom_command(
      # the first one is the depfile's target: with another first Ninja would run the tool in every build
      OUTPUT "${base}.hpp" "${base}.cpp" "${base}.cu" "${base}.json"
      COMMAND ${tool} "${header}" -o "${directory}" --depfile "${base}.d" ${precompile}
              -- -std=c++20 "${flags}"
      DEPENDS "${header}" "$<TARGET_FILE:${tool}>"
      DEPFILE "${base}.d"
      COMMENT "perdure-gen ${stem}.hpp"
      COMMAND_EXPAND_LISTS VERBATIM)
    target_sources(${target} PRIVATE "${base}.cpp" "${base}.hpp")
  endforeach()
  target_include_directories(${target} PRIVATE "${directory}")
  target_link_libraries(${target} PRIVATE perdure::perdure)
endfunction()

cmake_policy(POP)
