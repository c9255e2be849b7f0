/* SPDX-License-Identifier: Apache-2.0 */
/* How binaries are stored in blobs: as they are, or as one zstd frame. May be
 * called from any thread. */
#ifndef DNNL_CACHE_BLOB_CODEC_H
#define DNNL_CACHE_BLOB_CODEC_H

#include "src/blob/blob.h"
#include "src/common/buffer.h"

enum { codec_usual_level = 3 };

/*
 * Appends `size` bytes of `src`, encoded, to `out`. `level` is zstd's (0 means
 * its default) and ignored by blob_codec_none.
 *
 * dnnl_invalid_arguments for an unknown codec, NULL, size 0 or a size beyond
 * BLOB_MAX_BINARY_SIZE; dnnl_out_of_memory. What `out` held before stays, and
 * nothing is added on failure.
 */
dnnl_status_t codec_encode(enum blob_codec codec, int level, const uint8_t *src,
        size_t size, struct buffer *out);

/*
 * Decodes `size` bytes of `src` to exactly `raw_size` bytes at `dst`.
 *
 * dnnl_invalid_arguments for NULL or a size of 0; dnnl_cache_blob_unsupported
 * for an unknown codec; dnnl_cache_blob_corrupt if the bytes are damaged or
 * decode to any other size; dnnl_out_of_memory. On failure the bytes at `dst`
 * are unspecified.
 */
dnnl_status_t codec_decode(enum blob_codec codec, const uint8_t *src,
        size_t size, uint8_t *dst, size_t raw_size);

#endif /* DNNL_CACHE_BLOB_CODEC_H */
