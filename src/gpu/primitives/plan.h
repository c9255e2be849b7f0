/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of primitives share when they check and plan. All functions
 * are pure. */
#ifndef DNNL_CACHE_GPU_PRIMITIVES_PLAN_H
#define DNNL_CACHE_GPU_PRIMITIVES_PLAN_H

#include "gpu/primitive_desc.h"

static inline bool plan_is_forward(dnnl_prop_kind_t prop_kind)
{
    return prop_kind == dnnl_forward_training
           || prop_kind == dnnl_forward_inference;
}

/* True if no two elements have one place, so that a kernel can write them in
 * any order. Layouts that interleave dimensions in unusual ways count as not
 * writable though they may be. */
bool plan_can_write(const struct dnnl_memory_desc *md);

/* The plan launches this kernel of this static source, which follows what all
 * kernels share: kernels/types.cl, common.cl and post_ops.cl. */
void plan_set_kernel(
        struct primitive_plan *plan, const char *name, const char *source);

/* Fills the plan's params with a copy of the kernel's. */
void plan_set_params(
        struct primitive_plan *plan, const void *params, size_t size);

/* ---- Data types ---------------------------------------------------------- */

/* True if kernels on this device can have tensors of the type: f32, bf16, s32,
 * s8, u8, and f16 where the compiler accepts it as storage. */
bool plan_takes_type(const struct engine_facts *facts, dnnl_data_type_t type);

/* Adds -D<macro>=<type of kernels/types.cl> for a type that is taken. */
dnnl_status_t plan_add_type(
        struct primitive_plan *plan, const char *macro, dnnl_data_type_t type);
/* The same for SRC and DST. */
dnnl_status_t plan_add_types(struct primitive_plan *plan,
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst);

/* Work-items of a group that computes elements on their own, about 256 on
 * GPUs, 64 on CPUs. */
size_t plan_elementwise_items(const struct engine_facts *facts);

/* Those of a group that computes a line together, about 128 on GPUs, 16 on
 * CPUs. */
size_t plan_line_items(const struct engine_facts *facts);

/* Elements of one of these work-items: RUN of kernels/common.cl. */
int plan_elementwise_run(const struct engine_facts *facts);

/* STRIDED of kernels/common.cl for tensors of so many dimensions, the lines'
 * own among them. */
int plan_strided(int count);

/* ---- Element-wise kernels ------------------------------------------------ */

enum { MAX_LINE_DIMS = DNNL_MAX_NDIMS - 1 };

/* Mirrors the struct of this name in kernels/common.cl. */
struct elementwise_params {
    cl_int runs;
    cl_int line_runs;
    cl_int line;
    cl_int src_offset;
    cl_int dst_offset;
    cl_int src_stride;
    cl_int dst_stride;
    cl_float alpha;
    cl_float beta;
    cl_int dims[MAX_LINE_DIMS];
    cl_int src_strides[MAX_LINE_DIMS];
    cl_int dst_strides[MAX_LINE_DIMS];
};

/* Adds -D<macro>=<function of kernels/post_ops.cl>. */
dnnl_status_t plan_add_eltwise(
        struct primitive_plan *plan, const char *macro, dnnl_alg_kind_t alg);
/* The same for a function of two elements: binary_add to binary_ne. */
dnnl_status_t plan_add_binary(
        struct primitive_plan *plan, const char *macro, dnnl_alg_kind_t alg);

/* Plans a launch over all elements, for a kernel whose parameters are
 * elementwise_params: fills params, grid and memories (src, dst), and adds
 * -DITEMS=, the local size, -DRUN=, the elements of a work-item, and unless
 * both tensors are one dense line of the same order -DSTRIDED=, the number of
 * dimensions of lines that the kernel looks at. */
dnnl_status_t plan_elementwise(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *dst, float alpha, float beta);

/* A dimension of the tensors of a kernel, with their strides. */
struct dimension {
    dnnl_dim_t size;
    dnnl_dim_t src;
    dnnl_dim_t dst;
};

/* The parts of plan_elementwise(), for geometries that two descriptors do not
 * tell. plan_lines() fills all of params but offsets and numbers from the
 * dimensions, in any order, which it sorts and merges. It returns the number of
 * dimensions that are left, 0 if the tensors are one dense line, -1 if they are
 * too many. plan_set_lines() plans the launch of the params, for at least that
 * many dimensions. plan_groups() is the number of groups for the params. */
int plan_lines(struct elementwise_params *p, const struct engine_facts *facts,
        struct dimension *dims, int count);
dnnl_status_t plan_set_lines(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct elementwise_params *p,
        int dims);
size_t plan_groups(
        const struct elementwise_params *p, const struct engine_facts *facts);

/* The dimensions of more than one element of dst, those with large strides in
 * dst first; those that follow each other in both are one. Returns their
 * number. */
int plan_dimensions(struct dimension dims[DNNL_MAX_NDIMS],
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst);

/* A source of an element-wise kernel. */
struct plan_source {
    int arg; /* DNNL_ARG_* */
    const struct dnnl_memory_desc *md;
};

enum { PLAN_MAX_ELEMENT_SOURCES = 3 };

/* Like plan_elementwise() for a kernel of two or three sources, with -DPAIRS:
 * memories are the sources, then dst. A dimension of one element is repeated
 * in a source that has less than dst. */
dnnl_status_t plan_pairwise(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct plan_source *sources,
        int source_count, const struct dnnl_memory_desc *dst);

/* Like plan_elementwise() for a kernel whose lines are those in the direction
 * of axis: one run, taken by a work-group, each. STRIDED always; RUN, the
 * neighbours that a work-item takes at a time, is 1. */
dnnl_status_t plan_along(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *dst, int axis);

/* ---- Tiled kernels ------------------------------------------------------- */

/* The tile of a work-group, see kernels/common.cl. */
struct tile {
    size_t items_m, items_n; /* work-items */
    size_t rows, cols;       /* results of a work-item */
    size_t products;         /* TILE_K */
    size_t width;            /* WIDTH */
};

/* The tile for matrices of m rows on this device. */
const struct tile *plan_tile(const struct engine_facts *facts, dnnl_dim_t m);

static inline dnnl_dim_t tile_m(const struct tile *tile)
{
    return (dnnl_dim_t)(tile->items_m * tile->rows);
}

static inline dnnl_dim_t tile_n(const struct tile *tile)
{
    return (dnnl_dim_t)(tile->items_n * tile->cols);
}

/* False if a tile is too low to be filled by runs of neighbouring rows. */
static inline bool tile_takes_runs_of_rows(const struct tile *tile)
{
    return tile->items_m * tile->rows % tile->width == 0;
}

/* Adds the tile's options, and -DUSE_FMA where the device is fast at it, and
 * sets the grid: one group a tile. */
dnnl_status_t plan_add_tile(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct tile *tile,
        dnnl_dim_t tiles);

/* Sets the kernel's memories: src, weights, bias, the zero points of src and
 * weights, dst; and adds -DSRC, -DWEIGHTS, -DBIAS, -DSRC_ZERO_POINT,
 * -DWEIGHTS_ZERO_POINT and -DDST, their types, of those that there are, and
 * -DINTEGER_SUMS if both factors are integers. If there is nothing to sum up,
 * src and weights may have no buffer: dst stands in for them, the kernel does
 * not read it. */
dnnl_status_t plan_set_factors(const struct dnnl_primitive_desc *pd,
        struct primitive_plan *plan, bool is_sum_empty);

#endif /* DNNL_CACHE_GPU_PRIMITIVES_PLAN_H */
