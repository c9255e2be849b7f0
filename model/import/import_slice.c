/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a tensor. */
#include "model/import/import.h"

/* Emits a part of input 0; nothing if it is all of it. */
static bool emit_slice(struct import *im, const struct graph_slice *slice,
        const struct graph_shape *out, int output)
{
    int x = import_input(im, 0);
    const struct graph_tensor *t = import_tensor(im, x);
    bool is_whole = graph_shape_equal(&t->shape, out);
    for (int d = 0; d < out->ndims; d++)
        is_whole = is_whole && slice->steps[d] == 1;
    if (is_whole) return import_alias(im, x, output);
    struct graph_node node = {
            .op = graph_op_slice,
            .input_count = 1,
            .inputs = &x,
            .u.slice = *slice,
    };
    return import_emit(im, &node, t->type, out, output) != graph_none;
}

/* All of a tensor. */
static struct graph_slice whole(int ndims)
{
    struct graph_slice slice = {{0}, {0}};
    for (int d = 0; d < ndims; d++)
        slice.steps[d] = 1;
    return slice;
}

/* ---- Slice --------------------------------------------------------------- */

struct ranges {
    int count;
    int64_t starts[graph_max_ndims];
    int64_t ends[graph_max_ndims];
    int64_t axes[graph_max_ndims];
    int64_t steps[graph_max_ndims];
};

/* Numbers of an input or, in the first operator sets, of an attribute. As many
 * as there are ranges, if they are given. */
static bool read_numbers(struct import *im, size_t input, const char *name,
        int64_t values[graph_max_ndims], int *count)
{
    int found = graph_none;
    if (import_has_input(im, input)) {
        if (!import_constant_ints(im, input, values, graph_max_ndims, &found))
            return false;
    } else if (!import_ints(im, name, values, graph_max_ndims, &found)) {
        return false;
    }
    if (found == graph_none) return true;
    if (*count != graph_none && found != *count)
        return import_fail(im, "%d %s for %d ranges", found, name, *count);
    *count = found;
    return true;
}

static bool read_ranges(struct import *im, struct ranges *r)
{
    *r = (struct ranges){.count = graph_none};
    for (int i = 0; i < graph_max_ndims; i++) {
        r->axes[i] = i;
        r->steps[i] = 1;
    }
    if (!read_numbers(im, 1, "starts", r->starts, &r->count)) return false;
    int starts = r->count;
    r->count = graph_none;
    if (!read_numbers(im, 2, "ends", r->ends, &r->count)) return false;
    if (starts == graph_none || r->count != starts)
        return import_fail(im, "starts and ends are not as many");
    return read_numbers(im, 3, "axes", r->axes, &r->count)
           && read_numbers(im, 4, "steps", r->steps, &r->count);
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Where a range begins in a dimension, and how many elements it has: negative
 * numbers count from the end, what is beyond it is cut off. */
static int64_t range_count(
        int64_t dim, int64_t step, int64_t end, int64_t *start)
{
    bool forward = step > 0;
    if (dim == 0) return *start = 0;
    /* Forwards from 0 to before dim, backwards from dim - 1 to before -1. */
    int64_t least = forward ? 0 : -1;
    int64_t most = forward ? dim : dim - 1;
    if (*start < 0) *start = *start < -dim ? -1 : *start + dim;
    if (end < 0) end = end < -dim ? -1 : end + dim;
    *start = clamp(*start, 0, most);
    end = clamp(end, least, most);
    int64_t distance = forward ? end - *start : *start - end;
    int64_t stride = forward ? step : -step;
    return distance <= 0 ? 0 : (distance - 1) / stride + 1;
}

bool import_slice(struct import *im, enum graph_op op)
{
    struct ranges r;
    int axes[graph_max_ndims];
    (void)op;
    if (!import_check_inputs(im, 1, 5) || !read_ranges(im, &r)) return false;
    struct graph_shape out = import_tensor(im, import_input(im, 0))->shape;
    struct graph_slice slice = whole(out.ndims);
    if (!import_distinct_axes(im, r.axes, r.count, out.ndims, axes))
        return false;
    for (int i = 0; i < r.count; i++) {
        const int d = axes[i];
        if (r.steps[i] == 0 || r.steps[i] == INT64_MIN)
            return import_fail(im, "a step of %lld", (long long)r.steps[i]);
        slice.starts[d] = r.starts[i];
        slice.steps[d] = r.steps[i];
        out.dims[d] = range_count(
                out.dims[d], r.steps[i], r.ends[i], &slice.starts[d]);
        /* A step is not needed, and might not fit into what uses it. */
        if (out.dims[d] <= 1) slice.steps[d] = 1;
    }
    return emit_slice(im, &slice, &out, 0);
}

/* ---- Split --------------------------------------------------------------- */

/* The size of each part; the last may be smaller where the file says only how
 * many there are. */
static bool part_size(struct import *im, const int64_t *sizes, int count,
        int part, int64_t left, int64_t *size)
{
    if (sizes != NULL)
        *size = sizes[part];
    else if (part == count - 1)
        *size = left;
    if (*size < 0 || *size > left)
        return import_fail(im, "part %d of %lld, %lld are left", part,
                (long long)*size, (long long)left);
    return true;
}

/* Splits into `count` outputs of sizes, or equal ones for NULL. */
static bool split(struct import *im, int axis, const int64_t *sizes, int count)
{
    struct graph_shape whole_shape =
            import_tensor(im, import_input(im, 0))->shape;
    int64_t left = whole_shape.dims[axis];
    int64_t size = (left + count - 1) / count;
    if (sizes == NULL && im->opset < 18 && left % count != 0)
        return import_fail(im, "%lld in %d parts", (long long)left, count);
    for (int i = 0; i < count; i++) {
        struct graph_slice slice = whole(whole_shape.ndims);
        struct graph_shape out = whole_shape;
        if (!part_size(im, sizes, count, i, left, &size)) return false;
        slice.starts[axis] = whole_shape.dims[axis] - left;
        out.dims[axis] = size;
        left -= size;
        if (import_has_output(im, i) && !emit_slice(im, &slice, &out, i))
            return false;
    }
    return left == 0 || import_fail(im, "%lld are in no part", (long long)left);
}

enum { most_parts = 1024 };

bool import_split(struct import *im, enum graph_op op)
{
    int64_t sizes[most_parts];
    int count = 0;
    int axis = 0;
    (void)op;
    if (!import_check_inputs(im, 1, 2)) return false;
    const struct graph_shape *x =
            &import_tensor(im, import_input(im, 0))->shape;
    if (!import_axis_attribute(im, 0, x->ndims, &axis)
            || (import_has_input(im, 1) ? !import_constant_ints(
                        im, 1, sizes, most_parts, &count)
                                        : !import_ints(im, "split", sizes,
                                                most_parts, &count)))
        return false;
    int64_t parts = count != 0 ? count : (int64_t)im->node->n_output;
    if (!import_int(im, "num_outputs", &parts)) return false;
    if (parts < 1 || parts > most_parts || (uint64_t)parts != im->node->n_output
            || (count != 0 && parts != count))
        return import_fail(im, "%lld parts, %zu outputs", (long long)parts,
                im->node->n_output);
    return split(im, axis, count != 0 ? sizes : NULL, (int)parts);
}
