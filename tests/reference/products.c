/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products: matmul and convolution. */
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

static struct reference_value finish(
        struct sum *sum, const struct reference_tensor *bias, dnnl_dim_t at)
{
    if (bias != NULL) add(sum, reference_read(bias, at));
    struct reference_value v;
    v.value = sum->total;
    v.tolerance = (sum->terms + 2.0) * (double)FLT_EPSILON * sum->magnitude;
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
    return finish(&sum, bias, bias != NULL ? reference_offset(bias, place) : 0);
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

struct reference_value reference_convolution(const struct reference_tensor *src,
        const struct reference_tensor *weights,
        const struct reference_tensor *bias,
        const struct reference_window *window, const dnnl_dims_t place)
{
    struct sum sum = {0.0, 0.0, 0.0};
    int spatial = src->ndims - 2;
    int oc = window->with_groups; /* dimension of weights */
    dnnl_dim_t rows = weights->dims[oc];
    dnnl_dim_t channels = weights->dims[oc + 1];
    dnnl_dim_t group = place[1] / rows;
    dnnl_dims_t tap = {0}; /* channel, then place in the window */
    dnnl_dims_t w = {group};
    dnnl_dims_t s = {place[0]};
    w[oc] = place[1] % rows;
    do {
        if (channels == 0) break;
        bool is_inside = true;
        s[1] = group * channels + tap[0];
        w[oc + 1] = tap[0];
        for (int d = 0; d < spatial; d++) {
            s[2 + d] = place[2 + d] * window->strides[d] - window->padding_l[d]
                       + tap[1 + d] * (window->dilates[d] + 1);
            w[oc + 2 + d] = tap[1 + d];
            is_inside =
                    is_inside && s[2 + d] >= 0 && s[2 + d] < src->dims[2 + d];
        }
        if (is_inside)
            add(&sum, reference_at(src, s) * reference_at(weights, w));
    } while (next_place(tap, weights->dims + oc + 1, 1 + spatial));
    return finish(&sum, bias, bias != NULL ? place[1] * bias->strides[0] : 0);
}
