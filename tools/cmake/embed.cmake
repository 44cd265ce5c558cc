# tools/cmake/embed.cmake - the device headers as one generated source: a table from name to text.
# Why: NVRTC takes them from memory, so a program needs neither this tree nor an include path at run time.
# Invariant: names are spelled as in #include; the table is sorted by name. The contract: runtime/jit/headers.hpp.
# SPDX-License-Identifier: Apache-2.0
#
# Included: perdure_embed_headers(target) adds the generated source to a target.
# As a script (the build runs it so): cmake -DROOT=dir -DOUT=file.cpp -P embed.cmake

function(perdure_list_embedded root out_files out_names)
  file(GLOB_RECURSE kernels LIST_DIRECTORIES false RELATIVE "${root}" "${root}/kernels/*.cuh" "${root}/kernels/*.def")
  file(GLOB_RECURSE dsl LIST_DIRECTORIES false RELATIVE "${root}/dsl/include" "${root}/dsl/include/perdure/*.hpp")
  file(GLOB_RECURSE std LIST_DIRECTORIES false RELATIVE "${root}/kernels/mini_std" "${root}/kernels/mini_std/*")
  set(pairs)
  foreach(name IN LISTS kernels)
    list(APPEND pairs "${name} ${name}")
  endforeach()
  foreach(name IN LISTS dsl)
    list(APPEND pairs "${name} dsl/include/${name}")
  endforeach()
  foreach(name IN LISTS std)
    list(APPEND pairs "${name} kernels/mini_std/${name}")
  endforeach()
  list(SORT pairs)  # a blank sorts before all that names hold, so this is the order of the names
  list(TRANSFORM pairs REPLACE " .*" "" OUTPUT_VARIABLE names)
  list(TRANSFORM pairs REPLACE ".* " "" OUTPUT_VARIABLE files)
  set(${out_files} "${files}" PARENT_SCOPE)
  set(${out_names} "${names}" PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  perdure_list_embedded("${ROOT}" files names)
  set(table "")
  foreach(file name IN ZIP_LISTS files names)
    file(READ "${ROOT}/${file}" text)
    string(FIND "${text}" ")perdure\"" clash)
    if(NOT clash EQUAL -1)
      message(FATAL_ERROR "${file}: holds )perdure\", the end mark of the embedding")
    endif()
    string(APPEND table "  {\"${name}\", R\"perdure(${text})perdure\"},\n")
  endforeach()
  file(WRITE "${OUT}.new" "// made by tools/cmake/embed.cmake; do not edit.
#include \"runtime/jit/headers.hpp\"

namespace perdure::runtime::jit {
namespace {
constexpr header table[] = {
${table}};
}  // namespace
std::span<const header> embedded_headers() { return table; }
}  // namespace perdure::runtime::jit
")
  file(COPY_FILE "${OUT}.new" "${OUT}" ONLY_IF_DIFFERENT)
  file(REMOVE "${OUT}.new")
  return()
endif()

include_guard(GLOBAL)
set(PERDURE_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

# A header that is new to the tree is picked up at the next configure; a changed one at the next build.
function(perdure_embed_headers target)
  set(root "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../..")
  cmake_path(NORMAL_PATH root)
  perdure_list_embedded("${root}" files names)
  file(GLOB_RECURSE watched CONFIGURE_DEPENDS LIST_DIRECTORIES false "${root}/kernels/*.cuh" "${root}/kernels/*.def"
       "${root}/dsl/include/perdure/*.hpp" "${root}/kernels/mini_std/*")
  list(TRANSFORM files PREPEND "${root}/")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/embedded_headers.cpp")
  add_custom_command(OUTPUT "${out}"
    COMMAND "${CMAKE_COMMAND}" "-DROOT=${root}" "-DOUT=${out}" -P "${PERDURE_EMBED_SCRIPT}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${out}"
    DEPENDS ${files} "${PERDURE_EMBED_SCRIPT}"
    COMMENT "Embedding the device headers" VERBATIM)
  target_sources(${target} PRIVATE "${out}")
endfunction()
