/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double maximum_of(
        const struct reference_tensor *src, int axis, dnnl_dims_t place)
{
    double maximum = -INFINITY;
    for (place[axis] = 0; place[axis] < src->dims[axis]; place[axis]++)
        maximum = fmax(maximum, reference_at(src, place));
    return maximum;
}

struct reference_value reference_softmax(const struct reference_tensor *src,
        dnnl_alg_kind_t alg, int axis, const dnnl_dims_t place)
{
    const double eps = (double)FLT_EPSILON;
    double n = (double)src->dims[axis];
    double sum = 0.0;
    double lost = 0.0; /* from the terms of the sum */
    dnnl_dims_t at;
    memcpy(at, place, sizeof at);
    double maximum = maximum_of(src, axis, at);
    for (at[axis] = 0; at[axis] < src->dims[axis]; at[axis]++) {
        double d = reference_at(src, at) - maximum;
        double term = exp(d);
        sum += term;
        /* Devices may take terms below the normal range for 0. */
        if (term > 0.0) lost += term * eps * (fabs(d) + 4.0) + (double)FLT_MIN;
    }
    double lost_part = lost / sum + n * eps;
    double d = reference_at(src, place) - maximum;
    struct reference_value v;
    if (alg == dnnl_softmax_log) {
        v.value = d - log(sum);
        v.tolerance =
                lost_part + eps * (fabs(d) + 3.0 * log(sum) + fabs(v.value));
    } else {
        v.value = exp(d) / sum;
        v.tolerance = v.value * (lost_part + eps * (fabs(d) + 4.0 + 3.0))
                      + (double)FLT_MIN;
    }
    if (!isfinite(v.value)) v.tolerance = 0.0;
    /* Nothing can be off by more than f32 can be wrong: d of -infinity. */
    if (isnan(v.tolerance)) v.tolerance = (double)FLT_MIN;
    return v;
}
