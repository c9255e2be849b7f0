/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_nodes.h"

#include <math.h>

/* Where in a dimension of the input an element of the output is. */
static double position(const struct graph_resize *resize, int d, int64_t out,
        int64_t in_size, int64_t out_size)
{
    double scale = (double)resize->scales[d];
    double at = (double)out;
    switch (resize->coordinates) {
    case graph_resize_half_pixel:
        return (at + 0.5) / scale - 0.5;
    case graph_resize_pytorch_half_pixel:
        return out_size > 1 ? (at + 0.5) / scale - 0.5 : 0.0;
    case graph_resize_align_corners:
        return out_size > 1
                       ? at * (double)(in_size - 1) / (double)(out_size - 1)
                       : 0.0;
    default: /* asymmetric */
        return at / scale;
    }
}

static double round_position(enum graph_resize_mode mode, double at)
{
    switch (mode) {
    case graph_resize_nearest_round_down:
        return ceil(at - 0.5);
    case graph_resize_nearest_round_up:
        return floor(at + 0.5);
    case graph_resize_nearest_floor:
        return floor(at);
    default:
        return ceil(at);
    }
}

static int64_t clamp(double at, int64_t count)
{
    return at < 0.0 ? 0 : at > (double)(count - 1) ? count - 1 : (int64_t)at;
}

/* Two elements of a dimension and the share of the second; nearest has all of
 * the first. */
struct pair {
    int64_t at[2];
    double share;
};

static struct pair pair_at(const struct graph_resize *resize, int d,
        int64_t out, int64_t in_size, int64_t out_size)
{
    double at = position(resize, d, out, in_size, out_size);
    struct pair pair = {{0, 0}, 0.0};
    if (resize->mode != graph_resize_linear) {
        pair.at[0] = clamp(round_position(resize->mode, at), in_size);
        return pair;
    }
    double first = floor(at);
    pair.at[0] = clamp(first, in_size);
    pair.at[1] = clamp(first + 1.0, in_size);
    pair.share = at - first;
    return pair;
}

/* One result: shares in the corners around its place. A share may be off by
 * eight roundings of the place. */
static void resize_at(const struct reference_call *call, int64_t index,
        const struct pair pairs[graph_max_ndims])
{
    const struct reference_slot *x = call->inputs[0];
    const struct graph_shape *in = &x->tensor->shape;
    int64_t strides[graph_max_ndims];
    double value = 0.0;
    double tolerance = 0.0;
    reference_strides(in, strides);
    for (int corner = 0; corner < 1 << in->ndims; corner++) {
        double share = 1.0;
        double off = 0.0;
        int64_t at = 0;
        for (int d = 0; d < in->ndims; d++) {
            int which = corner >> d & 1;
            share *= which ? pairs[d].share : 1.0 - pairs[d].share;
            if (pairs[d].share > 0.0)
                off += 8 * REFERENCE_EPS * (double)(in->dims[d] + 1);
            at += pairs[d].at[which] * strides[d];
        }
        if (share == 0.0) continue;
        double element = reference_value_at(x, at);
        value += share * element;
        tolerance +=
                share * reference_tolerance_at(x, at) + off * fabs(element);
    }
    call->output->values[index] = value;
    call->output->tolerances[index] = tolerance;
}

void reference_resize(const struct reference_call *call)
{
    const struct graph_resize *resize = &call->node->u.resize;
    const struct graph_shape *in = &call->inputs[0]->tensor->shape;
    const struct graph_shape *out = &call->output->tensor->shape;
    for (int64_t i = 0; i < graph_shape_count(out); i++) {
        int64_t place[graph_max_ndims];
        struct pair pairs[graph_max_ndims];
        reference_split(out, i, place);
        for (int d = 0; d < out->ndims; d++)
            pairs[d] = pair_at(resize, d, place[d], in->dims[d], out->dims[d]);
        resize_at(call, i, pairs);
    }
}
