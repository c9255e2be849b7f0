/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs of this folder share. They are written the way programs
 * for oneDNN are, include oneDNN's headers' names and are built with
 * dnnl_cache::onednn_compat. Each computes something, compares it with what it
 * must be, and ends with 0 if that is what came out.
 */
#ifndef DNNL_CACHE_TESTS_CPP_PROGRAM_H
#define DNNL_CACHE_TESTS_CPP_PROGRAM_H

#include "oneapi/dnnl/dnnl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which of the dnnl_gpu engines is of the platform that is tested; ends the
 * program if there is none. */
size_t program_engine_index(void);

/* Are they the same numbers? Tells the first that is not, on standard error. */
int program_same(const char *what, size_t count, const float *expected,
        const float *actual);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_TESTS_CPP_PROGRAM_H */
