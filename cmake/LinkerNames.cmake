# SPDX-License-Identifier: Apache-2.0
# The table of the functions that the library has: the name in its headers and the
# name that the linker knows, for those who load the library without its headers.
#
# As a module: dnnl_cache_linker_names(TARGET HEADER...) adds dnnl_cache_linker_names.h to
# TARGET's public headers, and sets its property DNNL_CACHE_LINKER_NAMES to the file
# that has the same for other languages.
# As a script: cmake -DHEADERS=HEADER,... -DOUT=FOLDER -P LinkerNames.cmake
# Functions of oneDNN's are those of dnnl_cache/symbols.h; all others are declared
# with DNNL_API in another header, and the linker knows them as they are. The test
# exports compares all with the library.

if(CMAKE_SCRIPT_MODE_FILE)
    string(REPLACE "," ";" headers "${HEADERS}")
    set(table "")
    foreach(header IN LISTS headers)
        file(READ "${header}" text)
        string(REPLACE "\\\n" "" text "${text}")
        string(REGEX MATCHALL "DNNL_API \\**dnnl_cache_[a-z0-9_]+" found "${text}")
        foreach(declared IN LISTS found)
            string(REGEX REPLACE ".*[ *]" "" name "${declared}")
            list(APPEND table "${name} ${name}")
        endforeach()
        string(REGEX MATCHALL "#define dnnl_[a-z0-9_]+ +dnnlc_[a-z0-9_]+" found
            "${text}")
        foreach(defined IN LISTS found)
            string(REGEX REPLACE "#define ([a-z0-9_]+) +" "\\1 " pair "${defined}")
            list(APPEND table "${pair}")
        endforeach()
    endforeach()
    list(REMOVE_DUPLICATES table)
    list(SORT table)
    set(rows "${table}")
    list(TRANSFORM rows REPLACE "(.+) (.+)" " \\\\\n    X(\"\\1\", \"\\2\")")
    list(JOIN rows "" rows)
    file(READ "${CMAKE_CURRENT_LIST_DIR}/linker_names.h.in" text)
    string(CONFIGURE "${text}" text @ONLY)
    file(WRITE "${OUT}/dnnl_cache_linker_names.h" "${text}")
    list(TRANSFORM table REPLACE "(.+) (.+)" "  \"\\1\": \"\\2\"")
    list(JOIN table ",\n" table)
    file(WRITE "${OUT}/dnnl_cache_linker_names.json" "{\n${table}\n}\n")
    return()
endif()

set(DNNL_CACHE_LINKER_NAMES_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(dnnl_cache_linker_names target)
    set(out "${CMAKE_CURRENT_BINARY_DIR}/include")
    list(JOIN ARGN "," headers)
    add_custom_command(
        OUTPUT "${out}/dnnl_cache_linker_names.h"
            "${out}/dnnl_cache_linker_names.json"
        COMMAND "${CMAKE_COMMAND}" "-DHEADERS=${headers}" "-DOUT=${out}"
            -P "${DNNL_CACHE_LINKER_NAMES_SCRIPT}"
        DEPENDS ${ARGN} "${DNNL_CACHE_LINKER_NAMES_SCRIPT}"
            "${PROJECT_SOURCE_DIR}/cmake/linker_names.h.in"
        COMMENT "Writing the table of the linker's names"
        VERBATIM)
    target_sources(${target} PUBLIC FILE_SET public_headers
        BASE_DIRS "${out}" FILES "${out}/dnnl_cache_linker_names.h")
    set_target_properties(${target} PROPERTIES DNNL_CACHE_LINKER_NAMES
        "${out}/dnnl_cache_linker_names.json")
endfunction()
