/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A memory descriptor as bytes of a fixed size, since oneDNN's call to read
 * them has no size: magic, version, length, checksum, then the fields, all
 * little-endian, zeros to the end.
 */
#include "common/byte_order.h"
#include "common/hash.h"
#include "gpu/memory_desc.h"
#include "gpu/output.h"

#include <string.h>

enum {
    MAGIC_AT = 0,
    VERSION_AT = 8,
    LENGTH_AT = 12,
    CHECKSUM_AT = 16,
    FIELDS_AT = 32,
    NDIMS_AT = FIELDS_AT,
    DATA_TYPE_AT = 36,
    FORMAT_KIND_AT = 40,
    OFFSET0_AT = 48,
    DIMS_AT = 56,
    STRIDES_AT = DIMS_AT + 8 * DNNL_MAX_NDIMS,
    END = STRIDES_AT + 8 * DNNL_MAX_NDIMS,
    VERSION = 1,
    SIZE = DNNL_CACHE_MEMORY_DESC_BLOB_SIZE
};

static const uint8_t magic[8] = {0x8d, 'D', 'C', 'M', 'D', '\r', '\n', 0x1a};

/* Over everything but the checksum itself. */
static struct digest128 checksum(const uint8_t *blob)
{
    const struct hash_part parts[] = {
            {blob, CHECKSUM_AT}, {blob + FIELDS_AT, (size_t)SIZE - FIELDS_AT}};
    return hash128_parts(parts, 2);
}

static void write_blob(const struct dnnl_memory_desc *md, uint8_t blob[SIZE])
{
    memset(blob, 0, SIZE);
    memcpy(blob + MAGIC_AT, magic, sizeof magic);
    store_le32(blob + VERSION_AT, VERSION);
    store_le32(blob + LENGTH_AT, SIZE);
    store_le32(blob + NDIMS_AT, (uint32_t)md->ndims);
    store_le32(blob + DATA_TYPE_AT, (uint32_t)md->data_type);
    store_le32(blob + FORMAT_KIND_AT, (uint32_t)md->format_kind);
    store_le64(blob + OFFSET0_AT, (uint64_t)md->offset0);
    for (size_t d = 0; d < (size_t)md->ndims; d++) {
        store_le64(blob + DIMS_AT + 8 * d, (uint64_t)md->dims[d]);
        store_le64(blob + STRIDES_AT + 8 * d, (uint64_t)md->strides[d]);
    }
    struct digest128 digest = checksum(blob);
    memcpy(blob + CHECKSUM_AT, digest.bytes, sizeof digest.bytes);
}

dnnl_status_t dnnl_memory_desc_get_blob(
        uint8_t *blob, size_t *size, const_dnnl_memory_desc_t memory_desc)
{
    uint8_t bytes[SIZE];
    if (size == NULL || memory_desc == NULL) return dnnl_invalid_arguments;
    write_blob(memory_desc, bytes);
    return output_bytes(bytes, sizeof bytes, size, blob);
}

/* Makes a descriptor of the fields, through the calls that check theirs. */
static dnnl_status_t read_fields(
        const uint8_t *blob, dnnl_memory_desc_t *memory_desc)
{
    dnnl_dims_t dims;
    dnnl_dims_t strides;
    uint32_t ndims = load_le32(blob + NDIMS_AT);
    uint32_t kind = load_le32(blob + FORMAT_KIND_AT);
    dnnl_data_type_t type = (dnnl_data_type_t)load_le32(blob + DATA_TYPE_AT);
    if (ndims > DNNL_MAX_NDIMS) return dnnl_cache_blob_corrupt;
    for (size_t d = 0; d < DNNL_MAX_NDIMS; d++) {
        dims[d] = (dnnl_dim_t)load_le64(blob + DIMS_AT + 8 * d);
        strides[d] = (dnnl_dim_t)load_le64(blob + STRIDES_AT + 8 * d);
    }
    dnnl_memory_desc_t made;
    dnnl_status_t st =
            kind == dnnl_format_kind_any
                    ? dnnl_memory_desc_create_with_tag(
                            &made, (int)ndims, dims, type, dnnl_format_tag_any)
                    : dnnl_memory_desc_create_with_strides(
                            &made, (int)ndims, dims, type, strides);
    if (st == dnnl_invalid_arguments) return dnnl_cache_blob_corrupt;
    if (st != dnnl_success) return st;
    /* Whatever the fields do not say must be what a writer writes. */
    uint8_t again[SIZE];
    write_blob(made, again);
    if (memcmp(again, blob, SIZE) != 0) {
        dnnl_memory_desc_destroy(made);
        return dnnl_cache_blob_corrupt;
    }
    *memory_desc = made;
    return dnnl_success;
}

dnnl_status_t dnnl_memory_desc_create_with_blob(
        dnnl_memory_desc_t *memory_desc, const uint8_t *blob)
{
    if (memory_desc == NULL || blob == NULL) return dnnl_invalid_arguments;
    if (memcmp(blob + MAGIC_AT, magic, sizeof magic) != 0)
        return dnnl_cache_blob_corrupt;
    if (load_le32(blob + VERSION_AT) > VERSION)
        return dnnl_cache_blob_unsupported;
    struct digest128 digest = checksum(blob);
    if (load_le32(blob + VERSION_AT) != VERSION
            || load_le32(blob + LENGTH_AT) != SIZE
            || memcmp(digest.bytes, blob + CHECKSUM_AT, sizeof digest.bytes)
                       != 0)
        return dnnl_cache_blob_corrupt;
    return read_fields(blob, memory_desc);
}
