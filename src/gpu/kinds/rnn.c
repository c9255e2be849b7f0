/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent primitives: vanilla RNN, LSTM, and both kinds of GRU. Of two
 * stages: the product of the inputs of all steps with weights_layer, then the
 * layer, step by step. */
#include "src/gpu/kinds/rnn_plan.h"
#include "src/gpu/memory/data_type.h"
#include "src/gpu/primitive/plan.h"
#include "src/gpu/primitive/primitive_key.h"
#include "src/gpu/primitive/staged.h"

#include <stdlib.h>

/* ---- What is given ------------------------------------------------------- */

enum which {
    SRC_LAYER,
    SRC_ITER,
    SRC_ITER_C,
    WEIGHTS_LAYER,
    WEIGHTS_ITER,
    PEEPHOLE,
    PROJECTION,
    BIAS,
    DST_LAYER,
    DST_ITER,
    DST_ITER_C,
    TENSORS
};

static const int arguments[TENSORS] = {[SRC_LAYER] = DNNL_ARG_SRC_LAYER,
        [SRC_ITER] = DNNL_ARG_SRC_ITER,
        [SRC_ITER_C] = DNNL_ARG_SRC_ITER_C,
        [WEIGHTS_LAYER] = DNNL_ARG_WEIGHTS_LAYER,
        [WEIGHTS_ITER] = DNNL_ARG_WEIGHTS_ITER,
        [PEEPHOLE] = DNNL_ARG_WEIGHTS_PEEPHOLE,
        [PROJECTION] = DNNL_ARG_WEIGHTS_PROJECTION,
        [BIAS] = DNNL_ARG_BIAS,
        [DST_LAYER] = DNNL_ARG_DST_LAYER,
        [DST_ITER] = DNNL_ARG_DST_ITER,
        [DST_ITER_C] = DNNL_ARG_DST_ITER_C};

/* A layer to be. Tensors that are not there are the zero descriptor. */
struct layer {
    dnnl_prop_kind_t prop_kind;
    dnnl_alg_kind_t cell, activation;
    dnnl_rnn_direction_t direction;
    unsigned flags;
    float alpha;
    const_dnnl_memory_desc_t given[TENSORS]; /* NULL: not there */
    struct dnnl_memory_desc tensors[TENSORS];
    /* Sizes; layers and directions are those of the weights. */
    dnnl_dim_t steps, batch, inputs, units, layers, directions;
};

static bool is_there(const struct layer *l, enum which which)
{
    return !memory_desc_is_zero(&l->tensors[which]);
}

static bool is_output(enum which which)
{
    return which >= DST_LAYER;
}

/* ---- Checks -------------------------------------------------------------- */

static bool has_dims(
        const struct layer *l, enum which which, int ndims, const dnnl_dim_t *d)
{
    const struct dnnl_memory_desc *md = &l->tensors[which];
    if (!is_there(l, which)) return true;
    if (md->ndims != ndims) return false;
    for (int i = 0; i < ndims; i++)
        if (md->dims[i] != d[i]) return false;
    return true;
}

static bool are_states_consistent(const struct layer *l)
{
    const dnnl_dim_t state[] = {l->layers, l->directions, l->batch, l->units};
    return has_dims(l, SRC_ITER, 4, state) && has_dims(l, SRC_ITER_C, 4, state)
           && has_dims(l, DST_ITER, 4, state)
           && has_dims(l, DST_ITER_C, 4, state);
}

static bool are_dims_consistent(const struct layer *l)
{
    const dnnl_dim_t gates = rnn_gates(l->cell);
    const dnnl_dim_t of_layer[] = {
            l->layers, l->directions, l->inputs, gates, l->units};
    const dnnl_dim_t of_iter[] = {
            l->layers, l->directions, l->units, gates, l->units};
    const dnnl_dim_t bias[] = {
            l->layers, l->directions, rnn_biases(l->cell), l->units};
    const dnnl_dim_t peephole[] = {l->layers, l->directions, 3, l->units};
    const bool is_joined = l->direction == dnnl_bidirectional_concat;
    const dnnl_dim_t dst[] = {
            l->steps, l->batch, is_joined ? 2 * l->units : l->units};
    return l->directions == (rnn_is_bidirectional((int)l->direction) ? 2 : 1)
           && has_dims(l, WEIGHTS_LAYER, 5, of_layer)
           && has_dims(l, WEIGHTS_ITER, 5, of_iter)
           && has_dims(l, BIAS, 4, bias) && has_dims(l, PEEPHOLE, 4, peephole)
           && has_dims(l, DST_LAYER, 3, dst) && are_states_consistent(l);
}

static bool is_activation(dnnl_alg_kind_t alg)
{
    return alg == dnnl_eltwise_relu || alg == dnnl_eltwise_tanh
           || alg == dnnl_eltwise_logistic;
}

static void read_sizes(struct layer *l)
{
    const struct dnnl_memory_desc *src = &l->tensors[SRC_LAYER];
    const struct dnnl_memory_desc *weights = &l->tensors[WEIGHTS_LAYER];
    l->steps = src->dims[0];
    l->batch = src->dims[1];
    l->inputs = src->dims[2];
    l->layers = weights->dims[0];
    l->directions = weights->dims[1];
    l->units = weights->dims[4];
}

/* Why the arguments are wrong; NULL: they are not. */
static const char *find_mistake(struct layer *l)
{
    const enum which needed[] = {
            SRC_LAYER, WEIGHTS_LAYER, WEIGHTS_ITER, DST_LAYER};
    if (!plan_is_forward(l->prop_kind)) return REFUSAL_PROP_KIND;
    if (l->cell == dnnl_vanilla_rnn && !is_activation(l->activation))
        return "bad activation";
    if (l->direction < dnnl_unidirectional_left2right
            || l->direction > dnnl_bidirectional_sum)
        return "bad direction";
    if (l->flags != dnnl_rnn_flags_undef) return "bad flags";
    for (int i = 0; i < TENSORS; i++)
        l->tensors[i] = l->given[i] != NULL ? *l->given[i] : memory_desc_zero;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!is_there(l, needed[i])) return REFUSAL_NULL;
    if (l->tensors[SRC_LAYER].ndims != 3
            || l->tensors[WEIGHTS_LAYER].ndims != 5)
        return REFUSAL_NDIMS;
    read_sizes(l);
    if (l->steps == 0 || l->batch == 0 || l->inputs == 0 || l->units == 0)
        return "an empty dimension of a recurrent layer";
    return are_dims_consistent(l) ? NULL : REFUSAL_DIMS;
}

/* ---- What kernels can have ----------------------------------------------- */

/* Steps and sequences as one dimension. */
struct rows {
    bool are_one;      /* or they have no common stride */
    dnnl_dim_t stride; /* 0: all are one row */
    bool is_batch_major;
};

static struct rows find_rows(const struct layer *l)
{
    const dnnl_dim_t *strides = l->tensors[SRC_LAYER].strides;
    const dnnl_dim_t step = strides[0], sequence = strides[1];
    if (l->steps == 1 || step == l->batch * sequence)
        return (struct rows){true, sequence, false};
    if (l->batch == 1) return (struct rows){true, step, false};
    return (struct rows){sequence == l->steps * step, step, true};
}

/* Are gates and units of weights_layer one dimension? */
static bool are_gates_one(const struct layer *l)
{
    const struct dnnl_memory_desc *weights = &l->tensors[WEIGHTS_LAYER];
    return weights->dims[3] == 1 || l->units == 1
           || weights->strides[3] == l->units * weights->strides[4];
}

static enum lack find_lack_of_tensor(const struct layer *l, enum which which,
        const struct engine_facts *facts)
{
    const struct dnnl_memory_desc *md = &l->tensors[which];
    if (!data_type_is_float(md->data_type)
            || !plan_takes_type(facts, md->data_type))
        return LACK_TYPES;
    if (!memory_desc_is_plain(md)) return LACK_BLOCKS;
    return is_output(which) ? plan_find_misfits(md, md) : plan_find_misfit(md);
}

/* LACK_NONE: nothing. */
static enum lack find_lack(
        const struct layer *l, const struct engine_facts *facts)
{
    enum lack lack = LACK_NONE;
    if (l->layers != 1 || is_there(l, PROJECTION)) return LACK_RECURRENT;
    for (int i = 0; i < TENSORS && lack == LACK_NONE; i++)
        if (is_there(l, (enum which)i))
            lack = find_lack_of_tensor(l, (enum which)i, facts);
    if (lack != LACK_NONE) return lack;
    if (!find_rows(l).are_one || !are_gates_one(l))
        return LACK_RECURRENT_STRIDES;
    return LACK_NONE;
}

/* Floats of scratch memory; -1: kernels could not find all of them. */
static dnnl_dim_t count_scratch(const struct layer *l)
{
    const dnnl_dim_t most = INT32_MAX / 64;
    if (l->units > most || l->batch > most || l->steps > most
            || l->steps * l->batch > most
            || l->steps * l->batch * l->units > most)
        return -1;
    const dnnl_dim_t floats = rnn_scratch_floats(
            l->cell, l->directions, l->steps, l->batch, l->units);
    return floats <= INT32_MAX ? floats : -1;
}

/* ---- Stages -------------------------------------------------------------- */

static struct dnnl_memory_desc strided(int ndims, const dnnl_dim_t *dims,
        const dnnl_dim_t *strides, dnnl_data_type_t type, dnnl_dim_t offset)
{
    struct dnnl_memory_desc md = memory_desc_zero;
    md.ndims = ndims;
    md.data_type = type;
    md.format_kind = dnnl_blocked;
    md.offset0 = offset;
    for (int d = 0; d < ndims; d++) {
        md.dims[d] = dims[d];
        md.strides[d] = strides[d];
    }
    memory_desc_pad(&md);
    return md;
}

/* [directions, steps * batch, inputs] by [directions, inputs, gates * units];
 * matrices alone, where there is one direction. */
static dnnl_status_t create_product(const struct layer *l,
        struct dnnl_engine *engine, dnnl_primitive_desc_t *product)
{
    const struct dnnl_memory_desc *src = &l->tensors[SRC_LAYER];
    const struct dnnl_memory_desc *weights = &l->tensors[WEIGHTS_LAYER];
    const dnnl_dim_t d = l->directions, rows = l->steps * l->batch;
    const dnnl_dim_t columns = rnn_gates(l->cell) * l->units;
    const dnnl_dim_t row = find_rows(l).stride;
    const int first = d == 1 ? 1 : 0, ndims = 3 - first;
    const dnnl_dim_t src_dims[] = {1, rows, l->inputs};
    const dnnl_dim_t src_strides[] = {1, row, src->strides[2]};
    const dnnl_dim_t weights_dims[] = {d, l->inputs, columns};
    const dnnl_dim_t weights_strides[] = {weights->strides[1],
            weights->strides[2], weights->strides[l->units == 1 ? 3 : 4]};
    const dnnl_dim_t dst_dims[] = {d, rows, columns};
    const dnnl_dim_t dst_strides[] = {rows * columns, columns, 1};
    const struct dnnl_memory_desc a = strided(ndims, src_dims + first,
            src_strides + first, src->data_type, src->offset0);
    const struct dnnl_memory_desc b = strided(ndims, weights_dims + first,
            weights_strides + first, weights->data_type, weights->offset0);
    const struct dnnl_memory_desc c =
            strided(ndims, dst_dims + first, dst_strides + first, dnnl_f32, 0);
    return dnnl_matmul_primitive_desc_create(
            product, engine, &a, &b, NULL, &c, NULL);
}

static const struct primitive_kind rnn_kind = {
        dnnl_rnn, "ocl:rnn:layer", rnn_plan, uses_no_post_ops};

static void describe(const struct layer *l, struct dnnl_primitive_desc *pd)
{
    pd->prop_kind = l->prop_kind;
    pd->alg_kind = l->cell;
    pd->axis = (int)l->activation;
    pd->with_groups = (int)l->direction;
    pd->alpha = l->alpha;
}

static void add_scratch(
        struct dnnl_primitive_desc *pd, dnnl_data_type_t type, dnnl_dim_t count)
{
    const dnnl_dim_t stride = 1;
    const struct dnnl_memory_desc md = strided(1, &count, &stride, type, 0);
    primitive_desc_add(pd, DNNL_ARG_SCRATCHPAD, true, &md);
}

/* The launch that goes from step to step. */
static dnnl_status_t create_steps(const struct layer *l,
        struct dnnl_engine *engine, dnnl_dim_t scratch,
        const struct dnnl_primitive_attr *attr, dnnl_primitive_desc_t *steps)
{
    struct dnnl_primitive_desc *pd;
    dnnl_status_t st = primitive_desc_start(&pd, engine, &rnn_kind, attr);
    if (st != dnnl_success) return st;
    describe(l, pd);
    pd->size = find_rows(l).is_batch_major ? 1 : 0;
    add_scratch(pd, dnnl_f32, scratch);
    for (int i = 0; i < TENSORS; i++)
        if (i != SRC_LAYER && i != WEIGHTS_LAYER && is_there(l, (enum which)i))
            primitive_desc_add(
                    pd, arguments[i], is_output((enum which)i), &l->tensors[i]);
    return primitive_desc_finish(pd, steps);
}

static dnnl_status_t make_stages(const struct layer *l,
        struct dnnl_primitive_desc *pd, dnnl_dim_t scratch)
{
    struct staged *staged = calloc(1, sizeof *staged);
    if (staged != NULL) staged->stages = calloc(2, sizeof(struct stage));
    if (staged == NULL || staged->stages == NULL) {
        staged_destroy(staged);
        return dnnl_out_of_memory;
    }
    pd->staged = staged;
    staged->scratch_size = (size_t)scratch * sizeof(float);
    dnnl_primitive_desc_t stage;
    dnnl_status_t st = create_product(l, pd->engine, &stage);
    if (st != dnnl_success) return st;
    staged->stages[staged->count++] =
            (struct stage){.pd = stage, .is_product = true};
    st = create_steps(l, pd->engine, scratch, &pd->attr, &stage);
    if (st != dnnl_success) return st;
    staged->stages[staged->count++] = (struct stage){.pd = stage};
    return dnnl_success;
}

/* ---- Creation ------------------------------------------------------------ */

static dnnl_status_t finish(const struct layer *l,
        struct dnnl_primitive_desc *pd, dnnl_primitive_desc_t *primitive_desc)
{
    const enum lack lack = find_lack(l, pd->facts);
    const dnnl_dim_t scratch = lack == LACK_NONE ? count_scratch(l) : 0;
    describe(l, pd);
    for (int i = 0; i < TENSORS; i++)
        if (is_there(l, (enum which)i))
            primitive_desc_add(
                    pd, arguments[i], is_output((enum which)i), &l->tensors[i]);
    if (lack != LACK_NONE) return primitive_desc_decline(pd, lack);
    if (scratch < 0) return primitive_desc_decline(pd, LACK_SIZE);
    if (pd->attr.scratchpad_mode == dnnl_scratchpad_mode_user)
        add_scratch(pd, dnnl_u8, scratch * (dnnl_dim_t)sizeof(float));
    dnnl_status_t st = pd->failure;
    if (st == dnnl_success) st = make_stages(l, pd, scratch);
    if (st == dnnl_success) st = primitive_key_make(pd);
    if (st == dnnl_success)
        *primitive_desc = pd;
    else
        primitive_desc_release(pd);
    return st;
}

static dnnl_status_t create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, struct layer *l, const_dnnl_primitive_attr_t attr)
{
    struct dnnl_primitive_desc *pd;
    if (primitive_desc == NULL || engine == NULL)
        return refuse(dnnl_rnn, REFUSAL_NULL);
    for (int i = 0; i < TENSORS; i++)
        if (l->given[i] != NULL && memory_desc_has_runtime(l->given[i]))
            return decline(dnnl_rnn, LACK_RUNTIME);
    const char *mistake = find_mistake(l);
    if (mistake != NULL) return refuse(dnnl_rnn, mistake);
    for (int i = 0; i < TENSORS; i++)
        if (is_there(l, (enum which)i)) memory_desc_set_plain(&l->tensors[i]);
    dnnl_status_t st = primitive_desc_start(&pd, engine, &rnn_kind, attr);
    return st == dnnl_success ? finish(l, pd, primitive_desc) : st;
}

dnnl_status_t dnnl_vanilla_rnn_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t activation,
        dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, float alpha,
        float beta, const_dnnl_primitive_attr_t attr)
{
    struct layer l = {.prop_kind = prop_kind,
            .cell = dnnl_vanilla_rnn,
            .activation = activation,
            .direction = direction,
            .flags = flags,
            .alpha = alpha,
            .given = {[SRC_LAYER] = src_layer_desc,
                    [SRC_ITER] = src_iter_desc,
                    [WEIGHTS_LAYER] = weights_layer_desc,
                    [WEIGHTS_ITER] = weights_iter_desc,
                    [BIAS] = bias_desc,
                    [DST_LAYER] = dst_layer_desc,
                    [DST_ITER] = dst_iter_desc}};
    (void)beta; /* no activation has it */
    return create(primitive_desc, engine, &l, attr);
}

dnnl_status_t dnnl_lstm_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t src_iter_c_desc,
        const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t weights_peephole_desc,
        const_dnnl_memory_desc_t weights_projection_desc,
        const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t dst_iter_c_desc, unsigned flags,
        const_dnnl_primitive_attr_t attr)
{
    struct layer l = {.prop_kind = prop_kind,
            .cell = dnnl_vanilla_lstm,
            .direction = direction,
            .flags = flags,
            .given = {[SRC_LAYER] = src_layer_desc,
                    [SRC_ITER] = src_iter_desc,
                    [SRC_ITER_C] = src_iter_c_desc,
                    [WEIGHTS_LAYER] = weights_layer_desc,
                    [WEIGHTS_ITER] = weights_iter_desc,
                    [PEEPHOLE] = weights_peephole_desc,
                    [PROJECTION] = weights_projection_desc,
                    [BIAS] = bias_desc,
                    [DST_LAYER] = dst_layer_desc,
                    [DST_ITER] = dst_iter_desc,
                    [DST_ITER_C] = dst_iter_c_desc}};
    return create(primitive_desc, engine, &l, attr);
}

/* Both kinds of GRU are called alike. */
#define GRU(name, a_cell)                                           \
    dnnl_status_t name(dnnl_primitive_desc_t *primitive_desc,       \
            dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,       \
            dnnl_rnn_direction_t direction,                         \
            const_dnnl_memory_desc_t src_layer_desc,                \
            const_dnnl_memory_desc_t src_iter_desc,                 \
            const_dnnl_memory_desc_t weights_layer_desc,            \
            const_dnnl_memory_desc_t weights_iter_desc,             \
            const_dnnl_memory_desc_t bias_desc,                     \
            const_dnnl_memory_desc_t dst_layer_desc,                \
            const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, \
            const_dnnl_primitive_attr_t attr)                       \
    {                                                               \
        struct layer l = {.prop_kind = prop_kind,                   \
                .cell = (a_cell),                                   \
                .direction = direction,                             \
                .flags = flags,                                     \
                .given = {[SRC_LAYER] = src_layer_desc,             \
                        [SRC_ITER] = src_iter_desc,                 \
                        [WEIGHTS_LAYER] = weights_layer_desc,       \
                        [WEIGHTS_ITER] = weights_iter_desc,         \
                        [BIAS] = bias_desc,                         \
                        [DST_LAYER] = dst_layer_desc,               \
                        [DST_ITER] = dst_iter_desc}};               \
        return create(primitive_desc, engine, &l, attr);            \
    }
GRU(dnnl_gru_forward_primitive_desc_create, dnnl_vanilla_gru)
GRU(dnnl_lbr_gru_forward_primitive_desc_create, dnnl_lbr_gru)
