/* SPDX-License-Identifier: Apache-2.0 */
#include "src/blob/codec.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

static dnnl_status_t zstd_encode(
        int level, const uint8_t *src, size_t size, struct buffer *out)
{
    size_t bound = ZSTD_compressBound(size);
    uint8_t *to = buffer_reserve(out, bound);
    if (to == NULL) return dnnl_out_of_memory;
    size_t written = ZSTD_compress(to, bound, src, size, level);
    /* With room for the bound, only its own memory can be missing. */
    if (ZSTD_isError(written)) return dnnl_out_of_memory;
    out->size += written;
    return dnnl_success;
}

static dnnl_status_t zstd_decode(
        const uint8_t *src, size_t size, uint8_t *dst, size_t raw_size)
{
    /* One frame and nothing behind it, which says the size it decodes to. */
    if (ZSTD_getFrameContentSize(src, size) != raw_size
            || ZSTD_findFrameCompressedSize(src, size) != size)
        return dnnl_cache_blob_corrupt;
    size_t written = ZSTD_decompress(dst, raw_size, src, size);
    if (written == raw_size) return dnnl_success;
    return ZSTD_getErrorCode(written) == ZSTD_error_memory_allocation
                   ? dnnl_out_of_memory
                   : dnnl_cache_blob_corrupt;
}

dnnl_status_t codec_encode(enum blob_codec codec, int level, const uint8_t *src,
        size_t size, struct buffer *out)
{
    if (src == NULL || size == 0 || out == NULL || size > BLOB_MAX_BINARY_SIZE)
        return dnnl_invalid_arguments;
    switch (codec) {
    case blob_codec_none:
        buffer_append(out, src, size);
        return buffer_status(out);
    case blob_codec_zstd:
        return zstd_encode(level, src, size, out);
    }
    return dnnl_invalid_arguments;
}

dnnl_status_t codec_decode(enum blob_codec codec, const uint8_t *src,
        size_t size, uint8_t *dst, size_t raw_size)
{
    if (src == NULL || size == 0 || dst == NULL || raw_size == 0)
        return dnnl_invalid_arguments;
    switch (codec) {
    case blob_codec_none:
        if (size != raw_size) return dnnl_cache_blob_corrupt;
        memcpy(dst, src, size);
        return dnnl_success;
    case blob_codec_zstd:
        return zstd_decode(src, size, dst, raw_size);
    }
    return dnnl_cache_blob_unsupported;
}
