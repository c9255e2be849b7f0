/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refused primitive descriptors and executions. Each refusal has a reason,
 * which ONEDNN_VERBOSE=check (wrong arguments) and ONEDNN_VERBOSE=dispatch
 * (what this library lacks) print. Nothing is formatted unless they ask for it.
 */
#ifndef DNNL_CACHE_GPU_REFUSAL_H
#define DNNL_CACHE_GPU_REFUSAL_H

#include "dnnl_cache/onednn/types.h"
#include "src/gpu/engine/lacks.h"

#include <stddef.h>

struct dnnl_memory_desc;
struct dnnl_primitive_desc;

/* A tensor that was given, before there is a descriptor that has it. */
struct given_tensor {
    int arg;                           /* DNNL_ARG_SRC and so on */
    const struct dnnl_memory_desc *md; /* a zero one is ignored */
};

/* Reasons why arguments are wrong, which many kinds have. */
#define REFUSAL_NULL "a mandatory argument is NULL"
#define REFUSAL_PROP_KIND "bad propagation kind"
#define REFUSAL_ALG_KIND "bad algorithm"
#define REFUSAL_NDIMS "bad number of dimensions"
#define REFUSAL_ANY "the layout of src is any"
#define REFUSAL_DIMS "inconsistent dimensions"

/* Tells the reason; returns dnnl_invalid_arguments. */
dnnl_status_t refuse(dnnl_primitive_kind_t kind, const char *reason);

/* The same of a descriptor under way, whose tensors and attributes the line
 * has. */
dnnl_status_t refuse_of(
        const struct dnnl_primitive_desc *pd, const char *reason);

/* The same of an execution, with the argument that the reason is about; 0: with
 * none. */
dnnl_status_t refuse_execution(
        const struct dnnl_primitive_desc *pd, const char *reason, int arg);

/* Tells what is lacking; returns dnnl_unimplemented. */
dnnl_status_t decline(dnnl_primitive_kind_t kind, enum lack lack);

/* The same of these tensors, which the line has. */
dnnl_status_t decline_tensors(dnnl_primitive_kind_t kind, enum lack lack,
        size_t count, const struct given_tensor *tensors);
dnnl_status_t decline_pair(dnnl_primitive_kind_t kind, enum lack lack,
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst);

/* The same of a descriptor under way. */
dnnl_status_t decline_of(const struct dnnl_primitive_desc *pd, enum lack lack);

#endif /* DNNL_CACHE_GPU_REFUSAL_H */
