/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products: matmul, inner product and convolution. */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A sum in the making. */
struct sum {
    double total;
    double magnitude; /* sum of the absolute values */
    double terms;
};

static void add(struct sum *sum, double product)
{
    sum->total += product;
    sum->magnitude += fabs(product);
    sum->terms++;
}

static bool is_integer(const struct reference_tensor *t)
{
    return t->type == dnnl_s8 || t->type == dnnl_u8 || t->type == dnnl_s32;
}

static struct reference_value finish(struct sum *sum, bool is_exact,
        const struct reference_tensor *bias, dnnl_dim_t at)
{
    const double eps = (double)FLT_EPSILON;
    double of_products = fabs(sum->total);
    if (bias != NULL) add(sum, reference_read(bias, at));
    struct reference_value v;
    v.value = sum->total;
    v.tolerance = is_exact ? eps * (of_products + fabs(sum->total))
                           : (sum->terms + 2.0) * eps * sum->magnitude;
    return v;
}

struct reference_value reference_matmul(const struct reference_tensor *src,
        const struct reference_tensor *weights,
        const struct reference_tensor *bias, int ndims, const dnnl_dims_t place)
{
    struct sum sum = {0.0, 0.0, 0.0};
    dnnl_dims_t s;
    dnnl_dims_t w;
    memcpy(s, place, sizeof s);
    memcpy(w, place, sizeof w);
    for (dnnl_dim_t k = 0; k < src->dims[ndims - 1]; k++) {
        s[ndims - 1] = k;
        w[ndims - 2] = k;
        add(&sum, reference_at(src, s) * reference_at(weights, w));
    }
    return finish(&sum, is_integer(src) && is_integer(weights), bias,
            bias != NULL ? reference_offset(bias, place) : 0);
}

/* Steps a place through a box of sizes, the last dimension fastest; false at
 * the end. */
static bool next_place(dnnl_dim_t *place, const dnnl_dim_t *sizes, int ndims)
{
    for (int d = ndims - 1; d >= 0; d--) {
        if (++place[d] < sizes[d]) return true;
        place[d] = 0;
    }
    return false;
}

struct reference_value reference_inner_product(
        const struct reference_tensor *src,
        const struct reference_tensor *weights,
        const struct reference_tensor *bias, const dnnl_dims_t place)
{
    struct sum sum = {0.0, 0.0, 0.0};
    dnnl_dims_t s = {place[0]};
    dnnl_dims_t w = {place[1]};
    do {
        if (reference_count(src) == 0) break;
        memcpy(w + 1, s + 1, sizeof w - sizeof w[0]);
        add(&sum, reference_at(src, s) * reference_at(weights, w));
    } while (next_place(s + 1, src->dims + 1, src->ndims - 1));
    return finish(&sum, is_integer(src) && is_integer(weights), bias,
            bias != NULL ? place[1] * bias->strides[0] : 0);
}

/* Finds the place in src that a tap of the window belongs to, and its place in
 * weights; false if there is none. */
static bool find_tap(const struct reference_tensor *src,
        const struct reference_tensor *weights,
        const struct reference_window *window, const dnnl_dims_t place,
        const dnnl_dims_t tap, dnnl_dims_t s, dnnl_dims_t w)
{
    int oc = window->with_groups; /* dimension of weights */
    dnnl_dim_t rows = weights->dims[oc];
    bool is_inside = true;
    s[0] = place[0];
    s[1] = place[1] / rows * weights->dims[oc + 1] + tap[0];
    w[0] = place[1] / rows;
    w[oc] = place[1] % rows;
    w[oc + 1] = tap[0];
    for (int d = 0; d < src->ndims - 2; d++) {
        dnnl_dim_t stride = window->strides[d];
        dnnl_dim_t out = place[2 + d];
        dnnl_dim_t reach = tap[1 + d] * (window->dilates[d] + 1);
        w[oc + 2 + d] = tap[1 + d];
        if (window->is_transposed) {
            dnnl_dim_t at = out + window->padding_l[d] - reach;
            s[2 + d] = at / stride;
            is_inside = is_inside && at >= 0 && at % stride == 0;
        } else {
            s[2 + d] = out * stride - window->padding_l[d] + reach;
        }
        is_inside = is_inside && s[2 + d] >= 0 && s[2 + d] < src->dims[2 + d];
    }
    return is_inside;
}

/* The zero point for a channel. */
static double zero_point(const struct reference_tensor *t, dnnl_dim_t channel)
{
    if (t == NULL) return 0.0;
    return reference_read(t, t->dims[0] == 1 ? 0 : channel);
}

struct reference_value reference_convolution(const struct reference_tensor *src,
        const struct reference_tensor *weights,
        const struct reference_tensor *bias,
        const struct reference_window *window, const dnnl_dims_t place)
{
    struct sum sum = {0.0, 0.0, 0.0};
    const dnnl_dim_t *taps = weights->dims + window->with_groups + 1;
    dnnl_dims_t tap = {0}; /* channel, then place in the window */
    dnnl_dims_t s;
    dnnl_dims_t w;
    do {
        if (taps[0] == 0) break;
        if (find_tap(src, weights, window, place, tap, s, w))
            add(&sum, (reference_at(src, s)
                              - zero_point(window->src_zero_points, s[1]))
                              * (reference_at(weights, w)
                                      - zero_point(window->weights_zero_points,
                                              place[1])));
    } while (next_place(tap, taps, src->ndims - 1));
    return finish(&sum, is_integer(src) && is_integer(weights), bias,
            bias != NULL ? place[1] * bias->strides[0] : 0);
}
