/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of one work-item on a real driver. */
#ifndef DNNL_CACHE_TESTS_API_RUN_KERNEL_H
#define DNNL_CACHE_TESTS_API_RUN_KERNEL_H

#include "dnnl_cache.h"

/* What the kernel writes to its only argument's first element. Failures are
 * noted as the test's. */
cl_uint run_kernel(dnnl_engine_t engine, const_dnnl_cache_program_t program,
        const char *name);

#endif /* DNNL_CACHE_TESTS_API_RUN_KERNEL_H */
