/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/tile.h"

#include "src/gpu/engine/engine_facts.h"

/* Matrices of at most so many rows get low, wide tiles. */
enum { LOW_ROWS = 8 };

/* Strips for CPUs, whose left matrix has its products side by side: 60 KiB of
 * local memory with a convolution's, and 24. */
static const struct tile large_strips = {1, 1, 6, 16, 128, 16, 43, 2};
static const struct tile small_strips = {1, 1, 6, 16, 64, 16, 8, 2};

/* Tiles for CPUs, whose left matrix has its rows side by side: 40 KiB, and 24.
 */
static const struct tile large_columns = {16, 4, 4, 16, 64, 16, 0, 0};
static const struct tile small_columns = {16, 4, 4, 16, 32, 16, 0, 0};

/* Tiles for GPUs by height, best first; the last of each has one work-item.
 * They take at most 24 KiB. */
static const struct tile gpu_tiles[] = {{8, 16, 8, 4, 16, 1, 0, 0},
        {4, 8, 8, 4, 16, 1, 0, 0}, {1, 1, 8, 4, 16, 1, 0, 0}};
static const struct tile gpu_low_tiles[] = {{1, 64, 4, 4, 16, 1, 0, 0},
        {1, 32, 4, 4, 16, 1, 0, 0}, {1, 1, 4, 4, 16, 1, 0, 0}};

static bool has_work_items(
        const struct tile *tile, const struct engine_facts *facts)
{
    return tile->items_m * tile->items_n <= facts->max_work_group_size;
}

static const struct tile *gpu_tile(
        const struct engine_facts *facts, dnnl_dim_t m)
{
    const struct tile *tile = m <= LOW_ROWS ? gpu_low_tiles : gpu_tiles;
    while (!has_work_items(tile, facts))
        tile++;
    return tile;
}

const struct tile *plan_tile(
        const struct engine_facts *facts, dnnl_dim_t m, bool rows_inner)
{
    bool is_large = (facts->accepts & engine_accepts_large_tiles) != 0;
    const struct tile *columns = is_large ? &large_columns : &small_columns;
    if (plan_is_gpu_like(facts)) return gpu_tile(facts, m);
    if (rows_inner && m > LOW_ROWS && has_work_items(columns, facts))
        return columns;
    return is_large ? &large_strips : &small_strips;
}

dnnl_status_t plan_add_tile(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct tile *tile,
        dnnl_dim_t tiles)
{
    plan->work_dim = 1;
    plan->local[0] = tile->items_m * tile->items_n;
    plan->groups[0] = (size_t)tiles;
    dnnl_status_t st = plan_add_option(plan,
            "-DITEMS_M=%zu -DITEMS_N=%zu -DROWS=%zu -DCOLS=%zu -DTILE_K=%zu "
            "-DWIDTH=%zu",
            tile->items_m, tile->items_n, tile->rows, tile->cols,
            tile->products, tile->width);
    if (st == dnnl_success && tile->strips > 0)
        st = plan_add_option(plan, "-DSTRIPS=%zu -DVECTORS=%zu", tile->strips,
                tile->vectors);
    if (st == dnnl_success && (facts->accepts & engine_accepts_fma) != 0)
        st = plan_add_option(plan, "-DUSE_FMA");
    return st;
}
