/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the readers of a blob's parts share: how to refuse one, and how to step
 * over things that lie end to end.
 */
#ifndef DNNL_CACHE_BLOB_STRIP_H
#define DNNL_CACHE_BLOB_STRIP_H

#include "src/blob/reader.h"

/* Notes why, unless reason is NULL, and passes `status` on. */
__attribute__((format(printf, 3, 4))) dnnl_status_t blob_refuse(
        struct blob_reason *reason, dnnl_status_t status, const char *format,
        ...);

/* The two ways to refuse, with the `reason` of the function they stand in. */
#define CORRUPT(...) blob_refuse(reason, dnnl_cache_blob_corrupt, __VA_ARGS__)
#define UNSUPPORTED(...) \
    blob_refuse(reason, dnnl_cache_blob_unsupported, __VA_ARGS__)

/* Bytes in which things lie one behind the other, each at the next multiple
 * of FORMAT_ALIGNMENT, with zeros between. Where a thing starts is written
 * down, but there is only one place it can be, so that nothing overlaps and
 * nothing hides between. */
struct strip {
    const char *name; /* of the things, for reasons */
    const uint8_t *base;
    size_t size;
    size_t at; /* end of the thing before */
};

/* Steps over the index-th thing, which claims to be `size` (not 0) bytes at
 * `offset`. */
dnnl_status_t strip_take(struct strip *s, uint32_t index, uint64_t offset,
        uint64_t size, struct blob_reason *reason);

/* The same for a thing that may be missing: then both numbers are 0. */
dnnl_status_t strip_take_optional(struct strip *s, uint32_t index,
        uint64_t offset, uint64_t size, struct blob_reason *reason);

/* The same for text of `size` bytes and the NUL behind it. */
dnnl_status_t strip_take_text(struct strip *s, uint32_t index, uint64_t offset,
        uint64_t size, struct blob_reason *reason);

/* Refuses what lies behind the last thing. */
dnnl_status_t strip_end(const struct strip *s, struct blob_reason *reason);

/* The head of a table of `size` bytes at `data`: how many entries, and that
 * they are all there. */
dnnl_status_t strip_table(const uint8_t *data, size_t size, const char *what,
        uint32_t limit, size_t entry_size, uint32_t *count,
        struct blob_reason *reason);

#endif /* DNNL_CACHE_BLOB_STRIP_H */
