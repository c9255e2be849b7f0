/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared_memory.h: memory that several processes have, and words in it that
 * they wait for. Any thread.
 *
 * Its size is fixed: a process that has it is safe, whatever others do.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_SHARED_MEMORY_H
#define DNNL_CACHE_SRC_PLATFORM_SHARED_MEMORY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* A new one of zeroes, with a descriptor, which the caller closes, and by whose
 * path others open it. Both, or file_none and NULL. */
int shared_memory_make(void **memory, size_t size, const char *name);

/* NULL: the path leads to none of this user's of that size. */
void *shared_memory_open(const char *path, size_t size);

void shared_memory_close(void *memory, size_t size);

/* Waits for shared_memory_wake() while the word has the value, for timeout_ms
 * at most (less than 0: for ever); may also end before. */
void shared_memory_wait(
        atomic_uint_least32_t *word, uint32_t value, int timeout_ms);
void shared_memory_wake(atomic_uint_least32_t *word);

#endif /* DNNL_CACHE_SRC_PLATFORM_SHARED_MEMORY_H */
