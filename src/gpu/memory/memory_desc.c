/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/memory/memory_desc.h"

#include "src/common/byte_order.h"
#include "src/gpu/memory/format_tag.h"

#include <stdlib.h>
#include <string.h>

const struct dnnl_memory_desc memory_desc_zero;

size_t dnnl_data_type_size(dnnl_data_type_t data_type)
{
    switch (data_type) {
    case dnnl_f16:
    case dnnl_bf16:
        return 2;
    case dnnl_f32:
    case dnnl_s32:
        return 4;
    case dnnl_s8:
    case dnnl_u8:
    case dnnl_boolean:
    case dnnl_f8_e5m2:
    case dnnl_f8_e4m3:
    case dnnl_e8m0:
    /* Half of it from here on, see bytes_of(). */
    case dnnl_s4:
    case dnnl_u4:
    case dnnl_f4_e2m1:
    case dnnl_f4_e3m0:
        return 1;
    case dnnl_f64:
    case dnnl_s64:
        return 8;
    case dnnl_data_type_undef:
    case dnnl_data_type_max:
        return 0;
    }
    return 0;
}

/* Bytes of so many neighbours. */
static size_t bytes_of(dnnl_data_type_t data_type, size_t count)
{
    bool is_half = data_type == dnnl_s4 || data_type == dnnl_u4
                   || data_type == dnnl_f4_e2m1 || data_type == dnnl_f4_e3m0;
    return is_half ? count / 2 + count % 2
                   : count * dnnl_data_type_size(data_type);
}

/* ---- Properties ---------------------------------------------------------- */

bool memory_desc_is_zero(const struct dnnl_memory_desc *md)
{
    return md->ndims == 0;
}

bool memory_desc_is_plain(const struct dnnl_memory_desc *md)
{
    return md->format_kind == dnnl_blocked && md->inner_nblks == 0;
}

bool memory_desc_has_runtime(const struct dnnl_memory_desc *md)
{
    if (md->offset0 == DNNL_RUNTIME_DIM_VAL) return true;
    for (int d = 0; d < md->ndims; d++)
        if (md->dims[d] == DNNL_RUNTIME_DIM_VAL
                || md->strides[d] == DNNL_RUNTIME_DIM_VAL)
            return true;
    return false;
}

void memory_desc_block_dims(
        const struct dnnl_memory_desc *md, dnnl_dims_t blocks)
{
    for (int d = 0; d < DNNL_MAX_NDIMS; d++)
        blocks[d] = 1;
    for (int i = 0; i < md->inner_nblks; i++)
        blocks[md->inner_idxs[i]] *= md->inner_blks[i];
}

void memory_desc_pad(struct dnnl_memory_desc *md)
{
    dnnl_dims_t blocks;
    memory_desc_block_dims(md, blocks);
    for (int d = 0; d < md->ndims; d++) {
        dnnl_dim_t past = md->dims[d] == DNNL_RUNTIME_DIM_VAL
                                  ? 0
                                  : md->dims[d] % blocks[d];
        md->padded_dims[d] = md->dims[d] + (past > 0 ? blocks[d] - past : 0);
    }
}

dnnl_dim_t memory_desc_nelems(const struct dnnl_memory_desc *md)
{
    if (md->ndims == 0) return 0;
    dnnl_dim_t count = 1;
    for (int d = 0; d < md->ndims; d++) {
        if (md->dims[d] == DNNL_RUNTIME_DIM_VAL) return DNNL_RUNTIME_DIM_VAL;
        count *= md->dims[d];
    }
    return count;
}

static dnnl_dim_t block_nelems(const struct dnnl_memory_desc *md)
{
    dnnl_dim_t count = 1;
    for (int i = 0; i < md->inner_nblks; i++)
        count *= md->inner_blks[i];
    return count;
}

/* The dense strides of dims in the order of dimensions, outermost first, with
 * the blocks inside. Past a dimension that is not known none is. */
static void set_dense_strides(
        struct dnnl_memory_desc *md, const int order[DNNL_MAX_NDIMS])
{
    dnnl_dims_t blocks;
    dnnl_dim_t stride = block_nelems(md);
    memory_desc_block_dims(md, blocks);
    memory_desc_pad(md);
    md->format_kind = dnnl_blocked;
    for (int i = md->ndims - 1; i >= 0; i--) {
        dnnl_dim_t size = md->padded_dims[order[i]];
        md->strides[order[i]] = stride;
        if (size == DNNL_RUNTIME_DIM_VAL) stride = DNNL_RUNTIME_DIM_VAL;
        if (stride == DNNL_RUNTIME_DIM_VAL) continue;
        /* Empty dimensions leave the others' strides as of size 1. */
        if (size > 1) stride *= size / blocks[order[i]];
    }
}

void memory_desc_set_plain(struct dnnl_memory_desc *md)
{
    static const int order[DNNL_MAX_NDIMS] = {
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    if (md->format_kind == dnnl_format_kind_any) set_dense_strides(md, order);
}

void memory_desc_order(
        const struct dnnl_memory_desc *md, int ndims, int order[DNNL_MAX_NDIMS])
{
    /* Insertion sort; equal ones keep their order. */
    for (int d = 0; d < ndims; d++) {
        int i = d;
        for (; i > 0 && md->strides[order[i - 1]] < md->strides[d]; i--)
            order[i] = order[i - 1];
        order[i] = d;
    }
}

void memory_desc_set_like(
        struct dnnl_memory_desc *md, const struct dnnl_memory_desc *like)
{
    int order[DNNL_MAX_NDIMS];
    if (md->format_kind != dnnl_format_kind_any) return;
    memory_desc_order(like, md->ndims, order);
    set_dense_strides(md, order);
}

/* The reach of the strides: the last element's offset from the first, padding
 * counted as elements. */
static dnnl_dim_t reach(const struct dnnl_memory_desc *md)
{
    dnnl_dims_t blocks;
    dnnl_dim_t last = block_nelems(md) - 1;
    memory_desc_block_dims(md, blocks);
    for (int d = 0; d < md->ndims; d++)
        last += (md->padded_dims[d] / blocks[d] - 1) * md->strides[d];
    return last;
}

bool memory_desc_is_dense(const struct dnnl_memory_desc *md)
{
    if (!memory_desc_is_plain(md) || memory_desc_has_runtime(md)
            || memory_desc_nelems(md) == 0)
        return false;
    /* From the innermost out, each stride is the size of what is inside. */
    dnnl_dim_t inside = 1;
    bool done[DNNL_MAX_NDIMS] = {false};
    for (int i = 0; i < md->ndims; i++) {
        int next = -1;
        for (int d = 0; d < md->ndims; d++)
            if (!done[d] && (md->dims[d] == 1 || md->strides[d] == inside))
                next = d;
        if (next < 0) return false;
        done[next] = true;
        inside *= md->dims[next];
    }
    return true;
}

bool memory_desc_fits_int32(const struct dnnl_memory_desc *md)
{
    /* Kernels step past counts by a tile or a grid: leave room for that. */
    const dnnl_dim_t limit = INT32_MAX - (1 << 22);
    if (memory_desc_has_runtime(md)) return false;
    if (memory_desc_nelems(md) > limit || md->offset0 > limit) return false;
    for (int d = 0; d < md->ndims; d++)
        if (md->padded_dims[d] > limit || md->strides[d] > limit) return false;
    return memory_desc_nelems(md) == 0 || reach(md) <= limit - md->offset0;
}

bool memory_desc_same_dims(
        const struct dnnl_memory_desc *a, const struct dnnl_memory_desc *b)
{
    return a->ndims == b->ndims
           && memcmp(a->dims, b->dims, (size_t)a->ndims * sizeof a->dims[0])
                      == 0;
}

uint8_t *memory_desc_write_id(
        const struct dnnl_memory_desc *md, uint32_t role, uint8_t *at)
{
    store_le32(at, role);
    store_le32(at + 4, (uint32_t)md->data_type);
    store_le32(at + 8, (uint32_t)md->format_kind);
    store_le32(at + 12, (uint32_t)md->ndims);
    store_le64(at + 16, (uint64_t)md->offset0);
    at += 24;
    for (int d = 0; d < md->ndims; d++, at += 8)
        store_le64(at, (uint64_t)md->dims[d]);
    for (int d = 0; d < md->ndims; d++, at += 8)
        store_le64(at, (uint64_t)md->strides[d]);
    for (int i = 0; i < md->inner_nblks; i++, at += 8) {
        store_le32(at, (uint32_t)md->inner_blks[i]);
        store_le32(at + 4, (uint32_t)md->inner_idxs[i]);
    }
    return at;
}

size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc)
{
    const struct dnnl_memory_desc *md = memory_desc;
    if (md != NULL && md->format_kind == dnnl_format_kind_host_scalar)
        return dnnl_data_type_size(md->data_type);
    if (md == NULL || md->format_kind != dnnl_blocked
            || memory_desc_nelems(md) == 0)
        return 0;
    if (memory_desc_has_runtime(md)) return DNNL_RUNTIME_SIZE_VAL;
    return bytes_of(md->data_type, (size_t)md->offset0 + (size_t)reach(md) + 1);
}

/* ---- Creation ------------------------------------------------------------ */

static bool multiply(uint64_t *value, uint64_t by)
{
    return !__builtin_mul_overflow(*value, by, value) && *value <= INT64_MAX;
}

static bool add(uint64_t *value, uint64_t more)
{
    return !__builtin_add_overflow(*value, more, value) && *value <= INT64_MAX;
}

/* One more than the reach of an unknown dimension or stride counts as none:
 * whoever learns it checks again. */
bool memory_desc_size_fits(const struct dnnl_memory_desc *md)
{
    uint64_t element = dnnl_data_type_size(md->data_type);
    uint64_t count = element;
    uint64_t last = 0;
    dnnl_dims_t blocks;
    memory_desc_block_dims(md, blocks);
    if (md->offset0 != DNNL_RUNTIME_DIM_VAL) last = (uint64_t)md->offset0;
    if (!add(&last, (uint64_t)block_nelems(md) - 1)) return false;
    for (int d = 0; d < md->ndims; d++) {
        bool is_known = md->dims[d] != DNNL_RUNTIME_DIM_VAL;
        /* Rounding up may overflow: padded_dims come after this. Of an unknown
         * dimension there is a block, which the strides of others step over. */
        uint64_t size =
                (uint64_t)(is_known && md->dims[d] > 0 ? md->dims[d] : 1);
        uint64_t block = (uint64_t)blocks[d];
        uint64_t part = (size - 1) / block;
        if (!add(&size, block - 1) || !multiply(&count, size / block * block))
            return false;
        if (md->strides[d] == DNNL_RUNTIME_DIM_VAL) continue;
        if (!multiply(&part, (uint64_t)md->strides[d]) || !add(&last, part))
            return false;
    }
    return add(&last, 1) && multiply(&last, element);
}

static bool are_dims_valid(int ndims, const dnnl_dims_t dims)
{
    for (int d = 0; d < ndims; d++)
        if (dims[d] < 0 && dims[d] != DNNL_RUNTIME_DIM_VAL) return false;
    return true;
}

dnnl_status_t memory_desc_start(struct dnnl_memory_desc *md, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t data_type)
{
    *md = memory_desc_zero;
    if (ndims < 0 || ndims > DNNL_MAX_NDIMS) return dnnl_invalid_arguments;
    if (ndims == 0) return dnnl_success;
    if (dims == NULL || dnnl_data_type_size(data_type) == 0
            || !are_dims_valid(ndims, dims))
        return dnnl_invalid_arguments;
    md->ndims = ndims;
    md->data_type = data_type;
    md->format_kind = dnnl_format_kind_any;
    memcpy(md->dims, dims, (size_t)ndims * sizeof dims[0]);
    memcpy(md->padded_dims, dims, (size_t)ndims * sizeof dims[0]);
    if (memory_desc_size_fits(md)) return dnnl_success;
    *md = memory_desc_zero;
    return dnnl_invalid_arguments;
}

dnnl_status_t memory_desc_give(
        const struct dnnl_memory_desc *md, dnnl_memory_desc_t *out)
{
    struct dnnl_memory_desc *copy = malloc(sizeof *copy);
    if (copy == NULL) return dnnl_out_of_memory;
    *copy = *md;
    *out = copy;
    return dnnl_success;
}

/* Lays a descriptor of layout any out as a tag says. */
static dnnl_status_t set_tag(struct dnnl_memory_desc *md, dnnl_format_tag_t tag)
{
    struct format_tag_layout layout;
    if (!format_tag_read(tag, &layout) || layout.ndims != md->ndims)
        return dnnl_invalid_arguments;
    md->inner_nblks = layout.inner_nblks;
    memcpy(md->inner_blks, layout.inner_blks, sizeof md->inner_blks);
    memcpy(md->inner_idxs, layout.inner_idxs, sizeof md->inner_idxs);
    /* Sizes first: strides are products of them. */
    if (!memory_desc_size_fits(md)) return dnnl_invalid_arguments;
    set_dense_strides(md, layout.order);
    return dnnl_success;
}

dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type,
        dnnl_format_tag_t tag)
{
    struct dnnl_memory_desc md;
    if (memory_desc == NULL) return dnnl_invalid_arguments;
    if (ndims == 0 || tag == dnnl_format_tag_undef)
        return memory_desc_give(&memory_desc_zero, memory_desc);
    dnnl_status_t st = memory_desc_start(&md, ndims, dims, data_type);
    if (st == dnnl_success && tag != dnnl_format_tag_any)
        st = set_tag(&md, tag);
    if (st != dnnl_success) return st;
    return memory_desc_give(&md, memory_desc);
}

dnnl_status_t dnnl_memory_desc_create_with_strides(
        dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t data_type, const dnnl_dims_t strides)
{
    struct dnnl_memory_desc md;
    if (memory_desc == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = memory_desc_start(&md, ndims, dims, data_type);
    if (st != dnnl_success) return st;
    if (ndims == 0) return memory_desc_give(&md, memory_desc);
    if (strides == NULL) {
        memory_desc_set_plain(&md);
    } else {
        if (!are_dims_valid(ndims, strides)) return dnnl_invalid_arguments;
        md.format_kind = dnnl_blocked;
        memcpy(md.strides, strides, (size_t)ndims * sizeof strides[0]);
    }
    if (!memory_desc_size_fits(&md)) return dnnl_invalid_arguments;
    return memory_desc_give(&md, memory_desc);
}

dnnl_status_t dnnl_memory_desc_create_host_scalar(
        dnnl_memory_desc_t *memory_desc, dnnl_data_type_t data_type)
{
    struct dnnl_memory_desc md;
    if (memory_desc == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = memory_desc_start(&md, 1, (dnnl_dims_t){1}, data_type);
    if (st != dnnl_success) return st;
    md.format_kind = dnnl_format_kind_host_scalar;
    return memory_desc_give(&md, memory_desc);
}

dnnl_status_t dnnl_memory_desc_clone(dnnl_memory_desc_t *memory_desc,
        const_dnnl_memory_desc_t existing_memory_desc)
{
    if (memory_desc == NULL || existing_memory_desc == NULL)
        return dnnl_invalid_arguments;
    return memory_desc_give(existing_memory_desc, memory_desc);
}

dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t memory_desc)
{
    free(memory_desc);
    return dnnl_success;
}

/* ---- Comparison and queries ---------------------------------------------- */

static bool same_blocks(
        const struct dnnl_memory_desc *a, const struct dnnl_memory_desc *b)
{
    return a->inner_nblks == b->inner_nblks
           && memcmp(a->inner_blks, b->inner_blks, sizeof a->inner_blks) == 0
           && memcmp(a->inner_idxs, b->inner_idxs, sizeof a->inner_idxs) == 0;
}

int dnnl_memory_desc_equal(
        const_dnnl_memory_desc_t lhs, const_dnnl_memory_desc_t rhs)
{
    if (lhs == rhs) return 1;
    if (lhs == NULL || rhs == NULL) return 0;
    if (lhs->data_type != rhs->data_type || lhs->format_kind != rhs->format_kind
            || lhs->offset0 != rhs->offset0 || !memory_desc_same_dims(lhs, rhs)
            || !same_blocks(lhs, rhs))
        return 0;
    for (int d = 0; d < lhs->ndims; d++)
        if (lhs->padded_dims[d] != 1 && lhs->strides[d] != rhs->strides[d])
            return 0;
    return 1;
}

dnnl_status_t dnnl_memory_desc_query(
        const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, void *result)
{
    static const dnnl_dims_t none;
    const struct dnnl_memory_desc *md = memory_desc;
    if (md == NULL || result == NULL) return dnnl_invalid_arguments;
    bool is_blocked = md->format_kind == dnnl_blocked;
    switch (what) {
    case dnnl_query_ndims_s32:
        *(int *)result = md->ndims;
        break;
    case dnnl_query_dims:
        *(const dnnl_dims_t **)result = (const dnnl_dims_t *)&md->dims;
        break;
    case dnnl_query_padded_dims:
        *(const dnnl_dims_t **)result = (const dnnl_dims_t *)&md->padded_dims;
        break;
    case dnnl_query_data_type:
        *(dnnl_data_type_t *)result = md->data_type;
        break;
    case dnnl_query_submemory_offset_s64:
        *(dnnl_dim_t *)result = md->offset0;
        break;
    case dnnl_query_padded_offsets:
        *(const dnnl_dims_t **)result = (const dnnl_dims_t *)&none;
        break;
    case dnnl_query_format_kind:
        *(dnnl_format_kind_t *)result = md->format_kind;
        break;
    case dnnl_query_strides:
        if (!is_blocked) return dnnl_invalid_arguments;
        *(const dnnl_dims_t **)result = (const dnnl_dims_t *)&md->strides;
        break;
    case dnnl_query_inner_nblks_s32:
        if (!is_blocked) return dnnl_invalid_arguments;
        *(int *)result = md->inner_nblks;
        break;
    case dnnl_query_inner_blks:
        if (!is_blocked) return dnnl_invalid_arguments;
        *(const dnnl_dims_t **)result = (const dnnl_dims_t *)&md->inner_blks;
        break;
    case dnnl_query_inner_idxs:
        if (!is_blocked) return dnnl_invalid_arguments;
        *(const dnnl_dims_t **)result = (const dnnl_dims_t *)&md->inner_idxs;
        break;
    default:
        return dnnl_invalid_arguments;
    }
    return dnnl_success;
}
