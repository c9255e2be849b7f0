# SPDX-License-Identifier: Apache-2.0
# For a folder that is configured as a project of its own, as in
# "cmake -S tools": gives it the targets that the whole project has. The library
# is an installed one. So are the stores if it was installed with them; else
# they are built from the sources beside.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

find_package(dnnl_cache REQUIRED OPTIONAL_COMPONENTS stores
    persistent_cache)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)
include("${CMAKE_CURRENT_LIST_DIR}/FindPackStore.cmake")
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
include("${CMAKE_CURRENT_LIST_DIR}/DnnlCacheTarget.cmake")

# An installed library without primitives says so.
get_target_property(definitions dnnl_cache::dnnl_cache
    INTERFACE_COMPILE_DEFINITIONS)
set(DNNL_CACHE_PRIMITIVES ON)
if("DNNL_CACHE_PRIMITIVES=0" IN_LIST definitions)
    set(DNNL_CACHE_PRIMITIVES OFF)
endif()

if(TARGET dnnl_cache::stores)
    add_library(dnnl_cache_stores ALIAS dnnl_cache::stores)
else()
    add_subdirectory("${CMAKE_CURRENT_LIST_DIR}/../stores" stores)
endif()
add_subdirectory("${CMAKE_CURRENT_LIST_DIR}/../tools/common" common)
