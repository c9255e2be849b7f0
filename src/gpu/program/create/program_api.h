/* SPDX-License-Identifier: Apache-2.0 */
/* Creating a program of a descriptor, apart from its handles: those who wait
 * for one build get a handle each. */
#ifndef DNNL_CACHE_GPU_PROGRAM_CREATE_PROGRAM_API_H
#define DNNL_CACHE_GPU_PROGRAM_CREATE_PROGRAM_API_H

#include "src/gpu/program/describe/program_desc.h"

/* What came of a creation. Fixed once made. */
struct program_made {
    struct program *program; /* retained; NULL: it failed */
    struct program_trace trace;
    const char *doubt; /* static: why it has no ID, if the descriptor does not
                          say so; or NULL */
    uint64_t start_ns; /* when it began */
    struct shared_text *note; /* retained; what the compiler said of a failure,
                          or NULL */
};

/* Creates the program: what dnnl_cache_program_create() does and answers. The
 * caller calls program_made_fini(), also on failure. */
dnnl_status_t program_make(
        const struct dnnl_cache_program_desc *desc, struct program_made *made);
/* Zeroed is fine. */
void program_made_fini(struct program_made *made);

/* A handle to what was made, until then, of the descriptor or of one with the
 * same ID; the caller destroys it. Statuses: dnnl_success; dnnl_out_of_memory.
 */
dnnl_status_t program_made_handle(const struct program_made *made,
        uint64_t end_ns, const struct dnnl_cache_program_desc *desc,
        struct dnnl_cache_program **out);

#endif /* DNNL_CACHE_GPU_PROGRAM_CREATE_PROGRAM_API_H */
