/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_nodes.h"

#include <math.h>

/* What one result is reduced from, as it goes on. */
struct reduction {
    int64_t count;
    double value;
    double magnitude; /* of a sum: of its terms */
    double off;       /* from the inputs: of a sum, absolute; else below */
    double most_off;
    double relative; /* of a product */
};

static void add_term(struct reduction *r, double term, double off)
{
    r->value += term;
    r->magnitude += fabs(term);
    r->off += off;
}

static void take(enum graph_op op, struct reduction *r, double x, double off)
{
    bool first = r->count++ == 0;
    r->most_off = fmax(r->most_off, off);
    switch (op) {
    case graph_op_reduce_l1:
        add_term(r, fabs(x), off);
        break;
    case graph_op_reduce_l2:
    case graph_op_reduce_sum_square:
        add_term(r, x * x, 2 * fabs(x) * off + off * off);
        break;
    case graph_op_reduce_log_sum_exp: {
        double term = exp(x);
        add_term(r, term, term * (expm1(off) + (fabs(x) + 4) * REFERENCE_EPS));
        break;
    }
    case graph_op_reduce_max:
        if (first || x > r->value) r->value = x;
        break;
    case graph_op_reduce_min:
        if (first || x < r->value) r->value = x;
        break;
    case graph_op_reduce_prod:
        r->value = first ? x : r->value * x;
        if (off > 0.0) r->relative += off / fabs(x);
        break;
    default: /* sum, mean, log_sum */
        add_term(r, x, off);
        break;
    }
}

/* The tolerance of a sum. */
static double sum_off(const struct reduction *r)
{
    return r->magnitude * (double)(r->count + 4) * REFERENCE_EPS + r->off;
}

/* A function of a sum that may be off: how much it changes. */
static double carried(double (*f)(double), double sum, double off)
{
    double y = f(sum);
    double most = fmax(fabs(f(sum + off) - y), fabs(f(fmax(sum - off, 0)) - y));
    return most + 8 * REFERENCE_EPS * fmax(fabs(y), f == log ? 1.0 : 0.0);
}

static void finish(enum graph_op op, const struct reduction *r, double *value,
        double *tolerance)
{
    double n = (double)r->count;
    *value = r->value;
    *tolerance = sum_off(r);
    switch (op) {
    case graph_op_reduce_mean:
        *value = r->value / n;
        *tolerance = *tolerance / n + 3 * REFERENCE_EPS * fabs(*value);
        break;
    case graph_op_reduce_l2:
        *value = sqrt(r->value);
        *tolerance = carried(sqrt, r->value, *tolerance);
        break;
    case graph_op_reduce_log_sum:
    case graph_op_reduce_log_sum_exp:
        *value = log(r->value);
        *tolerance = carried(log, r->value, *tolerance);
        break;
    case graph_op_reduce_max:
    case graph_op_reduce_min:
        *tolerance = r->most_off;
        break;
    case graph_op_reduce_prod:
        *tolerance =
                fabs(r->value) * expm1(r->relative + (n + 2) * REFERENCE_EPS);
        break;
    default:
        break;
    }
    if (isnan(*tolerance)) *tolerance = INFINITY;
}

/* Goes through what one result is made of. */
static struct reduction reduce_at(
        const struct reference_call *call, const int64_t first[graph_max_ndims])
{
    const struct reference_slot *x = call->inputs[0];
    const struct graph_shape *in = &x->tensor->shape;
    struct graph_shape box = {.ndims = in->ndims};
    int64_t strides[graph_max_ndims];
    struct reduction r = {0};
    reference_strides(in, strides);
    for (int d = 0; d < in->ndims; d++)
        box.dims[d] = call->node->u.axes[d] ? in->dims[d] : 1;
    for (int64_t i = 0; i < graph_shape_count(&box); i++) {
        int64_t place[graph_max_ndims];
        reference_split(&box, i, place);
        for (int d = 0; d < in->ndims; d++)
            place[d] += first[d];
        int64_t at = reference_locate(in, place, strides);
        take(call->node->op, &r, reference_value_at(x, at),
                reference_tolerance_at(x, at));
    }
    return r;
}

void reference_reduce(const struct reference_call *call)
{
    const struct graph_shape *out = &call->output->tensor->shape;
    for (int64_t i = 0; i < graph_shape_count(out); i++) {
        int64_t place[graph_max_ndims];
        reference_split(out, i, place);
        struct reduction r = reduce_at(call, place);
        finish(call->node->op, &r, &call->output->values[i],
                &call->output->tolerances[i]);
    }
}
