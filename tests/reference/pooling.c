/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct gathered {
    double inside; /* taps in src */
    double taps;
    double largest;
    double sum;
    double magnitude;
};

static void gather(struct gathered *g, double s)
{
    if (g->inside == 0.0 || s > g->largest || isnan(s)) g->largest = s;
    g->inside++;
    g->sum += s;
    g->magnitude += fabs(s);
}

static struct reference_value average(const struct gathered *g, double count)
{
    const double eps = (double)FLT_EPSILON;
    struct reference_value v;
    v.value = g->sum / count;
    v.tolerance = (g->inside + 2.0) * eps * g->magnitude / count
                  + 3.0 * eps * fabs(v.value);
    return v;
}

/* What a window has in it that has nothing of src. */
static double lowest(dnnl_data_type_t type)
{
    switch (type) {
    case dnnl_f16:
        return -65504.0;
    case dnnl_bf16:
        return -0x1.fep127;
    case dnnl_s32:
        return INT32_MIN;
    case dnnl_s8:
        return INT8_MIN;
    case dnnl_u8:
        return 0.0;
    default:
        return -(double)FLT_MAX;
    }
}

struct reference_value reference_pooling(const struct reference_tensor *src,
        dnnl_alg_kind_t alg, const struct reference_window *window,
        const dnnl_dims_t place)
{
    struct gathered g = {0.0, 0.0, 0.0, 0.0, 0.0};
    int spatial = src->ndims - 2;
    dnnl_dim_t taps = 1;
    for (int d = 0; d < spatial; d++)
        taps *= window->kernel[d];
    for (dnnl_dim_t tap = 0; tap < taps; tap++) {
        dnnl_dims_t s;
        dnnl_dim_t rest = tap;
        bool is_inside = true;
        memcpy(s, place, sizeof s);
        for (int d = spatial - 1; d >= 0; d--) {
            s[2 + d] = place[2 + d] * window->strides[d] - window->padding_l[d]
                       + rest % window->kernel[d] * (window->dilates[d] + 1);
            rest /= window->kernel[d];
            is_inside =
                    is_inside && s[2 + d] >= 0 && s[2 + d] < src->dims[2 + d];
        }
        g.taps++;
        if (is_inside) gather(&g, reference_at(src, s));
    }
    if (alg == dnnl_pooling_avg_include_padding) return average(&g, g.taps);
    if (alg == dnnl_pooling_avg_exclude_padding) return average(&g, g.inside);
    return (struct reference_value){
            g.inside > 0.0 ? g.largest : lowest(src->type), 0.0};
}
