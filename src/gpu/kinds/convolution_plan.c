/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/convolution_plan.h"

#include "src/gpu/kinds/depthwise_plan.h"
#include "src/gpu/kinds/window.h"
#include "src/gpu/primitive/factors.h"
#include "src/gpu/primitive/tile.h"

#include <string.h>

/* Mirrors the struct of this name in kernels/convolution.cl. */
struct convolution_params {
    cl_int tiles;
    cl_int tiles_m;
    cl_int tiles_mn;
    cl_int m;
    cl_int n;
    cl_int k;
    cl_int channels;
    cl_int runs;
    struct window_params window;
    cl_int src_size;
    cl_int src_offset, src_n, src_g, src_c, src[SPATIAL];
    cl_int weights_offset, weights_g, weights_m, weights_k;
    cl_int weights_c, weights[SPATIAL];
    cl_int bias_offset, bias_g, bias_m;
    cl_int dst_offset, dst_n, dst_g, dst_m, dst[SPATIAL];
    cl_int next_c, next[SPATIAL];
    cl_int images;
    cl_int phases[SPATIAL];
    cl_int every[SPATIAL];
};

static bool is_transposed(const struct dnnl_primitive_desc *pd)
{
    return pd->kind->kind == dnnl_deconvolution;
}

/* The layout class of a problem: what the program is compiled for. */
struct layout {
    bool taps_inner;        /* src has neighbouring channels side by side */
    bool irregular_weights; /* there is no one stride from tap to tap */
    bool rows_inner;        /* weights: neighbouring rows side by side */
    bool dst_rows_inner;    /* dst: neighbouring rows side by side */
};

/* ---- Planning ------------------------------------------------------------ */

static void fill_spatial(
        const struct dnnl_primitive_desc *pd, struct convolution_params *p)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *weights = pd_tensor(pd, DNNL_ARG_WEIGHTS);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    int w = 2 + pd->with_groups;
    window_fill(
            &p->window, pd, src->dims + 2, dst->dims + 2, weights->dims + w);
    window_fill_strides(p->src, pd->spatial, src->strides + 2);
    window_fill_strides(p->dst, pd->spatial, dst->strides + 2);
    window_fill_strides(p->weights, pd->spatial, weights->strides + w);
}

/* From group to group of so many channels, which are dimension d; 0 if there is
 * one group, whose channels may be far apart, and in an empty tensor, whose
 * strides may reach beyond 32 bits. */
static cl_int group_step(
        const struct dnnl_memory_desc *md, int d, cl_int channels)
{
    return md->dims[d] > channels && memory_desc_nelems(md) > 0
                   ? channels * (cl_int)md->strides[d]
                   : 0;
}

static void fill_channels(
        const struct dnnl_primitive_desc *pd, struct convolution_params *p)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *weights = pd_tensor(pd, DNNL_ARG_WEIGHTS);
    const struct dnnl_memory_desc *bias = pd_tensor(pd, DNNL_ARG_BIAS);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    int oc = pd->with_groups;
    int ic = oc + 1;
    p->m = (cl_int)weights->dims[oc];
    p->channels = (cl_int)weights->dims[ic];
    /* What lies in gaps may be written meanwhile, even by this primitive. */
    p->src_size =
            memory_desc_is_dense(src) ? (cl_int)memory_desc_nelems(src) : 0;
    p->src_offset = (cl_int)src->offset0;
    p->src_n = (cl_int)src->strides[0];
    p->src_c = (cl_int)src->strides[1];
    p->src_g = group_step(src, 1, p->channels);
    p->weights_offset = (cl_int)weights->offset0;
    p->weights_g = pd->with_groups ? (cl_int)weights->strides[0] : 0;
    p->weights_m = (cl_int)weights->strides[oc];
    p->weights_c = (cl_int)weights->strides[ic];
    p->bias_offset = bias != NULL ? (cl_int)bias->offset0 : 0;
    p->bias_m = bias != NULL ? (cl_int)bias->strides[0] : 0;
    p->bias_g = bias != NULL ? group_step(bias, 0, p->m) : 0;
    p->dst_offset = (cl_int)dst->offset0;
    p->dst_n = (cl_int)dst->strides[0];
    p->dst_m = (cl_int)dst->strides[1];
    p->dst_g = group_step(dst, 1, p->m);
    p->images = (cl_int)dst->dims[0];
    p->n = p->images * p->window.out[Z] * p->window.out[Y] * p->window.out[X];
    p->k = p->channels * p->window.kernel[Z] * p->window.kernel[Y]
           * p->window.kernel[X];
}

/* True if a dimension's pixels are taken one by one, as they are. */
static bool is_plain(const struct convolution_params *p, int i)
{
    return p->window.kernel[i] == 1 && p->window.stride[i] == 1
           && p->window.padding[i] == 0 && p->window.in[i] == p->window.out[i];
}

/* Makes one line of the lines that follow each other in src and dst, where
 * the window is a single place: long runs are fast. */
static void merge_lines(struct convolution_params *p)
{
    for (int i = Y; i >= Z && is_plain(p, X) && is_plain(p, i); i--) {
        if (p->window.in[i] > 1
                && (p->src[i] != (int64_t)p->window.in[X] * p->src[X]
                        || p->dst[i] != (int64_t)p->window.out[X] * p->dst[X]))
            return;
        p->window.in[X] *= p->window.in[i];
        p->window.out[X] *= p->window.out[i];
        p->window.in[i] = 1;
        p->window.out[i] = 1;
    }
}

/* The one stride from each tap to the next in weights, 0 if there is none. */
static cl_int tap_stride(const struct convolution_params *p, bool taps_inner)
{
    const cl_int sizes[] = {taps_inner ? p->channels : 1, p->window.kernel[X],
            p->window.kernel[Y], p->window.kernel[Z],
            taps_inner ? 1 : p->channels};
    const cl_int strides[] = {p->weights_c, p->weights[X], p->weights[Y],
            p->weights[Z], p->weights_c};
    int64_t next = 0; /* what the next larger stride has to be */
    cl_int stride = 0;
    for (int i = 0; i < 5; i++) {
        if (sizes[i] <= 1) continue;
        if (next == 0)
            stride = strides[i];
        else if (strides[i] != next)
            return 0;
        next = (int64_t)strides[i] * sizes[i];
    }
    return stride > 0 ? stride : p->k <= 1;
}

/* True if a deconvolution's phases have some of the taps each. */
static bool has_phases(const struct convolution_params *p)
{
    const cl_int *stride = p->window.stride;
    return stride[Z] > 1 || stride[Y] > 1 || stride[X] > 1;
}

static struct layout classify(struct convolution_params *p, bool is_transposed)
{
    struct layout layout;
    layout.taps_inner = p->channels > 1 && p->src_c < p->src[X];
    p->weights_k = is_transposed && has_phases(p)
                           ? 0
                           : tap_stride(p, layout.taps_inner);
    layout.irregular_weights = p->weights_k == 0;
    layout.rows_inner = !layout.irregular_weights && p->m > 1 && p->k > 1
                        && p->weights_m < p->weights_k;
    layout.dst_rows_inner = p->m > 1 && p->n > 1 && p->dst_m < p->dst[X];
    return layout;
}

/* How far TILE_K taps are, as the kernel counts taps. */
static void fill_next(
        struct convolution_params *p, const struct tile *tile, bool taps_inner)
{
    cl_int rest = (cl_int)tile->products;
    if (p->k == 0) return;
    if (taps_inner) {
        p->next_c = rest % p->channels;
        rest /= p->channels;
    }
    for (int i = X; i > Z; i--) {
        p->next[i] = rest % p->window.kernel[i];
        rest /= p->window.kernel[i];
    }
    p->next[Z] = taps_inner ? rest : rest % p->window.kernel[Z];
    if (!taps_inner) p->next_c = rest / p->window.kernel[Z];
}

static cl_int greatest_common_divisor(cl_int a, cl_int b)
{
    while (b != 0) {
        cl_int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Takes a deconvolution apart, see the kernel. Returns the number of phases,
 * and sets n to the pixels of the first, which is the largest. */
static dnnl_dim_t fill_phases(struct convolution_params *p)
{
    const struct window_params *w = &p->window;
    dnnl_dim_t phases = 1;
    p->n = p->images;
    for (int i = Z; i < SPATIAL; i++) {
        p->phases[i] = w->stride[i] < w->out[i] ? w->stride[i] : w->out[i];
        p->every[i] = w->stride[i]
                      / greatest_common_divisor(w->stride[i], w->step[i]);
        p->n *= (w->out[i] - 1) / w->stride[i] + 1;
        phases *= p->phases[i];
    }
    return phases;
}

static dnnl_status_t add_layout(
        struct primitive_plan *plan, const struct layout *layout)
{
    dnnl_status_t st = dnnl_success;
    if (layout->taps_inner) st = plan_add_option(plan, "-DTAPS_INNER");
    if (st == dnnl_success && layout->irregular_weights)
        st = plan_add_option(plan, "-DWEIGHTS_IRREGULAR");
    if (st == dnnl_success && !layout->rows_inner)
        st = plan_add_option(plan, "-DA_K_INNER");
    if (st == dnnl_success && layout->dst_rows_inner)
        st = plan_add_option(plan, "-DDST_M_INNER");
    return st;
}

/* Runs of neighbours: whole ones of one place's channels, or pixels; 2: of
 * every other pixel, which strips read by vectors, too. */
static cl_int has_runs(const struct convolution_params *p,
        const struct tile *tile, bool taps_inner, bool is_transposed)
{
    if (taps_inner)
        return p->src_c == 1 && p->channels % (cl_int)tile->width == 0;
    if (p->src[X] != 1) return 0;
    if (is_transposed || p->window.stride[X] == 1) return 1;
    return tile->strips > 0 && p->window.stride[X] == 2 ? 2 : 0;
}

/* Counts the tiles of `parts` problems alike. */
static dnnl_status_t fill_tiles(struct primitive_plan *plan,
        struct convolution_params *p, const struct tile *tile, dnnl_dim_t parts)
{
    dnnl_dim_t tiles_m = (p->m + tile_m(tile) - 1) / tile_m(tile);
    dnnl_dim_t tiles_n = (p->n + tile_n(tile) - 1) / tile_n(tile);
    if (tiles_m * tiles_n > INT32_MAX / parts)
        return plan_decline(plan, LACK_SIZE);
    p->tiles_m = (cl_int)tiles_m;
    p->tiles_mn = (cl_int)(tiles_m * tiles_n);
    p->tiles = (cl_int)(tiles_m * tiles_n * parts);
    return dnnl_success;
}

dnnl_status_t convolution_plan(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    struct convolution_params p;
    if (depthwise_is(pd)) return depthwise_plan(pd, plan);
    memset(&p, 0, sizeof p);
    fill_spatial(pd, &p);
    fill_channels(pd, &p);
    merge_lines(&p);
    struct layout layout = classify(&p, is_transposed(pd));
    const struct tile *tile = plan_tile(pd->facts, p.m, layout.rows_inner);
    if (!tile_takes_runs_of_rows(tile)) layout.rows_inner = false;
    fill_next(&p, tile, layout.taps_inner);
    p.runs = has_runs(&p, tile, layout.taps_inner, is_transposed(pd));
    dnnl_dim_t parts = pd_tensor(pd, DNNL_ARG_DST)->dims[1] / p.m; /* groups */
    if (is_transposed(pd)) parts *= fill_phases(&p);
    dnnl_status_t st = fill_tiles(plan, &p, tile, parts);
    plan_set_params(plan, &p, sizeof p);

    plan_set_kernel(plan, "convolution", kernel_convolution_cl);
    if (st == dnnl_success) st = factors_plan(pd, plan);
    if (st == dnnl_success) st = plan_add_tile(plan, pd->facts, tile, p.tiles);
    if (st == dnnl_success) st = add_layout(plan, &layout);
    if (st == dnnl_success && is_transposed(pd))
        st = plan_add_option(plan, "-DTRANSPOSED");
    if (st == dnnl_success) st = plan_add_tail(plan, pd);
    return st;
}
