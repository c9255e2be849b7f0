/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of refused calls, which the last step of each destroys. */
#ifndef DNNL_CACHE_TESTS_API_REFUSAL_DRAFTS_H
#define DNNL_CACHE_TESTS_API_REFUSAL_DRAFTS_H

#include "dnnl_cache.h"

/* What is under way: attributes (NULL: none), and where a descriptor goes. */
extern dnnl_primitive_attr_t draft_attr;
extern dnnl_primitive_desc_t draft_pd;

/* Aborts if that failed, without which there is nothing to ask. */
void must(dnnl_status_t st);

/* Destroyed by draft_finish(). */
dnnl_memory_desc_t draft_strided(int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t type, const dnnl_dims_t strides);
dnnl_memory_desc_t draft_tagged(int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t type, dnnl_format_tag_t tag);
dnnl_memory_desc_t draft_matrix(dnnl_data_type_t type);
dnnl_memory_desc_t draft_image(dnnl_data_type_t type);
dnnl_memory_desc_t draft_filter(dnnl_data_type_t type);
/* draft_attr, to set something of. */
dnnl_primitive_attr_t draft_new_attr(void);
/* Destroys what is under way, and returns st. */
dnnl_status_t draft_finish(dnnl_status_t st);

/* Primitives of these tensors with draft_attr; they end with draft_finish(). */
dnnl_status_t draft_relu(
        dnnl_engine_t e, dnnl_memory_desc_t src, dnnl_memory_desc_t dst);
dnnl_status_t draft_multiply(dnnl_engine_t e, dnnl_memory_desc_t src,
        dnnl_memory_desc_t weights, dnnl_memory_desc_t dst);
/* Of a window of one place. */
dnnl_status_t draft_convolve(dnnl_engine_t e, dnnl_alg_kind_t alg,
        dnnl_memory_desc_t src, dnnl_memory_desc_t weights,
        dnnl_memory_desc_t dst);
dnnl_status_t draft_convolve_bytes(dnnl_engine_t e);
dnnl_status_t draft_reorder(dnnl_memory_desc_t src, dnnl_engine_t from,
        dnnl_memory_desc_t dst, dnnl_engine_t to);

/* One of each kind, by its number: those before DRAFT_WITH_SCALES have neither
 * scales nor zero points, those before DRAFT_WITH_ZERO_POINTS no zero points.
 */
enum { DRAFT_WITH_SCALES = 9, DRAFT_WITH_ZERO_POINTS = 14, DRAFT_KINDS = 19 };
enum { DRAFT_MATMUL = 14, DRAFT_CONVOLUTION = 16, DRAFT_REORDER = 18 };
dnnl_status_t draft_kind(dnnl_engine_t e, int kind);

#endif /* DNNL_CACHE_TESTS_API_REFUSAL_DRAFTS_H */
