/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor of a layout by tag, with blocks or without. */
#ifndef DNNL_CACHE_TESTS_API_BLOCKED_TENSOR_H
#define DNNL_CACHE_TESTS_API_BLOCKED_TENSOR_H

#include "tag_loops.h"
#include "tensors.h"

/* The tensor's view is of all bytes there are, as one line of elements. */
struct blocked_tensor {
    struct tensor tensor;
    struct tag_loops loops;
};

/* Filled with gaps. Pair with tensor_fini(&t->tensor). */
void blocked_tensor_init(struct blocked_tensor *t, dnnl_data_type_t type,
        int ndims, const dnnl_dims_t dims, dnnl_format_tag_t tag);

/* True if the place, as tag_loops_place() tells it, is of an element, not of
 * padding. */
bool blocked_tensor_is_inside(const struct blocked_tensor *t,
        const dnnl_dims_t dims, const dnnl_dims_t place);

#endif /* DNNL_CACHE_TESTS_API_BLOCKED_TENSOR_H */
