/* SPDX-License-Identifier: Apache-2.0 */
/* random.h: chance, and what must not be left in memory. Any thread. */
#ifndef DNNL_CACHE_SRC_PLATFORM_RANDOM_H
#define DNNL_CACHE_SRC_PLATFORM_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that nobody can guess; waits until the system has them. 0 or an errno
 * value. */
int random_bytes(void *data, size_t size);

/* A number that hardly comes twice: for names and for spreading attempts, not
 * for secrets. Never waits, never fails. */
uint64_t random_number(void);

/* Zeroes, which the compiler does not leave out. */
void secret_clear(void *data, size_t size);

#endif /* DNNL_CACHE_SRC_PLATFORM_RANDOM_H */
