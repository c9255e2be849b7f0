/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors that attributes bring: numbers of scales and zero points, other
 * operands of post-ops, and those of random_tensors.h. */
#ifndef DNNL_CACHE_GPU_ATTRIBUTE_TENSORS_H
#define DNNL_CACHE_GPU_ATTRIBUTE_TENSORS_H

#include "src/gpu/primitive/primitive_desc.h"

/* Checks the attributes of a descriptor whose other tensors are there against
 * what its kind uses, and adds theirs. dnnl_unimplemented: the kind has no use
 * for one; dnnl_invalid_arguments: a shape or mask does not fit. */
dnnl_status_t attribute_tensors_add(struct dnnl_primitive_desc *pd);

/* Have all tensors of post-ops dst's dimensions, or 1? Of a descriptor whose
 * dimensions are all known, as they are at execution. */
bool attribute_tensors_fit(const struct dnnl_primitive_desc *pd);

#endif /* DNNL_CACHE_GPU_ATTRIBUTE_TENSORS_H */
