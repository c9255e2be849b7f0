/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes that only the memories of an execution tell. */
#include "run_primitive.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { R = 0 }; /* in lists of dimensions: only execution tells */

/* ---- Running ------------------------------------------------------------- */

/* A product of f32 tensors, and what is said of them beforehand. Without bias
 * its rank is 0. */
struct product {
    struct tensor src, weights, bias, dst;
    dnnl_memory_desc_t src_md, weights_md, bias_md, dst_md;
    struct chain chain;
    struct tensor addend; /* of a binary post-op after the chain; or none */
};

static dnnl_primitive_attr_t make_attr(const struct product *p)
{
    dnnl_primitive_attr_t attr = NULL;
    dnnl_post_ops_t ops = NULL;
    if (p->addend.md == NULL) return chain_attr(&p->chain);
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_post_ops_create(&ops));
    EXPECT_OK(dnnl_post_ops_append_binary(ops, dnnl_binary_add, p->addend.md));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    dnnl_post_ops_destroy(ops);
    return attr;
}

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct product *p = user;
    dnnl_primitive_attr_t attr = make_attr(p);
    dnnl_status_t st = dnnl_matmul_primitive_desc_create(
            pd, engine, p->src_md, p->weights_md, p->bias_md, p->dst_md, attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct product *p = user;
    struct reference_value v = chain_apply(
            &p->chain, reference_matmul(&p->src.view, &p->weights.view,
                               p->bias.md != NULL ? &p->bias.view : NULL,
                               p->dst.view.ndims, place));
    if (p->addend.md == NULL) return v;
    dnnl_dims_t at;
    for (int d = 0; d < p->dst.view.ndims; d++)
        at[d] = p->addend.view.dims[d] == 1 ? 0 : place[d];
    v.value += reference_at(&p->addend.view, at);
    v.tolerance += 0x1p-23 * fabs(v.value);
    return v;
}

/* A descriptor by dimensions and strides. R is not told; strides NULL: none. */
static dnnl_memory_desc_t make_md(
        int ndims, const dnnl_dims_t dims, const dnnl_dim_t *strides)
{
    dnnl_dims_t d;
    dnnl_dims_t s;
    for (int i = 0; i < ndims; i++) {
        d[i] = dims[i] != R ? dims[i] : DNNL_RUNTIME_DIM_VAL;
        s[i] = strides != NULL && strides[i] != R ? strides[i]
                                                  : DNNL_RUNTIME_DIM_VAL;
    }
    return strided_md(ndims, d, dnnl_f32, s);
}

static void fini(struct product *p)
{
    tensor_fini(&p->src);
    tensor_fini(&p->weights);
    tensor_fini(&p->bias);
    tensor_fini(&p->dst);
    tensor_fini(&p->addend);
    memset(p, 0, sizeof *p);
}

/* Fills the inputs, runs the product, compares, and frees all. The primitive
 * has a blob even if this shape has no elements. */
static void check(struct product *p, uint64_t *seed)
{
    struct run_argument args[5];
    int n = 0;
    tensor_randomize_type(&p->src, seed);
    tensor_randomize_type(&p->weights, seed);
    args[n++] = (struct run_argument){DNNL_ARG_SRC, &p->src};
    args[n++] = (struct run_argument){DNNL_ARG_WEIGHTS, &p->weights};
    if (p->bias.md != NULL) {
        tensor_randomize_type(&p->bias, seed);
        args[n++] = (struct run_argument){DNNL_ARG_BIAS, &p->bias};
    }
    if (p->addend.md != NULL) {
        tensor_randomize_type(&p->addend, seed);
        args[n++] = (struct run_argument){
                DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, &p->addend};
    }
    args[n++] = (struct run_argument){DNNL_ARG_DST, &p->dst};
    run_and_expect(describe, expected, p, args, n);
    fini(p);
}

static void init_matrices(struct product *p, dnnl_dim_t m, dnnl_dim_t n,
        dnnl_dim_t k, dnnl_format_tag_t src, dnnl_format_tag_t weights,
        dnnl_format_tag_t dst)
{
    memset(p, 0, sizeof *p);
    tensor_init(&p->src, dnnl_f32, 2, (dnnl_dims_t){m, k}, src);
    tensor_init(&p->weights, dnnl_f32, 2, (dnnl_dims_t){k, n}, weights);
    tensor_init(&p->dst, dnnl_f32, 2, (dnnl_dims_t){m, n}, dst);
}

/* ---- Shapes -------------------------------------------------------------- */

/* Nothing is known but the rank: one ID, one program. */
TEST_C(RuntimeDims, MatmulTakesEveryShapeAndLayout)
{
    static const dnnl_dim_t sizes[][3] = {{1, 1, 1}, {1, 70, 3}, {9, 17, 33},
            {65, 3, 47}, {64, 64, 32}, {65, 129, 31}, {5, 6, 0}, {0, 4, 3}};
    static const dnnl_format_tag_t tags[][3] = {
            {dnnl_ab, dnnl_ab, dnnl_ab}, {dnnl_ba, dnnl_ba, dnnl_ba}};
    const dnnl_dims_t unknown = {R, R};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t j = 0; j < 2; j++) {
            struct product p;
            init_matrices(&p, sizes[i][0], sizes[i][1], sizes[i][2], tags[j][0],
                    tags[j][1], tags[j][2]);
            p.src_md = make_md(2, unknown, NULL);
            p.weights_md = make_md(2, unknown, NULL);
            p.dst_md = make_md(2, unknown, NULL);
            check(&p, &seed);
        }
}

/* What inference does: a batch of any size by weights that are known. */
TEST_C(RuntimeDims, MatmulTakesAnyNumberOfRows)
{
    const struct chain chain = {2, {{dnnl_eltwise_linear, 2.0f, 1.0f},
                                           {dnnl_eltwise_relu, 0.0f, 0.0f}}};
    uint64_t seed = test_seed();
    for (dnnl_dim_t m = 1; m < 100; m = 3 * m + 2) {
        struct product p;
        init_matrices(&p, m, 21, 35, dnnl_ab, dnnl_ab, dnnl_ab);
        tensor_init(&p.bias, dnnl_f32, 2, (dnnl_dims_t){1, 21}, dnnl_ab);
        p.src_md = make_md(2, (dnnl_dims_t){R, 35}, (dnnl_dims_t){35, 1});
        p.weights_md = make_md(2, (dnnl_dims_t){35, 21}, (dnnl_dims_t){21, 1});
        p.bias_md = make_md(2, (dnnl_dims_t){1, 21}, (dnnl_dims_t){21, 1});
        p.dst_md = make_md(2, (dnnl_dims_t){R, 21}, (dnnl_dims_t){21, 1});
        p.chain = chain;
        check(&p, &seed);
    }
}

/* What low-rank adapters do: another product is added. */
TEST_C(RuntimeDims, MatmulAddsATensor)
{
    static const dnnl_dims_t addends[] = {{7, 18}, {1, 18}, {7, 1}, {1, 1}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(addends); i++) {
        struct product p;
        init_matrices(&p, 7, 18, 5, dnnl_ab, dnnl_ab, dnnl_ab);
        tensor_init(
                &p.addend, dnnl_f32, 2, addends[i], i == 0 ? dnnl_ba : dnnl_ab);
        p.src_md = make_md(2, (dnnl_dims_t){R, 5}, NULL);
        p.weights_md = make_md(2, (dnnl_dims_t){5, 18}, (dnnl_dims_t){18, 1});
        p.dst_md = make_md(2, (dnnl_dims_t){R, 18}, NULL);
        check(&p, &seed);
    }
}

TEST_C(RuntimeDims, MatmulTakesAnyNumberOfMatrices)
{
    const dnnl_dims_t unknown = {R, R, R};
    uint64_t seed = test_seed();
    for (dnnl_dim_t batch = 1; batch <= 3; batch++) {
        struct product p;
        memset(&p, 0, sizeof p);
        tensor_init(&p.src, dnnl_f32, 3, (dnnl_dims_t){batch, 9, 5}, dnnl_abc);
        tensor_init(&p.weights, dnnl_f32, 3, (dnnl_dims_t){1, 5, 7}, dnnl_abc);
        tensor_init(&p.dst, dnnl_f32, 3, (dnnl_dims_t){batch, 9, 7}, dnnl_bac);
        p.src_md = make_md(3, unknown, NULL);
        p.weights_md = make_md(3, (dnnl_dims_t){1, R, R}, NULL);
        p.dst_md = make_md(3, unknown, NULL);
        check(&p, &seed);
    }
}

/* ---- Memories that do not fit -------------------------------------------- */

static dnnl_memory_t make_memory(
        const dnnl_dims_t dims, dnnl_format_tag_t tag, dnnl_data_type_t type)
{
    dnnl_memory_t memory = NULL;
    dnnl_memory_desc_t md = tagged_md(2, dims, type, tag);
    EXPECT_OK(dnnl_memory_create(
            &memory, md, test_engine(), DNNL_MEMORY_ALLOCATE));
    return memory;
}

TEST_C(RuntimeDims, MatmulRefusesMemoriesThatContradict)
{
    static const struct {
        dnnl_status_t status;
        dnnl_dims_t src, weights, dst;
        dnnl_format_tag_t src_tag;
        dnnl_data_type_t src_type;
    } cases[] = {{dnnl_success, {4, 8}, {8, 6}, {4, 6}, dnnl_ab, dnnl_f32},
            /* What is known, by size, stride and type. */
            {dnnl_invalid_arguments, {4, 7}, {7, 6}, {4, 6}, dnnl_ab, dnnl_f32},
            {dnnl_invalid_arguments, {4, 8}, {8, 6}, {4, 6}, dnnl_ba, dnnl_f32},
            {dnnl_invalid_arguments, {4, 8}, {8, 6}, {4, 6}, dnnl_ab, dnnl_s32},
            /* Each other. */
            {dnnl_invalid_arguments, {4, 8}, {8, 6}, {5, 6}, dnnl_ab, dnnl_f32},
            {dnnl_invalid_arguments, {4, 8}, {8, 5}, {4, 6}, dnnl_ab, dnnl_f32},
            {dnnl_invalid_arguments, {4, 8}, {9, 6}, {4, 6}, dnnl_ab, dnnl_f32},
            {dnnl_invalid_arguments, {4, 8}, {8, 6}, {0, 6}, dnnl_ab,
                    dnnl_f32}};
    struct product p;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    memset(&p, 0, sizeof p);
    p.src_md = make_md(2, (dnnl_dims_t){R, 8}, (dnnl_dims_t){8, 1});
    p.weights_md = make_md(2, (dnnl_dims_t){8, R}, NULL);
    p.dst_md = make_md(2, (dnnl_dims_t){R, R}, NULL);
    ASSERT_OK(describe(&pd, test_engine(), &p));
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    ASSERT_OK(dnnl_stream_create(
            &stream, test_engine(), dnnl_stream_default_flags));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dnnl_exec_arg_t args[] = {
                {DNNL_ARG_SRC, make_memory(cases[i].src, cases[i].src_tag,
                                       cases[i].src_type)},
                {DNNL_ARG_WEIGHTS,
                        make_memory(cases[i].weights, dnnl_ab, dnnl_f32)},
                {DNNL_ARG_DST, make_memory(cases[i].dst, dnnl_ab, dnnl_f32)}};
        EXPECT_STATUS(cases[i].status,
                dnnl_primitive_execute(primitive, stream, 3, args));
        EXPECT_OK(dnnl_stream_wait(stream));
        for (int a = 0; a < 3; a++)
            dnnl_memory_destroy(args[a].memory);
    }
    dnnl_stream_destroy(stream);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    fini(&p);
}

/* ---- Descriptors --------------------------------------------------------- */

TEST_C(RuntimeDims, MatmulRefusesShapesThatContradict)
{
    dnnl_primitive_desc_t pd = untouched_pd();
    struct product p;
    memset(&p, 0, sizeof p);
    p.src_md = make_md(2, (dnnl_dims_t){R, 8}, NULL);
    p.weights_md = make_md(2, (dnnl_dims_t){7, 6}, NULL);
    p.dst_md = make_md(2, (dnnl_dims_t){R, 6}, NULL);
    EXPECT_STATUS(dnnl_invalid_arguments, describe(&pd, test_engine(), &p));
    EXPECT_PTR_EQ(untouched_pd(), pd);
    fini(&p);
}

TEST_C(RuntimeDims, OtherKindsHaveNone)
{
    dnnl_primitive_desc_t pd = untouched_pd();
    dnnl_engine_t engine = test_engine();
    dnnl_memory_desc_t md = make_md(2, (dnnl_dims_t){R, 8}, NULL);
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_eltwise_forward_primitive_desc_create(&pd, engine,
                    dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0.0f,
                    0.0f, NULL));
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_softmax_forward_primitive_desc_create(&pd, engine,
                    dnnl_forward_inference, dnnl_softmax_accurate, md, md, 1,
                    NULL));
    EXPECT_STATUS(
            dnnl_unimplemented, dnnl_binary_primitive_desc_create(&pd, engine,
                                        dnnl_binary_add, md, md, md, NULL));
    EXPECT_STATUS(dnnl_unimplemented, dnnl_reorder_primitive_desc_create(&pd,
                                              md, engine, md, engine, NULL));
    EXPECT_PTR_EQ(untouched_pd(), pd);
}
