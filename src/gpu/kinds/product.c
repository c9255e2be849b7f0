/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/product.h"

#include "src/gpu/engine/engine_facts.h"
#include "src/gpu/kinds/product_row.h"
#include "src/gpu/memory/data_type.h"
#include "src/gpu/primitive/tile.h"

#include <stddef.h>
#include <string.h>

/* ---- Types --------------------------------------------------------------- */

/* What a sum of products of a float type can become. */
static bool is_result(dnnl_data_type_t factors, dnnl_data_type_t dst)
{
    return dst == factors || dst == dnnl_f32
           || (factors == dnnl_f16 && data_type_is_byte(dst));
}

bool product_takes_types(
        const struct factors *f, const struct engine_facts *facts)
{
    dnnl_data_type_t type = f->src.data_type;
    if (!factors_are_taken(f, facts)) return false;
    if (data_type_is_byte(type)) return data_type_is_byte(f->weights.data_type);
    return data_type_is_float(type) && f->weights.data_type == type
           && is_result(type, f->dst.data_type)
           && (!factors_have_bias(f) || data_type_is_float(f->bias.data_type));
}

/* oneDNN's words: weights decompression. */
bool product_has_compressed_weights(const struct factors *f)
{
    dnnl_data_type_t weights = f->weights.data_type;
    return data_type_is_half_byte(weights)
           || (data_type_is_byte(weights)
                   && data_type_is_float(f->src.data_type));
}

bool product_takes_compressed_types(
        const struct factors *f, const struct engine_facts *facts)
{
    struct factors whole = *f;
    /* As weights of the type that they become. */
    whole.weights.data_type =
            data_type_is_byte(f->src.data_type) ? dnnl_s8 : f->src.data_type;
    return product_takes_types(&whole, facts);
}

/* ---- Planning ------------------------------------------------------------ */

void product_init(struct matmul_params *p)
{
    memset(p, 0, sizeof *p);
    for (int d = 0; d < MAX_BATCH_DIMS; d++)
        p->batch[d] = 1;
    for (int d = 0; d < MAX_RUN_DIMS; d++)
        p->run_dims[d] = 1;
    p->runs = 1;
}

static void count_tiles(struct matmul_params *p, const struct tile *tile)
{
    dnnl_dim_t tiles_n = (p->n + tile_n(tile) - 1) / tile_n(tile);
    dnnl_dim_t tiles_m = (p->m + tile_m(tile) - 1) / tile_m(tile);
    dnnl_dim_t matrices = 1;
    for (int d = 0; d < MAX_BATCH_DIMS; d++)
        matrices *= p->batch[d];
    p->tiles_n = (cl_int)tiles_n;
    p->tiles_mn = (cl_int)(tiles_m * tiles_n);
    p->tiles = (cl_int)(matrices * tiles_m * tiles_n);
}

/* Has src its rows side by side? */
static bool is_rows_inner(
        const struct dnnl_primitive_desc *pd, const struct matmul_params *p)
{
    return !pd->has_runtime_dims && p->m > 1 && p->k > 1 && p->src_k > p->src_m;
}

static const struct tile *choose_tile(
        const struct dnnl_primitive_desc *pd, const struct matmul_params *p)
{
    return plan_tile(pd->facts, pd->has_runtime_dims ? INT32_MAX : p->m,
            is_rows_inner(pd, p));
}

/* Says which dimension of each matrix is innermost; where one has a single
 * element, the ordinary layout, so that fewer programs are needed. */
static dnnl_status_t add_layouts(const struct dnnl_primitive_desc *pd,
        const struct tile *tile, const struct matmul_params *p,
        struct primitive_plan *plan)
{
    dnnl_status_t st = dnnl_success;
    if (!is_rows_inner(pd, p) || !tile_takes_runs_of_rows(tile))
        st = plan_add_option(plan, "-DA_K_INNER");
    if (st == dnnl_success && p->k > 1 && p->n > 1
            && p->weights_k < p->weights_n)
        st = plan_add_option(plan, "-DB_K_INNER");
    if (st == dnnl_success && p->m > 1 && p->n > 1 && p->dst_m < p->dst_n)
        st = plan_add_option(plan, "-DDST_M_INNER");
    if (st == dnnl_success && p->runs > 1)
        st = plan_add_option(plan, "-DK_RUNS");
    return st;
}

/* ---- Zero points and scales of weights ----------------------------------- */

/* A group of more than any matrix: one number for all of a dimension. */
enum { WHOLE_DIMENSION = INT32_MAX / 2 };

/* Strides of the numbers of a kind, which lie densely, if the kernel has a use
 * for them. */
static void fill_numbers(const struct dnnl_primitive_desc *pd, int kind,
        bool is_used, struct matmul_numbers *numbers)
{
    const struct quantization *q =
            is_used ? attr_quantization(&pd->attr, kind | DNNL_ARG_WEIGHTS)
                    : NULL;
    const struct dnnl_memory_desc *of = pd_tensor(pd, DNNL_ARG_WEIGHTS);
    dnnl_dim_t stride = 1;
    *numbers = (struct matmul_numbers){
            .group_k = WHOLE_DIMENSION, .group_n = WHOLE_DIMENSION};
    for (int d = of->ndims - 1; q != NULL && d >= 0; d--) {
        if ((q->mask >> d & 1) == 0) continue;
        const dnnl_dim_t group = quantization_group(q, of->ndims, d);
        const cl_int step = of->dims[d] > 1 ? (cl_int)stride : 0;
        if (d == of->ndims - 1) {
            numbers->group_n = (cl_int)group;
            numbers->n = step;
        } else if (d == of->ndims - 2) {
            numbers->group_k = (cl_int)group;
            numbers->k = step;
        } else {
            numbers->batch[d] = step;
        }
        stride *= of->dims[d] / group;
    }
}

/* ---- Vectors ------------------------------------------------------------- */

/* Up to so many rows are vectors; as many are computed at once, if there is
 * more than one. */
enum { VECTOR_ROWS = 8, VECTOR_ROWS_AT_ONCE = 4 };

/* Results of a group in a row, about, and its work-items. */
enum { VECTOR_COLUMNS = 32, GPU_VECTOR_ITEMS = 512, CPU_VECTOR_ITEMS = 16 };

/* How kernels/matmul_vector.cl is compiled. */
struct vector {
    bool is_k_inner;
    int elements; /* of weights in a word of four bytes */
    int rows;
    int width; /* columns of an item */
    int items_n;
    int items_k;
    int depth; /* loads of an item under way */
};

static bool is_multiple(cl_int value, int of)
{
    return value % of == 0;
}

/* Do all words, or all packets of them, begin at a multiple of `unit`? */
static bool is_aligned(const struct matmul_params *p, int unit)
{
    bool is_whole = is_multiple(p->weights_offset, unit);
    for (int d = 0; d < MAX_BATCH_DIMS; d++)
        is_whole = is_whole && is_multiple(p->weights_batch[d], unit);
    return is_whole;
}

static bool has_whole_groups(const struct matmul_numbers *numbers, int unit)
{
    return numbers->group_k == WHOLE_DIMENSION
           || is_multiple(numbers->group_k, unit);
}

/* Has every column numbers of its own, or all the same? */
static bool has_single_columns(const struct matmul_numbers *numbers)
{
    return numbers->n == 0 || numbers->group_n == 1;
}

static bool has_src_zero_point(const struct dnnl_primitive_desc *pd)
{
    return attr_quantization(
                   &pd->attr, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC)
           != NULL;
}

/* Are weights and numbers such that the kernel for vectors finds them? Fills in
 * their order. */
static bool is_vector(const struct dnnl_primitive_desc *pd,
        const struct matmul_params *p, struct vector *v)
{
    const dnnl_data_type_t weights = pd_tensor(pd, DNNL_ARG_WEIGHTS)->data_type;
    if (pd->has_runtime_dims || p->m > VECTOR_ROWS || p->runs != 1
            || p->src_k != 1 || has_src_zero_point(pd)
            || !data_type_is_float(pd_tensor(pd, DNNL_ARG_SRC)->data_type)
            || !has_single_columns(&p->zero) || !has_single_columns(&p->scale))
        return false;
    /* Tiles for CPUs read floats as fast. */
    if (data_type_is_float(weights) && !plan_is_gpu_like(pd->facts))
        return false;
    v->elements = data_type_is_half_byte(weights)
                          ? 8
                          : 4 / (int)dnnl_data_type_size(weights);
    const int packet = 4 * v->elements;
    v->is_k_inner = p->weights_k == 1;
    if (v->is_k_inner)
        return is_aligned(p, packet) && is_multiple(p->weights_n, packet)
               && is_multiple(p->k, packet)
               && has_whole_groups(&p->zero, packet)
               && has_whole_groups(&p->scale, packet);
    return p->weights_n == 1 && is_aligned(p, v->elements)
           && is_multiple(p->weights_k, v->elements)
           && is_multiple(p->n, v->elements);
}

/* Divides a group's work-items between columns and k. */
static void divide_items(
        const struct engine_facts *facts, cl_int m, struct vector *v)
{
    int items = plan_is_gpu_like(facts) ? GPU_VECTOR_ITEMS : CPU_VECTOR_ITEMS;
    v->rows = m > 1 ? VECTOR_ROWS_AT_ONCE : 1;
    v->width = !v->is_k_inner ? v->elements : v->rows > 1 ? 2 : 4;
    v->items_n = VECTOR_COLUMNS / v->width;
    v->depth = plan_is_gpu_like(facts) && v->rows == 1 ? 16 : 8;
    while ((uint32_t)items > facts->max_work_group_size)
        items /= 2;
    if (items < v->items_n) v->items_n = items;
    v->items_k = items / v->items_n;
}

static dnnl_status_t plan_vector(const struct dnnl_primitive_desc *pd,
        struct matmul_params *p, struct vector *v, struct primitive_plan *plan)
{
    divide_items(pd->facts, p->m, v);
    const struct tile tile = {.items_m = 1,
            .items_n = (size_t)v->items_n,
            .rows = (size_t)v->rows,
            .cols = (size_t)v->width};
    count_tiles(p, &tile);
    plan_set_params(plan, p, sizeof *p);
    plan_set_kernel(plan, "matmul_vector", kernel_matmul_cl);
    plan->sources[plan->source_count++] = kernel_matmul_vector_cl;
    plan->unpacks_weights = true;
    plan->work_dim = 1;
    plan->local[0] = (size_t)v->items_n * (size_t)v->items_k;
    plan->groups[0] = (size_t)p->tiles;
    dnnl_status_t st = factors_plan(pd, plan);
    if (st == dnnl_success)
        st = plan_add_option(plan,
                "-DELEMENTS=%d -DROWS=%d -DWIDTH=%d -DITEMS_N=%d -DITEMS_K=%d "
                "-DDEPTH=%d",
                v->elements, v->rows, v->width, v->items_n, v->items_k,
                v->depth);
    if (st == dnnl_success && v->is_k_inner)
        st = plan_add_option(plan, "-DK_INNER");
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

/* ---- Products ------------------------------------------------------------ */

dnnl_status_t product_plan(const struct dnnl_primitive_desc *pd,
        struct matmul_params *p, struct primitive_plan *plan)
{
    struct vector vector;
    plan->scales_weights = factors_scale_weights(pd);
    fill_numbers(pd, DNNL_ARG_ATTR_ZERO_POINTS, true, &p->zero);
    fill_numbers(pd, DNNL_ARG_ATTR_SCALES, plan->scales_weights, &p->scale);
    if (is_vector(pd, p, &vector)) return plan_vector(pd, p, &vector, plan);
    if (product_is_row(pd, p)) return product_plan_row(pd, p, plan);
    plan->unpacks_weights = factors_unpack_weights(pd);
    const struct tile *tile = choose_tile(pd, p);
    count_tiles(p, tile);
    plan_set_params(plan, p,
            plan->unpacks_weights ? sizeof *p
                                  : offsetof(struct matmul_params, zero));
    plan_set_kernel(plan, "matmul", kernel_matmul_cl);
    dnnl_status_t st = factors_plan(pd, plan);
    if (st == dnnl_success) st = plan_add_tile(plan, pd->facts, tile, p->tiles);
    if (st == dnnl_success && pd->has_runtime_dims)
        st = plan_add_option(plan, "-DA_K_INNER");
    else if (st == dnnl_success)
        st = add_layouts(pd, tile, p, plan);
    if (st == dnnl_success) st = plan_add_tail(plan, pd);
    return st;
}
