/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Where the centre of an element of dst is between the centres of src's. */
static double centre(const struct reference_tensor *src,
        const struct reference_tensor *dst, int d, dnnl_dim_t at)
{
    return ((double)at + 0.5) * (double)src->dims[d] / (double)dst->dims[d]
           - 0.5;
}

static dnnl_dim_t inside(double at, dnnl_dim_t size)
{
    dnnl_dim_t i = (dnnl_dim_t)floor(at);
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

/* The ends of ties are exact as a quotient of integers only. */
static dnnl_dim_t nearest(const struct reference_tensor *src,
        const struct reference_tensor *dst, int d, dnnl_dim_t at)
{
    return (2 * at + 1) * src->dims[d] / (2 * dst->dims[d]);
}

struct reference_value reference_resampling(const struct reference_tensor *src,
        const struct reference_tensor *dst, dnnl_alg_kind_t alg,
        const dnnl_dims_t place)
{
    struct reference_value v = {0.0, 0.0};
    double magnitudes = 0.0;
    dnnl_dims_t at;
    int spatial = src->ndims - 2;
    memcpy(at, place, sizeof at);
    for (int d = 2; alg == dnnl_resampling_nearest && d < src->ndims; d++)
        at[d] = nearest(src, dst, d, place[d]);
    if (alg == dnnl_resampling_nearest) {
        v.value = reference_at(src, at);
        return v;
    }
    for (int corner = 0; corner < 1 << spatial; corner++) {
        double weight = 1.0;
        for (int d = 2; d < src->ndims; d++) {
            double c = centre(src, dst, d, place[d]);
            double part = c - floor(c);
            bool is_far = (corner >> (d - 2) & 1) != 0;
            weight *= is_far ? part : 1.0 - part;
            at[d] = inside(floor(c) + (is_far ? 1.0 : 0.0), src->dims[d]);
        }
        double s = reference_at(src, at);
        if (weight > 1e-12) v.value += weight * s;
        if (isfinite(s)) magnitudes += fabs(s);
    }
    /* Each weight is off by a few eps of 1, whatever it is. */
    v.tolerance = 24.0 * (double)FLT_EPSILON * magnitudes;
    if (!isfinite(v.value)) v.tolerance = 0.0;
    return v;
}
