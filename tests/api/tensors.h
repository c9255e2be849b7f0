/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors in host memory, with their memory descriptor, for tests of what
 * primitives compute. Whatever cannot be made aborts: that is not the test. */
#ifndef DNNL_CACHE_TESTS_API_TENSORS_H
#define DNNL_CACHE_TESTS_API_TENSORS_H

#include "dnnl_cache.h"
#include "reference.h"

struct tensor {
    dnnl_memory_desc_t md;
    struct reference_tensor view; /* of bytes */
    unsigned char *bytes;
    size_t size;
};

/* Fills what no test may rely on, and what no primitive may touch. */
enum { TENSOR_GAP = 0xa5 };

/* Descriptors of the running test, which are destroyed after it; a failure is
 * noted as the test's and gives NULL. */
dnnl_memory_desc_t plain_md(
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t type);
dnnl_memory_desc_t strided_md(int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t type, const dnnl_dims_t strides);
dnnl_memory_desc_t tagged_md(int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t type, dnnl_format_tag_t tag);

/* Makes a tensor of a layout by tag, filled with gaps. Pair with
 * tensor_fini(). */
void tensor_init(struct tensor *t, dnnl_data_type_t type, int ndims,
        const dnnl_dims_t dims, dnnl_format_tag_t tag);
/* The same by strides; NULL is plain. */
void tensor_init_strided(struct tensor *t, dnnl_data_type_t type, int ndims,
        const dnnl_dims_t dims, const dnnl_dims_t strides);
/* The same with dimensions in a random order, drawn from *seed, and with gaps
 * now and then. */
void tensor_init_random(struct tensor *t, dnnl_data_type_t type, int ndims,
        const dnnl_dims_t dims, uint64_t *seed);
/* Gives a tensor such strides, and filled with gaps. */
void tensor_lay_out_randomly(struct tensor *t, uint64_t *seed);
/* Gives dimensions sizes up to 4, and at least one of them 0. */
void random_empty_dims(int ndims, dnnl_dim_t *dims, uint64_t *seed);
/* Frees it; zeroed is fine. */
void tensor_fini(struct tensor *t);

/* Gives the elements numbers between low and high (whole ones, if of an
 * integer type) drawn from *seed, which is stepped. */
void tensor_randomize(
        struct tensor *t, uint64_t *seed, double low, double high);
/* The same with numbers that suit the type: every byte, or some around 0. */
void tensor_randomize_type(struct tensor *t, uint64_t *seed);
/* True if the elements are integers. */
bool tensor_is_integer(const struct tensor *t);
/* A random number from 0 to below `below`. */
dnnl_dim_t random_below(uint64_t *seed, dnnl_dim_t below);

/* Gives the elements, in logical order, the numbers of a list, repeated. */
void tensor_set(struct tensor *t, const double *values, size_t count);

/* ---- Post-ops ------------------------------------------------------------ */

struct chain_step {
    dnnl_alg_kind_t alg;
    float alpha;
    float beta;
};

struct chain {
    int count;
    struct chain_step steps[DNNL_CACHE_MAX_POST_OPS];
};

/* The chain as attributes; the caller destroys them. NULL if it is empty. */
dnnl_primitive_attr_t chain_attr(const struct chain *chain);

/* What the chain makes of a result. */
struct reference_value chain_apply(
        const struct chain *chain, struct reference_value v);

/* ---- Comparison ---------------------------------------------------------- */

/* What is expected at a place of dst. */
typedef struct reference_value (*expected_at)(
        const void *user, const dnnl_dims_t place);

/* Notes a failure of the running test for the first element of a tensor
 * that is not close to what is expected, and for a byte between elements that
 * was touched. */
void expect_tensor(const struct tensor *dst, expected_at at, const void *user);

/* Notes a failure if bytes that belong to no element are not TENSOR_GAP. */
void expect_gaps(const struct tensor *t);

#endif /* DNNL_CACHE_TESTS_API_TENSORS_H */
