/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Primitives: what the cache shares (primitive_impl) and the caller's handle.
 */
#ifndef DNNL_CACHE_GPU_PRIMITIVE_H
#define DNNL_CACHE_GPU_PRIMITIVE_H

#include "src/gpu/primitive/primitive_desc.h"
#include "src/gpu/program/create/creation.h"
#include "src/gpu/program/object/kernel.h"

/* A planned launch with its program. Shared by all equal primitives of a
 * context; holds no engine, so that the cache keeps none alive. Fixed once
 * made. */
struct primitive_impl {
    atomic_int references;
    /* Of a staged primitive: those of its stages, owned; plan and kernel are
     * NULL then, and the program is that of the operation. */
    struct primitive_impl **stages;
    int stage_count;
    struct primitive_plan *plan; /* owned; NULL: nothing to launch */
    struct program *program;     /* the same */
    struct kernel *kernel;       /* of the program; the same */
    cl_kernel warm_kernel;       /* from the warm-up until the kernel has it */
};

/* The caller's handle. Fixed once made. */
struct dnnl_primitive {
    const struct dnnl_primitive_desc *pd; /* retained */
    struct primitive_impl *impl;          /* retained */
    struct creation creation;
};

extern const struct cache_ops primitive_cache_ops;

/* Makes an impl: plans, and gets the program from memory or source (blob NULL)
 * or from a verified blob. note as program_acquire()'s. */
dnnl_status_t primitive_impl_create(const struct dnnl_primitive_desc *pd,
        const struct program_blob *blob, struct primitive_impl **out,
        struct program_trace *trace, struct shared_text **note);
/* The same for a stage of a primitive, whose blob has the programs of other
 * stages, too. */
dnnl_status_t primitive_impl_create_stage(const struct dnnl_primitive_desc *pd,
        const struct program_blob *blob, struct primitive_impl **out,
        struct program_trace *trace, struct shared_text **note);
void primitive_impl_release(struct primitive_impl *impl);

/* The process's primitive cache, made at its first use. */
dnnl_status_t primitive_cache(struct cache **out);

/* The launch facts of a kernel, as a primitive's blob keeps them. */
enum { LAUNCH_FACTS_SIZE = 12 };
void launch_facts_encode(
        const struct primitive_plan *plan, uint8_t out[LAUNCH_FACTS_SIZE]);

#endif /* DNNL_CACHE_GPU_PRIMITIVE_H */
