/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What reads the same for both libraries, in C and C++: included behind the
 * header of one, whose functions it then names.
 */
#ifndef DNNL_CACHE_TESTS_ONEDNN_SIDE_PARTS_H
#define DNNL_CACHE_TESTS_ONEDNN_SIDE_PARTS_H

#include "side.h"

static void get_version(int version[2])
{
    const dnnl_version_t *v = dnnl_version();
    version[0] = v->major;
    version[1] = v->minor;
}

static void get_functions(uintptr_t functions[side_functions])
{
    functions[0] = (uintptr_t)&dnnl_version;
    functions[1] = (uintptr_t)&dnnl_engine_create;
    functions[2] = (uintptr_t)&dnnl_stream_wait;
    functions[3] = (uintptr_t)&dnnl_memory_create;
    functions[4] = (uintptr_t)&dnnl_primitive_create;
    functions[5] = (uintptr_t)&dnnl_primitive_execute;
}

/* A struct side of these and of the functions behind it. */
#define SIDE_OF(open, matmul, relu, close)                                    \
    {                                                                         \
        {DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR}, get_version, get_functions, \
                open, matmul, relu, close                                     \
    }

#endif /* DNNL_CACHE_TESTS_ONEDNN_SIDE_PARTS_H */
