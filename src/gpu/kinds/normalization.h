/* SPDX-License-Identifier: Apache-2.0 */
/* What batch, layer and group normalization share: all but which elements have
 * mean and variance in common. All functions are pure. */
#ifndef DNNL_CACHE_GPU_PRIMITIVES_NORMALIZATION_H
#define DNNL_CACHE_GPU_PRIMITIVES_NORMALIZATION_H

#include "src/gpu/primitive/dimensions.h"
#include "src/gpu/primitive/plan.h"

/* The strides of a dimension besides dst's: those of mean and variance, and of
 * scale and shift. */
enum { OF_SRC, OF_STATISTICS, OF_SCALE };

/* Most dimensions of sets and members together: a group normalization of 5
 * dimensions splits one. */
enum { MAX_NORMALIZED_DIMS = 6 };

/* The dimensions that tell sets apart, of which each has a mean and a variance,
 * then those that tell the members of a set apart. */
struct normalized_dims {
    struct dimension dims[MAX_NORMALIZED_DIMS];
    int sets, members; /* dimensions */
};

/* Appends dimension d of the descriptor's src and dst as one of members. */
void normalized_dims_add_member(struct normalized_dims *dims,
        const struct dnnl_primitive_desc *pd, int d, dnnl_dim_t scale);

/* Plans a launch of kernels/normalization.cl. */
dnnl_status_t normalization_plan(const struct dnnl_primitive_desc *pd,
        struct primitive_plan *plan, const struct normalized_dims *dims);

/* The arguments of a creation call. */
struct normalization {
    const struct primitive_kind *kind;
    dnnl_prop_kind_t prop_kind;
    struct dnnl_memory_desc src, dst;
    struct dnnl_memory_desc statistics; /* any layout may be chosen */
    dnnl_data_type_t scale_type;
    dnnl_dim_t channels; /* elements of scale and shift */
    dnnl_dim_t groups;   /* 0 if the kind has none */
    float epsilon;
    unsigned flags; /* dnnl_normalization_flags_t */
};

/* Starts checking them: copies the descriptors if the arguments that all kinds
 * have are in order, flags among the allowed ones. */
dnnl_status_t normalization_start(struct normalization *n,
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
        unsigned allowed_flags);

/* Describes mean and variance: plain. dnnl_invalid_arguments if they are too
 * many. */
dnnl_status_t normalization_set_statistics(
        struct normalization *n, int ndims, const dnnl_dims_t dims);

/* Makes the descriptor of arguments that agree with each other. */
dnnl_status_t normalization_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const struct normalization *n,
        const_dnnl_primitive_attr_t attr);

#endif /* DNNL_CACHE_GPU_PRIMITIVES_NORMALIZATION_H */
