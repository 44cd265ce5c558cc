# tools/cmake/perdure_install.cmake - what `cmake --install` lays down, and the package made of it.
# Why: a project outside the tree must get the library, the tool and perdure_add_actors by one name.
# Invariant: headers live under include/perdure-<version>/, so that two versions can be side by side.
# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(NOT TARGET perdure_runtime)
  return()
endif()

# Walks what `target` links: appends to perdure_libraries what this tree makes, and to perdure_packages
# the packages of the rest. A macro, so that the two lists are the caller's through the recursion.
macro(perdure_collect target)
  if(NOT ${target} IN_LIST perdure_libraries)
    list(APPEND perdure_libraries ${target})
    set(perdure_needs "")
    foreach(property IN ITEMS LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_target_property(needs ${target} ${property})
      list(APPEND perdure_needs ${needs})
    endforeach()
    foreach(need IN LISTS perdure_needs)
      string(REGEX REPLACE "^\\$<[A-Z_]+:(.*)>$" "\\1" need "${need}")
      if(TARGET "${need}")
        get_target_property(original ${need} ALIASED_TARGET)
        if(original)
          set(need ${original})
        endif()
        get_target_property(imported ${need} IMPORTED)
        if(imported)
          string(REGEX REPLACE "::.*" "" package "${need}")
          list(APPEND perdure_packages ${package})
        else()
          perdure_collect(${need})
        endif()
      endif()
    endforeach()
  endif()
endmacro()

set(perdure_libraries "")
set(perdure_packages "")
perdure_collect(perdure_runtime)
list(REMOVE_DUPLICATES perdure_packages)
set(perdure_dependencies "")
foreach(package IN LISTS perdure_packages)
  string(APPEND perdure_dependencies "find_dependency(${package})\n")
endforeach()

set(headers "${CMAKE_INSTALL_INCLUDEDIR}/perdure-${PROJECT_VERSION}")
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/perdure")
set_target_properties(perdure_runtime PROPERTIES EXPORT_NAME perdure)
install(TARGETS ${perdure_libraries} EXPORT perdure-targets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT perdure-targets NAMESPACE perdure:: DESTINATION "${package_dir}")
install(DIRECTORY dsl/include/perdure runtime/include/perdure DESTINATION "${headers}"
        FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY kernels/abi DESTINATION "${headers}/kernels"
        FILES_MATCHING PATTERN "*.cuh" PATTERN "*.def")

if(TARGET perdure-gen)
  install(TARGETS perdure-gen RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
else()
  install(PROGRAMS "${PERDURE_GEN}" DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
if(TARGET perdure)
  install(TARGETS perdure RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

configure_package_config_file(tools/cmake/perdure-config.cmake.in
  "${CMAKE_CURRENT_BINARY_DIR}/perdure-config.cmake" INSTALL_DESTINATION "${package_dir}"
  PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/perdure-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/perdure-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/perdure-config-version.cmake"
              tools/cmake/perdure_add_actors.cmake
        DESTINATION "${package_dir}")
