/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and poolings. */
#include "reference_nodes.h"

#include <math.h>
#include <stdlib.h>

/* A window over three dimensions, those that are missing of one element. */
struct window {
    int64_t in[3], out[3], kernel[3], strides[3], dilations[3], begin[3],
            end[3];
    int64_t in_size, out_size, kernel_size;
};

static void window_init(struct window *w, const struct graph_window *from,
        const struct graph_shape *in, const struct graph_shape *out)
{
    int missing = 3 - from->spatial;
    w->in_size = w->out_size = w->kernel_size = 1;
    for (int d = 0; d < 3; d++) {
        int i = d - missing;
        bool is_there = i >= 0;
        w->in[d] = is_there ? in->dims[2 + i] : 1;
        w->out[d] = is_there ? out->dims[2 + i] : 1;
        w->kernel[d] = is_there ? from->kernel[i] : 1;
        w->strides[d] = is_there ? from->strides[i] : 1;
        w->dilations[d] = is_there ? from->dilations[i] : 1;
        w->begin[d] = is_there ? from->pads_begin[i] : 0;
        w->end[d] = is_there ? from->pads_end[i] : 0;
        w->in_size *= w->in[d];
        w->out_size *= w->out[d];
        w->kernel_size *= w->kernel[d];
    }
}

/* The place in the input that an element of the window falls on. */
static int64_t source(const struct window *w, int d, int64_t out, int64_t k)
{
    return out * w->strides[d] - w->begin[d] + k * w->dilations[d];
}

/* ---- Convolution --------------------------------------------------------- */

/* One channel of the output and what one of the input adds to it. */
struct planes {
    const double *x, *x_tolerance;
    double *y, *y_tolerance;
};

/* A line of products: places of x go by a stride. */
static void add_line(const struct planes *p, int64_t from, int64_t to,
        int64_t count, int64_t stride, double weight)
{
    double magnitude = fabs(weight);
    for (int64_t i = 0; i < count; i++) {
        p->y[to + i] += weight * p->x[from + i * stride];
        p->y_tolerance[to + i] += magnitude * p->x_tolerance[from + i * stride];
    }
}

/* What one element of the kernel adds, for all places of the output. */
static void add_products(const struct window *w, const struct planes *p,
        const int64_t k[3], double weight)
{
    /* The output's places whose source is inside, in the last dimension. */
    int64_t shift = w->begin[2] - k[2] * w->dilations[2];
    int64_t first =
            shift <= 0 ? 0 : (shift + w->strides[2] - 1) / w->strides[2];
    int64_t last = (w->in[2] - 1 + shift) / w->strides[2];
    if (w->in[2] - 1 + shift < 0) return;
    if (last > w->out[2] - 1) last = w->out[2] - 1;
    for (int64_t a = 0; a < w->out[0]; a++) {
        int64_t from_a = source(w, 0, a, k[0]);
        if (from_a < 0 || from_a >= w->in[0]) continue;
        for (int64_t b = 0; b < w->out[1]; b++) {
            int64_t from_b = source(w, 1, b, k[1]);
            if (from_b < 0 || from_b >= w->in[1]) continue;
            int64_t from = (from_a * w->in[1] + from_b) * w->in[2];
            int64_t to = (a * w->out[1] + b) * w->out[2];
            add_line(p, from + source(w, 2, first, k[2]), to + first,
                    last - first + 1, w->strides[2], weight);
        }
    }
}

/* Each product may be off by what a sum of n of them loses, and by what x is;
 * the sum by the sum of that. */
static double *magnitudes(
        const struct reference_slot *x, int64_t terms, double **values)
{
    int64_t count = graph_shape_count(&x->tensor->shape);
    double *result = reference_alloc(count);
    *values = reference_alloc(count);
    for (int64_t i = 0; i < count; i++) {
        (*values)[i] = reference_value_at(x, i);
        result[i] = fabs((*values)[i]) * (double)(terms + 4) * REFERENCE_EPS
                    + reference_tolerance_at(x, i);
    }
    return result;
}

static void add_bias(const struct reference_call *call, int64_t terms)
{
    const struct graph_shape *out = &call->output->tensor->shape;
    const struct reference_slot *bias =
            call->input_count > 2 ? call->inputs[2] : NULL;
    int64_t count = graph_shape_count(out);
    int64_t plane = count / out->dims[0] / out->dims[1];
    for (int64_t i = 0; bias != NULL && i < count; i++) {
        int64_t channel = i / plane % out->dims[1];
        double value = reference_value_at(bias, channel);
        call->output->values[i] += value;
        call->output->tolerances[i] +=
                fabs(value) * (double)(terms + 4) * REFERENCE_EPS
                + reference_tolerance_at(bias, channel);
    }
}

/* Weights that are off may change all results by as much of the largest x. */
static void add_weight_tolerance(const struct window *w, const struct planes *p,
        const struct reference_slot *weights, int64_t index, double x_most)
{
    double off = reference_tolerance_at(weights, index) * x_most;
    for (int64_t i = 0; off > 0.0 && i < w->out_size; i++)
        p->y_tolerance[i] += off;
}

static void next_kernel(const struct window *w, int64_t k[3])
{
    for (int d = 2; d >= 0; d--) {
        if (++k[d] < w->kernel[d]) return;
        k[d] = 0;
    }
}

/* The largest magnitude of a tensor, for weights that have tolerances. */
static double largest(const double *values, int64_t count)
{
    double most = 0.0;
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

static void conv_channel(const struct window *w, const struct planes *p,
        const struct reference_slot *weights, int64_t index, double x_most)
{
    int64_t k[3] = {0, 0, 0};
    for (int64_t i = 0; i < w->kernel_size; i++, next_kernel(w, k)) {
        add_products(w, p, k, reference_value_at(weights, index + i));
        add_weight_tolerance(w, p, weights, index + i, x_most);
    }
}

void reference_conv(const struct reference_call *call)
{
    const struct reference_slot *x = call->inputs[0];
    const struct graph_shape *in = &x->tensor->shape;
    const struct graph_shape *out = &call->output->tensor->shape;
    int64_t groups = call->node->u.window.groups;
    int64_t in_group = in->dims[1] / groups;
    int64_t out_group = out->dims[1] / groups;
    struct window w;
    double *values;
    window_init(&w, &call->node->u.window, in, out);
    int64_t terms = in_group * w.kernel_size;
    double *magnitude = magnitudes(x, terms, &values);
    double x_most = largest(values, graph_shape_count(in));
    for (int64_t n = 0; n < in->dims[0]; n++)
        for (int64_t o = 0; o < out->dims[1]; o++)
            for (int64_t i = 0; i < in_group; i++) {
                int64_t channel = o / out_group * in_group + i;
                int64_t from = (n * in->dims[1] + channel) * w.in_size;
                int64_t to = (n * out->dims[1] + o) * w.out_size;
                struct planes p = {values + from, magnitude + from,
                        call->output->values + to,
                        call->output->tolerances + to};
                conv_channel(&w, &p, call->inputs[1],
                        (o * in_group + i) * w.kernel_size, x_most);
            }
    add_bias(call, terms);
    free(values);
    free(magnitude);
}

/* ---- Transposed ---------------------------------------------------------- */

/* Scatters one channel: the output is where a convolution would read from. */
static void scatter_channel(const struct window *w, const struct planes *p,
        const struct reference_slot *weights, int64_t index, double x_most)
{
    int64_t k[3] = {0, 0, 0};
    for (int64_t i = 0; i < w->kernel_size; i++, next_kernel(w, k)) {
        double weight = reference_value_at(weights, index + i);
        add_weight_tolerance(w, p, weights, index + i, x_most);
        for (int64_t at = 0; at < w->in_size; at++) {
            int64_t a = source(w, 0, at / (w->in[1] * w->in[2]), k[0]);
            int64_t b = source(w, 1, at / w->in[2] % w->in[1], k[1]);
            int64_t c = source(w, 2, at % w->in[2], k[2]);
            if (a < 0 || a >= w->out[0] || b < 0 || b >= w->out[1] || c < 0
                    || c >= w->out[2])
                continue;
            int64_t to = (a * w->out[1] + b) * w->out[2] + c;
            p->y[to] += weight * p->x[at];
            p->y_tolerance[to] += fabs(weight) * p->x_tolerance[at];
        }
    }
}

void reference_conv_transpose(const struct reference_call *call)
{
    const struct reference_slot *x = call->inputs[0];
    const struct graph_shape *in = &x->tensor->shape;
    const struct graph_shape *out = &call->output->tensor->shape;
    int64_t groups = call->node->u.window.groups;
    int64_t in_group = in->dims[1] / groups;
    int64_t out_group = out->dims[1] / groups;
    struct window w;
    double *values;
    window_init(&w, &call->node->u.window, in, out);
    int64_t terms = in_group * w.kernel_size;
    double *magnitude = magnitudes(x, terms, &values);
    double x_most = largest(values, graph_shape_count(in));
    for (int64_t n = 0; n < in->dims[0]; n++)
        for (int64_t i = 0; i < in->dims[1]; i++)
            for (int64_t o = 0; o < out_group; o++) {
                int64_t channel = i / in_group * out_group + o;
                int64_t from = (n * in->dims[1] + i) * w.in_size;
                int64_t to = (n * out->dims[1] + channel) * w.out_size;
                struct planes p = {values + from, magnitude + from,
                        call->output->values + to,
                        call->output->tolerances + to};
                scatter_channel(&w, &p, call->inputs[1],
                        (i * out_group + o) * w.kernel_size, x_most);
            }
    add_bias(call, terms);
    free(values);
    free(magnitude);
}

/* ---- Pooling ------------------------------------------------------------- */

/* What is in one window. */
struct seen {
    int64_t count;  /* elements */
    int64_t padded; /* and padding */
    double largest, sum, magnitude, tolerance, most_tolerance;
};

/* Counts an element of the kernel, at `at` of the input's three dimensions. */
static void see(struct seen *seen, const struct window *w,
        const struct reference_slot *x, int64_t plane, const int64_t at[3])
{
    bool is_inside = true;
    bool is_padded = true;
    for (int d = 0; d < 3; d++) {
        is_inside = is_inside && at[d] >= 0 && at[d] < w->in[d];
        is_padded = is_padded && at[d] < w->in[d] + w->end[d];
    }
    seen->padded += is_padded;
    if (!is_inside) return;
    int64_t index = plane + (at[0] * w->in[1] + at[1]) * w->in[2] + at[2];
    double value = reference_value_at(x, index);
    double tolerance = reference_tolerance_at(x, index);
    if (seen->count == 0 || value > seen->largest) seen->largest = value;
    seen->count++;
    seen->sum += value;
    seen->magnitude += fabs(value);
    seen->tolerance += tolerance;
    seen->most_tolerance = fmax(seen->most_tolerance, tolerance);
}

static struct seen look(const struct window *w, const struct reference_slot *x,
        int64_t plane, int64_t out)
{
    struct seen seen = {0};
    int64_t k[3] = {0, 0, 0};
    int64_t place[3] = {out / (w->out[1] * w->out[2]),
            out / w->out[2] % w->out[1], out % w->out[2]};
    for (int64_t i = 0; i < w->kernel_size; i++, next_kernel(w, k)) {
        int64_t at[3];
        for (int d = 0; d < 3; d++)
            at[d] = source(w, d, place[d], k[d]);
        see(&seen, w, x, plane, at);
    }
    return seen;
}

void reference_max_pool(const struct reference_call *call)
{
    const struct reference_slot *x = call->inputs[0];
    struct window w;
    window_init(&w, &call->node->u.window, &x->tensor->shape,
            &call->output->tensor->shape);
    int64_t count = graph_shape_count(&call->output->tensor->shape);
    for (int64_t i = 0; i < count; i++) {
        struct seen seen =
                look(&w, x, i / w.out_size * w.in_size, i % w.out_size);
        call->output->values[i] = seen.largest;
        call->output->tolerances[i] = seen.most_tolerance;
    }
}

void reference_average_pool(const struct reference_call *call)
{
    const struct reference_slot *x = call->inputs[0];
    struct window w;
    window_init(&w, &call->node->u.window, &x->tensor->shape,
            &call->output->tensor->shape);
    int64_t count = graph_shape_count(&call->output->tensor->shape);
    for (int64_t i = 0; i < count; i++) {
        struct seen seen =
                look(&w, x, i / w.out_size * w.in_size, i % w.out_size);
        double n =
                (double)(call->node->u.window.count_include_pad ? seen.padded
                                                                : seen.count);
        call->output->values[i] = seen.sum / n;
        call->output->tolerances[i] =
                (seen.magnitude * (double)(seen.count + 5) * REFERENCE_EPS
                        + seen.tolerance)
                / n;
    }
}
