# SPDX-License-Identifier: Apache-2.0
# Libraries beside the main one that are installed with headers of their own.
include_guard(GLOBAL)

# dnnl_cache_public_library(TARGET HEADERS ...): TARGET's users include its
# headers, which are in include/dnnl_cache, as <dnnl_cache/...>, in the build as
# installed. A static library keeps its hidden names to itself, as a shared one
# does.
function(dnnl_cache_public_library target)
    cmake_path(SET include NORMALIZE
        "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include")
    list(TRANSFORM ARGN PREPEND "${include}/dnnl_cache/" OUTPUT_VARIABLE headers)
    target_sources(${target} PUBLIC FILE_SET public_headers TYPE HEADERS
        BASE_DIRS "${include}" FILES ${headers})
    dnnl_cache_target(${target})
    if(DEFINED DNNL_CACHE_SOVERSION) # of the project itself
        get_target_property(version dnnl_cache VERSION)
        set_target_properties(${target} PROPERTIES
            VERSION ${version} SOVERSION ${DNNL_CACHE_SOVERSION})
    endif()
    if(NOT DNNL_CACHE_SANITIZE) # whose symbols the program brings
        target_link_options(${target} PRIVATE
            "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>:LINKER:--no-undefined>")
    endif()
    get_target_property(type ${target} TYPE)
    set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/LocalizeSymbols.cmake")
    if(type STREQUAL "STATIC_LIBRARY" AND CMAKE_OBJCOPY AND CMAKE_LINKER
            AND NOT CMAKE_INTERPROCEDURAL_OPTIMIZATION)
        add_custom_command(TARGET ${target} POST_BUILD
            COMMAND "${CMAKE_COMMAND}" "-DARCHIVE=$<TARGET_FILE:${target}>"
                "-DLD=${CMAKE_LINKER}" "-DOBJCOPY=${CMAKE_OBJCOPY}"
                "-DAR=${CMAKE_AR}" -P "${script}"
            COMMENT "Hiding the internal names of ${target}"
            VERBATIM)
    endif()
endfunction()
