/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What the elements add up to. */
struct totals {
    double count;
    double least, most;
    double sum, sum_abs, product;
    double powers; /* sum of |s|^p */
    bool has_nan;
};

static void add_element(struct totals *t, double s, double p)
{
    t->count += 1.0;
    t->least = fmin(t->least, s);
    t->most = fmax(t->most, s);
    t->sum += s;
    t->sum_abs += fabs(s);
    t->product *= s;
    t->powers += pow(fabs(s), p);
    t->has_nan = t->has_nan || isnan(s);
}

/* Steps at through the box of these sizes; false after its last place. */
static bool next_place(dnnl_dims_t at, const dnnl_dims_t sizes, int ndims)
{
    for (int d = ndims - 1; d >= 0; d--) {
        if (++at[d] < sizes[d]) return true;
        at[d] = 0;
    }
    return false;
}

static struct totals add_up(const struct reference_tensor *src,
        const struct reference_tensor *dst, double p, const dnnl_dims_t place)
{
    struct totals t = {0.0, INFINITY, -INFINITY, 0.0, 0.0, 1.0, 0.0, false};
    dnnl_dims_t sizes;
    dnnl_dims_t inside = {0};
    dnnl_dims_t at;
    for (int d = 0; d < src->ndims; d++) {
        sizes[d] = dst->dims[d] == src->dims[d] ? 1 : src->dims[d];
        if (sizes[d] == 0) return t;
    }
    do {
        for (int d = 0; d < src->ndims; d++)
            at[d] = sizes[d] == 1 ? place[d] : inside[d];
        float s = (float)reference_at(src, at);
        add_element(&t, (double)s, p);
    } while (next_place(inside, sizes, src->ndims));
    return t;
}

/* The norm of this sum of powers, which is inexact. */
static struct reference_value norm_of(
        dnnl_alg_kind_t alg, struct reference_value sum, double p, double eps)
{
    bool has_root = alg == dnnl_reduction_norm_lp_max
                    || alg == dnnl_reduction_norm_lp_sum;
    bool at_least = alg == dnnl_reduction_norm_lp_max
                    || alg == dnnl_reduction_norm_lp_power_p_max;
    const double unit = (double)FLT_EPSILON;
    struct reference_value v = sum;
    v.value = at_least ? fmax(v.value, eps) : v.value + eps;
    v.tolerance += unit * fabs(v.value);
    if (!has_root) return v;
    double root = pow(v.value, 1.0 / p);
    double up = pow(v.value + v.tolerance, 1.0 / p);
    double down = pow(fmax(v.value - v.tolerance, 0.0), 1.0 / p);
    /* 16 ulp of pow, and 1 / p rounded. */
    double own = root * unit * (18.0 + fabs(log(fmax(v.value, 1e-45))) / p);
    v.value = root;
    v.tolerance = fmax(up - root, root - down) + own;
    return v;
}

struct reference_value reference_reduction(const struct reference_tensor *src,
        const struct reference_tensor *dst, dnnl_alg_kind_t alg, float p,
        float eps, const dnnl_dims_t place)
{
    const double unit = (double)FLT_EPSILON;
    struct totals t = add_up(src, dst, (double)p, place);
    struct reference_value v = {t.sum, (t.count + 2.0) * unit * t.sum_abs};
    if (alg == dnnl_reduction_max || alg == dnnl_reduction_min) {
        v.value = alg == dnnl_reduction_max ? t.most : t.least;
        v.tolerance = 0.0;
        if (t.has_nan) v.value = NAN;
    } else if (alg == dnnl_reduction_mul) {
        v.value = t.product;
        v.tolerance = (t.count + 2.0) * unit * fabs(t.product);
    } else if (alg == dnnl_reduction_mean) {
        v.value /= t.count;
        v.tolerance = v.tolerance / t.count + 3.0 * unit * fabs(v.value);
    } else if (alg != dnnl_reduction_sum) {
        v.value = t.powers;
        v.tolerance =
                (t.count + 19.0) * unit * t.powers + t.count * (double)FLT_MIN;
        v = norm_of(alg, v, (double)p, (double)eps);
    }
    if (!isfinite(v.value)) v.tolerance = 0.0;
    return v;
}
