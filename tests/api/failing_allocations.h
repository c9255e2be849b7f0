/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations of this binary that fail when they are told to. The linker hands
 * every call of malloc and its like to the functions here,
 * which are the library's calls if the library is in the binary; what shared
 * objects (the driver) allocate is left alone.
 */
#ifndef DNNL_CACHE_TESTS_API_FAILING_ALLOCATIONS_H
#define DNNL_CACHE_TESTS_API_FAILING_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>

/* This thread's nth allocation from now (1: the next) fails, and with
 * and_following all after it, too; n of 0: none. */
void allocations_fail(unsigned n, bool and_following);
/* None fails any more. The function that failed first, NULL if none did. */
const char *allocations_stop(void);
/* None fails, and none is counted, until it is called with false. */
void allocations_pause(bool paused);

/* Allocations of all threads that have not been freed. */
size_t allocations_alive(void);

#endif /* DNNL_CACHE_TESTS_API_FAILING_ALLOCATIONS_H */
