/* SPDX-License-Identifier: Apache-2.0 */
#include "tensors.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "tensors: %s failed\n", what);
    abort();
}

/* ---- Life ---------------------------------------------------------------- */

/* Takes shape and strides from the descriptor, so that they are those that
 * the library means. */
static void finish(struct tensor *t, dnnl_data_type_t type)
{
    const dnnl_dims_t *dims = NULL;
    const dnnl_dims_t *strides = NULL;
    (void)dnnl_memory_desc_query(t->md, dnnl_query_ndims_s32, &t->view.ndims);
    (void)dnnl_memory_desc_query(t->md, dnnl_query_dims, &dims);
    (void)dnnl_memory_desc_query(t->md, dnnl_query_strides, &strides);
    must(dims != NULL && strides != NULL, "a query");
    memcpy(t->view.dims, *dims, sizeof *dims);
    memcpy(t->view.strides, *strides, sizeof *strides);
    t->view.type = type;
    t->size = dnnl_memory_desc_get_size(t->md);
    t->bytes = malloc(t->size + 1);
    must(t->bytes != NULL, "an allocation");
    memset(t->bytes, TENSOR_GAP, t->size + 1);
    t->view.data = t->bytes;
}

static void end_md(void *md)
{
    dnnl_memory_desc_destroy(md);
}

dnnl_memory_desc_t strided_md(int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t type, const dnnl_dims_t strides)
{
    dnnl_memory_desc_t md = NULL;
    EXPECT_OK(dnnl_memory_desc_create_with_strides(
            &md, ndims, dims, type, strides));
    test_at_end(end_md, md);
    return md;
}

dnnl_memory_desc_t plain_md(
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t type)
{
    return strided_md(ndims, dims, type, NULL);
}

dnnl_memory_desc_t tagged_md(int ndims, const dnnl_dims_t dims,
        dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t md = NULL;
    EXPECT_OK(dnnl_memory_desc_create_with_tag(&md, ndims, dims, type, tag));
    test_at_end(end_md, md);
    return md;
}

static uint64_t step(uint64_t *seed)
{
    /* An odd step, mixed: every seed will do. */
    uint64_t x = *seed += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

dnnl_dim_t random_below(uint64_t *seed, dnnl_dim_t below)
{
    return (dnnl_dim_t)(step(seed) % (uint64_t)below);
}

void tensor_init(struct tensor *t, dnnl_data_type_t type, int ndims,
        const dnnl_dims_t dims, dnnl_format_tag_t tag)
{
    memset(t, 0, sizeof *t);
    must(dnnl_memory_desc_create_with_tag(&t->md, ndims, dims, type, tag)
                    == dnnl_success,
            "a descriptor");
    finish(t, type);
}

void tensor_init_strided(struct tensor *t, dnnl_data_type_t type, int ndims,
        const dnnl_dims_t dims, const dnnl_dims_t strides)
{
    memset(t, 0, sizeof *t);
    must(dnnl_memory_desc_create_with_strides(
                 &t->md, ndims, dims, type, strides)
                    == dnnl_success,
            "a descriptor");
    finish(t, type);
}

void tensor_init_random(struct tensor *t, dnnl_data_type_t type, int ndims,
        const dnnl_dims_t dims, uint64_t *seed)
{
    dnnl_dims_t strides = {0};
    int left[DNNL_MAX_NDIMS];
    dnnl_dim_t inside = 1 + random_below(seed, 2);
    for (int d = 0; d < ndims; d++)
        left[d] = d;
    for (int count = ndims; count > 0; count--) {
        int i = (int)random_below(seed, count);
        int d = left[i];
        strides[d] = inside;
        inside *= dims[d] > 0 ? dims[d] : 1;
        if (random_below(seed, 4) == 0) inside += 3;
        left[i] = left[count - 1];
    }
    tensor_init_strided(t, type, ndims, dims, strides);
}

void tensor_lay_out_randomly(struct tensor *t, uint64_t *seed)
{
    const struct reference_tensor before = t->view;
    tensor_fini(t);
    tensor_init_random(t, before.type, before.ndims, before.dims, seed);
}

void random_empty_dims(int ndims, dnnl_dim_t *dims, uint64_t *seed)
{
    for (int d = 0; d < ndims; d++)
        dims[d] = random_below(seed, 5);
    dims[random_below(seed, ndims)] = 0;
}

void tensor_fini(struct tensor *t)
{
    dnnl_memory_desc_destroy(t->md);
    free(t->bytes);
    memset(t, 0, sizeof *t);
}

/* ---- Contents ------------------------------------------------------------ */

/* Two elements a byte? */
static bool has_half_bytes(const struct tensor *t)
{
    return t->view.type == dnnl_s4 || t->view.type == dnnl_u4;
}

static void write_element(struct tensor *t, dnnl_dim_t index, double value)
{
    dnnl_dims_t place;
    unsigned char element[8];
    size_t size = reference_convert(value, t->view.type, element);
    reference_place(&t->view, index, place);
    size_t at = (size_t)reference_offset(&t->view, place);
    if (!has_half_bytes(t)) {
        memcpy(t->bytes + at * size, element, size);
        return;
    }
    int shift = at % 2 != 0 ? 4 : 0;
    unsigned char *byte = &t->bytes[at / 2];
    *byte = (unsigned char)((*byte & ~(0xf << shift)) | element[0] << shift);
}

void tensor_randomize(struct tensor *t, uint64_t *seed, double low, double high)
{
    for (dnnl_dim_t i = 0; i < reference_count(&t->view); i++) {
        double part = (double)(step(seed) >> 11) * 0x1p-53;
        write_element(t, i, low + part * (high - low));
    }
}

bool tensor_is_integer(const struct tensor *t)
{
    return t->view.type == dnnl_s8 || t->view.type == dnnl_u8
           || t->view.type == dnnl_s32 || has_half_bytes(t);
}

void tensor_randomize_type(struct tensor *t, uint64_t *seed)
{
    double low = t->view.type == dnnl_u8 ? 0.0 : -128.0;
    if (has_half_bytes(t))
        tensor_randomize(t, seed, t->view.type == dnnl_u4 ? -0.5 : -8.5,
                t->view.type == dnnl_u4 ? 15.5 : 7.5);
    else if (tensor_is_integer(t))
        tensor_randomize(t, seed, low, low + 255.0);
    else
        tensor_randomize(t, seed, -1.0, 1.0);
}

void tensor_set(struct tensor *t, const double *values, size_t count)
{
    for (dnnl_dim_t i = 0; i < reference_count(&t->view); i++)
        write_element(t, i, values[(size_t)i % count]);
}

/* ---- Post-ops ------------------------------------------------------------ */

dnnl_primitive_attr_t chain_attr(const struct chain *chain)
{
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    if (chain->count == 0) return NULL;
    must(dnnl_primitive_attr_create(&attr) == dnnl_success
                    && dnnl_post_ops_create(&ops) == dnnl_success,
            "creating attributes");
    for (int i = 0; i < chain->count; i++)
        must(dnnl_post_ops_append_eltwise(ops, chain->steps[i].alg,
                     chain->steps[i].alpha, chain->steps[i].beta)
                        == dnnl_success,
                "a post-op");
    must(dnnl_primitive_attr_set_post_ops(attr, ops) == dnnl_success,
            "setting post-ops");
    dnnl_post_ops_destroy(ops);
    return attr;
}

struct reference_value chain_apply(
        const struct chain *chain, struct reference_value v)
{
    for (int i = 0; i < chain->count; i++)
        v = reference_eltwise(chain->steps[i].alg, v, chain->steps[i].alpha,
                chain->steps[i].beta);
    return v;
}

/* ---- Comparison ---------------------------------------------------------- */

void expect_gaps(const struct tensor *t)
{
    size_t element = dnnl_data_type_size(t->view.type);
    unsigned char *used = calloc(1, t->size + 1);
    dnnl_dims_t place;
    must(used != NULL, "an allocation");
    for (dnnl_dim_t i = 0; i < reference_count(&t->view); i++) {
        reference_place(&t->view, i, place);
        size_t at = (size_t)reference_offset(&t->view, place);
        memset(used + (has_half_bytes(t) ? at / 2 : at * element), 1, element);
    }
    for (size_t i = 0; i < t->size; i++)
        if (!used[i] && t->bytes[i] != TENSOR_GAP) {
            test_fail(__FILE__, __LINE__, "byte %zu is no element's: %02x", i,
                    t->bytes[i]);
            break;
        }
    free(used);
}

void expect_tensor(const struct tensor *dst, expected_at at, const void *user)
{
    dnnl_dims_t place;
    for (dnnl_dim_t i = 0; i < reference_count(&dst->view); i++) {
        reference_place(&dst->view, i, place);
        struct reference_value expected = at(user, place);
        double actual = reference_at(&dst->view, place);
        if (reference_is_close_as(expected, dst->view.type, actual)) continue;
        test_fail(__FILE__, __LINE__,
                "element %lld: %.9g, not %.9g (within %.3g)", (long long)i,
                actual, expected.value, expected.tolerance);
        break;
    }
    expect_gaps(dst);
}
