/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst[b, m, n] = post_ops(sum over k of src[b, m, k] * weights[b, k, n]
 * + bias[b, m, n]), any strides. With K_RUNS no one stride leads through all k:
 * they are several runs, each with strides of its own.
 */

#define MAX_BATCH_DIMS (MAX_DIMS - 2)
#define MAX_RUN_DIMS 3

#ifdef UNPACK_WEIGHTS
/* Where the zero points or scales of weights are: one for group_k x group_n
 * elements of a matrix. */
struct matmul_numbers {
    int group_k, group_n;
    int k, n; /* strides from group to group */
    int batch[MAX_BATCH_DIMS];
};
#endif

/* struct matmul_params of product.h. Strides are 0 where a tensor repeats. */
struct matmul_params {
    int tiles; /* tiles_n * tiles of rows * batch */
    int tiles_n;
    int tiles_mn; /* of one matrix */
    int m;
    int n;
    int k; /* of one run */
    int src_offset, src_m, src_k;
    int weights_offset, weights_k, weights_n;
    int bias_offset, bias_m, bias_n;
    int dst_offset, dst_m, dst_n;
    int batch[MAX_BATCH_DIMS];
    int src_batch[MAX_BATCH_DIMS];
    int weights_batch[MAX_BATCH_DIMS];
    int bias_batch[MAX_BATCH_DIMS];
    int dst_batch[MAX_BATCH_DIMS];
    int runs; /* product of run_dims */
    int run_dims[MAX_RUN_DIMS];
    int src_runs[MAX_RUN_DIMS];
    int weights_runs[MAX_RUN_DIMS];
#ifdef UNPACK_WEIGHTS
    struct matmul_numbers zero;
    struct matmul_numbers scale;
#endif
};

/* Results of integers that nothing makes a float of on their way. */
#if defined(INTEGER_SUMS) && IS_INTEGER(DST) && !HAS_TAIL \
        && (!defined(BIAS) || IS_INTEGER(BIAS))
#define INTEGER_RESULTS
#endif

/* Takes one batch dimension off the number b. Unused dimensions are 1. */
#define BATCH_DIM(d)                                                       \
    rest = b / p->batch[d];                                                \
    at += (b - rest * p->batch[d])                                         \
          * (int4)(p->src_batch[d], p->weights_batch[d], p->bias_batch[d], \
                  p->dst_batch[d]);                                        \
    b = rest;

/* Where the matrices of batch element b start: src, weights, bias, dst. */
static inline int4 matrices_of(const struct matmul_params *p, int b)
{
    int rest;
    int4 at = (int4)(p->src_offset, p->weights_offset, p->bias_offset,
            p->dst_offset);
    BATCH_DIM(9)
    BATCH_DIM(8)
    BATCH_DIM(7)
    BATCH_DIM(6)
    BATCH_DIM(5)
    BATCH_DIM(4)
    BATCH_DIM(3)
    BATCH_DIM(2)
    BATCH_DIM(1)
    BATCH_DIM(0)
    return at;
}

#ifdef UNPACK_WEIGHTS
#define NUMBERS_DIM(d)                                                  \
    rest = b / p->batch[d];                                             \
    at += (b - rest * p->batch[d])                                      \
          * (int2)(p->zero.batch[d], p->scale.batch[d]);                \
    b = rest;

/* The same of zero points and scales. */
static inline int2 numbers_of(const struct matmul_params *p, int b)
{
    int rest;
    int2 at = (int2)(0, 0);
    NUMBERS_DIM(9)
    NUMBERS_DIM(8)
    NUMBERS_DIM(7)
    NUMBERS_DIM(6)
    NUMBERS_DIM(5)
    NUMBERS_DIM(4)
    NUMBERS_DIM(3)
    NUMBERS_DIM(2)
    NUMBERS_DIM(1)
    NUMBERS_DIM(0)
    return at;
}

/* For the parameters and arguments of functions that unpack. */
#ifdef WEIGHTS_ZERO_POINT
#define ZERO_PARAMETER , const __global ELEMENT(WEIGHTS_ZERO_POINT) *zeros
#define ZERO_PARAMETER_NAME , zeros
#define ZERO_ARGUMENT , weights_zero_point
#else
#define ZERO_PARAMETER
#define ZERO_PARAMETER_NAME
#define ZERO_ARGUMENT
#endif
#ifdef WEIGHTS_SCALE
#define SCALE_PARAMETER , const __global ELEMENT(WEIGHTS_SCALE) *scales
#define SCALE_PARAMETER_NAME , scales
#define SCALE_ARGUMENT , weights_scale
#else
#define SCALE_PARAMETER
#define SCALE_PARAMETER_NAME
#define SCALE_ARGUMENT
#endif
#endif

#ifdef TILE_K
/* Where a run starts in a row of src and a column of weights. */
static inline int2 products_of(const struct matmul_params *p, int run)
{
    int2 at = (int2)(0, 0);
    for (int d = MAX_RUN_DIMS - 1; d >= 0; d--) {
        int rest = run / p->run_dims[d];
        at += (run - rest * p->run_dims[d])
              * (int2)(p->src_runs[d], p->weights_runs[d]);
        run = rest;
    }
    return at;
}

#ifdef UNPACK_WEIGHTS
#ifdef INTEGER_SUMS
#define LOAD_NUMBER(type, at, i) LOAD_WHOLE(type, at, i)
#else
#define LOAD_NUMBER(type, at, i) LOAD(type, at, i)
#endif

/* Where a tile's weights are, and the numbers that go with them. */
struct unpacked {
    int weights; /* places of the tile's first column, and of numbers */
    int zeros;
    int scales;
    int n0; /* the tile's first column */
};

/* The group of all k's of a filling, from k0 on; -1 if they are of several. */
static inline int common_group(const struct matmul_numbers *numbers, int k0)
{
    int first = k0 / numbers->group_k;
    return k0 + TILE_K <= (first + 1) * numbers->group_k ? first : -1;
}

/* The place of the number for line k and column n; divisions, which are slow,
 * only where groups are unusual. */
static inline int number_place(
        const struct matmul_numbers *numbers, int common, int k, int n)
{
    int group_k = common >= 0 ? common : k / numbers->group_k;
    int group_n = numbers->group_n == 1 ? n : n / numbers->group_n;
    return group_k * numbers->k + group_n * numbers->n;
}

/* Fills the tile b from line k0 on, of which k_left are left. */
INLINE void tile_unpack(const struct matmul_params *p,
        const struct unpacked *from, int k0, int k_left, int n_left,
        __local number *b,
        const __global ELEMENT(WEIGHTS) *weights ZERO_PARAMETER SCALE_PARAMETER)
{
#ifdef WEIGHTS_ZERO_POINT
    int zero_group = common_group(&p->zero, k0);
#endif
#ifdef WEIGHTS_SCALE
    int scale_group = common_group(&p->scale, k0);
#endif
    for (int i = (int)get_local_id(0); i < B_SIZE; i += ITEMS) {
#ifdef B_K_INNER
        int k = i % TILE_K;
        int n = i / TILE_K;
#else
        int k = i / TILE_N;
        int n = i % TILE_N;
#endif
        number w = 0;
        if (k < k_left && n < n_left) {
            w = LOAD_NUMBER(WEIGHTS, weights,
                    from->weights + (k0 + k) * p->weights_k + n * p->weights_n);
#ifdef WEIGHTS_ZERO_POINT
            w -= LOAD_NUMBER(WEIGHTS_ZERO_POINT, zeros,
                    from->zeros
                            + number_place(&p->zero, zero_group, k0 + k,
                                    from->n0 + n));
#endif
#ifdef WEIGHTS_SCALE
            w *= LOAD(WEIGHTS_SCALE, scales,
                    from->scales
                            + number_place(&p->scale, scale_group, k0 + k,
                                    from->n0 + n));
#endif
        }
        b[k * TILE_N + n] = w;
    }
}
#endif

/* Adds TILE_K products from k0 on to the tile's sums: rows from src, of which
 * m_left are left, columns from weights, of which n_left. */
INLINE void add_products(const struct matmul_params *p, int k0,
        const __global ELEMENT(SRC) *src, int m_left, number src_zero,
        const __global ELEMENT(WEIGHTS) *weights, int n_left,
#ifdef UNPACK_WEIGHTS
        const struct unpacked *from,
#else
        number weights_zero,
#endif
        __local number *memory, tile_sums sums
#ifdef UNPACK_WEIGHTS
        ZERO_PARAMETER SCALE_PARAMETER
#endif
)
{
    __local number *a = memory;
    __local number *b = memory + A_SIZE;
    int src_m = p->src_m;
    int src_k = p->src_k;
    const __global ELEMENT(SRC) *s = src + k0 * src_k;
    int k_left = p->k - k0;
#ifdef STRIPS
#elif defined(A_K_INNER)
    tile_fill_src(s, src_m, src_k, m_left, k_left, src_zero, a, A_M, A_K,
            TILE_M, TILE_K);
#else
    tile_fill_src(s, src_k, src_m, k_left, m_left, src_zero, a, A_K, A_M,
            TILE_K, TILE_M);
#endif
#ifdef UNPACK_WEIGHTS
    tile_unpack(p, from, k0, k_left, n_left, b,
            weights ZERO_PARAMETER_NAME SCALE_PARAMETER_NAME);
#else
    int weights_k = p->weights_k;
    int weights_n = p->weights_n;
    const __global ELEMENT(WEIGHTS) *w = weights + k0 * weights_k;
#ifdef B_K_INNER
    tile_fill_weights(w, weights_n, weights_k, n_left, k_left, weights_zero, b,
            1, TILE_N, TILE_N, TILE_K);
#else
    tile_fill_weights(w, weights_k, weights_n, k_left, n_left, weights_zero, b,
            TILE_N, 1, TILE_K, TILE_N);
#endif
#endif
#ifdef STRIPS
    int lines = min(m_left, TILE_M);
    for (int m = 0; m < lines; m += ROWS) {
        tile_fill_src(s + m * src_m, src_m, src_k, m_left - m, k_left, src_zero,
                a, A_M, A_K, ROWS, TILE_K);
        tile_multiply(a, b, k_left, n_left, sums + m * RESULT_M);
    }
#else
    barrier(CLK_LOCAL_MEM_FENCE);
    tile_multiply(a, b, m_left, k_left, sums);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

/* Makes a result of a tile's sum, number `at` of its results, and stores it. */
#ifdef INTEGER_RESULTS
#ifdef BIAS
#define ADDEND(i) LOAD_INTEGER(bias, i)
#else
#define ADDEND(i) 0
#endif
#define TAKE_UP(at, addend, to)               \
    {                                         \
        int place = to;                       \
        int s = results[at] + ADDEND(addend); \
        STORE_INTEGER(DST, s, dst, place);    \
    }
#else
#ifdef BIAS
#define ADD_BIAS(s, i) ((s) + LOAD(BIAS, bias, i))
#else
#define ADD_BIAS(s, i) (s)
#endif
#define TAKE_UP(at, addend, to)                        \
    {                                                  \
        int place = to;                                \
        float s = convert_float(results[at]);          \
        s = PREPARE(s, dst, place);                    \
        s = ADD_BIAS(s, addend);                       \
        STORE(DST, FINISH(s, dst, place), dst, place); \
    }
#endif

__kernel GROUP_OF_ITEMS void matmul(
        const __global ELEMENT(SRC) *src,
        const __global ELEMENT(WEIGHTS) *weights,
#ifdef BIAS
        const __global ELEMENT(BIAS) *bias,
#endif
#ifdef SRC_ZERO_POINT
        const __global ELEMENT(SRC_ZERO_POINT) *src_zero_point,
#endif
#ifdef WEIGHTS_ZERO_POINT
        const __global ELEMENT(WEIGHTS_ZERO_POINT) *weights_zero_point,
#endif
#ifdef WEIGHTS_SCALE
        const __global ELEMENT(WEIGHTS_SCALE) *weights_scale,
#endif
        __global ELEMENT(DST) *dst,
        const struct matmul_params p TAIL_PARAMETERS)
{
    __local number memory[TILE_MEMORY_SIZE] __attribute__((aligned(64)));
    int item = (int)get_local_id(0);
    number src_zero = 0;
#ifndef UNPACK_WEIGHTS
    number weights_zero = 0;
#endif
    if (p.tiles == 0) return;
#ifdef SRC_ZERO_POINT
    src_zero = (number)src_zero_point[0];
#endif
#if defined(WEIGHTS_ZERO_POINT) && !defined(UNPACK_WEIGHTS)
    weights_zero = (number)weights_zero_point[0];
#endif

    for (int tile = (int)get_group_id(0); tile < p.tiles;
            tile += (int)get_num_groups(0)) {
        int matrix = tile / p.tiles_mn;
        int m0 = (tile - matrix * p.tiles_mn) / p.tiles_n * TILE_M;
        int n0 = (tile - matrix * p.tiles_mn) % p.tiles_n * TILE_N;
        int rows_left = p.m - m0;
        int columns_left = p.n - n0;
        int4 at = matrices_of(&p, matrix);
        at.x += m0 * p.src_m;
        at.y += n0 * p.weights_n;
        TILE_SUMS(memory);
        tile_clear(sums, rows_left);
#ifdef K_RUNS
        /* One loop, not two: PoCL cannot compile barriers in a loop in a loop
         * for groups of one work-item. */
        int steps = (p.k + TILE_K - 1) / TILE_K;
        for (int step = 0; step < p.runs * steps; step++) {
            int run = step / steps;
            int2 from = products_of(&p, run);
            add_products(&p, (step - run * steps) * TILE_K,
                    src + at.x + from.x, rows_left, src_zero,
                    weights + at.y + from.y, columns_left, weights_zero, memory,
                    sums);
        }
#elif defined(UNPACK_WEIGHTS)
        int2 numbers = numbers_of(&p, matrix);
        const struct unpacked from = {at.y, numbers.x, numbers.y, n0};
        for (int k0 = 0; k0 < p.k; k0 += TILE_K)
            add_products(&p, k0, src + at.x, rows_left, src_zero, weights,
                    columns_left, &from, memory,
                    sums ZERO_ARGUMENT SCALE_ARGUMENT);
#else
        for (int k0 = 0; k0 < p.k; k0 += TILE_K)
            add_products(&p, k0, src + at.x, rows_left, src_zero,
                    weights + at.y, columns_left, weights_zero, memory, sums);
#endif
        const __local number *results = TILE_RESULTS(memory, sums);
#ifndef STRIPS
        tile_lay_down(sums, memory);
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        int dst_m = p.dst_m;
        int dst_n = p.dst_n;
        int to0 = at.w + m0 * dst_m + n0 * dst_n;
#ifdef BIAS
        int bias_m = p.bias_m;
        int bias_n = p.bias_n;
        int addend0 = at.z + m0 * bias_m + n0 * bias_n;
#else
        int bias_m = 0;
        int bias_n = 0;
        int addend0 = 0;
#endif
        int runs = RUNS(rows_left);
        for (int i = item; i < runs; i += ITEMS) {
            int m = RUN_M(i);
            int n = RUN_N(i);
            int end = m < rows_left ? min(n + WIDTH, columns_left) : 0;
            int from = m * RESULT_M;
            int to = to0 + m * dst_m;
            int addend = addend0 + m * bias_m;
#ifdef STRIPS
            /* What compilers make vectors of. */
            if (end - n == WIDTH && dst_n == 1 && bias_n <= 1) {
                for (int j = n; j < n + WIDTH; j++)
                    TAKE_UP(from + j, addend + (bias_n == 1 ? j : 0), to + j)
                continue;
            }
#endif
            for (; n < end; n++)
                TAKE_UP(from + n, addend + n * bias_n, to + n * dst_n)
        }
        TILE_BARRIER();
    }
}
#endif
