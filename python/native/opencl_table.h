/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OpenCL loader of a process that has perhaps loaded one already.
 *
 * PyPI's pyopencl brings a loader of its own, under a name of its own. A
 * library that is linked against libOpenCL.so.1 would bring a second one into
 * the process, with layers and an order of platforms of its own. So this
 * library is linked against none: what it calls of OpenCL is in
 * layer/driver/next_layer.c, and goes to the functions that are found here.
 */
#ifndef DNNL_CACHE_PYTHON_OPENCL_TABLE_H
#define DNNL_CACHE_PYTHON_OPENCL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Where the functions of OpenCL are looked for. */
struct opencl_source {
    /* A shared object in the process that is linked against a loader, such as
     * pyopencl's extension module: its loader is used. NULL: the first loader
     * that is in the process. */
    const char *user;
    /* A loader to open if there is none; NULL: none is opened. */
    const char *fallback;
};

/* Fills the table of functions. On failure nothing has changed, and why says
 * what is missing. One thread at a time. */
bool opencl_table_fill(
        const struct opencl_source *source, char *why, size_t why_capacity);

/* The object that has the functions in use; "" before they are known. */
const char *opencl_table_origin(void);

#endif /* DNNL_CACHE_PYTHON_OPENCL_TABLE_H */
