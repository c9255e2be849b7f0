/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of batch, layer and group normalization share. */
#ifndef DNNL_CACHE_TESTS_API_NORMALIZATIONS_H
#define DNNL_CACHE_TESTS_API_NORMALIZATIONS_H

#include "run_primitive.h"

/* For lists of cases. */
#define INFERENCE dnnl_forward_inference
#define TRAINING dnnl_forward_training
#define GIVEN dnnl_use_global_stats
#define SCALED (dnnl_use_scale | dnnl_use_shift)

struct normalization {
    dnnl_primitive_kind_t kind;
    dnnl_prop_kind_t prop_kind;
    unsigned flags;
    dnnl_dim_t groups; /* of a group normalization */
    float epsilon;
    struct chain chain;
    struct tensor src, dst;
    struct tensor mean, variance, scale, shift; /* f32 */
    struct tensor addend;                       /* with fuse_norm_add_relu */
    struct tensor workspace; /* for training with fuse_norm_relu */
};

/* What a test starts from. */
struct normalization_case {
    dnnl_prop_kind_t prop_kind;
    unsigned flags;
    dnnl_dim_t groups;
    dnnl_data_type_t src, dst;
    int ndims;
    dnnl_dims_t dims;
    dnnl_format_tag_t src_tag, dst_tag;
};

/* The usual numbers of src. */
#define NORMALIZATION_LOW (-3.0)
#define NORMALIZATION_HIGH 4.0

/* Makes all tensors and fills the inputs, src with numbers from low to high.
 * Pair with normalization_fini(). */
void normalization_init(struct normalization *n, dnnl_primitive_kind_t kind,
        const struct normalization_case *c, uint64_t *seed, double low,
        double high);
void normalization_fini(struct normalization *n);

/* Describes the primitive: a describe_primitive. */
dnnl_status_t normalization_describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user);

/* The status of describing it; the descriptor is destroyed. */
dnnl_status_t normalization_try(const struct normalization *n);

/* Runs it, with src and dst one memory if asked, and compares all outputs. */
void normalization_run(struct normalization *n, bool in_place);

/* The same, and frees the tensors. */
void normalization_check(struct normalization *n);

/* Draws from the usual numbers, runs and compares each case until one fails;
 * those in f16 where the device does not take it are left out. */
void normalization_check_all(dnnl_primitive_kind_t kind,
        const struct normalization_case *cases, size_t count);

/* Runs and compares it in random small shapes and layouts, with and without
 * statistics given, until one fails. */
void normalization_check_random(dnnl_primitive_kind_t kind);

#endif /* DNNL_CACHE_TESTS_API_NORMALIZATIONS_H */
