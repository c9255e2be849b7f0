/* SPDX-License-Identifier: Apache-2.0 */
/* A format tag's name ("aBcd16b") as nested loops over the elements in the
 * order they lie in. */
#ifndef DNNL_CACHE_TESTS_API_TAG_LOOPS_H
#define DNNL_CACHE_TESTS_API_TAG_LOOPS_H

#include "dnnl_cache/onednn/types.h"

/* Loops, innermost last: each over a dimension, which it steps by so many
 * elements. */
struct tag_loops {
    int count;
    struct {
        int dim;
        dnnl_dim_t step, size;
    } of[2 * DNNL_MAX_NDIMS];
};

/* Number of dimensions. */
int tag_letters(const char *name);

/* Aborts if small and capital letters contradict the blocks. */
struct tag_loops tag_loops_of(const char *name, const dnnl_dim_t *dims);

/* Where the element is. */
dnnl_dim_t tag_loops_offset(const struct tag_loops *l, const dnnl_dims_t place);

/* Elements, with padding. */
dnnl_dim_t tag_loops_size(const struct tag_loops *l);

/* Writes which element is at an offset; it may be one past the dimensions:
 * padding. */
void tag_loops_place(
        const struct tag_loops *l, dnnl_dim_t offset, dnnl_dims_t place);

#endif /* DNNL_CACHE_TESTS_API_TAG_LOOPS_H */
