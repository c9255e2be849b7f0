/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL platform that tests run on. */
#ifndef DNNL_CACHE_TESTS_HARNESS_TEST_PLATFORM_H
#define DNNL_CACHE_TESTS_HARNESS_TEST_PLATFORM_H

#include "dnnl_cache.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A part of the platform's name: DNNL_CACHE_TEST_PLATFORM, or PoCL's. */
const char *test_platform_name(void);

/* False: two threads must not use it at once (Oclgrind), whatever OpenCL says.
 */
bool test_platform_takes_threads(void);

/* True: a run of a network takes it minutes (Oclgrind). */
bool test_platform_is_interpreted(void);

/* Its first device; NULL, and a message on standard error, if there is none. */
cl_device_id test_platform_device(void);

/* An engine of that device in a context of its own, which the caller destroys;
 * NULL as above. */
dnnl_engine_t test_platform_engine(void);

/* The number that the device has for dnnl_engine_create() of dnnl_gpu;
 * SIZE_MAX, and a message on standard error, if there is none. */
size_t test_platform_engine_index(void);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_TESTS_HARNESS_TEST_PLATFORM_H */
