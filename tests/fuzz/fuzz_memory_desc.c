/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the blob of a memory descriptor, once as they are and once with
 * magic, version, length and checksum made right. One that is accepted is the
 * same when it is written again, answers all queries, and what is made of it by
 * other calls can be written and read, too.
 */
#include "dnnl_cache.h"
#include "fuzz.h"
#include "src/common/byte_order.h"
#include "src/common/hash.h"
#include "src/gpu/memory/memory_desc.h"

#include <string.h>

enum {
    blob_size = DNNL_CACHE_MEMORY_DESC_BLOB_SIZE,
    version_at = 8,
    length_at = 12,
    checksum_at = 16,
    fields_at = 32,
    ndims_at = 32,
    blocks_at = 56 + 16 * DNNL_MAX_NDIMS
};

static void check_round_trip(const_dnnl_memory_desc_t md, const uint8_t *blob)
{
    uint8_t written[blob_size];
    size_t size = sizeof written;
    dnnl_memory_desc_t again = NULL;
    REQUIRE(dnnl_memory_desc_get_blob(written, &size, md) == dnnl_success);
    REQUIRE(size == sizeof written);
    if (blob != NULL) REQUIRE(memcmp(written, blob, sizeof written) == 0);
    REQUIRE(dnnl_memory_desc_create_with_blob(&again, written) == dnnl_success);
    REQUIRE(dnnl_memory_desc_equal(md, again) == 1);
    REQUIRE(dnnl_memory_desc_get_size(md) == dnnl_memory_desc_get_size(again));
    REQUIRE(dnnl_memory_desc_destroy(again) == dnnl_success);
}

static void check_queries(const_dnnl_memory_desc_t md)
{
    dnnl_dims_t *dims = NULL;
    int ndims = -1;
    for (int what = dnnl_query_ndims_s32; what <= dnnl_query_inner_idxs;
            what++) {
        int64_t room[4] = {0};
        (void)dnnl_memory_desc_query(md, (dnnl_query_t)what, room);
    }
    REQUIRE(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims)
            == dnnl_success);
    REQUIRE(ndims >= 0 && ndims <= DNNL_MAX_NDIMS);
    if (ndims == 0) return;
    REQUIRE(dnnl_memory_desc_query(md, dnnl_query_dims, &dims) == dnnl_success);
    for (int d = 0; d < ndims; d++)
        REQUIRE((*dims)[d] >= 0 || (*dims)[d] == DNNL_RUNTIME_DIM_VAL);
}

/* What other calls make of it. */
static void derive(const_dnnl_memory_desc_t md, const uint8_t *seed)
{
    dnnl_memory_desc_t made[3] = {NULL, NULL, NULL};
    dnnl_dims_t dims;
    dnnl_dims_t offsets = {0};
    int order[DNNL_MAX_NDIMS];
    for (int d = 0; d < md->ndims; d++) {
        dims[d] = md->dims[d] > 1 ? md->dims[d] - seed[d] % 2 : md->dims[d];
        order[d] = md->ndims - 1 - d;
    }
    if (dnnl_memory_desc_create_submemory(&made[0], md, dims, offsets)
            != dnnl_success)
        REQUIRE(made[0] == NULL);
    if (dnnl_memory_desc_permute_axes(&made[1], md, order) != dnnl_success)
        REQUIRE(made[1] == NULL);
    dims[0] = memory_desc_nelems(md);
    if (dnnl_memory_desc_reshape(&made[2], md, 1, dims) != dnnl_success)
        REQUIRE(made[2] == NULL);
    for (size_t i = 0; i < 3; i++) {
        if (made[i] == NULL) continue;
        check_round_trip(made[i], NULL);
        check_queries(made[i]);
        REQUIRE(dnnl_memory_desc_destroy(made[i]) == dnnl_success);
    }
}

static void use(const uint8_t *blob)
{
    dnnl_memory_desc_t md = NULL;
    if (dnnl_memory_desc_create_with_blob(&md, blob) != dnnl_success) {
        REQUIRE(md == NULL);
        return;
    }
    check_round_trip(md, blob);
    check_queries(md);
    if (!memory_desc_is_zero(md) && !memory_desc_has_runtime(md)
            && md->ndims > 0)
        derive(md, blob + checksum_at);
    REQUIRE(dnnl_memory_desc_destroy(md) == dnnl_success);
}

/* Numbers of dimensions and blocks that there can be, and nothing behind. */
static void repair(uint8_t *blob)
{
    static const uint8_t magic[8] = {
            0x8d, 'D', 'C', 'M', 'D', '\r', '\n', 0x1a};
    const uint32_t ndims = load_le32(blob + ndims_at) % (DNNL_MAX_NDIMS + 1);
    const uint32_t blocks = load_le32(blob + blocks_at) % 4;
    memcpy(blob, magic, sizeof magic);
    store_le32(blob + version_at, blocks > 0 ? 2 : 1);
    store_le32(blob + length_at, blob_size);
    store_le32(blob + ndims_at, ndims);
    store_le32(blob + 44, 0);
    store_le32(blob + blocks_at, blocks);
    store_le32(blob + blocks_at + 4, 0);
    for (size_t list = 0; list < 2; list++)
        for (size_t d = ndims; d < DNNL_MAX_NDIMS; d++)
            store_le64(blob + 56 + 8 * (list * DNNL_MAX_NDIMS + d), 0);
    const size_t used = blocks_at + 8 + 8 * (size_t)blocks;
    memset(blob + used, 0, blob_size - used);
    const struct hash_part parts[] = {
            {blob, checksum_at}, {blob + fields_at, blob_size - fields_at}};
    const struct digest128 digest = hash128_parts(parts, 2);
    memcpy(blob + checksum_at, digest.bytes, sizeof digest.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *blob = calloc(1, blob_size); /* that ends where it ends */
    REQUIRE(blob != NULL);
    if (size > 0) memcpy(blob, data, size < blob_size ? size : blob_size);
    use(blob);
    repair(blob);
    use(blob);
    free(blob);
    return 0;
}
