/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/memory_desc.h"

#include "common/byte_order.h"
#include "gpu/output.h"

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
        return 1;
    case dnnl_f64:
        return 8;
    case dnnl_data_type_undef:
        return 0;
    }
    return 0;
}

/* ---- Properties ---------------------------------------------------------- */

bool memory_desc_is_zero(const struct dnnl_memory_desc *md)
{
    return md->ndims == 0;
}

dnnl_dim_t memory_desc_nelems(const struct dnnl_memory_desc *md)
{
    if (md->ndims == 0) return 0;
    dnnl_dim_t count = 1;
    for (int d = 0; d < md->ndims; d++)
        count *= md->dims[d];
    return count;
}

/* The dense strides of dims in the order of dimensions, outermost first. */
static void set_dense_strides(
        struct dnnl_memory_desc *md, const int order[DNNL_MAX_NDIMS])
{
    dnnl_dim_t stride = 1;
    md->format_kind = dnnl_blocked;
    for (int i = md->ndims - 1; i >= 0; i--) {
        md->strides[order[i]] = stride;
        /* Empty dimensions leave the others' strides as of size 1. */
        if (md->dims[order[i]] > 1) stride *= md->dims[order[i]];
    }
}

void memory_desc_set_plain(struct dnnl_memory_desc *md)
{
    static const int order[DNNL_MAX_NDIMS] = {
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    if (md->format_kind == dnnl_format_kind_any) set_dense_strides(md, order);
}

void memory_desc_set_like(
        struct dnnl_memory_desc *md, const struct dnnl_memory_desc *like)
{
    int order[DNNL_MAX_NDIMS];
    if (md->format_kind != dnnl_format_kind_any) return;
    /* Insertion sort by stride, largest first; equal ones keep their order. */
    for (int d = 0; d < md->ndims; d++) {
        int i = d;
        for (; i > 0 && like->strides[order[i - 1]] < like->strides[d]; i--)
            order[i] = order[i - 1];
        order[i] = d;
    }
    set_dense_strides(md, order);
}

/* The reach of the strides: the last element's offset from the first. */
static dnnl_dim_t reach(const struct dnnl_memory_desc *md)
{
    dnnl_dim_t last = 0;
    for (int d = 0; d < md->ndims; d++)
        last += (md->dims[d] - 1) * md->strides[d];
    return last;
}

bool memory_desc_is_dense(const struct dnnl_memory_desc *md)
{
    if (md->format_kind != dnnl_blocked || memory_desc_nelems(md) == 0)
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
    if (memory_desc_nelems(md) > limit || md->offset0 > limit) return false;
    for (int d = 0; d < md->ndims; d++)
        if (md->dims[d] > limit || md->strides[d] > limit) return false;
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
    return at;
}

size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc)
{
    const struct dnnl_memory_desc *md = memory_desc;
    if (md == NULL || md->format_kind != dnnl_blocked
            || memory_desc_nelems(md) == 0)
        return 0;
    return ((size_t)md->offset0 + (size_t)reach(md) + 1)
           * dnnl_data_type_size(md->data_type);
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

/* True if sizes and offsets of the tensor, in bytes, stay below 2^63. */
static bool size_fits(const struct dnnl_memory_desc *md)
{
    uint64_t element = dnnl_data_type_size(md->data_type);
    uint64_t count = element;
    uint64_t last = (uint64_t)md->offset0;
    for (int d = 0; d < md->ndims; d++) {
        uint64_t size = (uint64_t)(md->dims[d] > 0 ? md->dims[d] : 1);
        uint64_t part = size - 1;
        if (!multiply(&count, size)
                || !multiply(&part, (uint64_t)md->strides[d])
                || !add(&last, part))
            return false;
    }
    return add(&last, 1) && multiply(&last, element);
}

static bool are_dims_valid(int ndims, const dnnl_dims_t dims)
{
    for (int d = 0; d < ndims; d++)
        if (dims[d] < 0) return false;
    return true;
}

/* Starts a descriptor of checked rank, dimensions and type. */
static dnnl_status_t start(struct dnnl_memory_desc *md, int ndims,
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
    memcpy(md->dims, dims, (size_t)ndims * sizeof dims[0]);
    return dnnl_success;
}

static dnnl_status_t give(
        const struct dnnl_memory_desc *md, dnnl_memory_desc_t *out)
{
    struct dnnl_memory_desc *copy = malloc(sizeof *copy);
    if (copy == NULL) return dnnl_out_of_memory;
    *copy = *md;
    *out = copy;
    return dnnl_success;
}

/* The plain tags' dimension orders, outermost first, by tag. */
static const char *const tag_orders[] = {[dnnl_a] = "a",
        [dnnl_ab] = "ab",
        [dnnl_abc] = "abc",
        [dnnl_abcd] = "abcd",
        [dnnl_abcde] = "abcde",
        [dnnl_abcdef] = "abcdef",
        [dnnl_abcdefg] = "abcdefg",
        [dnnl_abcdefgh] = "abcdefgh",
        [dnnl_abcdefghi] = "abcdefghi",
        [dnnl_abcdefghij] = "abcdefghij",
        [dnnl_abcdefghijk] = "abcdefghijk",
        [dnnl_abcdefghijkl] = "abcdefghijkl",
        [dnnl_ba] = "ba",
        [dnnl_acb] = "acb",
        [dnnl_bac] = "bac",
        [dnnl_bca] = "bca",
        [dnnl_cab] = "cab",
        [dnnl_cba] = "cba",
        [dnnl_abdc] = "abdc",
        [dnnl_acbd] = "acbd",
        [dnnl_acdb] = "acdb",
        [dnnl_adbc] = "adbc",
        [dnnl_adcb] = "adcb",
        [dnnl_bacd] = "bacd",
        [dnnl_bcda] = "bcda",
        [dnnl_cdab] = "cdab",
        [dnnl_cdba] = "cdba",
        [dnnl_dcab] = "dcab",
        [dnnl_abced] = "abced",
        [dnnl_abdec] = "abdec",
        [dnnl_acbde] = "acbde",
        [dnnl_acdeb] = "acdeb",
        [dnnl_adecb] = "adecb",
        [dnnl_bacde] = "bacde",
        [dnnl_bcdea] = "bcdea",
        [dnnl_cdeab] = "cdeab",
        [dnnl_cdeba] = "cdeba",
        [dnnl_decab] = "decab",
        [dnnl_abcdfe] = "abcdfe",
        [dnnl_abdefc] = "abdefc",
        [dnnl_abdfce] = "abdfce",
        [dnnl_acbdef] = "acbdef",
        [dnnl_adefcb] = "adefcb",
        [dnnl_defcab] = "defcab"};

static const char *tag_order(dnnl_format_tag_t tag)
{
    size_t count = sizeof tag_orders / sizeof tag_orders[0];
    return (int)tag >= 0 && (size_t)tag < count ? tag_orders[tag] : NULL;
}

dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type,
        dnnl_format_tag_t tag)
{
    struct dnnl_memory_desc md;
    if (memory_desc == NULL) return dnnl_invalid_arguments;
    if (ndims == 0 || tag == dnnl_format_tag_undef)
        return give(&memory_desc_zero, memory_desc);
    dnnl_status_t st = start(&md, ndims, dims, data_type);
    if (st != dnnl_success) return st;
    if (tag == dnnl_format_tag_any) {
        md.format_kind = dnnl_format_kind_any;
    } else {
        const char *letters = tag_order(tag);
        int order[DNNL_MAX_NDIMS];
        if (letters == NULL || strlen(letters) != (size_t)ndims)
            return dnnl_invalid_arguments;
        for (int d = 0; d < ndims; d++)
            order[d] = letters[d] - 'a';
        /* Sizes first: strides are products of them. */
        if (!size_fits(&md)) return dnnl_invalid_arguments;
        set_dense_strides(&md, order);
    }
    if (!size_fits(&md)) return dnnl_invalid_arguments;
    return give(&md, memory_desc);
}

dnnl_status_t dnnl_memory_desc_create_with_strides(
        dnnl_memory_desc_t *memory_desc, int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t data_type, const dnnl_dims_t strides)
{
    struct dnnl_memory_desc md;
    if (memory_desc == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = start(&md, ndims, dims, data_type);
    if (st != dnnl_success) return st;
    if (ndims == 0) return give(&md, memory_desc);
    if (!size_fits(&md)) return dnnl_invalid_arguments;
    if (strides == NULL) {
        md.format_kind = dnnl_format_kind_any;
        memory_desc_set_plain(&md);
    } else {
        if (!are_dims_valid(ndims, strides)) return dnnl_invalid_arguments;
        md.format_kind = dnnl_blocked;
        memcpy(md.strides, strides, (size_t)ndims * sizeof strides[0]);
    }
    if (!size_fits(&md)) return dnnl_invalid_arguments;
    return give(&md, memory_desc);
}

dnnl_status_t dnnl_memory_desc_clone(dnnl_memory_desc_t *memory_desc,
        const_dnnl_memory_desc_t existing_memory_desc)
{
    if (memory_desc == NULL || existing_memory_desc == NULL)
        return dnnl_invalid_arguments;
    return give(existing_memory_desc, memory_desc);
}

dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t memory_desc)
{
    free(memory_desc);
    return dnnl_success;
}

/* ---- Comparison and queries ---------------------------------------------- */

int dnnl_memory_desc_equal(
        const_dnnl_memory_desc_t lhs, const_dnnl_memory_desc_t rhs)
{
    if (lhs == rhs) return 1;
    if (lhs == NULL || rhs == NULL) return 0;
    if (lhs->data_type != rhs->data_type || lhs->format_kind != rhs->format_kind
            || lhs->offset0 != rhs->offset0 || !memory_desc_same_dims(lhs, rhs))
        return 0;
    for (int d = 0; d < lhs->ndims; d++)
        if (lhs->dims[d] != 1 && lhs->strides[d] != rhs->strides[d]) return 0;
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
    case dnnl_query_padded_dims:
        *(const dnnl_dims_t **)result = (const dnnl_dims_t *)&md->dims;
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
    /* No layout of this release has inner blocks. */
    case dnnl_query_inner_nblks_s32:
        if (!is_blocked) return dnnl_invalid_arguments;
        *(int *)result = 0;
        break;
    case dnnl_query_inner_blks:
    case dnnl_query_inner_idxs:
        if (!is_blocked) return dnnl_invalid_arguments;
        *(const dnnl_dims_t **)result = (const dnnl_dims_t *)&none;
        break;
    default:
        return dnnl_invalid_arguments;
    }
    return dnnl_success;
}
