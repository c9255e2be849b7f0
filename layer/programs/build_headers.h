/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers that are programs (clCompileProgram): their names and texts, as they
 * were given. A build has copies: it may be compiled once more when the
 * application has released the programs, and these may be compiled with each
 * other, or with themselves.
 */
#ifndef DNNL_CACHE_LAYER_PROGRAMS_BUILD_HEADERS_H
#define DNNL_CACHE_LAYER_PROGRAMS_BUILD_HEADERS_H

#include "dnnl_cache/opencl.h"
#include "src/includes/includes.h"

#include <stddef.h>

struct build_headers;

/* Of such programs, which the layer knows as made from source in the context.
 * NULL: one is not, or memory ran out. The caller's, with one reference. */
struct build_headers *build_headers_new(cl_context context, size_t count,
        const cl_program *programs, const char *const *names);

/* NULL is fine for both. */
struct build_headers *build_headers_hold(struct build_headers *headers);
void build_headers_release(struct build_headers *headers);

/* Those of headers; NULL: none. *count is how many. */
const struct include_embedded *build_headers_list(
        const struct build_headers *headers, size_t *count);

/* As next_layer->clCompileProgram(), without a callback, with programs made of
 * the headers; NULL: none. */
cl_int build_headers_compile(const struct build_headers *headers,
        cl_context context, cl_program program, cl_uint device_count,
        const cl_device_id *devices, const char *options);

#endif /* DNNL_CACHE_LAYER_PROGRAMS_BUILD_HEADERS_H */
