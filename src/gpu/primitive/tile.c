/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/tile.h"

#include "src/gpu/engine/engine_facts.h"

/* Matrices of at most so many rows get low, wide tiles. */
enum { LOW_ROWS = 8 };

/* Tiles by kind of device and height, best first; the last of each has one
 * work-item. The first ones take 40 KiB of local memory, all others at most
 * 24. */
static const struct tile cpu_large_tiles[] = {
        {16, 4, 4, 16, 64, 16}, {1, 1, 4, 16, 64, 16}};
static const struct tile cpu_tiles[] = {
        {16, 4, 4, 16, 32, 16}, {1, 1, 4, 16, 32, 16}};
static const struct tile cpu_low_tiles[] = {
        {1, 8, 4, 16, 16, 16}, {1, 1, 4, 16, 16, 16}};
static const struct tile gpu_tiles[] = {
        {8, 16, 8, 4, 16, 1}, {4, 8, 8, 4, 16, 1}, {1, 1, 8, 4, 16, 1}};
static const struct tile gpu_low_tiles[] = {
        {1, 64, 4, 4, 16, 1}, {1, 32, 4, 4, 16, 1}, {1, 1, 4, 4, 16, 1}};

const struct tile *plan_tile(const struct engine_facts *facts, dnnl_dim_t m)
{
    const struct tile *tile;
    if (plan_is_gpu_like(facts))
        tile = m <= LOW_ROWS ? gpu_low_tiles : gpu_tiles;
    else if (m <= LOW_ROWS)
        tile = cpu_low_tiles;
    else if ((facts->accepts & engine_accepts_large_tiles) != 0)
        tile = cpu_large_tiles;
    else
        tile = cpu_tiles;
    while (tile->items_m * tile->items_n > facts->max_work_group_size)
        tile++;
    return tile;
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
    if (st == dnnl_success && (facts->accepts & engine_accepts_fma) != 0)
        st = plan_add_option(plan, "-DUSE_FMA");
    return st;
}
