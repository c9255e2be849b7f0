/* SPDX-License-Identifier: Apache-2.0 */
/* recipe.h: what a program is made from, and how one was come by. */
#ifndef DNNL_CACHE_GPU_PROGRAM_DESCRIBE_RECIPE_H
#define DNNL_CACHE_GPU_PROGRAM_DESCRIBE_RECIPE_H

#include "src/blob/reader.h"
#include "src/gpu/engine/engine.h"
#include "src/gpu/program/describe/program_key.h"
#include "src/gpu/program/describe/program_text.h"

struct program_blob; /* program.h */

/* What a program is made from. Borrowed: everything outlives the call. */
struct program_recipe {
    struct dnnl_engine *engine;
    const struct program_text *text;
    const struct program_key *key; /* empty: not cacheable, never shared */
    /* For primitives: launches one empty problem of each launch class after a
     * build from source, so that drivers compile what they compile late.
     * NULL: the application launches. */
    dnnl_status_t (*warm_up)(
            void *arg, struct dnnl_engine *engine, cl_program program);
    void *warm_up_arg;
    bool reads_files; /* the compiler reads files that the caller knows */
    bool is_fresh;    /* what is in memory and store is of no use: compile */
    const struct program_blob *blob; /* to load; NULL: store or compiler */
};

/* How a program was come by. */
struct program_trace {
    dnnl_cache_origin_t origin;
    uint64_t driver_ns;
    uint64_t blob_bytes;       /* of the store's blob it was made from */
    dnnl_status_t blob_status; /* of a store's blob that was refused */
    struct blob_reason reason; /* and why */
};

#endif /* DNNL_CACHE_GPU_PROGRAM_DESCRIBE_RECIPE_H */
