/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The product of matmul.cl for one row of src, on devices whose work-items run
 * one after the other. Time goes into reading the weights: each is read once,
 * as part of a vector, straight from its tensor. A work-group is one work-item,
 * which computes COLUMNS neighbouring results without local memory.
 *
 * K_INNER: weights lie along k, and so does src; else weights lie along n.
 */

#define LENGTH 16 /* of a vector */
typedef NUMBERS(16) numbers;

/* A row, and the weights of neighbouring columns. */
struct factors {
    const __global ELEMENT(SRC) *src;
    const __global ELEMENT(WEIGHTS) *weights;
    number src_zero;
    number weights_zero;
};

#define LOAD_SRC(f, i) (TILE_LOAD(SRC, (f)->src, i) - (f)->src_zero)
#define LOAD_WEIGHT(f, i) \
    (TILE_LOAD(WEIGHTS, (f)->weights, i) - (f)->weights_zero)
#define LOAD_WEIGHTS(f, i)                                     \
    (TILE_LOAD_VECTOR(WEIGHTS, 16, (f)->weights + (i)) \
            - (numbers)((f)->weights_zero))

/* The product with the column whose first weight is number `column`. */
INLINE number multiply_column(
        const struct matmul_params *p, const struct factors *f, int column)
{
    number s = 0;
    for (int k = 0; k < p->k; k++)
        s = MULTIPLY_ADD(LOAD_SRC(f, k * p->src_k),
                LOAD_WEIGHT(f, column + k * p->weights_k), s);
    return s;
}

#ifdef K_INNER
#define LOAD_SRCS(f, i) \
    (TILE_LOAD_VECTOR(SRC, 16, (f)->src + (i)) - (numbers)((f)->src_zero))

INLINE number sum_up(numbers v)
{
    NUMBERS(8) v8 = v.lo + v.hi;
    NUMBERS(4) v4 = v8.lo + v8.hi;
    NUMBERS(2) v2 = v4.lo + v4.hi;
    return v2.x + v2.y;
}

/* What is left of a column behind k, where vectors end. */
INLINE number multiply_rest(const struct matmul_params *p,
        const struct factors *f, int column, int k, number s)
{
    for (; k < p->k; k++)
        s = MULTIPLY_ADD(LOAD_SRC(f, k), LOAD_WEIGHT(f, column + k), s);
    return s;
}

/* The next `count` results, at most COLUMNS, which is a multiple of four: four
 * columns read a vector of src once. Past the last column is the last. */
INLINE void multiply(const struct matmul_params *p, const struct factors *f,
        int left, int count, number *results)
{
    for (int n = 0; n < count; n += 4) {
        int column0 = n * p->weights_n;
        int column1 = min(n + 1, count - 1) * p->weights_n;
        int column2 = min(n + 2, count - 1) * p->weights_n;
        int column3 = min(n + 3, count - 1) * p->weights_n;
        numbers s0 = 0;
        numbers s1 = 0;
        numbers s2 = 0;
        numbers s3 = 0;
        int k = 0;
        for (; k <= p->k - LENGTH; k += LENGTH) {
            numbers a = LOAD_SRCS(f, k);
            s0 = MULTIPLY_ADD(a, LOAD_WEIGHTS(f, column0 + k), s0);
            s1 = MULTIPLY_ADD(a, LOAD_WEIGHTS(f, column1 + k), s1);
            s2 = MULTIPLY_ADD(a, LOAD_WEIGHTS(f, column2 + k), s2);
            s3 = MULTIPLY_ADD(a, LOAD_WEIGHTS(f, column3 + k), s3);
        }
        results[n] = multiply_rest(p, f, column0, k, sum_up(s0));
        results[n + 1] = multiply_rest(p, f, column1, k, sum_up(s1));
        results[n + 2] = multiply_rest(p, f, column2, k, sum_up(s2));
        results[n + 3] = multiply_rest(p, f, column3, k, sum_up(s3));
    }
}

#else
/* COLUMNS results. */
INLINE void multiply_columns(const struct matmul_params *p,
        const struct factors *f, number *results)
{
    numbers s0 = 0;
    numbers s1 = 0;
    numbers s2 = 0;
    numbers s3 = 0;
    int at = 0;
    for (int k = 0; k < p->k; k++, at += p->weights_k) {
        numbers a = (numbers)LOAD_SRC(f, k * p->src_k);
        s0 = MULTIPLY_ADD(a, LOAD_WEIGHTS(f, at), s0);
        s1 = MULTIPLY_ADD(a, LOAD_WEIGHTS(f, at + LENGTH), s1);
        s2 = MULTIPLY_ADD(a, LOAD_WEIGHTS(f, at + 2 * LENGTH), s2);
        s3 = MULTIPLY_ADD(a, LOAD_WEIGHTS(f, at + 3 * LENGTH), s3);
    }
    vstore16(s0, 0, results);
    vstore16(s1, 1, results);
    vstore16(s2, 2, results);
    vstore16(s3, 3, results);
}

/* LENGTH results from column n on. */
INLINE void multiply_vector(const struct matmul_params *p,
        const struct factors *f, int n, number *results)
{
    numbers s = 0;
    int at = n;
    for (int k = 0; k < p->k; k++, at += p->weights_k)
        s = MULTIPLY_ADD((numbers)LOAD_SRC(f, k * p->src_k),
                LOAD_WEIGHTS(f, at), s);
    vstore16(s, 0, results + n);
}

/* The next `count` results, at most COLUMNS, of which there are `left` before
 * the end of the row. The last vector begins where it ends with the row: before
 * what is asked for, if need be, where `results` has room. */
INLINE void multiply(const struct matmul_params *p, const struct factors *f,
        int left, int count, number *results)
{
    if (count == COLUMNS) {
        multiply_columns(p, f, results);
    } else if (p->n >= LENGTH) {
        for (int n = 0; n < count; n += LENGTH)
            multiply_vector(p, f, min(n, left - LENGTH), results);
    } else {
        for (int n = 0; n < count; n++)
            results[n] = multiply_column(p, f, n);
    }
}
#endif

__kernel GROUP_OF_ITEMS void matmul_row(
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
        __global ELEMENT(DST) *dst,
        const struct matmul_params p TAIL_PARAMETERS)
{
    number memory[LENGTH + COLUMNS];
    number *results = memory + LENGTH;
    struct factors f;
    if (p.tiles == 0) return;
    f.src_zero = 0;
    f.weights_zero = 0;
#ifdef SRC_ZERO_POINT
    f.src_zero = (number)src_zero_point[0];
#endif
#ifdef WEIGHTS_ZERO_POINT
    f.weights_zero = (number)weights_zero_point[0];
#endif
    for (int tile = (int)get_group_id(0); tile < p.tiles;
            tile += (int)get_num_groups(0)) {
        int matrix = tile / p.tiles_n;
        int n0 = (tile - matrix * p.tiles_n) * COLUMNS;
        int left = p.n - n0;
        int count = min(left, COLUMNS);
        int4 at = matrices_of(&p, matrix);
        f.src = src + at.x;
        f.weights = weights + at.y + n0 * p.weights_n;
        multiply(&p, &f, left, count, results);
        for (int n = 0; n < count; n++) {
            int to = at.w + (n0 + n) * p.dst_n;
#ifdef BIAS
            int addend = at.z + (n0 + n) * p.bias_n;
#endif
#ifdef INTEGER_RESULTS
            int s = results[n];
#ifdef BIAS
            s += LOAD_INTEGER(bias, addend);
#endif
            STORE_INTEGER(DST, s, dst, to);
#else
            float s = convert_float(results[n]);
            s = PREPARE(s, dst, to);
#ifdef BIAS
            s += LOAD(BIAS, bias, addend);
#endif
            STORE(DST, FINISH(s, dst, to), dst, to);
#endif
        }
    }
}
