/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/layout.h"

#include <string.h>

struct layout layout_dense(int ndims, const int64_t *dims)
{
    struct layout l = {.ndims = ndims};
    int64_t stride = 1;
    for (int d = ndims - 1; d >= 0; d--) {
        l.dims[d] = dims[d];
        l.strides[d] = stride;
        stride *= dims[d];
    }
    return l;
}

int64_t layout_count(const struct layout *layout)
{
    int64_t count = 1;
    for (int d = 0; d < layout->ndims; d++)
        count *= layout->dims[d];
    return count;
}

bool layout_is_dense(const struct layout *layout)
{
    int64_t stride = 1;
    for (int d = layout->ndims - 1; d >= 0; d--) {
        if (layout->dims[d] != 1 && layout->strides[d] != stride) return false;
        stride *= layout->dims[d];
    }
    return true;
}

bool layout_has_dims(
        const struct layout *layout, int ndims, const int64_t *dims)
{
    return layout->ndims == ndims
           && (ndims == 0
                   || memcmp(layout->dims, dims, (size_t)ndims * sizeof *dims)
                              == 0);
}

/* ---- Views --------------------------------------------------------------- */

/* Dimensions of one element say nothing, and those that follow each other are
 * one: what is left, at least one dimension. */
static struct layout merge(const struct layout *in)
{
    struct layout l = {.ndims = 0, .offset = in->offset};
    for (int d = 0; d < in->ndims; d++) {
        if (in->dims[d] == 1) continue;
        const int last = l.ndims - 1;
        if (last >= 0 && l.strides[last] == in->dims[d] * in->strides[d]) {
            l.dims[last] *= in->dims[d];
            l.strides[last] = in->strides[d];
            continue;
        }
        l.dims[l.ndims] = in->dims[d];
        l.strides[l.ndims++] = in->strides[d];
    }
    if (l.ndims == 0) l = (struct layout){1, {1}, {1}, in->offset};
    return l;
}

bool layout_reshape(struct layout *out, const struct layout *in, int ndims,
        const int64_t *dims)
{
    const struct layout from = merge(in);
    struct layout l = layout_dense(ndims, dims);
    l.offset = in->offset;
    int at = from.ndims - 1;
    int64_t left = from.dims[at], stride = from.strides[at];
    for (int d = ndims - 1; d >= 0; d--) {
        if (dims[d] == 1) continue;
        if (left == 1 && at > 0) {
            left = from.dims[--at];
            stride = from.strides[at];
        }
        if (left == 0 || dims[d] == 0 || left % dims[d] != 0) return false;
        l.strides[d] = stride;
        stride *= dims[d];
        left /= dims[d];
    }
    if (left != 1 || at != 0) return false;
    *out = l;
    return true;
}

struct layout layout_permute(const struct layout *in, const int *permutation)
{
    struct layout l = {.ndims = in->ndims, .offset = in->offset};
    for (int d = 0; d < in->ndims; d++) {
        l.dims[d] = in->dims[permutation[d]];
        l.strides[d] = in->strides[permutation[d]];
    }
    return l;
}

struct layout layout_slice(const struct layout *in, int axis, int64_t start,
        int64_t count, int64_t step)
{
    struct layout l = *in;
    l.offset += start * in->strides[axis];
    l.strides[axis] *= step;
    l.dims[axis] = count;
    return l;
}

bool layout_broadcast(struct layout *out, const struct layout *in, int ndims,
        const int64_t *dims)
{
    if (in->ndims > ndims) return false;
    struct layout l = layout_lift(in, ndims);
    for (int d = 0; d < ndims; d++) {
        if (l.dims[d] == dims[d]) continue;
        if (l.dims[d] != 1) return false;
        l.dims[d] = dims[d];
        l.strides[d] = 0;
    }
    *out = l;
    return true;
}

struct layout layout_lift(const struct layout *in, int ndims)
{
    struct layout l = {.ndims = ndims, .offset = in->offset};
    const int added = ndims - in->ndims;
    for (int d = 0; d < ndims; d++) {
        l.dims[d] = d < added ? 1 : in->dims[d - added];
        l.strides[d] = d < added ? 1 : in->strides[d - added];
    }
    return l;
}

/* ---- Descriptors --------------------------------------------------------- */

/* Of a tensor with one more dimension in front, whose last element is the
 * tensor `offset` elements further on: so a descriptor gets an offset. */
static dnnl_status_t describe_from(const struct layout *l,
        dnnl_data_type_t type, int64_t offset, dnnl_memory_desc_t *md)
{
    dnnl_dims_t dims, strides, first = {0};
    dnnl_memory_desc_t whole = NULL, part = NULL;
    dims[0] = offset + 1;
    strides[0] = 1;
    memcpy(dims + 1, l->dims, (size_t)l->ndims * sizeof *dims);
    memcpy(strides + 1, l->strides, (size_t)l->ndims * sizeof *strides);
    dnnl_status_t st = dnnl_memory_desc_create_with_strides(
            &whole, l->ndims + 1, dims, type, strides);
    first[0] = offset;
    dims[0] = 1;
    if (st == dnnl_success)
        st = dnnl_memory_desc_create_submemory(&part, whole, dims, first);
    if (st == dnnl_success)
        st = dnnl_memory_desc_reshape(md, part, l->ndims, l->dims);
    dnnl_memory_desc_destroy(part);
    dnnl_memory_desc_destroy(whole);
    return st;
}

dnnl_status_t layout_describe(const struct layout *layout,
        dnnl_data_type_t type, int64_t base, dnnl_memory_desc_t *md)
{
    struct layout l = layout->ndims > 0 ? *layout : layout_lift(layout, 1);
    /* Of one element any stride is right; the dense one is the usual. */
    const struct layout dense = layout_dense(l.ndims, l.dims);
    for (int d = 0; d < l.ndims; d++)
        if (l.dims[d] == 1) l.strides[d] = dense.strides[d];
    if (base + l.offset > 0)
        return describe_from(&l, type, base + l.offset, md);
    return dnnl_memory_desc_create_with_strides(
            md, l.ndims, l.dims, type, l.strides);
}

/* ---- On the host --------------------------------------------------------- */

void layout_gather(
        const struct layout *layout, size_t size, const void *from, void *to)
{
    const char *source = from;
    char *target = to;
    int64_t at[layout_max_dims] = {0};
    const int64_t count = layout_count(layout);
    int64_t place = layout->offset;
    for (int64_t i = 0; i < count; i++) {
        memcpy(target + (size_t)i * size, source + (size_t)place * size, size);
        for (int d = layout->ndims - 1; d >= 0; d--) {
            place += layout->strides[d];
            if (++at[d] < layout->dims[d]) break;
            place -= layout->dims[d] * layout->strides[d];
            at[d] = 0;
        }
    }
}
