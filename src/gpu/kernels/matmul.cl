/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst[b, m, n] = post_ops(sum over k of src[b, m, k] * weights[b, k, n]
 * + bias[b, m, n]), any strides.
 */

#define MAX_BATCH_DIMS (MAX_DIMS - 2)

/* struct matmul_params of matmul.c. Strides are 0 where a tensor repeats. */
struct matmul_params {
    int tiles; /* tiles_n * tiles of rows * batch */
    int tiles_n;
    int tiles_mn; /* of one matrix */
    int m;
    int n;
    int k;
    int src_offset, src_m, src_k;
    int weights_offset, weights_k, weights_n;
    int bias_offset, bias_m, bias_n;
    int dst_offset, dst_m, dst_n;
    int batch[MAX_BATCH_DIMS];
    int src_batch[MAX_BATCH_DIMS];
    int weights_batch[MAX_BATCH_DIMS];
    int bias_batch[MAX_BATCH_DIMS];
    int dst_batch[MAX_BATCH_DIMS];
};

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

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void matmul(
        const __global float *src, const __global float *weights,
#ifdef BIAS
        const __global float *bias,
#endif
        __global float *dst, const struct matmul_params p TAIL_PARAMETERS)
{
    __local float memory[TILE_MEMORY_SIZE] __attribute__((aligned(64)));
    __local float *a = memory;
    __local float *b = memory + A_SIZE;
    int item = (int)get_local_id(0);

    for (int tile = (int)get_group_id(0); tile < p.tiles;
            tile += (int)get_num_groups(0)) {
        int matrix = tile / p.tiles_mn;
        int m0 = (tile - matrix * p.tiles_mn) / p.tiles_n * TILE_M;
        int n0 = (tile - matrix * p.tiles_mn) % p.tiles_n * TILE_N;
        int4 at = matrices_of(&p, matrix);
        columns sums[ROWS];
        for (int r = 0; r < ROWS; r++)
            sums[r] = (columns)(0.0f);
        for (int k0 = 0; k0 < p.k; k0 += TILE_K) {
            const __global float *s = src + at.x + m0 * p.src_m + k0 * p.src_k;
#ifdef A_K_INNER
            tile_fill_src(s, p.src_m, p.src_k, p.m - m0, p.k - k0, 0, a, A_M, A_K,
                    TILE_M, TILE_K);
#else
            tile_fill_src(s, p.src_k, p.src_m, p.k - k0, p.m - m0, 0, a, A_K, A_M,
                    TILE_K, TILE_M);
#endif
            const __global float *w =
                    weights + at.y + k0 * p.weights_k + n0 * p.weights_n;
#ifdef B_K_INNER
            tile_fill_weights(w, p.weights_n, p.weights_k, p.n - n0, p.k - k0, 0, b, 1,
                    TILE_N, TILE_N, TILE_K);
#else
            tile_fill_weights(w, p.weights_k, p.weights_n, p.k - k0, p.n - n0, 0, b,
                    TILE_N, 1, TILE_K, TILE_N);
#endif
            barrier(CLK_LOCAL_MEM_FENCE);
            tile_multiply(a, b, sums);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        tile_lay_down(sums, memory);
        barrier(CLK_LOCAL_MEM_FENCE);
        int rows_left = p.m - m0;
        int columns_left = p.n - n0;
        int dst_m = p.dst_m;
        int dst_n = p.dst_n;
        int to0 = at.w + m0 * dst_m + n0 * dst_n;
#ifdef BIAS
        int bias_m = p.bias_m;
        int bias_n = p.bias_n;
        const __global float *addend = bias + at.z + m0 * bias_m + n0 * bias_n;
#endif
        for (int i = item; i < RUNS; i += ITEMS) {
            int m = RUN_M(i);
            int n = RUN_N(i);
            int end = m < rows_left ? min(n + WIDTH, columns_left) : 0;
            for (; n < end; n++) {
                int to = to0 + m * dst_m + n * dst_n;
                float s = memory[m * RESULT_M + n];
                s = PREPARE(s, dst, to);
#ifdef BIAS
                s += addend[m * bias_m + n * bias_n];
#endif
                dst[to] = FINISH(s, dst, to);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
