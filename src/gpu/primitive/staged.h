/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Staged primitives: those of tensors in blocked layouts, which kernels other
 * than reorder's cannot have. Such a primitive is several launches, the stages:
 * reorders of the inputs into plain tensors in scratch memory, the operation on
 * these, reorders of the results into the caller's layouts. Each stage is a
 * primitive descriptor of its own; kinds/staging.h makes them.
 *
 * So are recurrent primitives (kinds/rnn.c): a product of all inputs, whose
 * result is in scratch memory, then the operation, whose DNNL_ARG_SCRATCHPAD is
 * all of it.
 */
#ifndef DNNL_CACHE_GPU_STAGED_H
#define DNNL_CACHE_GPU_STAGED_H

#include "src/gpu/primitive/execution.h"

struct stage {
    const struct dnnl_primitive_desc *pd; /* owned */
    /* The tensor that a reorder moves; 0: the stage is none. */
    int arg;
    /* The primitive's inputs are its own, its dst is in scratch memory. */
    bool is_product;
};

/* Of a descriptor. Fixed once made. */
struct staged {
    struct stage *stages; /* owned; in the order of execution */
    int count;
    /* Bytes of scratch memory. The plain tensors are in one buffer, each at the
     * offset0 of its descriptor. */
    size_t scratch_size;
};

void staged_destroy(struct staged *staged);

/* The stage that is the operation itself. */
const struct stage *staged_operation(const struct staged *staged);

/* Makes the stages of a primitive, as primitive_impl_create() does, each from
 * its part of a blob if there is one. On failure *stages is not written. The
 * trace is of all of them: compiled if one was. */
dnnl_status_t staged_create_impls(const struct staged *staged,
        const struct program_blob *blob, struct primitive_impl ***stages,
        struct program_trace *trace, struct shared_text **note);
/* NULL is allowed. */
void staged_release_impls(
        const struct staged *staged, struct primitive_impl **stages);

/* Executes the stages one after the other, on any queue. In scratchpad mode
 * user the scratch memory is the caller's, else a buffer of this execution. */
dnnl_status_t staged_run(const struct execution *e);

#endif /* DNNL_CACHE_GPU_STAGED_H */
