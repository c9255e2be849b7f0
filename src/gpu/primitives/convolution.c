/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/primitives/plan.h"

#include <string.h>

/* Spatial dimensions are z, y, x; missing ones, at the front, have size 1. */
enum { Z, Y, X, SPATIAL };

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
    cl_int out[SPATIAL];
    cl_int in[SPATIAL];
    cl_int kernel[SPATIAL];
    cl_int stride[SPATIAL];
    cl_int step[SPATIAL];
    cl_int padding[SPATIAL];
    cl_int src_offset, src_n, src_g, src_c, src[SPATIAL];
    cl_int weights_offset, weights_g, weights_m, weights_k;
    cl_int weights_c, weights[SPATIAL];
    cl_int bias_offset, bias_g, bias_m;
    cl_int dst_offset, dst_n, dst_g, dst_m, dst[SPATIAL];
    cl_int next_c, next[SPATIAL];
};

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
    const struct dnnl_memory_desc *src =
            primitive_desc_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *weights =
            primitive_desc_tensor(pd, DNNL_ARG_WEIGHTS);
    const struct dnnl_memory_desc *dst =
            primitive_desc_tensor(pd, DNNL_ARG_DST);
    for (int i = 0; i < SPATIAL; i++) {
        int d = i - (SPATIAL - pd->spatial); /* in the descriptor */
        bool is_used = d >= 0;
        p->out[i] = is_used ? (cl_int)dst->dims[2 + d] : 1;
        p->in[i] = is_used ? (cl_int)src->dims[2 + d] : 1;
        p->src[i] = is_used ? (cl_int)src->strides[2 + d] : 0;
        p->dst[i] = is_used ? (cl_int)dst->strides[2 + d] : 0;
        int w = 2 + pd->with_groups + d;
        p->kernel[i] = is_used ? (cl_int)weights->dims[w] : 1;
        p->weights[i] = is_used ? (cl_int)weights->strides[w] : 0;
        p->stride[i] = is_used ? (cl_int)pd->strides[d] : 1;
        p->step[i] = is_used ? (cl_int)pd->dilates[d] + 1 : 1;
        p->padding[i] = is_used ? (cl_int)pd->padding_l[d] : 0;
    }
}

static void fill_channels(
        const struct dnnl_primitive_desc *pd, struct convolution_params *p)
{
    const struct dnnl_memory_desc *src =
            primitive_desc_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *weights =
            primitive_desc_tensor(pd, DNNL_ARG_WEIGHTS);
    const struct dnnl_memory_desc *bias =
            primitive_desc_tensor(pd, DNNL_ARG_BIAS);
    const struct dnnl_memory_desc *dst =
            primitive_desc_tensor(pd, DNNL_ARG_DST);
    int oc = pd->with_groups;
    int ic = oc + 1;
    p->m = (cl_int)weights->dims[oc];
    p->channels = (cl_int)weights->dims[ic];
    p->src_offset = (cl_int)src->offset0;
    p->src_n = (cl_int)src->strides[0];
    p->src_c = (cl_int)src->strides[1];
    p->src_g = p->channels * p->src_c;
    p->weights_offset = (cl_int)weights->offset0;
    p->weights_g = pd->with_groups ? (cl_int)weights->strides[0] : 0;
    p->weights_m = (cl_int)weights->strides[oc];
    p->weights_c = (cl_int)weights->strides[ic];
    p->bias_offset = bias != NULL ? (cl_int)bias->offset0 : 0;
    p->bias_m = bias != NULL ? (cl_int)bias->strides[0] : 0;
    p->bias_g = p->m * p->bias_m;
    p->dst_offset = (cl_int)dst->offset0;
    p->dst_n = (cl_int)dst->strides[0];
    p->dst_m = (cl_int)dst->strides[1];
    p->dst_g = p->m * p->dst_m;
    p->n = (cl_int)dst->dims[0] * p->out[Z] * p->out[Y] * p->out[X];
    p->k = p->channels * p->kernel[Z] * p->kernel[Y] * p->kernel[X];
}

/* True if a dimension's pixels are taken one by one, as they are. */
static bool is_plain(const struct convolution_params *p, int i)
{
    return p->kernel[i] == 1 && p->stride[i] == 1 && p->padding[i] == 0
           && p->in[i] == p->out[i];
}

/* Makes one line of the lines that follow each other in src and dst, where
 * the window is a single place: long runs are fast. */
static void merge_lines(struct convolution_params *p)
{
    for (int i = Y; i >= Z && is_plain(p, X) && is_plain(p, i); i--) {
        if (p->in[i] > 1
                && (p->src[i] != p->in[X] * p->src[X]
                        || p->dst[i] != p->out[X] * p->dst[X]))
            return;
        p->in[X] *= p->in[i];
        p->out[X] *= p->out[i];
        p->in[i] = 1;
        p->out[i] = 1;
    }
}

/* The one stride from each tap to the next in weights, 0 if there is none. */
static cl_int tap_stride(const struct convolution_params *p, bool taps_inner)
{
    const cl_int sizes[] = {taps_inner ? p->channels : 1, p->kernel[X],
            p->kernel[Y], p->kernel[Z], taps_inner ? 1 : p->channels};
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

static struct layout classify(
        struct convolution_params *p, const struct tile *tile)
{
    struct layout layout;
    layout.taps_inner = p->channels > 1 && p->src_c < p->src[X];
    p->weights_k = tap_stride(p, layout.taps_inner);
    layout.irregular_weights = p->weights_k == 0;
    layout.rows_inner = !layout.irregular_weights && p->m > 1 && p->k > 1
                        && p->weights_m < p->weights_k
                        && tile_takes_runs_of_rows(tile);
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
        p->next[i] = rest % p->kernel[i];
        rest /= p->kernel[i];
    }
    p->next[Z] = taps_inner ? rest : rest % p->kernel[Z];
    if (!taps_inner) p->next_c = rest / p->kernel[Z];
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

static dnnl_status_t plan_convolution(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    struct convolution_params p;
    memset(&p, 0, sizeof p);
    fill_spatial(pd, &p);
    fill_channels(pd, &p);
    merge_lines(&p);
    const struct tile *tile = plan_tile(pd->facts, p.m);
    struct layout layout = classify(&p, tile);
    fill_next(&p, tile, layout.taps_inner);
    /* Runs of neighbours: whole ones of one place's channels, or pixels. */
    cl_int width = (cl_int)tile->width;
    p.runs = layout.taps_inner ? p.src_c == 1 && p.channels % width == 0
                               : p.src[X] == 1 && p.stride[X] == 1;
    dnnl_dim_t tiles_m = (p.m + tile_m(tile) - 1) / tile_m(tile);
    dnnl_dim_t tiles_n = (p.n + tile_n(tile) - 1) / tile_n(tile);
    dnnl_dim_t groups = primitive_desc_tensor(pd, DNNL_ARG_DST)->dims[1] / p.m;
    p.tiles_m = (cl_int)tiles_m;
    p.tiles_mn = (cl_int)(tiles_m * tiles_n);
    p.tiles = (cl_int)(tiles_m * tiles_n * groups);
    plan_set_params(plan, &p, sizeof p);

    plan_set_kernel(plan, "convolution", kernel_convolution_cl);
    dnnl_status_t st = plan_set_factors(pd, plan, p.k == 0);
    if (st == dnnl_success) st = plan_add_tile(plan, pd->facts, tile, p.tiles);
    if (st == dnnl_success) st = add_layout(plan, &layout);
    if (st == dnnl_success) st = plan_add_tail(plan, pd);
    return st;
}

static const struct primitive_kind convolution_kind = {
        dnnl_convolution, "ocl:convolution:tiled", plan_convolution};

/* ---- Checking ------------------------------------------------------------ */

/* The arguments of a creation call, with what may be left out filled in. */
struct problem {
    int spatial;
    int with_groups;
    struct dnnl_memory_desc src, weights, bias, dst;
    dnnl_dims_t strides, dilates, padding_l, padding_r;
};

static void fill_dims(dnnl_dims_t out, const dnnl_dim_t *dims, int count)
{
    memset(out, 0, sizeof(dnnl_dims_t));
    if (dims != NULL) memcpy(out, dims, (size_t)count * sizeof dims[0]);
}

/* Do the numbers of channels match? */
static bool do_channels_match(const struct problem *p)
{
    const dnnl_dim_t *w = p->weights.dims + p->with_groups;
    dnnl_dim_t groups = p->with_groups ? p->weights.dims[0] : 1;
    dnnl_dim_t in;
    dnnl_dim_t out;
    if (groups < 1 || __builtin_mul_overflow(groups, w[0], &out)
            || __builtin_mul_overflow(groups, w[1], &in))
        return false;
    return p->src.dims[1] == in && p->dst.dims[1] == out
           && p->src.dims[0] == p->dst.dims[0]
           && (memory_desc_is_zero(&p->bias)
                   || (p->bias.ndims == 1 && p->bias.dims[0] == out));
}

/* Does spatial dimension d of dst have the size that the others give? */
static bool does_size_match(const struct problem *p, int d)
{
    dnnl_dim_t kernel = p->weights.dims[2 + p->with_groups + d];
    dnnl_dim_t reach; /* from the window's first place to its last */
    dnnl_dim_t padded;
    if (kernel < 1 || p->strides[d] < 1 || p->dilates[d] < 0
            || p->padding_l[d] < 0 || p->padding_r[d] < 0
            || __builtin_add_overflow(p->dilates[d], 1, &reach)
            || __builtin_mul_overflow(reach, kernel - 1, &reach)
            || __builtin_add_overflow(
                    p->src.dims[2 + d], p->padding_l[d], &padded)
            || __builtin_add_overflow(padded, p->padding_r[d], &padded))
        return false;
    return padded > reach
           && p->dst.dims[2 + d] == (padded - reach - 1) / p->strides[d] + 1;
}

static bool is_consistent(const struct problem *p)
{
    int ndims = p->spatial + 2;
    if (p->spatial < 1 || p->spatial > SPATIAL || p->dst.ndims != ndims
            || p->weights.ndims != ndims + p->with_groups
            || !do_channels_match(p))
        return false;
    for (int d = 0; d < p->spatial; d++)
        if (!does_size_match(p, d)) return false;
    return true;
}

static bool is_tensor_supported(const struct dnnl_memory_desc *md)
{
    return md->data_type == dnnl_f32 && memory_desc_fits_int32(md);
}

/* Places in the image's padding, and their distance in memory from the image,
 * are computed in 32 bits, too. */
static bool do_places_fit(const struct problem *p)
{
    const dnnl_dim_t limit = 1 << 29;
    dnnl_dim_t distance = 0;
    for (int d = 0; d < p->spatial; d++) {
        dnnl_dim_t padding = p->padding_l[d] > p->padding_r[d]
                                     ? p->padding_l[d]
                                     : p->padding_r[d];
        if (padding > limit || p->src.dims[2 + d] > limit
                || p->strides[d] > limit || p->dilates[d] > limit)
            return false;
        distance += padding * p->src.strides[2 + d];
        if (distance > limit) return false;
    }
    return true;
}

static bool is_supported(const struct problem *p)
{
    return is_tensor_supported(&p->src) && is_tensor_supported(&p->weights)
           && (memory_desc_is_zero(&p->bias) || is_tensor_supported(&p->bias))
           && is_tensor_supported(&p->dst) && plan_can_write(&p->dst)
           && do_places_fit(p);
}

/* ---- Creation ------------------------------------------------------------ */

static dnnl_status_t create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const struct problem *p, const_dnnl_primitive_attr_t attr)
{
    struct dnnl_primitive_desc *pd;
    dnnl_status_t st =
            primitive_desc_start(&pd, engine, &convolution_kind, attr);
    if (st != dnnl_success) return st;
    pd->prop_kind = prop_kind;
    pd->alg_kind = dnnl_convolution_direct;
    pd->spatial = p->spatial;
    pd->with_groups = p->with_groups;
    memcpy(pd->strides, p->strides, sizeof pd->strides);
    memcpy(pd->dilates, p->dilates, sizeof pd->dilates);
    memcpy(pd->padding_l, p->padding_l, sizeof pd->padding_l);
    memcpy(pd->padding_r, p->padding_r, sizeof pd->padding_r);
    primitive_desc_add(pd, DNNL_ARG_SRC, false, &p->src);
    primitive_desc_add(pd, DNNL_ARG_WEIGHTS, false, &p->weights);
    if (!memory_desc_is_zero(&p->bias))
        primitive_desc_add(pd, DNNL_ARG_BIAS, false, &p->bias);
    primitive_desc_add(pd, DNNL_ARG_DST, true, &p->dst);
    return primitive_desc_finish(pd, primitive_desc);
}

dnnl_status_t dnnl_convolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_attr_t attr)
{
    struct problem p;
    if (primitive_desc == NULL || engine == NULL || src_desc == NULL
            || weights_desc == NULL || dst_desc == NULL || strides == NULL
            || padding_l == NULL)
        return dnnl_invalid_arguments;
    if (!plan_is_forward(prop_kind)) return dnnl_invalid_arguments;
    if (alg_kind == dnnl_convolution_winograd) return dnnl_unimplemented;
    if (alg_kind != dnnl_convolution_direct
            && alg_kind != dnnl_convolution_auto)
        return dnnl_invalid_arguments;

    p.src = *src_desc;
    p.weights = *weights_desc;
    p.bias = bias_desc != NULL ? *bias_desc : memory_desc_zero;
    p.dst = *dst_desc;
    p.spatial = p.src.ndims - 2;
    if (p.spatial < 1 || p.spatial > SPATIAL) return dnnl_invalid_arguments;
    p.with_groups = p.weights.ndims == p.src.ndims + 1;
    fill_dims(p.strides, strides, p.spatial);
    fill_dims(p.dilates, dilates, p.spatial);
    fill_dims(p.padding_l, padding_l, p.spatial);
    fill_dims(
            p.padding_r, padding_r != NULL ? padding_r : padding_l, p.spatial);
    if (!is_consistent(&p)) return dnnl_invalid_arguments;
    memory_desc_set_plain(&p.src);
    memory_desc_set_plain(&p.weights);
    memory_desc_set_plain(&p.bias);
    memory_desc_set_plain(&p.dst);
    if (!is_supported(&p)) return dnnl_unimplemented;
    return create(primitive_desc, engine, prop_kind, &p, attr);
}
