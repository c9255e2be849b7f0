/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resize. What the library's resampling computes is left to it. Else each
 * dimension is resized by itself: to nearest, by taking elements whose numbers
 * are known; linearly and cubically, by a product with a matrix of the
 * elements' shares.
 */
#include "model/lower/lower_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_linear(const struct graph_node *node)
{
    return node->u.resize.mode == graph_resize_linear;
}

static bool is_cubic(const struct graph_node *node)
{
    return node->u.resize.mode == graph_resize_cubic;
}

/* A scale of 1.2 may leave a dimension of 4 as it is, but not its elements. */
static bool is_resized(const struct graph_node *node, int d,
        const struct layout *in, const struct graph_shape *out)
{
    return in->dims[d] != out->dims[d]
           || (node->u.resize.scales[d] != 1.0
                   && node->u.resize.coordinates != graph_resize_align_corners);
}

/* ---- Places -------------------------------------------------------------- */

/* Where in x the middle of element i is. */
static double place(const struct graph_node *node, int d, int64_t i, int64_t in,
        int64_t out)
{
    const double scale = node->u.resize.scales[d];
    switch (node->u.resize.coordinates) {
    case graph_resize_align_corners:
        return out > 1 ? (double)i * (double)(in - 1) / (double)(out - 1) : 0.0;
    case graph_resize_asymmetric:
        return (double)i / scale;
    case graph_resize_pytorch_half_pixel:
        if (out == 1) return 0.0;
        return ((double)i + 0.5) / scale - 0.5;
    default:
        return ((double)i + 0.5) / scale - 0.5;
    }
}

static int64_t clamp(double at, int64_t in)
{
    if (at < 0.0) return 0;
    return at > (double)(in - 1) ? in - 1 : (int64_t)at;
}

static int64_t nearest(enum graph_resize_mode mode, double at, int64_t in)
{
    switch (mode) {
    case graph_resize_nearest_round_down:
        return clamp(ceil(at - 0.5), in);
    case graph_resize_nearest_round_up:
        return clamp(floor(at + 0.5), in);
    case graph_resize_nearest_ceil:
        return clamp(ceil(at), in);
    default:
        return clamp(floor(at), in);
    }
}

/* The places that the library's resampling looks at. */
static double library_place(int64_t i, int64_t in, int64_t out)
{
    return ((double)i + 0.5) * (double)in / (double)out - 0.5;
}

/* Does it come to the same in this dimension? Places that are all but between
 * two elements may be rounded differently. */
static bool is_library_dimension(
        const struct graph_node *node, int d, int64_t in, int64_t out)
{
    for (int64_t i = 0; i < out; i++) {
        const double here = place(node, d, i, in, out);
        const double there = library_place(i, in, out);
        if (is_linear(node)) {
            const double a = fmin(fmax(here, 0.0), (double)(in - 1));
            const double b = fmin(fmax(there, 0.0), (double)(in - 1));
            if (fabs(a - b) > 1e-6) return false;
        } else if (nearest(node->u.resize.mode, here, in)
                           != nearest(graph_resize_nearest_round_up, there, in)
                   || fabs(there + 0.5 - round(there + 0.5)) < 1e-6) {
            return false;
        }
    }
    return true;
}

static bool is_library_resampling(const struct graph_node *node,
        const struct layout *in, const struct graph_shape *out)
{
    if (out->ndims < 3 || out->ndims > 5 || is_cubic(node)) return false;
    for (int d = 0; d < out->ndims; d++) {
        if (!is_resized(node, d, in, out)) continue;
        if (d < 2 || !is_library_dimension(node, d, in->dims[d], out->dims[d]))
            return false;
    }
    return true;
}

/* ---- One dimension ------------------------------------------------------- */

static float *nearest_numbers(
        const struct graph_node *node, int d, int64_t in, int64_t out)
{
    float *numbers = malloc(sizeof *numbers * (size_t)out);
    for (int64_t i = 0; numbers != NULL && i < out; i++)
        numbers[i] = (float)nearest(
                node->u.resize.mode, place(node, d, i, in, out), in);
    return numbers;
}

static bool take(struct lowering *l, const struct graph_node *node, int d,
        const struct view *from, const struct view *to)
{
    const int64_t in = from->layout.dims[d], out = to->layout.dims[d];
    struct view x = *from, dst = *to, numbers;
    int64_t dims[3] = {1, 1, 1};
    if (!lower_charge(l, node, out, sizeof(float))
            || !lower_constant(
                    l, 1, &out, nearest_numbers(node, d, in, out), &numbers))
        return false;
    if (!layout_is_dense(&x.layout) && !lower_copy(l, node, from, &x))
        return false;
    for (int i = 0; i < x.layout.ndims; i++)
        dims[i < d ? 0 : i == d ? 1 : 2] *= x.layout.dims[i];
    const int64_t offset = x.layout.offset;
    x.layout = layout_dense(3, dims);
    x.layout.offset = offset;
    dims[1] = out;
    dst.layout = layout_dense(3, dims);
    struct step *step = lower_step(l, node, step_take, 3);
    if (step == NULL) return false;
    step_add_arg(step, DNNL_ARG_SRC_0, &x);
    step_add_arg(step, DNNL_ARG_SRC_1, &numbers);
    step_add_arg(step, DNNL_ARG_DST, &dst);
    return true;
}

/* The column of an element of the output: the shares of those of x in it. */
static void share_linearly(float *column, double at, int64_t in, int64_t out)
{
    at = fmin(fmax(at, 0.0), (double)(in - 1));
    const int64_t first = (int64_t)at;
    const double share = at - (double)first;
    column[first * out] = (float)(1.0 - share);
    if (first + 1 < in) column[(first + 1) * out] = (float)share;
}

/* What Keys' cubic has at a distance, 2 at most. */
static double cubic_share(double a, double distance)
{
    const double x = distance;
    if (x <= 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
    return ((x - 5.0) * x + 8.0) * x * a - 4.0 * a;
}

static void share_cubically(const struct graph_resize *resize, float *column,
        double at, int64_t in, int64_t out)
{
    const double first = floor(at) - 1.0;
    double shares[4], all = 0.0;
    for (int i = 0; i < 4; i++) {
        const double x = first + i;
        const bool counts = !resize->excludes_outside
                            || (x >= 0.0 && x <= (double)(in - 1));
        shares[i] = counts ? cubic_share((double)resize->cubic_a, fabs(at - x))
                           : 0.0;
        all += shares[i];
    }
    /* Those outside are the edge's; several may be. */
    for (int i = 0; i < 4; i++) {
        float *share = &column[clamp(first + i, in) * out];
        *share = (float)((double)*share
                         + shares[i] / (resize->excludes_outside ? all : 1.0));
    }
}

/* Row i has the shares of element i of x in those of the output. */
static float *make_shares(
        const struct graph_node *node, int d, int64_t in, int64_t out)
{
    float *shares = calloc((size_t)(in * out), sizeof *shares);
    for (int64_t o = 0; shares != NULL && o < out; o++) {
        const double at = place(node, d, o, in, out);
        if (is_cubic(node))
            share_cubically(&node->u.resize, shares + o, at, in, out);
        else
            share_linearly(shares + o, at, in, out);
    }
    return shares;
}

static bool multiply(struct lowering *l, const struct graph_node *node, int d,
        const struct view *from, const struct view *to)
{
    const int64_t dims[] = {from->layout.dims[d], to->layout.dims[d]};
    const int last = from->layout.ndims - 1;
    struct view x = *from, dst = *to, shares;
    int turn[layout_max_dims];
    if (last < 1) return lower_refuse(l, node, "it has a single dimension");
    if (!lower_charge(l, node, dims[0], dims[1] * (int64_t)sizeof(float))
            || !lower_constant(l, 2, dims,
                    make_shares(node, d, dims[0], dims[1]), &shares))
        return false;
    for (int i = 0; i <= last; i++)
        turn[i] = i;
    turn[d] = last;
    turn[last] = d;
    x.layout = layout_permute(&x.layout, turn);
    dst.layout = layout_permute(&dst.layout, turn);
    shares.layout = layout_lift(&shares.layout, last + 1);
    struct step *step = lower_step(l, node, step_matmul, 3);
    if (step == NULL) return false;
    step_add_arg(step, DNNL_ARG_SRC, &x);
    step_add_arg(step, DNNL_ARG_WEIGHTS, &shares);
    step_add_arg(step, DNNL_ARG_DST, &dst);
    return true;
}

static bool resize_dimensions(struct lowering *l, const struct graph_node *node,
        const struct graph_shape *shape, struct view view)
{
    struct view next;
    int last = 0;
    for (int d = 0; d < shape->ndims; d++)
        if (is_resized(node, d, &view.layout, shape)) last = d;
    for (int d = 0; d <= last; d++) {
        int64_t dims[layout_max_dims];
        if (!is_resized(node, d, &view.layout, shape)) continue;
        memcpy(dims, view.layout.dims, sizeof dims);
        dims[d] = shape->dims[d];
        if (!lower_scratch(l, shape->ndims, dims, &next)) return false;
        const bool is_sum = is_linear(node) || is_cubic(node);
        if (!(is_sum ? multiply : take)(l, node, d, &view, &next)) return false;
        view = next;
    }
    l->views[node->output] = view;
    return true;
}

/* Every place is looked at on the host, and floats count elements. */
static bool is_countable(const struct graph_node *node, const struct layout *in,
        const struct graph_shape *out)
{
    const int64_t most = 1 << 24;
    for (int d = 0; d < out->ndims; d++)
        if (is_resized(node, d, in, out)
                && (in->dims[d] > most || out->dims[d] > most))
            return false;
    return true;
}

bool lower_resize(struct lowering *l, const struct graph_node *node)
{
    const struct graph_shape *shape = &l->graph->tensors[node->output].shape;
    struct view src;
    if (!lower_input(l, node, 0, &src)) return false;
    bool is_same = true;
    for (int d = 0; d < shape->ndims; d++)
        is_same = is_same && !is_resized(node, d, &src.layout, shape);
    if (is_same) {
        l->views[node->output] = src;
        return true;
    }
    if (!is_countable(node, &src.layout, shape))
        return lower_refuse(l, node,
                "resizes a dimension from or to more than 16777216 elements");
    if (!is_library_resampling(node, &src.layout, shape))
        return resize_dimensions(l, node, shape, src);
    struct step *step = lower_step(l, node, step_resampling, 2);
    if (step == NULL) return false;
    step->alg =
            is_linear(node) ? dnnl_resampling_linear : dnnl_resampling_nearest;
    step_add_arg(step, DNNL_ARG_SRC, &src);
    return lower_finish_plain(l, step, node->output);
}
