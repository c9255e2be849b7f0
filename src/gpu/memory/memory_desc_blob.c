/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A memory descriptor as bytes of a fixed size, since oneDNN's call to read
 * them has no size: magic, version, length, checksum, then the fields, all
 * little-endian, zeros to the end. Version 2 has blocks; what has none is
 * written as version 1, which older releases read.
 */
#include "src/common/byte_order.h"
#include "src/common/hash.h"
#include "src/gpu/engine/output.h"
#include "src/gpu/memory/memory_desc.h"

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
    INNER_NBLKS_AT = STRIDES_AT + 8 * DNNL_MAX_NDIMS,
    INNER_AT = INNER_NBLKS_AT + 8, /* size and dimension of each */
    END = INNER_AT + 8 * DNNL_MAX_NDIMS,
    VERSION_PLAIN = 1,
    VERSION = 2,
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
    store_le32(
            blob + VERSION_AT, md->inner_nblks > 0 ? VERSION : VERSION_PLAIN);
    store_le32(blob + LENGTH_AT, SIZE);
    store_le32(blob + NDIMS_AT, (uint32_t)md->ndims);
    store_le32(blob + DATA_TYPE_AT, (uint32_t)md->data_type);
    store_le32(blob + FORMAT_KIND_AT, (uint32_t)md->format_kind);
    store_le64(blob + OFFSET0_AT, (uint64_t)md->offset0);
    for (size_t d = 0; d < (size_t)md->ndims; d++) {
        store_le64(blob + DIMS_AT + 8 * d, (uint64_t)md->dims[d]);
        store_le64(blob + STRIDES_AT + 8 * d, (uint64_t)md->strides[d]);
    }
    store_le32(blob + INNER_NBLKS_AT, (uint32_t)md->inner_nblks);
    for (size_t i = 0; i < (size_t)md->inner_nblks; i++) {
        store_le32(blob + INNER_AT + 8 * i, (uint32_t)md->inner_blks[i]);
        store_le32(blob + INNER_AT + 8 * i + 4, (uint32_t)md->inner_idxs[i]);
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

/* Reads the fields, which nobody has checked. False: no descriptor. */
static bool read_fields(const uint8_t *blob, struct dnnl_memory_desc *md)
{
    dnnl_dims_t dims;
    uint32_t ndims = load_le32(blob + NDIMS_AT);
    uint32_t blocks = load_le32(blob + INNER_NBLKS_AT);
    if (ndims > DNNL_MAX_NDIMS || blocks > DNNL_MAX_NDIMS) return false;
    for (size_t d = 0; d < DNNL_MAX_NDIMS; d++)
        dims[d] = (dnnl_dim_t)load_le64(blob + DIMS_AT + 8 * d);
    if (memory_desc_start(md, (int)ndims, dims,
                (dnnl_data_type_t)load_le32(blob + DATA_TYPE_AT))
            != dnnl_success)
        return false;
    md->format_kind = (dnnl_format_kind_t)load_le32(blob + FORMAT_KIND_AT);
    md->offset0 = (dnnl_dim_t)load_le64(blob + OFFSET0_AT);
    for (size_t d = 0; d < ndims; d++)
        md->strides[d] = (dnnl_dim_t)load_le64(blob + STRIDES_AT + 8 * d);
    md->inner_nblks = (int)blocks;
    for (size_t i = 0; i < blocks; i++) {
        md->inner_blks[i] = load_le32(blob + INNER_AT + 8 * i);
        md->inner_idxs[i] = load_le32(blob + INNER_AT + 8 * i + 4);
    }
    return true;
}

static bool is_distance(dnnl_dim_t value)
{
    return value >= 0 || value == DNNL_RUNTIME_DIM_VAL;
}

/* Blocks of a dimension there is, of more than one element, that are not too
 * large to count. */
static bool are_blocks_valid(const struct dnnl_memory_desc *md)
{
    dnnl_dim_t all = 1;
    for (int i = 0; i < md->inner_nblks; i++) {
        if (md->inner_idxs[i] >= md->ndims || md->inner_blks[i] < 2
                || md->inner_blks[i] > INT32_MAX / all)
            return false;
        all *= md->inner_blks[i];
    }
    return true;
}

/* Could the calls that make descriptors have made this one? */
static bool is_valid(const struct dnnl_memory_desc *md)
{
    if (md->ndims == 0)
        return md->format_kind == dnnl_format_kind_undef && md->offset0 == 0
               && md->inner_nblks == 0;
    if (md->format_kind == dnnl_format_kind_host_scalar)
        return md->ndims == 1 && md->dims[0] == 1 && md->offset0 == 0
               && md->strides[0] == 0 && md->inner_nblks == 0;
    bool is_any = md->format_kind == dnnl_format_kind_any;
    if (!is_any && md->format_kind != dnnl_blocked) return false;
    if (is_any && (md->offset0 != 0 || md->inner_nblks != 0)) return false;
    if (!is_distance(md->offset0) || !are_blocks_valid(md)) return false;
    for (int d = 0; d < md->ndims; d++)
        if (!is_distance(md->strides[d]) || (is_any && md->strides[d] != 0))
            return false;
    return memory_desc_size_fits(md);
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
    if (load_le32(blob + VERSION_AT) < VERSION_PLAIN
            || load_le32(blob + LENGTH_AT) != SIZE
            || memcmp(digest.bytes, blob + CHECKSUM_AT, sizeof digest.bytes)
                       != 0)
        return dnnl_cache_blob_corrupt;
    struct dnnl_memory_desc md;
    if (!read_fields(blob, &md) || !is_valid(&md))
        return dnnl_cache_blob_corrupt;
    memory_desc_pad(&md);
    /* Whatever the fields do not say must be what a writer writes. */
    uint8_t again[SIZE];
    write_blob(&md, again);
    if (memcmp(again, blob, SIZE) != 0) return dnnl_cache_blob_corrupt;
    return memory_desc_give(&md, memory_desc);
}
