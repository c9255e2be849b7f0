/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct window {
    dnnl_dims_t from, to; /* inclusive */
    double places;        /* of the whole, also where it is cut */
};

static struct window window_of(const struct reference_tensor *src,
        const struct reference_lrn *lrn, const dnnl_dims_t place)
{
    struct window w;
    bool is_across = lrn->alg == dnnl_lrn_across_channels;
    dnnl_dim_t half = (lrn->local_size - 1) / 2;
    memcpy(w.from, place, sizeof w.from);
    memcpy(w.to, place, sizeof w.to);
    w.places = 1.0;
    for (int d = 1; d < src->ndims; d++) {
        if ((d == 1) != is_across) continue;
        w.places *= (double)lrn->local_size;
        w.from[d] = place[d] > half ? place[d] - half : 0;
        w.to[d] = src->dims[d] - 1 - place[d] > half ? place[d] + half
                                                     : src->dims[d] - 1;
    }
    return w;
}

static bool step(const struct window *w, int ndims, dnnl_dims_t at)
{
    for (int d = ndims - 1; d >= 0; d--) {
        if (++at[d] <= w->to[d]) return true;
        at[d] = w->from[d];
    }
    return false;
}

struct reference_value reference_lrn_base(const struct reference_tensor *src,
        const struct reference_lrn *lrn, const dnnl_dims_t place)
{
    const double eps = (double)FLT_EPSILON;
    struct window w = window_of(src, lrn, place);
    double sum = 0.0;
    double count = 0.0;
    dnnl_dims_t at;
    memcpy(at, w.from, sizeof at);
    do {
        double s = reference_at(src, at);
        sum += s * s;
        count++;
    } while (step(&w, src->ndims, at));
    double part = (double)lrn->alpha / w.places * sum;
    struct reference_value base;
    base.value = (double)lrn->k + part;
    base.tolerance = (count + 4.0) * eps * fabs(part) + eps * fabs(base.value);
    return base;
}

struct reference_value reference_lrn(const struct reference_tensor *src,
        const struct reference_lrn *lrn, const dnnl_dims_t place)
{
    const double eps = (double)FLT_EPSILON;
    struct reference_value base = reference_lrn_base(src, lrn, place);
    double s = reference_at(src, place);
    double beta = (double)lrn->beta;
    double factor = pow(base.value, -beta);
    double low = pow(base.value + base.tolerance, -beta);
    double high = pow(base.value - base.tolerance, -beta);
    struct reference_value v;
    v.value = s * factor;
    v.tolerance = fabs(s) * fmax(fabs(low - factor), fabs(high - factor))
                  + 34.0 * eps * fabs(v.value);
    return v;
}
