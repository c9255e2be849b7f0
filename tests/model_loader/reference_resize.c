/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_nodes.h"

#include <math.h>

/* Where in a dimension of the input an element of the output is. */
static double position(const struct graph_resize *resize, int d, int64_t out,
        int64_t in_size, int64_t out_size)
{
    double scale = resize->scales[d];
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

/* Elements of a dimension and their shares. */
enum { most_taps = 4 };

struct taps {
    int count;
    int64_t at[most_taps];
    double shares[most_taps];
    double off; /* of a share, for a place that is off by eight roundings */
};

static void add_tap(struct taps *taps, int64_t at, double share)
{
    if (share == 0.0) return;
    taps->at[taps->count] = at;
    taps->shares[taps->count++] = share;
}

/* As ONNX writes its coefficients, for a place between elements 1 and 2. */
static void cubic(double a, double t, double shares[most_taps])
{
    shares[0] = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a;
    shares[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
    t = 1 - t;
    shares[2] = ((a + 2) * t - (a + 3)) * t * t + 1;
    shares[3] = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a;
}

static void add_cubic(const struct graph_resize *resize, double at,
        int64_t in_size, struct taps *taps)
{
    double shares[most_taps];
    double sum = 0.0;
    cubic((double)resize->cubic_a, at - floor(at), shares);
    for (int i = 0; i < most_taps; i++) {
        double x = floor(at) - 1 + i;
        if (resize->excludes_outside && (x < 0 || x >= (double)in_size))
            shares[i] = 0.0;
        sum += shares[i];
    }
    for (int i = 0; i < most_taps; i++)
        add_tap(taps, clamp(floor(at) - 1 + i, in_size),
                resize->excludes_outside ? shares[i] / sum : shares[i]);
    taps->off *= 4;
}

static struct taps taps_at(const struct graph_resize *resize, int d,
        int64_t out, int64_t in_size, int64_t out_size)
{
    double at = position(resize, d, out, in_size, out_size);
    struct taps taps = {.off = 8 * REFERENCE_EPS * (double)(in_size + 1)};
    if (resize->mode == graph_resize_cubic) {
        add_cubic(resize, at, in_size, &taps);
    } else if (resize->mode == graph_resize_linear) {
        double first = floor(at);
        add_tap(&taps, clamp(first, in_size), 1.0 - (at - first));
        add_tap(&taps, clamp(first + 1.0, in_size), at - first);
    } else {
        add_tap(&taps, clamp(round_position(resize->mode, at), in_size), 1.0);
    }
    if (taps.count == 1) taps.off = 0.0;
    return taps;
}

/* One result: shares in the elements around its place, which are counted by
 * `which` in each dimension. */
static void resize_at(const struct reference_call *call, int64_t index,
        const struct taps taps[graph_max_ndims])
{
    const struct reference_slot *x = call->inputs[0];
    const struct graph_shape *in = &x->tensor->shape;
    int64_t strides[graph_max_ndims];
    int which[graph_max_ndims] = {0};
    double value = 0.0;
    double tolerance = 0.0;
    reference_strides(in, strides);
    for (int d = 0; d >= 0;) {
        double share = 1.0;
        double off = 0.0;
        int64_t at = 0;
        for (int k = 0; k < in->ndims; k++) {
            share *= taps[k].shares[which[k]];
            off += taps[k].off;
            at += taps[k].at[which[k]] * strides[k];
        }
        double element = reference_value_at(x, at);
        value += share * element;
        tolerance += fabs(share) * reference_tolerance_at(x, at)
                     + off * fabs(element);
        for (d = in->ndims - 1; d >= 0 && ++which[d] == taps[d].count; d--)
            which[d] = 0;
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
        struct taps taps[graph_max_ndims];
        reference_split(out, i, place);
        for (int d = 0; d < out->ndims; d++)
            taps[d] = taps_at(resize, d, place[d], in->dims[d], out->dims[d]);
        resize_at(call, i, taps);
    }
}
