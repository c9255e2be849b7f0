/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the engines of one context have in memory, of programs and of kernels.
 *
 * A kernel is in memory only while its program is: kernels that enter after
 * their program left are taken out again by whoever put them there, and a
 * program that leaves takes its kernels along.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_OBJECT_CONTEXT_MEMORY_H
#define DNNL_CACHE_GPU_PROGRAM_OBJECT_CONTEXT_MEMORY_H

#include "src/common/cache.h"
#include "src/gpu/program/object/program.h"

struct context_memory {
    struct context_part part;   /* first */
    struct cache *programs;     /* of struct program, by program_key */
    struct cache *kernels;      /* of struct kernel, by program and name */
    struct cache *fast_kernels; /* the same, by program_key and name */
    cl_context context;         /* not retained: to compare */
    int users;                  /* guarded by the lock in context_memory.c */
    struct context_memory *next;
};

/* The first of a context; for context_memory(). */
dnnl_status_t context_memory_make(
        struct context_state *state, struct context_memory **out);

/* The memory of the engine's context, made at its first use; the engine keeps
 * it. Statuses: dnnl_success; dnnl_out_of_memory. */
static inline dnnl_status_t context_memory(
        const struct dnnl_engine *engine, struct context_memory **out)
{
    struct context_part *part =
            atomic_load_explicit(&engine->shared->part, memory_order_acquire);
    if (part == NULL) return context_memory_make(engine->shared, out);
    *out = (struct context_memory *)part;
    return dnnl_success;
}

/* Drops all programs, kernels and primitives that are in memory: what a build
 * that ran out of memory does. A cache_ops.free_memory(); user is not used. */
void context_memory_free(void *user);

/* A cache of what is made of programs, each of one or of none: it is in memory
 * no longer than its program. */
struct program_users {
    struct cache *cache;
    struct program *(*program_of)(const void *value);
};
/* From now on that cache, which is never destroyed, follows the programs; there
 * is one in the process. */
void context_memory_set_users(const struct program_users *users);

/* The counts of all contexts there are and have been. */
struct memory_statistics {
    struct cache_statistics programs;
    struct cache_statistics kernels;
    struct cache_statistics fast_kernels;
    struct cache_statistics users; /* of programs */
};
void context_memory_statistics(struct memory_statistics *out);

#endif /* DNNL_CACHE_GPU_PROGRAM_OBJECT_CONTEXT_MEMORY_H */
