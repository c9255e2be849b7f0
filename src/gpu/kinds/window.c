/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/window.h"

#include <string.h>

/* ---- Checking ------------------------------------------------------------ */

static void fill_dims(dnnl_dims_t out, const dnnl_dim_t *dims, int count)
{
    memset(out, 0, sizeof(dnnl_dims_t));
    if (dims != NULL) memcpy(out, dims, (size_t)count * sizeof dims[0]);
}

bool window_set(struct window *w, int spatial, const dnnl_dims_t strides,
        const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r)
{
    if (spatial < 1 || spatial > SPATIAL) return false;
    w->spatial = spatial;
    fill_dims(w->strides, strides, spatial);
    fill_dims(w->dilates, dilates, spatial);
    fill_dims(w->padding_l, padding_l, spatial);
    fill_dims(w->padding_r, padding_r != NULL ? padding_r : padding_l, spatial);
    return true;
}

void window_set_sizes(struct window *w, const dnnl_dim_t *in,
        const dnnl_dim_t *out, const dnnl_dim_t *kernel)
{
    fill_dims(w->in, in, w->spatial);
    fill_dims(w->out, out, w->spatial);
    fill_dims(w->kernel, kernel, w->spatial);
}

/* Does dimension d of `out` have the size that the others give? */
static bool does_size_match(const struct window *w, int d)
{
    dnnl_dim_t range; /* see window_range() */
    dnnl_dim_t rest;  /* what is left of `in` behind the first window */
    return w->kernel[d] >= 1 && w->strides[d] >= 1 && w->dilates[d] >= 0
           && w->padding_l[d] >= 0 && w->padding_r[d] >= -w->strides[d]
           && !__builtin_add_overflow(w->dilates[d], 1, &range)
           && !__builtin_mul_overflow(range, w->kernel[d] - 1, &range)
           && !__builtin_add_overflow(range, 1, &range)
           && !__builtin_sub_overflow(w->in[d], range, &rest)
           && !__builtin_add_overflow(rest, w->padding_l[d], &rest)
           && !__builtin_add_overflow(rest, w->padding_r[d], &rest)
           && rest < INT64_MAX && w->out[d] == rest / w->strides[d] + 1;
}

bool window_is_consistent(const struct window *w)
{
    for (int d = 0; d < w->spatial; d++)
        if (!does_size_match(w, d)) return false;
    return true;
}

bool window_fits_int32(const struct window *w)
{
    const dnnl_dim_t limit = 1 << 29;
    dnnl_dim_t taps = 1;
    for (int d = 0; d < w->spatial; d++) {
        dnnl_dim_t most =
                limit / (w->dilates[d] < limit ? w->dilates[d] + 1 : limit);
        if (w->padding_l[d] > limit || w->padding_r[d] > limit
                || w->in[d] > limit || w->out[d] > limit
                || w->strides[d] > limit || w->dilates[d] > limit
                || w->kernel[d] > most || w->kernel[d] > limit / taps)
            return false;
        taps *= w->kernel[d];
    }
    return true;
}

/* ---- Planning ------------------------------------------------------------ */

void window_describe(const struct window *w, struct dnnl_primitive_desc *pd)
{
    pd->spatial = w->spatial;
    memcpy(pd->strides, w->strides, sizeof pd->strides);
    memcpy(pd->dilates, w->dilates, sizeof pd->dilates);
    memcpy(pd->padding_l, w->padding_l, sizeof pd->padding_l);
    memcpy(pd->padding_r, w->padding_r, sizeof pd->padding_r);
}

void window_fill(struct window_params *params,
        const struct dnnl_primitive_desc *pd, const dnnl_dim_t *in,
        const dnnl_dim_t *out, const dnnl_dim_t *kernel)
{
    for (int i = 0; i < SPATIAL; i++) {
        int d = i - window_axis(pd->spatial, 0);
        bool is_used = d >= 0;
        params->out[i] = is_used ? (cl_int)out[d] : 1;
        params->in[i] = is_used ? (cl_int)in[d] : 1;
        params->kernel[i] = is_used ? (cl_int)kernel[d] : 1;
        params->stride[i] = is_used ? (cl_int)pd->strides[d] : 1;
        params->step[i] = is_used ? (cl_int)pd->dilates[d] + 1 : 1;
        params->padding[i] = is_used ? (cl_int)pd->padding_l[d] : 0;
    }
}

void window_fill_strides(
        cl_int out[SPATIAL], int spatial, const dnnl_dim_t *strides)
{
    for (int i = 0; i < SPATIAL; i++) {
        int d = i - window_axis(spatial, 0);
        out[i] = d >= 0 ? (cl_int)strides[d] : 0;
    }
}
