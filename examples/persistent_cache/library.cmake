# SPDX-License-Identifier: Apache-2.0
# dnnl_cache::persistent_cache: the bucket store behind five calls. Needs no
# primitives; the reference application in this folder does.
add_library(dnnl_cache_persistent_cache
    "${CMAKE_CURRENT_LIST_DIR}/persistent_cache.c")
add_library(dnnl_cache::persistent_cache ALIAS dnnl_cache_persistent_cache)
set_target_properties(dnnl_cache_persistent_cache PROPERTIES
    EXPORT_NAME persistent_cache
    INSTALL_RPATH "$ORIGIN" # the library and its stores are beside it
    C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
target_include_directories(dnnl_cache_persistent_cache PRIVATE
    "${CMAKE_CURRENT_LIST_DIR}" "${CMAKE_CURRENT_LIST_DIR}/../stores")
target_link_libraries(dnnl_cache_persistent_cache
    PUBLIC dnnl_cache::dnnl_cache
    PRIVATE dnnl_cache_stores_library Threads::Threads)
dnnl_cache_example_library(dnnl_cache_persistent_cache
    "${CMAKE_CURRENT_LIST_DIR}/persistent_cache.h")
