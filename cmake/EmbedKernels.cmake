# SPDX-License-Identifier: Apache-2.0
# OpenCL C sources as C strings.
#
# As a module: embed_kernels(OUT_VAR file.cl ...) adds the generated C files to
# OUT_VAR; kernels/matmul.cl becomes `const char kernel_matmul_cl[]`.
# As a script: cmake -DIN=file.cl -DOUT=file.c -DNAME=matmul -P EmbedKernels.cmake

if(CMAKE_SCRIPT_MODE_FILE)
    # Hexadecimal, so that no character of the source means anything to CMake
    # or to C; array initializers have no length limit in C99.
    file(READ "${IN}" bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
        "    \\1\n" bytes "${bytes}")
    file(WRITE "${OUT}"
        "/* Generated from ${NAME}.cl by cmake/EmbedKernels.cmake. */\n"
        "extern const char kernel_${NAME}_cl[];\n"
        "const char kernel_${NAME}_cl[] = {\n${bytes}\n    0x00};\n")
    return()
endif()

set(DNNL_CACHE_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(embed_kernels out_var)
    set(generated "")
    foreach(file IN LISTS ARGN)
        get_filename_component(name "${file}" NAME_WE)
        set(in "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
        set(out "${CMAKE_CURRENT_BINARY_DIR}/kernel_${name}.c")
        add_custom_command(OUTPUT "${out}"
            COMMAND "${CMAKE_COMMAND}" "-DIN=${in}" "-DOUT=${out}"
                "-DNAME=${name}" -P "${DNNL_CACHE_EMBED_SCRIPT}"
            DEPENDS "${in}" "${DNNL_CACHE_EMBED_SCRIPT}"
            COMMENT "Embedding ${file}"
            VERBATIM)
        list(APPEND generated "${out}")
    endforeach()
    set(${out_var} "${generated}" PARENT_SCOPE)
endfunction()
