/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/product_row.h"

#include "src/gpu/engine/engine_facts.h"

#include <stddef.h>

/* Results of a work-group: the kernel keeps four vectors of 16 along n; along k
 * four columns at a time. */
enum { COLUMNS = 64, K_INNER_COLUMNS = 16 };

/* Weights of a single column lie along k, too. */
static bool is_k_inner(const struct matmul_params *p)
{
    return p->weights_k == 1 && p->src_k == 1
           && (p->n == 1 || p->weights_n != 1);
}

bool product_is_row(
        const struct dnnl_primitive_desc *pd, const struct matmul_params *p)
{
    return !plan_is_gpu_like(pd->facts) && !pd->has_runtime_dims && p->m == 1
           && p->runs == 1 && !factors_unpack_weights(pd)
           && (p->weights_n == 1 || is_k_inner(p));
}

static void count_tiles(struct matmul_params *p, cl_int columns)
{
    /* Not more than dst has elements; an empty one may have any batch. */
    cl_int matrices = 1;
    bool is_empty = p->n == 0;
    for (int d = 0; d < MAX_BATCH_DIMS; d++)
        is_empty = is_empty || p->batch[d] == 0;
    for (int d = 0; d < MAX_BATCH_DIMS; d++)
        matrices = is_empty ? 0 : matrices * p->batch[d];
    p->tiles_n = (cl_int)(((int64_t)p->n + columns - 1) / columns);
    p->tiles_mn = p->tiles_n;
    p->tiles = matrices * p->tiles_n;
}

dnnl_status_t product_plan_row(const struct dnnl_primitive_desc *pd,
        struct matmul_params *p, struct primitive_plan *plan)
{
    const bool k_inner = is_k_inner(p);
    const int columns = k_inner ? K_INNER_COLUMNS : COLUMNS;
    count_tiles(p, columns);
    plan_set_params(plan, p, offsetof(struct matmul_params, zero));
    plan_set_kernel(plan, "matmul_row", kernel_matmul_cl);
    plan->sources[plan->source_count++] = kernel_matmul_row_cl;
    dnnl_status_t st = factors_plan(pd, plan);
    if (st == dnnl_success) st = plan_set_groups(plan, 1, (size_t)p->tiles);
    if (st == dnnl_success)
        st = plan_add_option(
                plan, "-DCOLUMNS=%d%s", columns, k_inner ? " -DK_INNER" : "");
    if (st == dnnl_success && (pd->facts->accepts & engine_accepts_fma) != 0)
        st = plan_add_option(plan, "-DUSE_FMA");
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}
