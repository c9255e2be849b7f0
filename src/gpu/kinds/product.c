/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/kinds/product.h"

#include "gpu/memory/data_type.h"
#include "gpu/primitive/tile.h"

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

/* Says which dimension of each matrix is innermost; where one has a single
 * element, the ordinary layout, so that fewer programs are needed. */
static dnnl_status_t add_layouts(struct primitive_plan *plan,
        const struct tile *tile, const struct matmul_params *p)
{
    dnnl_status_t st = dnnl_success;
    if (p->m <= 1 || p->k <= 1 || p->src_k <= p->src_m
            || !tile_takes_runs_of_rows(tile))
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

dnnl_status_t product_plan(const struct dnnl_primitive_desc *pd,
        struct matmul_params *p, struct primitive_plan *plan)
{
    /* Any tile and any order of filling it is right for any shape. */
    const struct tile *tile =
            plan_tile(pd->facts, pd->has_runtime_dims ? INT32_MAX : p->m);
    count_tiles(p, tile);
    plan_set_params(plan, p, sizeof *p);
    plan_set_kernel(plan, "matmul", kernel_matmul_cl);
    dnnl_status_t st = factors_plan(pd, plan);
    if (st == dnnl_success) st = plan_add_tile(plan, pd->facts, tile, p->tiles);
    if (st == dnnl_success && pd->has_runtime_dims)
        st = plan_add_option(plan, "-DA_K_INNER");
    else if (st == dnnl_success)
        st = add_layouts(plan, tile, p);
    if (st == dnnl_success) st = plan_add_tail(plan, pd);
    return st;
}
