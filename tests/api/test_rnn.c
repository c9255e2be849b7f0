/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent primitives, against the same steps in double precision. */
#include "run_primitive.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { MOST_RESULTS = 1 << 13, MOST_UNITS = 64 };

/* ---- A layer ------------------------------------------------------------- */

struct rnn {
    dnnl_alg_kind_t cell, activation;
    dnnl_rnn_direction_t direction;
    float alpha;
    dnnl_dim_t steps, batch, inputs, units;
    /* Those that are not there have no descriptor. */
    struct tensor src_layer, src_iter, src_iter_c, weights_layer, weights_iter,
            peephole, bias, dst_layer, dst_iter, dst_iter_c;
    /* What is expected of dst_layer, dst_iter and dst_iter_c. */
    double layer[MOST_RESULTS], iter[MOST_RESULTS], iter_c[MOST_RESULTS];
    int checked; /* DNNL_ARG_* */
};

static dnnl_dim_t directions_of(const struct rnn *r)
{
    return r->direction == dnnl_bidirectional_concat
                           || r->direction == dnnl_bidirectional_sum
                   ? 2
                   : 1;
}

static dnnl_dim_t gates_of(const struct rnn *r)
{
    return r->cell == dnnl_vanilla_lstm  ? 4
           : r->cell == dnnl_vanilla_rnn ? 1
                                         : 3;
}

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const struct rnn *r = user;
    const dnnl_prop_kind_t kind = dnnl_forward_inference;
    switch (r->cell) {
    case dnnl_vanilla_rnn:
        return dnnl_vanilla_rnn_forward_primitive_desc_create(pd, engine, kind,
                r->activation, r->direction, r->src_layer.md, r->src_iter.md,
                r->weights_layer.md, r->weights_iter.md, r->bias.md,
                r->dst_layer.md, r->dst_iter.md, 0, r->alpha, 0.0f, NULL);
    case dnnl_vanilla_lstm:
        return dnnl_lstm_forward_primitive_desc_create(pd, engine, kind,
                r->direction, r->src_layer.md, r->src_iter.md, r->src_iter_c.md,
                r->weights_layer.md, r->weights_iter.md, r->peephole.md, NULL,
                r->bias.md, r->dst_layer.md, r->dst_iter.md, r->dst_iter_c.md,
                0, NULL);
    case dnnl_vanilla_gru:
        return dnnl_gru_forward_primitive_desc_create(pd, engine, kind,
                r->direction, r->src_layer.md, r->src_iter.md,
                r->weights_layer.md, r->weights_iter.md, r->bias.md,
                r->dst_layer.md, r->dst_iter.md, 0, NULL);
    default:
        return dnnl_lbr_gru_forward_primitive_desc_create(pd, engine, kind,
                r->direction, r->src_layer.md, r->src_iter.md,
                r->weights_layer.md, r->weights_iter.md, r->bias.md,
                r->dst_layer.md, r->dst_iter.md, 0, NULL);
    }
}

/* ---- The reference ------------------------------------------------------- */

static double at(const struct tensor *t, dnnl_dim_t a, dnnl_dim_t b,
        dnnl_dim_t c, dnnl_dim_t d, dnnl_dim_t e)
{
    const dnnl_dims_t place = {a, b, c, d, e};
    return t->md != NULL ? reference_at(&t->view, place) : 0.0;
}

static double logistic(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

/* What a sequence has reached in one direction. */
struct walk {
    const struct rnn *r;
    dnnl_dim_t d, n, t;
    double h[MOST_UNITS], c[MOST_UNITS];
};

/* The products of the inputs with those weights of a gate, and its bias. */
static double input_sum(const struct walk *w, dnnl_dim_t gate, dnnl_dim_t j)
{
    const struct rnn *r = w->r;
    double sum = at(&r->bias, 0, w->d, gate, j, 0);
    for (dnnl_dim_t k = 0; k < r->inputs; k++)
        sum += at(&r->src_layer, w->t, w->n, k, 0, 0)
               * at(&r->weights_layer, 0, w->d, k, gate, j);
    return sum;
}

static double state_sum(const struct walk *w, const double *state,
        dnnl_dim_t gate, dnnl_dim_t j)
{
    double sum = 0.0;
    for (dnnl_dim_t k = 0; k < w->r->units; k++)
        sum += state[k] * at(&w->r->weights_iter, 0, w->d, k, gate, j);
    return sum;
}

static double gate_sum(const struct walk *w, dnnl_dim_t gate, dnnl_dim_t j)
{
    return input_sum(w, gate, j) + state_sum(w, w->h, gate, j);
}

static double peep(const struct walk *w, dnnl_dim_t gate, dnnl_dim_t j)
{
    return at(&w->r->peephole, 0, w->d, gate, j, 0) * w->c[j];
}

static void step_lstm(struct walk *w, double *h)
{
    for (dnnl_dim_t j = 0; j < w->r->units; j++) {
        const double in = logistic(gate_sum(w, 0, j) + peep(w, 0, j));
        const double forget = logistic(gate_sum(w, 1, j) + peep(w, 1, j));
        w->c[j] = forget * w->c[j] + in * tanh(gate_sum(w, 2, j));
        h[j] = logistic(gate_sum(w, 3, j) + peep(w, 2, j)) * tanh(w->c[j]);
    }
}

static void step_gru(struct walk *w, double *h)
{
    double reset[MOST_UNITS];
    for (dnnl_dim_t j = 0; j < w->r->units; j++)
        reset[j] = logistic(gate_sum(w, 1, j)) * w->h[j];
    for (dnnl_dim_t j = 0; j < w->r->units; j++) {
        const double u = logistic(gate_sum(w, 0, j));
        const double o = tanh(input_sum(w, 2, j) + state_sum(w, reset, 2, j));
        h[j] = u * w->h[j] + (1.0 - u) * o;
    }
}

static void step_lbr_gru(struct walk *w, double *h)
{
    for (dnnl_dim_t j = 0; j < w->r->units; j++) {
        const double u = logistic(gate_sum(w, 0, j));
        const double product =
                state_sum(w, w->h, 2, j) + at(&w->r->bias, 0, w->d, 3, j, 0);
        const double o = tanh(
                input_sum(w, 2, j) + logistic(gate_sum(w, 1, j)) * product);
        h[j] = u * w->h[j] + (1.0 - u) * o;
    }
}

static void step_rnn(struct walk *w, double *h)
{
    for (dnnl_dim_t j = 0; j < w->r->units; j++) {
        const double sum = gate_sum(w, 0, j);
        h[j] = w->r->activation == dnnl_eltwise_tanh       ? tanh(sum)
               : w->r->activation == dnnl_eltwise_logistic ? logistic(sum)
               : sum > 0.0                                 ? sum
                                                           : w->r->alpha * sum;
    }
}

static void step(struct walk *w)
{
    double h[MOST_UNITS];
    if (w->r->cell == dnnl_vanilla_lstm)
        step_lstm(w, h);
    else if (w->r->cell == dnnl_vanilla_gru)
        step_gru(w, h);
    else if (w->r->cell == dnnl_lbr_gru)
        step_lbr_gru(w, h);
    else
        step_rnn(w, h);
    memcpy(w->h, h, sizeof h);
}

/* All steps of a sequence in a direction. */
static void walk(struct rnn *r, dnnl_dim_t d, dnnl_dim_t n)
{
    const bool is_joined = r->direction == dnnl_bidirectional_concat;
    const bool is_backward =
            d == 1 || r->direction == dnnl_unidirectional_right2left;
    const dnnl_dim_t channels = is_joined ? 2 * r->units : r->units;
    struct walk w = {.r = r, .d = d, .n = n};
    for (dnnl_dim_t j = 0; j < r->units; j++) {
        w.h[j] = at(&r->src_iter, 0, d, n, j, 0);
        w.c[j] = at(&r->src_iter_c, 0, d, n, j, 0);
    }
    for (dnnl_dim_t i = 0; i < r->steps; i++) {
        w.t = is_backward ? r->steps - 1 - i : i;
        step(&w);
        double *out = r->layer + (w.t * r->batch + n) * channels;
        for (dnnl_dim_t j = 0; j < r->units; j++)
            out[is_joined ? d * r->units + j : j] += w.h[j];
    }
    for (dnnl_dim_t j = 0; j < r->units; j++) {
        r->iter[(d * r->batch + n) * r->units + j] = w.h[j];
        r->iter_c[(d * r->batch + n) * r->units + j] = w.c[j];
    }
}

/* Each step may carry an error on; the numbers of these tests are small. */
static struct reference_value expected(
        const void *user, const dnnl_dims_t place)
{
    const struct rnn *r = user;
    const double *all = r->checked == DNNL_ARG_DST_LAYER  ? r->layer
                        : r->checked == DNNL_ARG_DST_ITER ? r->iter
                                                          : r->iter_c;
    const struct tensor *t =
            r->checked == DNNL_ARG_DST_LAYER ? &r->dst_layer : &r->dst_iter;
    dnnl_dim_t index = 0;
    for (int d = 0; d < t->view.ndims; d++)
        index = index * t->view.dims[d] + place[d];
    /* Both directions are added to what was rounded. */
    const double sum =
            r->direction == dnnl_bidirectional_sum && t->view.type != dnnl_f32
                    ? 0x1p-7
                    : 0.0;
    return (struct reference_value){
            all[index], (2e-5 + sum) * (1.0 + fabs(all[index]))};
}

/* ---- Running ------------------------------------------------------------- */

static void check_output(struct rnn *r, int arg, struct tensor *output)
{
    const struct run_argument all[] = {{DNNL_ARG_SRC_LAYER, &r->src_layer},
            {DNNL_ARG_SRC_ITER, &r->src_iter},
            {DNNL_ARG_SRC_ITER_C, &r->src_iter_c},
            {DNNL_ARG_WEIGHTS_LAYER, &r->weights_layer},
            {DNNL_ARG_WEIGHTS_ITER, &r->weights_iter},
            {DNNL_ARG_WEIGHTS_PEEPHOLE, &r->peephole},
            {DNNL_ARG_BIAS, &r->bias}, {DNNL_ARG_DST_LAYER, &r->dst_layer},
            {DNNL_ARG_DST_ITER, &r->dst_iter},
            {DNNL_ARG_DST_ITER_C, &r->dst_iter_c}};
    struct run_argument args[COUNT(all)];
    int count = 0;
    if (output->md == NULL) return;
    for (size_t i = 0; i < COUNT(all); i++)
        if (all[i].tensor->md != NULL) args[count++] = all[i];
    r->checked = arg;
    if (run_twice_for(arg, describe, r, args, count))
        expect_tensor(output, expected, r);
}

static void fini(struct rnn *r)
{
    struct tensor *const all[] = {&r->src_layer, &r->src_iter, &r->src_iter_c,
            &r->weights_layer, &r->weights_iter, &r->peephole, &r->bias,
            &r->dst_layer, &r->dst_iter, &r->dst_iter_c};
    for (size_t i = 0; i < COUNT(all); i++)
        tensor_fini(all[i]);
}

/* Compares all outputs that are there, and frees the tensors. */
static void check(struct rnn *r)
{
    memset(r->layer, 0, sizeof r->layer);
    for (dnnl_dim_t d = 0; d < directions_of(r); d++)
        for (dnnl_dim_t n = 0; n < r->batch; n++)
            walk(r, d, n);
    check_output(r, DNNL_ARG_DST_LAYER, &r->dst_layer);
    check_output(r, DNNL_ARG_DST_ITER, &r->dst_iter);
    check_output(r, DNNL_ARG_DST_ITER_C, &r->dst_iter_c);
    fini(r);
}

struct layouts {
    dnnl_format_tag_t src, weights;
};

static const struct layouts plain = {dnnl_tnc, dnnl_ldigo};

/* What every layer has: of sizes that are set. */
static void init(struct rnn *r, dnnl_data_type_t type,
        const struct layouts *layouts, uint64_t *seed)
{
    const dnnl_dim_t d = directions_of(r), g = gates_of(r);
    const dnnl_dim_t u = r->units;
    const dnnl_dims_t src = {r->steps, r->batch, r->inputs};
    const dnnl_dims_t by_layer = {1, d, r->inputs, g, u};
    const dnnl_dims_t by_iter = {1, d, u, g, u};
    const dnnl_dims_t dst = {r->steps, r->batch,
            r->direction == dnnl_bidirectional_concat ? 2 * u : u};
    tensor_init(&r->src_layer, type, 3, src, layouts->src);
    tensor_init(&r->weights_layer, type, 5, by_layer, layouts->weights);
    tensor_init(&r->weights_iter, type, 5, by_iter, layouts->weights);
    tensor_init(&r->dst_layer, type, 3, dst, layouts->src);
    tensor_randomize(&r->src_layer, seed, -2.0, 2.0);
    tensor_randomize(&r->weights_layer, seed, -0.7, 0.7);
    tensor_randomize(&r->weights_iter, seed, -0.4, 0.4);
}

/* And what it may have. */
static void init_all(struct rnn *r, dnnl_data_type_t type,
        const struct layouts *layouts, uint64_t *seed)
{
    const dnnl_dim_t d = directions_of(r), u = r->units;
    const dnnl_dim_t biases = gates_of(r) + (r->cell == dnnl_lbr_gru);
    const dnnl_dims_t bias = {1, d, biases, u};
    const dnnl_dims_t peephole = {1, d, 3, u};
    const dnnl_dims_t state = {1, d, r->batch, u};
    init(r, type, layouts, seed);
    tensor_init(&r->bias, type, 4, bias, dnnl_ldgo);
    tensor_init(&r->src_iter, type, 4, state, dnnl_ldnc);
    tensor_init(&r->dst_iter, type, 4, state, dnnl_ldnc);
    tensor_randomize(&r->bias, seed, -1.0, 1.0);
    tensor_randomize(&r->src_iter, seed, -1.0, 1.0);
    if (r->cell != dnnl_vanilla_lstm) return;
    tensor_init(&r->peephole, type, 4, peephole, dnnl_ldgo);
    tensor_init(&r->src_iter_c, type, 4, state, dnnl_ldnc);
    tensor_init(&r->dst_iter_c, type, 4, state, dnnl_ldnc);
    tensor_randomize(&r->peephole, seed, -0.5, 0.5);
    tensor_randomize(&r->src_iter_c, seed, -1.5, 1.5);
}

static const dnnl_alg_kind_t cells[] = {
        dnnl_vanilla_lstm, dnnl_vanilla_gru, dnnl_lbr_gru, dnnl_vanilla_rnn};

/* Too large for the stack. */
static struct rnn layer;

static struct rnn *new_layer(dnnl_alg_kind_t cell,
        dnnl_rnn_direction_t direction, dnnl_dim_t steps, dnnl_dim_t batch,
        dnnl_dim_t inputs, dnnl_dim_t units)
{
    memset(&layer, 0, sizeof layer);
    layer.cell = cell;
    layer.activation =
            cell == dnnl_vanilla_rnn ? dnnl_eltwise_tanh : dnnl_alg_kind_undef;
    layer.direction = direction;
    layer.steps = steps;
    layer.batch = batch;
    layer.inputs = inputs;
    layer.units = units;
    return &layer;
}

/* ---- Tests --------------------------------------------------------------- */

TEST_C(Rnn, GoesEveryWayWithStatesAndBias)
{
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(cells) && !test_has_failed(); i++)
        for (int way = dnnl_unidirectional_left2right;
                way <= dnnl_bidirectional_sum; way++) {
            struct rnn *r =
                    new_layer(cells[i], (dnnl_rnn_direction_t)way, 4, 3, 5, 19);
            init_all(r, dnnl_f32, &plain, &seed);
            check(r);
        }
}

/* Fewer units than a vector has, a whole number of vectors, a single one, and
 * one step; nothing that may be missing. */
TEST_C(Rnn, TakesAnyNumberOfUnits)
{
    static const dnnl_dim_t units[] = {1, 7, 16, 17, 33, 48};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(cells) && !test_has_failed(); i++)
        for (size_t u = 0; u < COUNT(units); u++) {
            struct rnn *r = new_layer(cells[i], dnnl_unidirectional_left2right,
                    1 + (dnnl_dim_t)u % 3, 1 + (dnnl_dim_t)u % 2,
                    1 + 3 * (dnnl_dim_t)u, units[u]);
            init(r, dnnl_f32, &plain, &seed);
            check(r);
        }
}

TEST_C(Rnn, TakesEveryLayout)
{
    static const struct layouts layouts[] = {{dnnl_ntc, dnnl_ldigo},
            {dnnl_tnc, dnnl_ldgoi}, {dnnl_ntc, dnnl_ldgoi}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(layouts) && !test_has_failed(); i++)
        for (size_t c = 0; c < COUNT(cells); c++) {
            struct rnn *r =
                    new_layer(cells[c], dnnl_bidirectional_concat, 3, 2, 4, 18);
            init_all(r, dnnl_f32, &layouts[i], &seed);
            check(r);
        }
}

/* What a model that repeats its input has. */
TEST_C(Rnn, TakesOneRowForAllSteps)
{
    uint64_t seed = test_seed();
    struct rnn *r = new_layer(
            dnnl_vanilla_lstm, dnnl_unidirectional_left2right, 3, 2, 4, 18);
    init_all(r, dnnl_f32, &plain, &seed);
    tensor_fini(&r->src_layer);
    tensor_init_strided(&r->src_layer, dnnl_f32, 3, (dnnl_dims_t){3, 2, 4},
            (dnnl_dims_t){0, 0, 1});
    tensor_randomize(&r->src_layer, &seed, -1.0, 1.0);
    check(r);
}

TEST_C(Rnn, TakesEveryActivation)
{
    static const dnnl_alg_kind_t activations[] = {
            dnnl_eltwise_relu, dnnl_eltwise_tanh, dnnl_eltwise_logistic};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(activations) && !test_has_failed(); i++) {
        struct rnn *r = new_layer(
                dnnl_vanilla_rnn, dnnl_unidirectional_right2left, 4, 2, 5, 20);
        r->activation = activations[i];
        r->alpha = 0.25f;
        init_all(r, dnnl_f32, &plain, &seed);
        check(r);
    }
}

TEST_C(Rnn, KeepsHalvesInMemory)
{
    static const dnnl_data_type_t types[] = {dnnl_f16, dnnl_bf16};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < COUNT(types) && !test_has_failed(); i++) {
        if (types[i] == dnnl_f16 && !test_takes_half()) continue;
        for (size_t c = 0; c < COUNT(cells); c++) {
            struct rnn *r =
                    new_layer(cells[c], dnnl_bidirectional_concat, 3, 2, 4, 18);
            init_all(r, types[i], &plain, &seed);
            check(r);
        }
    }
}

/* ---- Descriptors --------------------------------------------------------- */

static dnnl_status_t describe_lstm(const struct rnn *r,
        dnnl_primitive_desc_t *pd, const_dnnl_memory_desc_t weights,
        dnnl_rnn_direction_t direction, unsigned flags)
{
    return dnnl_lstm_forward_primitive_desc_create(pd, test_engine(),
            dnnl_forward_training, direction, r->src_layer.md, r->src_iter.md,
            r->src_iter_c.md, weights, r->weights_iter.md, r->peephole.md, NULL,
            r->bias.md, r->dst_layer.md, r->dst_iter.md, r->dst_iter_c.md,
            flags, NULL);
}

TEST_C(Rnn, AnswersWhatItIs)
{
    const dnnl_rnn_direction_t way = dnnl_unidirectional_right2left;
    uint64_t seed = test_seed();
    struct rnn *r = new_layer(dnnl_vanilla_lstm, way, 3, 2, 4, 18);
    dnnl_primitive_desc_t pd = NULL;
    dnnl_alg_kind_t kind = dnnl_alg_kind_undef;
    dnnl_rnn_direction_t direction = dnnl_rnn_direction_undef;
    unsigned flags = 7;
    const dnnl_dims_t dims = {1, 1, 4, 4, 18};
    init_all(r, dnnl_f32, &plain, &seed);
    /* A layout of any is that of the tensors. */
    ASSERT_OK(describe_lstm(
            r, &pd, tagged_md(5, dims, dnnl_f32, dnnl_format_tag_any), way, 0));
    EXPECT_OK(dnnl_primitive_desc_query(pd, dnnl_query_cell_kind, 0, &kind));
    EXPECT_EQ(dnnl_vanilla_lstm, kind);
    EXPECT_OK(dnnl_primitive_desc_query(
            pd, dnnl_query_activation_kind, 0, &kind));
    EXPECT_EQ(dnnl_alg_kind_undef, kind);
    EXPECT_OK(
            dnnl_primitive_desc_query(pd, dnnl_query_direction, 0, &direction));
    EXPECT_EQ(way, direction);
    EXPECT_OK(dnnl_primitive_desc_query(pd, dnnl_query_flags, 0, &flags));
    EXPECT_EQ(0u, flags);
    EXPECT_DESC(r->src_iter_c.md, pd, dnnl_query_src_md, 2);
    EXPECT_DESC(r->weights_layer.md, pd, dnnl_query_weights_md, 0);
    EXPECT_DESC(r->weights_iter.md, pd, dnnl_query_weights_md, 1);
    EXPECT_DESC(r->peephole.md, pd, dnnl_query_weights_md, 2);
    EXPECT_DESC(r->bias.md, pd, dnnl_query_weights_md, 3);
    EXPECT_DESC(r->dst_iter.md, pd, dnnl_query_dst_md, 1);
    EXPECT_DESC(r->dst_iter_c.md, pd, dnnl_query_dst_md, 2);
    dnnl_primitive_desc_destroy(pd);
    fini(r);
}

TEST_C(Rnn, RefusesWhatDoesNotFit)
{
    const dnnl_rnn_direction_t way = dnnl_unidirectional_left2right;
    uint64_t seed = test_seed();
    struct rnn *r = new_layer(dnnl_vanilla_lstm, way, 3, 2, 4, 18);
    const dnnl_dims_t wide = {1, 1, 4, 4, 19}, two = {1, 2, 4, 4, 18};
    dnnl_primitive_desc_t pd = untouched_pd();
    init_all(r, dnnl_f32, &plain, &seed);
    const_dnnl_memory_desc_t weights = r->weights_layer.md;
    EXPECT_STATUS(dnnl_invalid_arguments,
            tried(describe_lstm(r, &pd, plain_md(5, wide, dnnl_f32), way, 0),
                    pd));
    EXPECT_STATUS(dnnl_invalid_arguments,
            tried(describe_lstm(r, &pd, plain_md(5, two, dnnl_f32), way, 0),
                    pd));
    EXPECT_STATUS(dnnl_invalid_arguments,
            tried(describe_lstm(r, &pd, NULL, way, 0), pd));
    const dnnl_dims_t unknown = {1, 1, 4, 4, DNNL_RUNTIME_DIM_VAL};
    EXPECT_STATUS(dnnl_unimplemented,
            tried(describe_lstm(r, &pd, plain_md(5, unknown, dnnl_f32), way, 0),
                    pd));
    EXPECT_STATUS(dnnl_invalid_arguments,
            tried(describe_lstm(r, &pd, weights, dnnl_bidirectional_sum, 0),
                    pd));
    EXPECT_STATUS(dnnl_invalid_arguments,
            tried(describe_lstm(r, &pd, weights, dnnl_rnn_direction_undef, 0),
                    pd));
    EXPECT_STATUS(dnnl_invalid_arguments,
            tried(describe_lstm(r, &pd, weights, way,
                          dnnl_rnn_flags_diff_weights_overwrite),
                    pd));
    EXPECT_STATUS(dnnl_unimplemented,
            tried(describe_lstm(r, &pd,
                          plain_md(5, r->weights_layer.view.dims, dnnl_s8), way,
                          0),
                    pd));
    fini(r);
}

/* Steps, sequences and their number are arguments of the kernels. */
TEST_C(Rnn, CompilesNothingForAnotherLength)
{
    uint64_t seed = test_seed();
    struct rnn *r = new_layer(
            dnnl_vanilla_lstm, dnnl_unidirectional_left2right, 5, 2, 4, 18);
    init_all(r, dnnl_f32, &plain, &seed);
    (void)test_created(describe, r);
    fini(r);
    r = new_layer(
            dnnl_vanilla_lstm, dnnl_unidirectional_left2right, 9, 3, 4, 18);
    init_all(r, dnnl_f32, &plain, &seed);
    EXPECT_EQ(dnnl_cache_origin_memory_hit, test_created(describe, r));
    fini(r);
}
