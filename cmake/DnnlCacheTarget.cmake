# SPDX-License-Identifier: Apache-2.0
# What every target of the project is compiled with.

# dnnl_cache_target(TARGET): warnings, sanitizers and coverage of this build.
function(dnnl_cache_target target)
    set(c_and_cxx -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow
        -Wpointer-arith -Wundef -pedantic)
    set(c_only -Wstrict-prototypes -Wmissing-prototypes -Wvla)
    target_compile_options(${target} PRIVATE ${c_and_cxx}
        "$<$<COMPILE_LANGUAGE:C>:${c_only}>")
    if(DNNL_CACHE_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    if(DNNL_CACHE_SANITIZE)
        set(sanitizers "${DNNL_CACHE_SANITIZE}")
        # Not among those that "undefined" means.
        if(sanitizers MATCHES "undefined")
            string(APPEND sanitizers ",float-cast-overflow")
        endif()
        target_compile_options(${target} PRIVATE
            -fsanitize=${sanitizers} -fno-sanitize-recover=all
            -fno-omit-frame-pointer -g1)
        target_link_options(${target} PRIVATE -fsanitize=${sanitizers})
    endif()
    if(DNNL_CACHE_COVERAGE)
        # Threads count the same branches: plain counters can end up negative.
        target_compile_options(${target} PRIVATE --coverage -O0 -g
            -fprofile-update=atomic)
        target_compile_definitions(${target} PRIVATE DNNL_CACHE_COVERAGE)
        target_link_options(${target} PRIVATE --coverage)
    endif()
    target_compile_definitions(${target} PRIVATE
        CL_TARGET_OPENCL_VERSION=300 CL_USE_DEPRECATED_OPENCL_1_2_APIS
        _GNU_SOURCE)
    # Otherwise a 32-bit stat() fails on files of 2 GiB or more, and on those
    # whose number has more than 32 bits, as XFS and overlayfs give.
    if(CMAKE_SIZEOF_VOID_P EQUAL 4)
        target_compile_definitions(${target} PRIVATE _FILE_OFFSET_BITS=64)
    endif()
endfunction()
