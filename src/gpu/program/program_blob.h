/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as blobs of their own, and as records of other blobs. */
#ifndef DNNL_CACHE_GPU_PROGRAM_BLOB_H
#define DNNL_CACHE_GPU_PROGRAM_BLOB_H

#include "gpu/program/program.h"

/* The program's blob, by the size query of output.h; captures. */
dnnl_status_t program_write_blob(
        struct program *program, size_t *size, uint8_t *out);

/* Offers a captured program to its store. */
void program_offer(struct program *program);

/* True if the program was captured with exactly the bytes of the record. */
bool program_matches_record(
        struct program *program, const struct blob_view *view, uint32_t index);

/* The build log, with its NUL: the captured one, else the driver's. */
dnnl_status_t program_build_log(struct program *program, struct buffer *out);

#endif /* DNNL_CACHE_GPU_PROGRAM_BLOB_H */
