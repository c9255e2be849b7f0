/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_build.h: the ways to a program that is not in memory.
 *
 * program_acquire.c has their order.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_CREATE_PROGRAM_BUILD_H
#define DNNL_CACHE_GPU_PROGRAM_CREATE_PROGRAM_BUILD_H

#include "src/gpu/program/create/program_acquire.h"

/* What is under way. */
struct program_build {
    const struct program_recipe *recipe;
    dnnl_cache_compile_mode_t mode;
    bool ran; /* this call was the builder */
    /* Other hosts wait for what is compiled: with this store, retained. */
    struct store *leased_from;
    /* Another process has compiled the sources, to be linked; owned. */
    struct buffer object;
    uint64_t object_ns;
    struct buffer included;   /* files (blob/included.h); owned */
    struct shared_text *note; /* what the compiler said, if it refused */
    struct program_trace trace;
};

/* From the engine's store. What is of no use there is removed, and a
 * dnnl_cache_miss like what is not there. */
dnnl_status_t program_from_store(
        struct program_build *b, struct store *store, struct program **out);

/* What was compiled, or did not compile: the hosts that wait go on. */
void program_release_lease(
        const struct program_build *b, struct program *program);

/* By the process of this thread, if it has one; dnnl_not_required: compile
 * here. What it hands back is verified as any blob. */
dnnl_status_t program_from_worker(
        struct program_build *b, struct program **out);

/* From source, or from what a worker process compiled of it. */
dnnl_status_t program_from_compiler(
        struct program_build *b, struct program **out);

/* What the journal of the store is to know of a program: how to make it, and
 * what a blob of it lacks. Programs of primitives are captured when they are
 * created; what files were included the journal does not know. */
void program_attach_journal(const struct program_recipe *recipe,
        struct store *store, struct program *p);

/* Programs that include files are not recorded: only their digest is known. */
void program_record(const struct program_recipe *recipe, struct store *store,
        struct program *p);

#endif /* DNNL_CACHE_GPU_PROGRAM_CREATE_PROGRAM_BUILD_H */
