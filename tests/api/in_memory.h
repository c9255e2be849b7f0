/* SPDX-License-Identifier: Apache-2.0 */
/* What is put into memory, to see what leaves it. */
#ifndef DNNL_CACHE_TESTS_API_IN_MEMORY_H
#define DNNL_CACHE_TESTS_API_IN_MEMORY_H

#include "dnnl_cache.h"

#include <stdbool.h>

/* A program like all others but for a number: its binary is as large. The
 * caller destroys it. */
dnnl_cache_program_desc_t describe_number(dnnl_engine_t engine, unsigned n);

/* Creates program n and lets go of it; true if it was found in memory. */
bool touch(dnnl_engine_t engine, unsigned n);

/* Programs in memory may be as large as they are. */
void no_limit(void);

/* What one of the numbered programs counts; afterwards there is no limit. */
uint64_t bytes_of_one(dnnl_engine_t engine);

#ifdef DNNL_CACHE_TEST_PRIMITIVES
/* Creates a relu and lets go of it; true if it was found in memory. */
bool touch_relu(dnnl_engine_t engine);
#endif

#endif /* DNNL_CACHE_TESTS_API_IN_MEMORY_H */
