/* SPDX-License-Identifier: Apache-2.0 */
/* Normalizations and softmax. */
#include "reference_nodes.h"

#include <math.h>

/* A number and how far from it f32 may be. */
struct number {
    double value, tolerance;
};

static struct number read(const struct reference_slot *slot, int64_t i)
{
    return (struct number){
            reference_value_at(slot, i), reference_tolerance_at(slot, i)};
}

/* (x - mean) / sqrt(variance + epsilon) * scale + shift. It may be computed as
 * x times a factor plus what the mean and the shift make. */
static struct number normalize(struct number x, struct number mean,
        struct number variance, double epsilon, struct number scale,
        struct number shift)
{
    double base = variance.value + epsilon;
    double factor = 1.0 / sqrt(base);
    double centered = x.value - mean.value;
    double product = centered * factor * scale.value;
    double all = (fabs(x.value) + fabs(mean.value)) * factor;
    struct number y = {product + shift.value, 0.0};
    if (variance.tolerance >= base) { /* it might be divided by anything */
        y.tolerance = INFINITY;
        return y;
    }
    double off = (x.tolerance + mean.tolerance) * factor
                 + fabs(centered) * factor * variance.tolerance / base
                 + 8 * REFERENCE_EPS * all;
    y.tolerance = off * (fabs(scale.value) + scale.tolerance)
                  + fabs(centered) * factor * scale.tolerance + shift.tolerance
                  + 4 * REFERENCE_EPS * (fabs(product) + fabs(shift.value));
    return y;
}

static void write(
        const struct reference_call *call, int64_t at, struct number number)
{
    call->output->values[at] = number.value;
    call->output->tolerances[at] = number.tolerance;
}

void reference_batch_norm(const struct reference_call *call)
{
    const struct graph_shape *out = &call->output->tensor->shape;
    int64_t count = graph_shape_count(out);
    int64_t plane = count / out->dims[0] / out->dims[1];
    for (int64_t i = 0; i < count; i++) {
        int64_t channel = i / plane % out->dims[1];
        write(call, i,
                normalize(read(call->inputs[0], i),
                        read(call->inputs[3], channel),
                        read(call->inputs[4], channel),
                        (double)call->node->u.epsilon,
                        read(call->inputs[1], channel),
                        read(call->inputs[2], channel)));
    }
}

/* ---- Statistics of what is normalized ------------------------------------ */

struct statistics {
    struct number mean, variance;
};

/* Of elements in a row. The tolerances are those of sums of n terms, of the
 * inputs, and of the mean. */
static struct statistics gather(
        const struct reference_slot *x, int64_t from, int64_t n)
{
    struct statistics s = {{0.0, 0.0}, {0.0, 0.0}};
    double loss = (double)(n + 4) * REFERENCE_EPS;
    double count = (double)n;
    for (int64_t i = 0; i < n; i++) {
        struct number e = read(x, from + i);
        s.mean.value += e.value / count;
        s.mean.tolerance += (fabs(e.value) * loss + e.tolerance) / count;
    }
    for (int64_t i = 0; i < n; i++) {
        struct number e = read(x, from + i);
        double d = fabs(e.value - s.mean.value);
        double off = e.tolerance + s.mean.tolerance + REFERENCE_EPS * d;
        s.variance.value += d * d / count;
        s.variance.tolerance +=
                (d * d * loss + 2 * d * off + off * off) / count;
    }
    return s;
}

/* Elements that are normalized together lie in a row: those of a channel, or
 * of the dimensions from an axis on. */
void reference_line_norm(const struct reference_call *call)
{
    bool is_layer = call->node->op == graph_op_layer_norm;
    const struct reference_slot *x = call->inputs[0];
    const struct graph_shape *out = &call->output->tensor->shape;
    const struct reference_slot *shift =
            call->input_count > 2 ? call->inputs[2] : NULL;
    double epsilon = (double)(is_layer ? call->node->u.layer_norm.epsilon
                                       : call->node->u.epsilon);
    int axis = is_layer ? call->node->u.layer_norm.axis : 2;
    int64_t line = 1;
    for (int d = axis; d < out->ndims; d++)
        line *= out->dims[d];
    for (int64_t from = 0; from < graph_shape_count(out); from += line) {
        struct statistics s = gather(x, from, line);
        for (int64_t i = 0; i < line; i++) {
            int64_t at = is_layer ? i : from / line % out->dims[1];
            struct number zero = {0.0, 0.0};
            write(call, from + i,
                    normalize(read(x, from + i), s.mean, s.variance, epsilon,
                            read(call->inputs[1], at),
                            shift != NULL ? read(shift, at) : zero));
        }
    }
}

/* ---- Across channels ----------------------------------------------------- */

/* bias + alpha / size times the sum of squares around a channel. */
static struct number lrn_base(const struct graph_lrn *lrn,
        const struct reference_slot *x, int64_t at, int64_t plane)
{
    int64_t channels = x->tensor->shape.dims[1];
    int64_t channel = at / plane % channels;
    int64_t first = channel - (lrn->size - 1) / 2;
    int64_t last = channel + lrn->size / 2;
    double share = (double)lrn->alpha / (double)lrn->size;
    struct number sum = {0.0, 0.0};
    for (int64_t c = first < 0 ? 0 : first; c <= last && c < channels; c++) {
        struct number e = read(x, at + (c - channel) * plane);
        double square = e.value * e.value;
        sum.value += square;
        sum.tolerance += square * (double)(lrn->size + 4) * REFERENCE_EPS
                         + 2 * fabs(e.value) * e.tolerance;
    }
    struct number base = {(double)lrn->bias + share * sum.value, 0.0};
    base.tolerance =
            fabs(share) * sum.tolerance
            + 2 * REFERENCE_EPS
                      * (fabs((double)lrn->bias) + fabs(share * sum.value));
    return base;
}

void reference_lrn_node(const struct reference_call *call)
{
    const struct graph_lrn *lrn = &call->node->u.lrn;
    const struct reference_slot *x = call->inputs[0];
    const struct graph_shape *out = &call->output->tensor->shape;
    int64_t count = graph_shape_count(out);
    int64_t plane = count / out->dims[0] / out->dims[1];
    double beta = (double)lrn->beta;
    for (int64_t i = 0; i < count; i++) {
        struct number e = read(x, i);
        struct number base = lrn_base(lrn, x, i, plane);
        double power = pow(base.value, -beta);
        struct number y = {e.value * power, 0.0};
        y.tolerance =
                fabs(power) * e.tolerance
                + fabs(y.value)
                          * (fabs(beta) * base.tolerance / fabs(base.value)
                                  + 34 * REFERENCE_EPS);
        write(call, i, y);
    }
}

/* ---- Softmax ------------------------------------------------------------- */

/* Elements along an axis. */
struct line {
    int64_t from, stride, count;
};

/* What the elements of a line are compared with. */
struct total {
    double most; /* the largest */
    double sum;  /* of e^(x - most) */
    double off;  /* of the sum, relative */
};

static struct total sum_line(
        const struct reference_slot *x, const struct line *l)
{
    struct total t = {-INFINITY, 0.0, 0.0};
    for (int64_t i = 0; i < l->count; i++)
        t.most = fmax(t.most, reference_value_at(x, l->from + i * l->stride));
    for (int64_t i = 0; i < l->count; i++) {
        struct number e = read(x, l->from + i * l->stride);
        double distance = e.value - t.most;
        double term = exp(distance);
        t.sum += term;
        t.off += term * (e.tolerance + (fabs(distance) + 4) * REFERENCE_EPS);
    }
    t.off = t.off / t.sum + (double)l->count * REFERENCE_EPS;
    return t;
}

static struct number softmax(
        struct number x, const struct total *t, bool is_log)
{
    double distance = x.value - t->most;
    double off = x.tolerance + t->off;
    struct number y;
    if (is_log) {
        double log_sum = log(t->sum);
        y.value = distance - log_sum;
        y.tolerance =
                off + 4 * REFERENCE_EPS * (fabs(distance) + fabs(log_sum));
    } else {
        y.value = exp(distance) / t->sum;
        /* What is small for e^x - 1 is as large as x, and then larger. */
        y.tolerance =
                y.value * expm1(off + (fabs(distance) + 12) * REFERENCE_EPS);
    }
    return y;
}

void reference_softmax_node(const struct reference_call *call)
{
    const struct graph_shape *out = &call->output->tensor->shape;
    const struct reference_slot *x = call->inputs[0];
    bool is_log = call->node->op == graph_op_log_softmax;
    int axis = call->node->u.axis;
    struct line l = {0, 1, out->dims[axis]};
    for (int d = axis + 1; d < out->ndims; d++)
        l.stride *= out->dims[d];
    int64_t lines = graph_shape_count(out) / l.count;
    for (int64_t i = 0; i < lines; i++) {
        l.from = i / l.stride * l.stride * l.count + i % l.stride;
        struct total t = sum_line(x, &l);
        for (int64_t k = 0; k < l.count; k++) {
            int64_t at = l.from + k * l.stride;
            write(call, at, softmax(read(x, at), &t, is_log));
        }
    }
}
