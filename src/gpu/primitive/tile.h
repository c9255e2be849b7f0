/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that compute tiles of a matrix. All functions are pure. */
#ifndef DNNL_CACHE_GPU_PRIMITIVES_TILE_H
#define DNNL_CACHE_GPU_PRIMITIVES_TILE_H

#include "src/gpu/primitive/plan.h"

/* The tile of a work-group, see kernels/common.cl. */
struct tile {
    size_t items_m, items_n; /* work-items */
    size_t rows, cols;       /* results of a work-item */
    size_t products;         /* TILE_K */
    size_t width;            /* WIDTH */
    size_t strips, vectors;  /* with STRIPS, of a work-item; else 0 */
};

/* The tile for matrices of m rows on this device. Any tile is right for any
 * matrix; if the left one has its rows side by side, some fill faster. */
const struct tile *plan_tile(
        const struct engine_facts *facts, dnnl_dim_t m, bool rows_inner);

static inline dnnl_dim_t tile_m(const struct tile *tile)
{
    return (dnnl_dim_t)(tile->items_m * tile->rows
                        * (tile->strips > 0 ? tile->strips : 1));
}

static inline dnnl_dim_t tile_n(const struct tile *tile)
{
    return (dnnl_dim_t)(tile->items_n * tile->cols
                        * (tile->vectors > 0 ? tile->vectors : 1));
}

/* False if a tile is always filled by runs of neighbouring products. */
static inline bool tile_takes_runs_of_rows(const struct tile *tile)
{
    return tile->strips == 0;
}

/* Adds the tile's options, and -DUSE_FMA where the device is fast at it, and
 * sets the grid: one group a tile. */
dnnl_status_t plan_add_tile(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct tile *tile,
        dnnl_dim_t tiles);

#endif /* DNNL_CACHE_GPU_PRIMITIVES_TILE_H */
