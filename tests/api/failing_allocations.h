/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations of this binary that fail when they are told to. The linker hands
 * every call of malloc and its like to the functions here,
 * which are the library's calls if the library is in the binary; what shared
 * objects (the driver) allocate is left alone.
 */
#ifndef DNNL_CACHE_TESTS_API_FAILING_ALLOCATIONS_H
#define DNNL_CACHE_TESTS_API_FAILING_ALLOCATIONS_H

#include "scene.h"

/* The calling thread's allocation number n fails, alone or with all that
 * follow; the call says dnnl_out_of_memory. */
extern const struct fault failing_allocations;

/* Allocations of all threads that have not been freed. */
size_t allocations_alive(void);

#endif /* DNNL_CACHE_TESTS_API_FAILING_ALLOCATIONS_H */
