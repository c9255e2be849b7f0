/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/depthwise_plan.h"

#include "src/gpu/engine/engine_facts.h"
#include "src/gpu/kinds/window.h"
#include "src/gpu/primitive/factors.h"

#include <string.h>

/* Mirrors the struct of this name in kernels/depthwise.cl. */
struct depthwise_params {
    cl_int tiles;
    cl_int tiles_x;
    cl_int tiles_yx;
    cl_int rows;
    cl_int columns;
    cl_int pitch;
    cl_int phase;
    cl_int used;
    cl_int channels;
    cl_int m;
    struct window_params window;
    cl_int src_offset, src_n, src_c, src_z, src_y;
    cl_int weights_offset, weights_g, weights_m, weights_y, weights_x;
    cl_int bias_offset, bias_c;
    cl_int dst_offset, dst_n, dst_c, dst_z, dst_y;
};

/* Elements of the kernel's local memory: 25 KiB, which every device has. */
enum { IN_SIZE = 4096, OUT_SIZE = 2048, MAX_TAPS = 128 };

/* Vectors read and write up to so many elements behind the last. */
enum { VECTOR = 16 };

/* Results of a group, more of which are computed as rows of a product. */
enum { MOST_ROWS = 4 };

/* Columns of the first tile that is tried, and the fewest of a wider image. */
enum { MOST_COLUMNS = 512, FEWEST_COLUMNS = 16 };

/* ---- Tiles --------------------------------------------------------------- */

/* Elements of a phase, in one dimension, for so many results. */
static int64_t phase_size(const struct window_params *w, int i, int64_t results)
{
    return ((results - 1) * w->stride[i]
                   + (int64_t)(w->kernel[i] - 1) * w->step[i])
                   / w->stride[i]
           + 1;
}

/* Sets the sizes of local memory for tiles of rows x columns. False if it has
 * no room for them. */
static bool take_tile(struct depthwise_params *p, cl_int rows, cl_int columns)
{
    const struct window_params *w = &p->window;
    const int64_t pitch = phase_size(w, X, columns);
    const int64_t lines = phase_size(w, Y, rows);
    const int64_t phases = (int64_t)w->stride[Y] * w->stride[X];
    if (phases > IN_SIZE || pitch > IN_SIZE || lines > IN_SIZE
            || phases * lines * pitch > IN_SIZE - 2 * VECTOR
            || (rows - 1) * pitch + columns > OUT_SIZE - VECTOR)
        return false;
    p->rows = rows;
    p->columns = columns;
    p->pitch = (cl_int)pitch;
    p->phase = (cl_int)(lines * pitch);
    p->used = (cl_int)((phases * lines * pitch + VECTOR - 1) / VECTOR * VECTOR)
              + VECTOR;
    return true;
}

static cl_int divide_up(cl_int a, cl_int b)
{
    return a / b + (a % b != 0);
}

/* Makes tiles alike: as many parts of `size` as parts of `most` would be. */
static cl_int even_out(cl_int size, cl_int most)
{
    return divide_up(size, divide_up(size, most));
}

/* The largest tile: whole lines if possible, and as many as there is room for.
 * False if there is room for none. */
static bool choose_tile(struct depthwise_params *p)
{
    const cl_int out_y = p->window.out[Y];
    const cl_int out_x = p->window.out[X];
    cl_int columns = out_x < MOST_COLUMNS ? out_x : MOST_COLUMNS;
    while (!take_tile(p, 1, columns)) {
        if (columns <= FEWEST_COLUMNS) return false;
        columns /= 2;
    }
    columns = even_out(out_x, columns);
    cl_int rows = 1;
    while (rows < out_y && take_tile(p, rows + 1, columns))
        rows++;
    return take_tile(p, even_out(out_y, rows), columns);
}

/* ---- Planning ------------------------------------------------------------ */

static cl_int stride_of(
        const struct dnnl_memory_desc *md, int first, int spatial, int i)
{
    cl_int strides[SPATIAL];
    window_fill_strides(strides, spatial, md->strides + first);
    return strides[i];
}

static void fill_tensors(
        const struct dnnl_primitive_desc *pd, struct depthwise_params *p)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *weights = pd_tensor(pd, DNNL_ARG_WEIGHTS);
    const struct dnnl_memory_desc *bias = pd_tensor(pd, DNNL_ARG_BIAS);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    const int oc = pd->with_groups;
    p->channels = (cl_int)dst->dims[1];
    p->m = (cl_int)weights->dims[oc];
    p->src_offset = (cl_int)src->offset0;
    p->src_n = (cl_int)src->strides[0];
    p->src_c = (cl_int)src->strides[1];
    p->src_z = stride_of(src, 2, pd->spatial, Z);
    p->src_y = stride_of(src, 2, pd->spatial, Y);
    p->weights_offset = (cl_int)weights->offset0;
    p->weights_g = oc > 0 ? (cl_int)weights->strides[0] : 0;
    p->weights_m = (cl_int)weights->strides[oc];
    p->weights_y = stride_of(weights, oc + 2, pd->spatial, Y);
    p->weights_x = stride_of(weights, oc + 2, pd->spatial, X);
    p->bias_offset = bias != NULL ? (cl_int)bias->offset0 : 0;
    p->bias_c = bias != NULL ? (cl_int)bias->strides[0] : 0;
    p->dst_offset = (cl_int)dst->offset0;
    p->dst_n = (cl_int)dst->strides[0];
    p->dst_c = (cl_int)dst->strides[1];
    p->dst_z = stride_of(dst, 2, pd->spatial, Z);
    p->dst_y = stride_of(dst, 2, pd->spatial, Y);
}

/* Shapes and tiles. False if there is no room for a tile, or too many. */
static bool fill(
        const struct dnnl_primitive_desc *pd, struct depthwise_params *p)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *weights = pd_tensor(pd, DNNL_ARG_WEIGHTS);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    memset(p, 0, sizeof *p);
    window_fill(&p->window, pd, src->dims + 2, dst->dims + 2,
            weights->dims + 2 + pd->with_groups);
    fill_tensors(pd, p);
    const struct window_params *w = &p->window;
    if (w->kernel[Z] != 1 || w->padding[Z] != 0
            || (int64_t)w->kernel[Y] * w->kernel[X] > MAX_TAPS
            || (int64_t)(w->out[Z] - 1) * w->stride[Z] >= w->in[Z]
            || !choose_tile(p))
        return false;
    p->tiles_x = divide_up(w->out[X], p->columns);
    p->tiles_yx = divide_up(w->out[Y], p->rows) * p->tiles_x;
    /* No more than there are elements, whose number fits. */
    p->tiles = p->tiles_yx * (cl_int)dst->dims[0] * p->channels * w->out[Z];
    return true;
}

bool depthwise_is(const struct dnnl_primitive_desc *pd)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *weights = pd_tensor(pd, DNNL_ARG_WEIGHTS);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    const int oc = pd->with_groups;
    struct depthwise_params p;
    return pd->kind->kind == dnnl_convolution && !plan_is_gpu_like(pd->facts)
           && weights->dims[oc] <= MOST_ROWS && weights->dims[oc + 1] == 1
           && memory_desc_nelems(src) > 0 && memory_desc_nelems(weights) > 0
           && memory_desc_nelems(dst) > 0 && src->strides[src->ndims - 1] == 1
           && dst->strides[dst->ndims - 1] == 1 && fill(pd, &p);
}

dnnl_status_t depthwise_plan(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    struct depthwise_params p;
    (void)fill(pd, &p);
    plan_set_params(plan, &p, sizeof p);
    plan_set_kernel(plan, "depthwise", kernel_depthwise_cl);
    dnnl_status_t st = factors_plan(pd, plan);
    if (st == dnnl_success) st = plan_set_groups(plan, 1, (size_t)p.tiles);
    if (st == dnnl_success)
        st = plan_add_option(plan, "-DIN_SIZE=%d -DOUT_SIZE=%d -DMAX_TAPS=%d",
                IN_SIZE, OUT_SIZE, MAX_TAPS);
    if (st == dnnl_success && (pd->facts->accepts & engine_accepts_fma) != 0)
        st = plan_add_option(plan, "-DUSE_FMA");
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}
