/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is this blob intact, and is it the one that is wanted? Every refusal is
 * counted and logged once, here, and told to the caller who wants to know
 * (reason may be NULL).
 */
#ifndef DNNL_CACHE_GPU_BLOB_MATCH_H
#define DNNL_CACHE_GPU_BLOB_MATCH_H

#include "src/blob/reader.h"

#include <stdbool.h>

/* Reads and verifies a blob of a kind. A blob of another kind is stale.
 * Statuses: as blob_read(), and dnnl_cache_blob_stale. */
dnnl_status_t blob_verify(const uint8_t *data, size_t size, enum blob_kind kind,
        struct blob_view *view, struct blob_reason *reason);

/* dnnl_cache_blob_stale, naming the ingredients that differ, unless the blob's
 * ID is exactly this one (which is not empty). */
dnnl_status_t blob_match_id(const struct blob_view *view, const uint8_t *id,
        size_t id_size, struct blob_reason *reason);

/* True for the three statuses that speak against a blob. */
static inline bool is_blobs_fault(dnnl_status_t status)
{
    return status == dnnl_cache_blob_corrupt || status == dnnl_cache_blob_stale
           || status == dnnl_cache_blob_unsupported;
}

/* True if a store should drop a blob for it: a newer format is left for the
 * newer library that wrote it. */
static inline bool is_worth_removing(dnnl_status_t status)
{
    return status == dnnl_cache_blob_corrupt || status == dnnl_cache_blob_stale;
}

/* Counts and logs a refusal, and writes it to reason unless that is NULL. */
void blob_reject(
        dnnl_status_t status, const char *why, struct blob_reason *reason);

#endif /* DNNL_CACHE_GPU_BLOB_MATCH_H */
