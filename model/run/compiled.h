/* SPDX-License-Identifier: Apache-2.0 */
/* compiled.h: what a step needs of the library to run: a primitive, or a
 * program of our own and its kernel. */
#ifndef DNNL_CACHE_MODEL_RUN_COMPILED_H
#define DNNL_CACHE_MODEL_RUN_COMPILED_H

#include "model/plan/plan.h"

/* A zeroed one is empty. One thread at a time may use it. */
struct compiled {
    const struct step *step;
    dnnl_engine_t engine;                 /* borrowed */
    dnnl_primitive_desc_t primitive_desc; /* either these ... */
    dnnl_primitive_t primitive;
    dnnl_cache_program_desc_t program_desc; /* ... or these */
    dnnl_cache_program_t program;
    cl_kernel kernel;
};

/* Describes a step on an engine; compiles nothing but the engine's probe.
 * Statuses: those of the library's calls, dnnl_cache_miss among them. */
dnnl_status_t compiled_describe(struct compiled *compiled,
        const struct plan *plan, const struct step *step, dnnl_engine_t engine);

/* Brings its code: from memory, an attached store, or a compiler; then an
 * attached store has been offered it when this returns. Nothing happens if it
 * is there already. Statuses: as above. */
dnnl_status_t compiled_create(struct compiled *compiled);

void compiled_fini(struct compiled *compiled);

#endif /* DNNL_CACHE_MODEL_RUN_COMPILED_H */
