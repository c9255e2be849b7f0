/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Statistics ---------------------------------------------------------- */

static double count_of(
        const struct reference_box *box, const struct reference_tensor *src)
{
    double count = 1.0;
    for (int d = 0; d < src->ndims; d++)
        count *= (double)box->count[d];
    return count;
}

/* Steps to the next place of the box, false behind the last one. */
static bool step(const struct reference_box *box,
        const struct reference_tensor *src, dnnl_dims_t at)
{
    for (int d = src->ndims - 1; d >= 0; d--) {
        if (++at[d] < box->from[d] + box->count[d]) return true;
        at[d] = box->from[d];
    }
    return false;
}

/* Averages over the box of |s - m| and of its square; with m = 0, of s and
 * |s|. */
struct averages {
    double plain;
    double absolute;
    double square;
};

static struct averages average(const struct reference_tensor *src,
        const struct reference_box *box, double m)
{
    struct averages a = {0.0, 0.0, 0.0};
    double n = count_of(box, src);
    dnnl_dims_t at;
    memcpy(at, box->from, sizeof at);
    do {
        double d = reference_at(src, at) - m;
        a.plain += d / n;
        a.absolute += fabs(d) / n;
        a.square += d * d / n;
    } while (step(box, src, at));
    return a;
}

struct reference_statistics reference_statistics(
        const struct reference_tensor *src, const struct reference_box *box)
{
    const double eps = (double)FLT_EPSILON;
    double sum_eps = (count_of(box, src) + 6.0) * eps;
    struct averages s = average(src, box, 0.0);
    struct averages d = average(src, box, s.plain);
    struct reference_statistics r;
    double first = sum_eps * s.absolute; /* error of the first step */
    double reach = d.absolute + first;   /* differences from its result */
    double square = d.square + first * first;
    r.mean.value = s.plain;
    r.mean.tolerance = sum_eps * reach + eps * fabs(s.plain);
    r.variance.value = d.square;
    r.variance.tolerance =
            sum_eps * square + 2.0 * first * sum_eps * reach + (double)FLT_MIN;
    return r;
}

/* ---- What is made of them ------------------------------------------------ */

struct reference_value reference_normalize(double s,
        const struct reference_statistics *statistics, float epsilon,
        double scale, double shift)
{
    const double eps = (double)FLT_EPSILON;
    const struct reference_value *mean = &statistics->mean;
    double square = statistics->variance.value + (double)epsilon;
    double off = statistics->variance.tolerance + eps * square;
    double factor = 1.0 / sqrt(square);
    double most = 1.0 / sqrt(fmax(square - off, 0.0));
    double distance = s - mean->value;
    double step = mean->tolerance + eps * fabs(distance);
    double product = distance * factor;
    struct reference_value v;
    v.value = product * scale + shift;
    v.tolerance = fabs(scale)
                          * (step * most + fabs(distance) * (most - factor)
                                  + 10.0 * eps * fabs(product))
                  + 2.0 * eps * (fabs(product * scale) + fabs(v.value));
    return v;
}
