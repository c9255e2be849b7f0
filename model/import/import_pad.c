/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/import.h"

#include <string.h>

/* No network pads more; sums of it and a dimension fit. */
#define MOST INT64_C(0x100000000)

static bool read_mode(struct import *im, enum graph_pad_mode *mode)
{
    char word[import_word_size] = "constant";
    if (!import_word(im, "mode", word)) return false;
    if (strcmp(word, "constant") == 0)
        *mode = graph_pad_constant;
    else if (strcmp(word, "reflect") == 0)
        *mode = graph_pad_reflect;
    else if (strcmp(word, "edge") == 0)
        *mode = graph_pad_edge;
    else if (strcmp(word, "wrap") == 0 && im->opset >= 19)
        *mode = graph_pad_wrap;
    else
        return import_fail(im, "attribute mode is '%s'", word);
    return true;
}

/* A number of the tensor's type, which a float must hold. */
static bool read_value(struct import *im, enum graph_type type, float *value)
{
    int count;
    int64_t number = 0;
    *value = 0.0F;
    if (!import_has_input(im, 2)) return import_float(im, "value", value);
    if (graph_type_is_float(type))
        return import_constant_floats(im, 2, value, 1, &count)
               && (count == 1 || import_fail(im, "input 2 is empty"));
    if (!import_constant_ints(im, 2, &number, 1, &count)) return false;
    *value = (float)number;
    return (count == 1 && number > -(1 << 24) && number < 1 << 24)
           || import_fail(im, "input 2 is empty, or beyond 24 bits");
}

/* The axes that numbers are for: all, or those of input 3. */
static bool read_axes(
        struct import *im, int ndims, int axes[graph_max_ndims], int *count)
{
    int64_t given[graph_max_ndims];
    *count = ndims;
    for (int d = 0; d < ndims; d++)
        given[d] = d;
    if (import_has_input(im, 3)
            && !import_constant_ints(im, 3, given, graph_max_ndims, count))
        return false;
    return import_distinct_axes(im, given, *count, ndims, axes);
}

static bool read_pads(struct import *im, int ndims, struct graph_pad *pad)
{
    int64_t pads[2 * graph_max_ndims];
    int axes[graph_max_ndims];
    int axis_count;
    int count = graph_none;
    if (!read_axes(im, ndims, axes, &axis_count)) return false;
    if (import_has_input(im, 1) ? !import_constant_ints(
                im, 1, pads, 2 * graph_max_ndims, &count)
                                : !import_ints(im, "paddings", pads,
                                          2 * graph_max_ndims, &count)
                                          || !import_ints(im, "pads", pads,
                                                  2 * graph_max_ndims, &count))
        return false;
    if (count != 2 * axis_count)
        return import_fail(
                im, "%d numbers for both ends of %d axes", count, axis_count);
    for (int i = 0; i < axis_count; i++) {
        pad->begin[axes[i]] = pads[i];
        pad->end[axes[i]] = pads[axis_count + i];
    }
    return true;
}

/* The dimension with its padding; what is reflected must be there. */
static bool pad_dimension(
        struct import *im, const struct graph_pad *pad, int d, int64_t *dim)
{
    int64_t begin = pad->begin[d];
    int64_t end = pad->end[d];
    if (begin < -MOST || begin > MOST || end < -MOST || end > MOST)
        return import_fail(im, "padding of %lld and %lld", (long long)begin,
                (long long)end);
    int64_t most = pad->mode == graph_pad_reflect ? *dim - 1
                   : pad->mode == graph_pad_wrap  ? *dim
                                                  : MOST;
    if (begin > most || end > most || (begin < 0 && -begin >= *dim)
            || (end < 0 && -end >= *dim))
        return import_fail(im, "padding of %lld and %lld around %lld",
                (long long)begin, (long long)end, (long long)*dim);
    *dim += begin + end;
    return true;
}

bool import_pad(struct import *im, enum graph_op op)
{
    struct graph_pad pad = {.mode = graph_pad_constant};
    if (!import_check_inputs(im, 1, 4) || !read_mode(im, &pad.mode))
        return false;
    int x = import_input(im, 0);
    struct graph_shape out = import_tensor(im, x)->shape;
    enum graph_type type = import_tensor(im, x)->type;
    if (!read_value(im, type, &pad.value)) return false;
    if (!read_pads(im, out.ndims, &pad)) return false;
    bool is_none = true;
    for (int d = 0; d < out.ndims; d++) {
        is_none = is_none && pad.begin[d] == 0 && pad.end[d] == 0;
        if (!pad_dimension(im, &pad, d, &out.dims[d])) return false;
    }
    if (is_none) return import_alias(im, x, 0);
    struct graph_node node = {
            .op = op, .input_count = 1, .inputs = &x, .u.pad = pad};
    return import_emit(im, &node, type, &out, 0) != graph_none;
}
