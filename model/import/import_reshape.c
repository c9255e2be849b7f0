/* SPDX-License-Identifier: Apache-2.0 */
/* The same elements under other dimensions. */
#include "model/import/import.h"

#include <string.h>

static bool emit(struct import *im, const struct graph_shape *shape)
{
    int x = import_input(im, 0);
    char is[graph_shape_text_size];
    char wanted[graph_shape_text_size];
    const struct graph_shape *from = &import_tensor(im, x)->shape;
    graph_shape_text(is, from);
    graph_shape_text(wanted, shape);
    if (!graph_shape_fits(shape, 0)
            || graph_shape_count(shape) != graph_shape_count(from))
        return import_fail(im, "dimensions %s of %s", wanted, is);
    return import_emit_reshape(im, x, shape, 0) != graph_none;
}

/* ---- Reshape ------------------------------------------------------------- */

/* Numbers as they are asked for: from the second input, or the attribute that
 * operator set 1 had. */
static bool read_shape(struct import *im, struct graph_shape *shape)
{
    int count = 0;
    bool is_input = import_has_input(im, 1);
    if (is_input ? !import_constant_ints(
                im, 1, shape->dims, graph_max_ndims, &count)
                 : !import_ints(
                         im, "shape", shape->dims, graph_max_ndims, &count))
        return false;
    shape->ndims = count;
    return is_input || import_attribute(im, "shape") != NULL
           || import_fail(im, "no shape is given");
}

/* Makes the dimension that is -1 what is left over. */
static bool infer_dimension(struct import *im, const struct graph_shape *from,
        struct graph_shape *shape)
{
    struct graph_shape others = *shape;
    int unknown = graph_none;
    for (int d = 0; d < shape->ndims; d++) {
        if (shape->dims[d] != -1) continue;
        if (unknown != graph_none)
            return import_fail(im, "two dimensions are -1");
        unknown = d;
        others.dims[d] = 1;
    }
    if (unknown == graph_none) return true;
    if (!graph_shape_fits(&others, 1)
            || graph_shape_count(from) % graph_shape_count(&others) != 0)
        return import_fail(im, "%lld elements do not leave a dimension of -1",
                (long long)graph_shape_count(from));
    shape->dims[unknown] = graph_shape_count(from) / graph_shape_count(&others);
    return true;
}

bool import_reshape(struct import *im, enum graph_op op)
{
    struct graph_shape shape = {0};
    bool zero_is_zero = false;
    (void)op;
    if (!import_check_inputs(im, 1, 2) || !read_shape(im, &shape)
            || !import_flag(im, "allowzero", &zero_is_zero))
        return false;
    const struct graph_shape *from =
            &import_tensor(im, import_input(im, 0))->shape;
    for (int d = 0; d < shape.ndims && !zero_is_zero; d++) {
        if (shape.dims[d] != 0) continue;
        if (d >= from->ndims)
            return import_fail(im, "no dimension %d to keep", d);
        shape.dims[d] = from->dims[d];
    }
    return infer_dimension(im, from, &shape) && emit(im, &shape);
}

bool import_flatten(struct import *im, enum graph_op op)
{
    int64_t axis = 1;
    (void)op;
    if (!import_check_inputs(im, 1, 1) || !import_int(im, "axis", &axis))
        return false;
    const struct graph_shape *from =
            &import_tensor(im, import_input(im, 0))->shape;
    if (axis < -from->ndims || axis > from->ndims)
        return import_fail(im, "there is no axis %lld of %d dimensions",
                (long long)axis, from->ndims);
    if (axis < 0) axis += from->ndims;
    struct graph_shape shape = {.ndims = 2, .dims = {1, 1}};
    for (int d = 0; d < from->ndims; d++)
        shape.dims[d >= axis] *= from->dims[d];
    return emit(im, &shape);
}

/* ---- Dimensions of 1 ----------------------------------------------------- */

bool import_squeeze(struct import *im, enum graph_op op)
{
    bool marked[graph_max_ndims];
    bool given;
    struct graph_shape shape = {0};
    (void)op;
    if (!import_check_inputs(im, 1, 2)) return false;
    const struct graph_shape *from =
            &import_tensor(im, import_input(im, 0))->shape;
    if (!import_axes(im, 1, from->ndims, marked, &given)) return false;
    for (int d = 0; d < from->ndims; d++) {
        if (given && marked[d] && from->dims[d] != 1)
            return import_fail(im, "dimension %d is %lld, not 1", d,
                    (long long)from->dims[d]);
        if (given ? !marked[d] : from->dims[d] != 1)
            shape.dims[shape.ndims++] = from->dims[d];
    }
    return emit(im, &shape);
}

bool import_unsqueeze(struct import *im, enum graph_op op)
{
    bool marked[graph_max_ndims];
    bool given;
    int64_t axes[graph_max_ndims];
    int count = 0;
    (void)op;
    if (!import_check_inputs(im, 1, 2)) return false;
    struct graph_shape from = import_tensor(im, import_input(im, 0))->shape;
    /* How many there are is needed to know what they count from. */
    if (import_has_input(im, 1)
                    ? !import_constant_ints(
                            im, 1, axes, graph_max_ndims, &count)
                    : !import_ints(im, "axes", axes, graph_max_ndims, &count))
        return false;
    if (from.ndims + count > graph_max_ndims)
        return import_fail(im, "%d dimensions", from.ndims + count);
    struct graph_shape shape = {.ndims = from.ndims + count};
    if (!import_axes(im, 1, shape.ndims, marked, &given)) return false;
    for (int d = 0, next = 0; d < shape.ndims; d++)
        shape.dims[d] = marked[d] ? 1 : from.dims[next++];
    return emit(im, &shape);
}
