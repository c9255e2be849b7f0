/* SPDX-License-Identifier: Apache-2.0 */
/* How the program or primitive of a caller's handle came to be. */
#ifndef DNNL_CACHE_GPU_PROGRAM_CREATE_CREATION_H
#define DNNL_CACHE_GPU_PROGRAM_CREATE_CREATION_H

#include "src/gpu/program/create/program_acquire.h"

struct creation {
    dnnl_cache_creation_info_t info;
    char *blob_reason; /* owned; what info.blob_reason points to, NULL: "" */
    /* The blob that the handle was created from, and gives back, if its program
     * was in memory and captured with other bytes; else empty. */
    struct buffer own_blob;
};

/* From what a trace tells of what began then. */
dnnl_status_t creation_init(struct creation *creation,
        const struct program_trace *trace, uint64_t start_ns);
void creation_fini(struct creation *creation);

/* Notes the blob that a handle was created from; program NULL: it has none. */
dnnl_status_t creation_keep_blob(struct creation *creation,
        struct program *program, const struct program_blob *blob);

/* The info, with what is known of the program by now; NULL: it has none. */
dnnl_cache_creation_info_t creation_info(
        const struct creation *creation, struct program *program);

#endif /* DNNL_CACHE_GPU_PROGRAM_CREATE_CREATION_H */
