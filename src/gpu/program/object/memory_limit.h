/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many bytes of programs a context may have in memory: what the application
 * says, else the environment.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_OBJECT_MEMORY_LIMIT_H
#define DNNL_CACHE_GPU_PROGRAM_OBJECT_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* Of each context; DNNL_CACHE_NO_LIMIT: there is none. */
uint64_t memory_limit(void);
/* Returns the one before. Who sets it applies it, too. */
uint64_t memory_limit_set(uint64_t bytes);

/* True while the bytes of programs in memory are limited, to none or more. */
bool memory_is_limited(void);
/* True if nothing is to be kept in memory unless somebody asks for it
 * (DNNL_CACHE_IN_MEM=0). */
bool memory_is_off_by_default(void);

/* Tells, once, of variables that are no numbers. Not where they are read:
 * whoever is told may use the library. */
void memory_limit_complain(void);

#endif /* DNNL_CACHE_GPU_PROGRAM_OBJECT_MEMORY_LIMIT_H */
