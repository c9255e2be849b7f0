/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels to test with. */
#ifndef DNNL_CACHE_TESTS_API_KERNELS_H
#define DNNL_CACHE_TESTS_API_KERNELS_H

#include "dnnl_cache.h"

/* A program whose kernel scale has one argument. */
extern const char *const other_source;

/* The kernel of that name; a failure is noted as the test's and gives NULL. The
 * caller destroys it. */
dnnl_cache_kernel_t kernel_of(
        const_dnnl_cache_program_desc_t desc, const char *name);

/* Its object and that object's program, borrowed, and the number of its
 * arguments. */
cl_kernel object_of(const_dnnl_cache_kernel_t kernel);
cl_program program_of(const_dnnl_cache_kernel_t kernel);
cl_uint argument_count(const_dnnl_cache_kernel_t kernel);

#endif /* DNNL_CACHE_TESTS_API_KERNELS_H */
