/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs made by the library, which follows their includes: what
 * header_client does if the variable HEADER_LIBRARY is set and header_library.c
 * is in it. The store is the folder DNNL_CACHE_DIR; counts are written to the
 * file DNNL_CACHE_STATS at the end, as the layer names them.
 */
#ifndef DNNL_CACHE_TESTS_LAYER_HEADER_LIBRARY_H
#define DNNL_CACHE_TESTS_LAYER_HEADER_LIBRARY_H

#include <CL/cl.h>

#include <stdbool.h>

bool header_library_is_used(void);

/* One context at a time. */
bool header_library_open(cl_context context, cl_device_id device);
void header_library_close(void);

/* A program, until header_library_release(): asked for its binary then. False:
 * there is none. */
bool header_library_build(
        cl_program *program, const char *options, const char *source);
void header_library_release(void);

#endif /* DNNL_CACHE_TESTS_LAYER_HEADER_LIBRARY_H */
