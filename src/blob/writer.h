/* SPDX-License-Identifier: Apache-2.0 */
/* Writes cache blobs. */
#ifndef DNNL_CACHE_BLOB_WRITER_H
#define DNNL_CACHE_BLOB_WRITER_H

#include "src/blob/blob.h"

/*
 * Writes the blob of `contents` to `out`, or measures it if `out` is NULL.
 * The same contents always give the same bytes, and writing what blob_read()
 * read from a blob written here gives that blob again. Allocates nothing; may
 * be called from any thread.
 *
 * dnnl_success            *size is the blob's size.
 * dnnl_invalid_arguments  `out` is too small: *size is the size needed and
 *                         nothing was written to `out`. Or the contents are
 *                         not what blob.h allows, or contents or size is
 *                         NULL: then *size is untouched too.
 */
dnnl_status_t blob_write(const struct blob_contents *contents, uint8_t *out,
        size_t capacity, size_t *size);

#endif /* DNNL_CACHE_BLOB_WRITER_H */
