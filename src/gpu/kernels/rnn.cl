/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recurrent layer: all steps of a sequence in one launch. What the inputs
 * give to the gates is in scratch memory, from a product of all steps at once;
 * here the state before a step is multiplied by weights_iter, and the gates
 * make the next state of it.
 *
 * A work-group takes a sequence of the batch in one direction, and in both one
 * after the other if their results are added. State and cell are floats in
 * scratch memory, two of each: a step reads one and writes the other, so that
 * units may be computed twice. On CPUs a group is one work-item, which computes
 * VEC units at once; on GPUs each item computes one.
 *
 * CELL_LSTM, CELL_GRU, CELL_LBR_GRU or CELL_RNN_ and an activation says which
 * cell, BIASES how many biases it has.
 */

#if ITEMS == 1
#define SYNC()
#else
#define SYNC() barrier(CLK_GLOBAL_MEM_FENCE)
#endif

/* struct rnn_params of rnn_plan.c. */
struct rnn_tensor {
    int is_there;
    int offset;
    int strides[3];
};

struct rnn_params {
    int sequences; /* of all directions, or of the batch */
    int batch;
    int steps;
    int units;
    int directions; /* that a group goes, one after the other */
    int is_backward; /* the first of them */
    int width;      /* of a row of units in scratch memory: a multiple of VEC */
    int gates_row;  /* from a sequence's gates to those of the next */
    int gates_step; /* from a step's gates to those of the next */
    int gates_direction;
    int state;     /* where states begin in scratch memory */
    int is_packed; /* units of weights are neighbours, VEC or more */
    int weights_row; /* from the weights of a unit before to the next's */
    float alpha;
    struct rnn_tensor weights;    /* by direction, gate, unit */
    struct rnn_tensor bias;       /* the same */
    struct rnn_tensor peephole;   /* the same */
    struct rnn_tensor src_iter;   /* by direction, sequence, unit */
    struct rnn_tensor src_iter_c; /* the same */
    struct rnn_tensor dst_iter;   /* the same */
    struct rnn_tensor dst_iter_c; /* the same */
    struct rnn_tensor dst_layer;  /* by step, sequence, channel */
};

/* Rows of units in the scratch memory of a sequence in one direction. */
enum { H = 0, C = 2, RESET = 4, BIAS_ROW = 5, PEEPHOLE_ROW = 9, ROWS = 12 };

#if VEC == 1
typedef float vector;
#define GET(at) (at)[0]
#define PUT(s, at) (at)[0] = (s)
#define GET_WEIGHTS(at) LOAD(WEIGHTS, at, 0)
#else
typedef PASTE(float, VEC) vector;
#define GET(at) PASTE(vload, VEC)(0, at)
#define PUT(s, at) PASTE(vstore, VEC)(s, 0, at)
#define GET_WEIGHTS(at) LOAD_VECTOR(WEIGHTS, VEC, at)
#endif

static inline vector logistic(vector s)
{
    return 1.0f / (1.0f + exp(-s));
}

static inline vector rectified(vector s, float alpha)
{
    return select(s * alpha, s, s > 0.0f);
}

static inline int place(const struct rnn_tensor *t, int a, int b, int c)
{
    return t->offset + a * t->strides[0] + b * t->strides[1]
           + c * t->strides[2];
}

/* Units of weights that lie anywhere; those past the last one are the last. */
static inline vector gather_weights(
        const __global ELEMENT(WEIGHTS) *weights, int stride, int left)
{
#if VEC == 1
    return LOAD(WEIGHTS, weights, 0);
#else
    union {
        vector all;
        float s[VEC];
    } w;
    for (int i = 0; i < VEC; i++)
        w.s[i] = LOAD(WEIGHTS, weights, min(i, left - 1) * stride);
    return w.all;
#endif
}

/* Adds the products of a row of states with the weights of `count` gates from
 * the first on, of VEC units from number j on. */
INLINE void add_products(vector *sums, int first, const int count,
        const __global float *row, const __global ELEMENT(WEIGHTS) *weights,
        const struct rnn_params *p, int direction, int j)
{
    int at = place(&p->weights, direction, first, j);
    int gate = p->weights.strides[1];
    int units = p->units;
    if (p->is_packed) {
        for (int k = 0; k < units; k++, at += p->weights_row) {
            float s = row[k];
#pragma unroll
            for (int g = 0; g < count; g++)
                sums[g] += s * GET_WEIGHTS(weights + at + g * gate);
        }
    } else {
        for (int k = 0; k < units; k++, at += p->weights_row) {
            float s = row[k];
#pragma unroll
            for (int g = 0; g < count; g++)
                sums[g] += s
                           * gather_weights(weights + at + g * gate,
                                   p->weights.strides[2], units - j);
        }
    }
}

/* The first unit of the vector number i: the last vector begins earlier where
 * it would reach beyond the last unit. */
static inline int unit_of(const struct rnn_params *p, int i)
{
    return max(min(i, p->units - VEC), 0);
}

/* What the inputs and the bias give to a gate. */
static inline vector input_of(const __global float *gates,
        const __global float *state, const struct rnn_params *p, int g, int j)
{
    return GET(gates + g * p->units + j)
           + GET(state + (BIAS_ROW + g) * p->width + j);
}

#if defined CELL_LSTM

/* Gates are i, f, c and o. */
INLINE void step(const __global float *gates, __global float *state,
        const __global float *h, __global float *h_next, int parity,
        const __global ELEMENT(WEIGHTS) *weights, const struct rnn_params *p,
        int direction)
{
    const __global float *c = state + (C + parity) * p->width;
    __global float *c_next = state + (C + 1 - parity) * p->width;
    const __global float *peephole = state + PEEPHOLE_ROW * p->width;
    for (int i = (int)get_local_id(0) * VEC; i < p->units; i += ITEMS * VEC) {
        int j = unit_of(p, i);
        vector sums[4];
        for (int g = 0; g < 4; g++)
            sums[g] = input_of(gates, state, p, g, j);
        add_products(sums, 0, 4, h, weights, p, direction, j);
        vector cell = GET(c + j);
        vector in = logistic(sums[0] + cell * GET(peephole + j));
        vector forget =
                logistic(sums[1] + cell * GET(peephole + p->width + j));
        cell = forget * cell + in * tanh(sums[2]);
        vector out = logistic(
                sums[3] + cell * GET(peephole + 2 * p->width + j));
        PUT(cell, c_next + j);
        PUT(out * tanh(cell), h_next + j);
    }
}

#elif defined CELL_GRU

/* Gates are u, r and o: the reset is of the state, before it is multiplied. */
INLINE void step(const __global float *gates, __global float *state,
        const __global float *h, __global float *h_next, int parity,
        const __global ELEMENT(WEIGHTS) *weights, const struct rnn_params *p,
        int direction)
{
    __global float *reset = state + RESET * p->width;
    __global float *update = state + C * p->width;
    for (int i = (int)get_local_id(0) * VEC; i < p->units; i += ITEMS * VEC) {
        int j = unit_of(p, i);
        vector sums[2];
        for (int g = 0; g < 2; g++)
            sums[g] = input_of(gates, state, p, g, j);
        add_products(sums, 0, 2, h, weights, p, direction, j);
        PUT(logistic(sums[0]), update + j);
        PUT(logistic(sums[1]) * GET(h + j), reset + j);
    }
    SYNC();
    for (int i = (int)get_local_id(0) * VEC; i < p->units; i += ITEMS * VEC) {
        int j = unit_of(p, i);
        vector sum = input_of(gates, state, p, 2, j);
        add_products(&sum, 2, 1, reset, weights, p, direction, j);
        vector u = GET(update + j);
        PUT(u * GET(h + j) + (1.0f - u) * tanh(sum), h_next + j);
    }
}

#elif defined CELL_LBR_GRU

/* The same, but the reset is of the product, which has a bias of its own. */
INLINE void step(const __global float *gates, __global float *state,
        const __global float *h, __global float *h_next, int parity,
        const __global ELEMENT(WEIGHTS) *weights, const struct rnn_params *p,
        int direction)
{
    for (int i = (int)get_local_id(0) * VEC; i < p->units; i += ITEMS * VEC) {
        int j = unit_of(p, i);
        vector sums[3];
        for (int g = 0; g < 2; g++)
            sums[g] = input_of(gates, state, p, g, j);
        sums[2] = GET(state + (BIAS_ROW + 3) * p->width + j);
        add_products(sums, 0, 3, h, weights, p, direction, j);
        vector u = logistic(sums[0]);
        vector o = tanh(input_of(gates, state, p, 2, j)
                        + logistic(sums[1]) * sums[2]);
        PUT(u * GET(h + j) + (1.0f - u) * o, h_next + j);
    }
}

#else

INLINE void step(const __global float *gates, __global float *state,
        const __global float *h, __global float *h_next, int parity,
        const __global ELEMENT(WEIGHTS) *weights, const struct rnn_params *p,
        int direction)
{
    for (int i = (int)get_local_id(0) * VEC; i < p->units; i += ITEMS * VEC) {
        int j = unit_of(p, i);
        vector sum = input_of(gates, state, p, 0, j);
        add_products(&sum, 0, 1, h, weights, p, direction, j);
#if defined CELL_RNN_RELU
        PUT(rectified(sum, p->alpha), h_next + j);
#elif defined CELL_RNN_TANH
        PUT(tanh(sum), h_next + j);
#else
        PUT(logistic(sum), h_next + j);
#endif
    }
}

#endif

/* A row of a tensor as floats, of zeros if it is not there. */
#define READ_ROW(type, row, tensor, t, a, b)                      \
    for (int j = item; j < p.units; j += ITEMS)                   \
        (row)[j] = (t).is_there                                   \
                           ? LOAD(type, tensor, place(&(t), a, b, j)) \
                           : 0.0f

#define WRITE_ROW(type, row, tensor, t, a, b)       \
    for (int j = item; j < p.units && (t).is_there; j += ITEMS) \
    STORE(type, (row)[j], tensor, place(&(t), a, b, j))

__kernel GROUP_OF_ITEMS void rnn(__global float *scratch,
        const __global ELEMENT(WEIGHTS) *weights,
        const __global ELEMENT(BIAS) *bias,
        const __global ELEMENT(PEEPHOLE) *peephole,
        const __global ELEMENT(SRC_ITER) *src_iter,
        const __global ELEMENT(SRC_ITER_C) *src_iter_c,
        __global ELEMENT(DST) *dst_layer,
        __global ELEMENT(DST_ITER) *dst_iter,
        __global ELEMENT(DST_ITER_C) *dst_iter_c, const struct rnn_params p)
{
    int item = (int)get_local_id(0);
    for (int s = (int)get_group_id(0); s < p.sequences;
            s += (int)get_num_groups(0)) {
        int n = s % p.batch;
        for (int way = 0; way < p.directions; way++) {
            int d = s / p.batch + way;
            bool is_backward = d > 0 || p.is_backward != 0;
            __global float *state =
                    scratch + p.state + (d * p.batch + n) * ROWS * p.width;
            READ_ROW(SRC_ITER, state, src_iter, p.src_iter, d, n);
            READ_ROW(SRC_ITER_C, state + C * p.width, src_iter_c,
                    p.src_iter_c, d, n);
            for (int g = 0; g < BIASES; g++)
                READ_ROW(BIAS, state + (BIAS_ROW + g) * p.width, bias, p.bias,
                        d, g);
            for (int g = 0; g < 3; g++)
                READ_ROW(PEEPHOLE, state + (PEEPHOLE_ROW + g) * p.width,
                        peephole, p.peephole, d, g);
            SYNC();
            for (int i = 0; i < p.steps; i++) {
                int t = is_backward ? p.steps - 1 - i : i;
                int parity = i & 1;
                const __global float *gates = scratch + d * p.gates_direction
                                              + t * p.gates_step
                                              + n * p.gates_row;
                __global float *h = state + (H + parity) * p.width;
                __global float *h_next = state + (H + 1 - parity) * p.width;
                step(gates, state, h, h_next, parity, weights, &p, d);
                SYNC();
                for (int j = item; j < p.units; j += ITEMS) {
                    int to = place(&p.dst_layer, t, n,
                            p.directions == 1 ? d * p.units + j : j);
                    float sum = h_next[j];
                    if (way > 0) sum += LOAD(DST, dst_layer, to);
                    STORE(DST, sum, dst_layer, to);
                }
            }
            int last = p.steps & 1;
            WRITE_ROW(DST_ITER, state + (H + last) * p.width, dst_iter,
                    p.dst_iter, d, n);
            WRITE_ROW(DST_ITER_C, state + (C + last) * p.width, dst_iter_c,
                    p.dst_iter_c, d, n);
            SYNC();
        }
    }
}
