/* SPDX-License-Identifier: Apache-2.0 */
#include "transformer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct transformer_step transformer_steps[TRANSFORMER_STEPS] = {
        {dnnl_matmul, LAYER_SRC, LAYER_QKV_WEIGHTS, LAYER_QKV_BIAS, LAYER_QKV,
                false, false, LAYER_NONE},
        {dnnl_matmul, LAYER_QUERIES, LAYER_KEYS, LAYER_NONE, LAYER_SCORES, true,
                false, LAYER_MASK},
        {dnnl_softmax, LAYER_SCORES, LAYER_NONE, LAYER_NONE,
                LAYER_PROBABILITIES, false, false, LAYER_NONE},
        {dnnl_matmul, LAYER_PROBABILITIES, LAYER_VALUES, LAYER_NONE,
                LAYER_CONTEXT_OF_HEADS, false, false, LAYER_NONE},
        {dnnl_matmul, LAYER_CONTEXT, LAYER_OUT_WEIGHTS, LAYER_OUT_BIAS,
                LAYER_ATTENDED, false, false, LAYER_SRC},
        {dnnl_layer_normalization, LAYER_ATTENDED, LAYER_NORM_SCALE,
                LAYER_NORM_SHIFT, LAYER_NORMED, false, false, LAYER_NONE},
        {dnnl_matmul, LAYER_NORMED, LAYER_INNER_WEIGHTS, LAYER_INNER_BIAS,
                LAYER_INNER, false, true, LAYER_NONE},
        {dnnl_matmul, LAYER_INNER, LAYER_OUTER_WEIGHTS, LAYER_OUTER_BIAS,
                LAYER_OUTER, false, false, LAYER_NORMED},
        {dnnl_layer_normalization, LAYER_OUTER, LAYER_LAST_SCALE,
                LAYER_LAST_SHIFT, LAYER_DST, false, false, LAYER_NONE}};

static void must(dnnl_status_t st)
{
    if (st == dnnl_success) return;
    fprintf(stderr, "transformer: %s\n", dnnl_status2str(st));
    abort();
}

float transformer_score_scale(const struct transformer_sizes *sizes)
{
    return 1.0f / sqrtf((float)sizes->width);
}

/* ---- Tensors ------------------------------------------------------------- */

static dnnl_memory_desc_t make(
        int ndims, const dnnl_dims_t dims, const dnnl_dims_t strides)
{
    dnnl_memory_desc_t md;
    must(dnnl_memory_desc_create_with_strides(
            &md, ndims, dims, dnnl_f32, strides));
    return md;
}

static dnnl_memory_desc_t make_matrix(dnnl_dim_t rows, dnnl_dim_t columns)
{
    return make(2, (dnnl_dims_t){rows, columns}, NULL);
}

/* A third of the product's result, by texts and heads; the words of keys are
 * columns. */
static dnnl_memory_desc_t make_third(
        const struct transformer_sizes *s, int third, bool is_transposed)
{
    static const int swap[] = {0, 1, 3, 2};
    const dnnl_dim_t row = 3 * s->heads * s->width;
    dnnl_memory_desc_t all =
            make(4, (dnnl_dims_t){s->batch, 3 * s->heads, s->length, s->width},
                    (dnnl_dims_t){s->length * row, s->width, row, 1});
    dnnl_memory_desc_t part, swapped;
    must(dnnl_memory_desc_create_submemory(&part, all,
            (dnnl_dims_t){s->batch, s->heads, s->length, s->width},
            (dnnl_dims_t){0, third * s->heads, 0, 0}));
    must(dnnl_memory_desc_destroy(all));
    if (!is_transposed) return part;
    must(dnnl_memory_desc_permute_axes(&swapped, part, swap));
    must(dnnl_memory_desc_destroy(part));
    return swapped;
}

dnnl_memory_desc_t transformer_md(
        const struct transformer_sizes *s, enum transformer_tensor tensor)
{
    const dnnl_dim_t hidden = s->heads * s->width;
    const dnnl_dim_t words = s->batch * s->length;
    switch (tensor) {
    case LAYER_QKV_WEIGHTS:
        return make_matrix(hidden, 3 * hidden);
    case LAYER_QKV_BIAS:
        return make_matrix(1, 3 * hidden);
    case LAYER_QKV:
        return make_matrix(words, 3 * hidden);
    case LAYER_QUERIES:
        return make_third(s, 0, false);
    case LAYER_KEYS:
        return make_third(s, 1, true);
    case LAYER_VALUES:
        return make_third(s, 2, false);
    case LAYER_MASK:
        return make(4, (dnnl_dims_t){s->batch, 1, 1, s->length}, NULL);
    case LAYER_SCORES:
    case LAYER_PROBABILITIES:
        return make(4, (dnnl_dims_t){s->batch, s->heads, s->length, s->length},
                NULL);
    case LAYER_CONTEXT_OF_HEADS:
        return make(4, (dnnl_dims_t){s->batch, s->heads, s->length, s->width},
                (dnnl_dims_t){s->length * hidden, s->width, hidden, 1});
    case LAYER_OUT_WEIGHTS:
        return make_matrix(hidden, hidden);
    case LAYER_OUT_BIAS:
    case LAYER_OUTER_BIAS:
        return make_matrix(1, hidden);
    case LAYER_NORM_SCALE:
    case LAYER_NORM_SHIFT:
    case LAYER_LAST_SCALE:
    case LAYER_LAST_SHIFT:
        return make(1, (dnnl_dims_t){hidden}, NULL);
    case LAYER_INNER_WEIGHTS:
        return make_matrix(hidden, s->inner);
    case LAYER_INNER_BIAS:
        return make_matrix(1, s->inner);
    case LAYER_INNER:
        return make_matrix(words, s->inner);
    case LAYER_OUTER_WEIGHTS:
        return make_matrix(s->inner, hidden);
    default:
        return make_matrix(words, hidden);
    }
}

enum transformer_tensor transformer_whole(enum transformer_tensor tensor)
{
    switch (tensor) {
    case LAYER_QUERIES:
    case LAYER_KEYS:
    case LAYER_VALUES:
        return LAYER_QKV;
    case LAYER_CONTEXT_OF_HEADS:
        return LAYER_CONTEXT;
    default:
        return tensor;
    }
}

/* ---- Primitives ---------------------------------------------------------- */

static dnnl_primitive_attr_t make_attr(const struct transformer_sizes *sizes,
        const struct transformer_step *step)
{
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    must(dnnl_primitive_attr_create(&attr));
    must(dnnl_post_ops_create(&ops));
    if (step->is_scaled)
        must(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_linear,
                transformer_score_scale(sizes), 0.0f));
    if (step->has_gelu)
        must(dnnl_post_ops_append_eltwise(
                ops, dnnl_eltwise_gelu_erf, 0.0f, 0.0f));
    if (step->addend != LAYER_NONE) {
        dnnl_memory_desc_t md = transformer_md(sizes, step->addend);
        must(dnnl_post_ops_append_binary(ops, dnnl_binary_add, md));
        must(dnnl_memory_desc_destroy(md));
    }
    must(dnnl_primitive_attr_set_post_ops(attr, ops));
    must(dnnl_post_ops_destroy(ops));
    return attr;
}

dnnl_status_t transformer_describe(dnnl_primitive_desc_t *pd,
        dnnl_engine_t engine, const struct transformer_sizes *sizes, int step)
{
    const struct transformer_step *s = &transformer_steps[step];
    dnnl_memory_desc_t src = transformer_md(sizes, s->src);
    dnnl_memory_desc_t dst = transformer_md(sizes, s->dst);
    dnnl_memory_desc_t weights = NULL, bias = NULL;
    dnnl_primitive_attr_t attr = make_attr(sizes, s);
    dnnl_status_t st;
    if (s->weights != LAYER_NONE) weights = transformer_md(sizes, s->weights);
    if (s->bias != LAYER_NONE) bias = transformer_md(sizes, s->bias);
    if (s->kind == dnnl_softmax)
        st = dnnl_softmax_forward_primitive_desc_create(pd, engine,
                dnnl_forward_inference, dnnl_softmax_accurate, src, dst, 3,
                attr);
    else if (s->kind == dnnl_layer_normalization)
        st = dnnl_layer_normalization_forward_primitive_desc_create(pd, engine,
                dnnl_forward_inference, src, dst, NULL, TRANSFORMER_EPSILON,
                dnnl_use_scale | dnnl_use_shift, attr);
    else
        st = dnnl_matmul_primitive_desc_create(
                pd, engine, src, weights, bias, dst, attr);
    dnnl_primitive_attr_destroy(attr);
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(bias);
    dnnl_memory_desc_destroy(dst);
    return st;
}

int transformer_arguments(
        int step, struct transformer_argument args[TRANSFORMER_MAX_ARGS])
{
    const struct transformer_step *s = &transformer_steps[step];
    const bool is_norm = s->kind == dnnl_layer_normalization;
    const int position = (s->is_scaled ? 1 : 0) + (s->has_gelu ? 1 : 0);
    const struct transformer_argument all[TRANSFORMER_MAX_ARGS] = {
            {DNNL_ARG_SRC, s->src}, {DNNL_ARG_DST, s->dst},
            {is_norm ? DNNL_ARG_SCALE : DNNL_ARG_WEIGHTS, s->weights},
            {is_norm ? DNNL_ARG_SHIFT : DNNL_ARG_BIAS, s->bias},
            {DNNL_ARG_ATTR_MULTIPLE_POST_OP(position) | DNNL_ARG_SRC_1,
                    s->addend}};
    int count = 0;
    for (int i = 0; i < TRANSFORMER_MAX_ARGS; i++)
        if (all[i].tensor != LAYER_NONE) args[count++] = all[i];
    return count;
}
