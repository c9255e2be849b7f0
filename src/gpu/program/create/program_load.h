/* SPDX-License-Identifier: Apache-2.0 */
/* Programs from the binaries of verified blobs. */
#ifndef DNNL_CACHE_GPU_PROGRAM_CREATE_PROGRAM_LOAD_H
#define DNNL_CACHE_GPU_PROGRAM_CREATE_PROGRAM_LOAD_H

#include "src/gpu/program/create/program_acquire.h"

/* Verifies a program's blob, of that ID, and reads its record. Statuses: those
 * of blob_verify(); dnnl_cache_blob_stale. Each refusal is counted, and told to
 * reason. */
dnnl_status_t program_blob_open(struct program_blob *blob, const uint8_t *data,
        size_t size, const struct program_id *id, struct blob_reason *reason);

/* True if the record is this program's: an intact blob of the right ID may hold
 * another. */
bool program_blob_is_of(
        const struct program_blob *blob, const struct program_id *id);

/* Hands the driver the finalised form of a blob's program, if there is one that
 * is fit for it, else the binary. Sets what the driver took. Statuses: as
 * program_acquire() with a blob. */
dnnl_status_t program_load(const struct program_recipe *recipe,
        const struct program_blob *blob, struct program_trace *trace,
        struct program **out);

#endif /* DNNL_CACHE_GPU_PROGRAM_CREATE_PROGRAM_LOAD_H */
