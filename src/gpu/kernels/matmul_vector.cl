/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The product of matmul.cl for a few rows of src, mostly one, and weights of
 * half bytes, bytes or floats. Time goes into reading the weights: each is read
 * once, ELEMENTS at a time from an aligned word, by work-items that split k
 * among them. So a group computes ROWS x TILE_N results, its ITEMS_K items of
 * each column add up parts of them, and the parts are added up in local memory.
 *
 * K_INNER: weights lie along k, else along n. Along n an item has ELEMENTS
 * neighbouring columns and a run of k's; along k, WIDTH columns and every
 * ITEMS_K-th packet of four words of each.
 *
 * DEPTH is how many loads an item has under way before it waits for the first.
 *
 * The planner sees to it that words and packets are whole: sizes, strides and
 * groups of zero points and scales are multiples where they need to be.
 */

#define ITEMS (ITEMS_N * ITEMS_K)
#define TILE_N (ITEMS_N * WIDTH)
/* Products of a row that are computed from one filling of local memory. */
#define CHUNK (4096 / ROWS)

/* ---- Words --------------------------------------------------------------- */

/* As many floats as a word has elements, and component c of them. */
#if ELEMENTS == 8
typedef float8 packet;
#define GATHER(f) (float8)(f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7))
#define EACH_ELEMENT(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
#elif ELEMENTS == 4
typedef float4 packet;
#define GATHER(f) (float4)(f(0), f(1), f(2), f(3))
#define EACH_ELEMENT(f) f(0) f(1) f(2) f(3)
#elif ELEMENTS == 2
typedef float2 packet;
#define GATHER(f) (float2)(f(0), f(1))
#define EACH_ELEMENT(f) f(0) f(1)
#else
typedef float packet;
#define GATHER(f) f(0)
#define EACH_ELEMENT(f) f(0)
#endif
#if ELEMENTS == 1
#define COMPONENT(v, c) (v)
#else
#define COMPONENT(v, c) (v).s##c
#endif

#if IS_INTEGER(WEIGHTS)
#if ELEMENTS == 8
typedef uint8 fields;
#define SHIFTS (uint8)(0, 4, 8, 12, 16, 20, 24, 28)
#define FIELD 15u
#define AS_PACKET(bits) as_float8(bits)
#else
typedef uint4 fields;
#define SHIFTS (uint4)(0, 8, 16, 24)
#define FIELD 255u
#define AS_PACKET(bits) as_float4(bits)
#endif

/* Turns fields of signed elements into unsigned ones, larger by EXCESS_*. */
#define FLIP_u4 0u
#define FLIP_s4 0x88888888u
#define FLIP_u8 0u
#define FLIP_s8 0x80808080u
#define FLIP PASTE(FLIP_, WEIGHTS)
#define EXCESS_u4 0.0f
#define EXCESS_s4 8.0f
#define EXCESS_u8 0.0f
#define EXCESS_s8 128.0f
/* What unpack() adds to every element. */
#define ORIGIN (8388608.0f + PASTE(EXCESS_, WEIGHTS))

/* The elements of a word, plus ORIGIN: a small number in the last bits of 2^23
 * is added to it. No conversion is that fast. */
static inline packet unpack(uint word)
{
    return AS_PACKET(
            ((fields)(word ^ FLIP) >> SHIFTS & FIELD) | as_uint(8388608.0f));
}
#elif !IS_HALF(WEIGHTS)
#define ORIGIN 0.0f
#define UNPACK_f32(word) as_float(word)
#define UNPACK_bf16(word) \
    (float2)(as_float((word) << 16), as_float((word) & 0xffff0000u))

static inline packet unpack(uint word)
{
    return PASTE(UNPACK_, WEIGHTS)(word);
}
#endif

/* A word, and four of them, at word number i; a buffer that the application made
 * may be less aligned than four. f16 cannot be taken out of words without
 * memory in between: these are floats from the start. */
#if IS_HALF(WEIGHTS)
#define ORIGIN 0.0f
typedef float2 word_type;
typedef float8 words_type;
#define unpack(word) (word)
#define LOAD_WORD(at, i) vloada_half2(i, (const __global half *)(at))
#define WORD_0(w) (w).s01
#define WORD_1(w) (w).s23
#define WORD_2(w) (w).s45
#define WORD_3(w) (w).s67

static inline words_type load_words(const __global uint *at, bool is_aligned)
{
    const __global half *from = (const __global half *)at;
    return is_aligned ? vloada_half8(0, from) : vload_half8(0, from);
}
#else
typedef uint word_type;
typedef uint4 words_type;
#define LOAD_WORD(at, i) (at)[i]
#define WORD_0(w) (w).s0
#define WORD_1(w) (w).s1
#define WORD_2(w) (w).s2
#define WORD_3(w) (w).s3

static inline words_type load_words(const __global uint *at, bool is_aligned)
{
    return is_aligned ? *(const __global uint4 *)at : vload4(0, at);
}
#endif

/* ---- Zero points, scales ------------------------------------------------- */

/* Where numbers are: those of the item's first column. */
struct numbers {
    int zeros;
    int scales;
};

/* The last of the k's, up to end, that have the numbers of k. */
static inline int end_of_group(const struct matmul_params *p, int k, int end)
{
#ifdef WEIGHTS_ZERO_POINT
    end = min(end, (k / p->zero.group_k + 1) * p->zero.group_k);
#endif
#ifdef WEIGHTS_SCALE
    end = min(end, (k / p->scale.group_k + 1) * p->scale.group_k);
#endif
    return end;
}

/* ---- src ----------------------------------------------------------------- */

/* Places of a row in local memory: padded, to spread runs over its banks. */
#define PLACE(k) ((k) + ((k) >> 5 << 2))
#define ROW_SIZE PLACE(CHUNK)

/* Copies up to CHUNK elements, `count`, of each row; 0 for rows past the last.
 * Work-items have several loads under way. */
INLINE void stage(const __global ELEMENT(SRC) *src, int src_m, int rows_left,
        int count, __local float *a)
{
    for (int i = (int)get_local_id(0); i < ROWS * CHUNK; i += DEPTH * ITEMS) {
        float loaded[DEPTH];
#pragma unroll
        for (int j = 0; j < DEPTH; j++) {
            int r = (i + j * ITEMS) / CHUNK;
            int k = (i + j * ITEMS) % CHUNK;
            loaded[j] = r < rows_left && k < count
                                ? LOAD(SRC, src, r * src_m + k)
                                : 0.0f;
        }
#pragma unroll
        for (int j = 0; j < DEPTH; j++) {
            int r = (i + j * ITEMS) / CHUNK;
            int k = (i + j * ITEMS) % CHUNK;
            if (r < ROWS) a[r * ROW_SIZE + PLACE(k)] = loaded[j];
        }
    }
}

/* ---- Products ------------------------------------------------------------ */

#ifndef K_INNER

/* sums += a * (weights - origin) for `count` lines of words from w on; k is the
 * first one's place in a row of a. */
INLINE void add_lines(const __global uint *w, int stride, int count,
        packet origin, const __local float *a, int k, packet sums[ROWS])
{
    int i = 0;
    /* All loads of a step are on their way before the first is waited for. */
    for (; i + DEPTH <= count; i += DEPTH) {
        word_type words[DEPTH];
#pragma unroll
        for (int j = 0; j < DEPTH; j++)
            words[j] = LOAD_WORD(w, (i + j) * stride);
#pragma unroll
        for (int j = 0; j < DEPTH; j++) {
            packet v = unpack(words[j]) - origin;
            for (int r = 0; r < ROWS; r++)
                sums[r] += a[r * ROW_SIZE + PLACE(k + i + j)] * v;
        }
    }
    for (; i < count; i++) {
        packet v = unpack(LOAD_WORD(w, i * stride)) - origin;
        for (int r = 0; r < ROWS; r++)
            sums[r] += a[r * ROW_SIZE + PLACE(k + i)] * v;
    }
}

/* Adds the item's run of a chunk, which starts at k0 and has `count` k's: the
 * parts of it that have the same numbers, one after the other. */
INLINE void add_chunk(const struct matmul_params *p, int k0, int count,
        int item_k, struct numbers at, const __local float *a,
        const __global uint *weights, packet sums[ROWS] ZERO_PARAMETER
                SCALE_PARAMETER)
{
    int run = ((count + ITEMS_K - 1) / ITEMS_K + DEPTH - 1) / DEPTH * DEPTH;
    int k = k0 + item_k * run;
    int end = min(k + run, k0 + count);
    int stride = p->weights_k / ELEMENTS;
    while (k < end) {
        int part_end = end_of_group(p, k, end);
        packet origin = (packet)(ORIGIN);
#ifdef WEIGHTS_ZERO_POINT
        int zero = at.zeros + k / p->zero.group_k * p->zero.k;
        int zero_n = p->zero.n;
#define ZERO(j) LOAD(WEIGHTS_ZERO_POINT, zeros, zero + j * zero_n)
        origin += GATHER(ZERO);
#endif
#ifdef WEIGHTS_SCALE
        int scale = at.scales + k / p->scale.group_k * p->scale.k;
        int scale_n = p->scale.n;
#define SCALE(j) LOAD(WEIGHTS_SCALE, scales, scale + j * scale_n)
        packet factor = GATHER(SCALE);
        packet part[ROWS];
        for (int r = 0; r < ROWS; r++)
            part[r] = (packet)(0.0f);
        add_lines(weights + k * stride, stride, part_end - k, origin, a, k - k0,
                part);
        for (int r = 0; r < ROWS; r++)
            sums[r] += part[r] * factor;
#else
        add_lines(weights + k * stride, stride, part_end - k, origin, a, k - k0,
                sums);
#endif
        k = part_end;
    }
}

#else
#define WORDS 4 /* of a packet of weights */
#define LINE (WORDS * ELEMENTS)

/* Neighbours in a row of a. */
#if ELEMENTS == 8
#define LOAD_LOCAL(at)                           \
    (float8)(*(const __local float4 *)(at), \
            *(const __local float4 *)((at) + 4))
#else
#define LOAD_LOCAL(at) (*(const __local packet *)(at))
#endif

static inline float add_up(float sum, packet s, packet v)
{
#define ADD_UP(c) sum += COMPONENT(s, c) * COMPONENT(v, c);
    EACH_ELEMENT(ADD_UP)
    return sum;
}

#define ADD_WORD(i, word)                                                   \
    {                                                                       \
        packet v = unpack(word) - origin;                                   \
        for (int r = 0; r < ROWS; r++)                                      \
            part[r] = add_up(part[r],                                       \
                    LOAD_LOCAL(a + r * ROW_SIZE + PLACE(k + i * ELEMENTS)), \
                    v);                                                     \
    }

/* Adds the item's packets of a chunk that starts at k0 and has `count` k's, in
 * columns from n on; columns past the last are the last. */
INLINE void add_chunk(const struct matmul_params *p, int k0, int count,
        int item_k, int n, struct numbers at, const __local float *a,
        const __global uint *weights, float sums[ROWS * WIDTH] ZERO_PARAMETER
                SCALE_PARAMETER)
{
    bool is_aligned = ((size_t)weights & 15) == 0;
    for (int k = item_k * LINE; k < count; k += ITEMS_K * LINE) {
        words_type words[WIDTH];
#pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            int column = min(n + c, p->n - 1);
            words[c] = load_words(weights
                            + column * (p->weights_n / ELEMENTS)
                            + (k0 + k) / ELEMENTS,
                    is_aligned);
        }
#ifdef WEIGHTS_ZERO_POINT
        int zero = at.zeros + (k0 + k) / p->zero.group_k * p->zero.k;
#endif
#ifdef WEIGHTS_SCALE
        int scale = at.scales + (k0 + k) / p->scale.group_k * p->scale.k;
#endif
#pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            int column = min(n + c, p->n - 1);
            float part[ROWS];
            packet origin = (packet)(ORIGIN);
#ifdef WEIGHTS_ZERO_POINT
            origin += LOAD(WEIGHTS_ZERO_POINT, zeros, zero + column * p->zero.n);
#endif
            for (int r = 0; r < ROWS; r++)
                part[r] = 0.0f;
            ADD_WORD(0, WORD_0(words[c]))
            ADD_WORD(1, WORD_1(words[c]))
            ADD_WORD(2, WORD_2(words[c]))
            ADD_WORD(3, WORD_3(words[c]))
            float factor = 1.0f;
#ifdef WEIGHTS_SCALE
            factor = LOAD(
                    WEIGHTS_SCALE, scales, scale + column * p->scale.n);
#endif
            for (int r = 0; r < ROWS; r++)
                sums[r * WIDTH + c] += part[r] * factor;
        }
    }
}
#endif

/* ---- Results ------------------------------------------------------------- */

/* The parts of a column, padded against bank conflicts. */
#define COLUMN_SIZE (ITEMS_K + 1)
#define RESULTS_SIZE (TILE_N * COLUMN_SIZE)
#if RESULTS_SIZE > ROWS * ROW_SIZE
#define MEMORY_SIZE RESULTS_SIZE
#else
#define MEMORY_SIZE (ROWS * ROW_SIZE)
#endif

/* They are added up twice: first by as many items a column as there are. */
#if ITEMS > TILE_N
#define ADDERS (ITEMS / TILE_N)
#else
#define ADDERS 1
#endif
#define ADDENDS (ITEMS_K / ADDERS)

INLINE void add_parts(const __local float *results, __local float *parts)
{
    for (int i = (int)get_local_id(0); i < TILE_N * ADDERS; i += ITEMS) {
        const __local float *from = results + i % TILE_N * COLUMN_SIZE
                                    + i / TILE_N * ADDENDS;
        float s = 0.0f;
        for (int j = 0; j < ADDENDS; j++)
            s += from[j];
        parts[i] = s;
    }
}

__kernel GROUP_OF_ITEMS void matmul_vector(
        const __global ELEMENT(SRC) *src,
        const __global ELEMENT(WEIGHTS) *weights,
#ifdef BIAS
        const __global ELEMENT(BIAS) *bias,
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
    __local float memory[MEMORY_SIZE] __attribute__((aligned(64)));
    __local float parts[TILE_N * ADDERS];
    int item = (int)get_local_id(0);
#ifdef K_INNER
    int item_k = item % ITEMS_K;
    int item_n = item / ITEMS_K;
#else
    int item_k = item / ITEMS_N;
    int item_n = item % ITEMS_N;
#endif
    if (p.tiles == 0) return;
    for (int tile = (int)get_group_id(0); tile < p.tiles;
            tile += (int)get_num_groups(0)) {
        int matrix = tile / p.tiles_mn;
        int m0 = (tile - matrix * p.tiles_mn) / p.tiles_n * ROWS;
        int n0 = (tile - matrix * p.tiles_mn) % p.tiles_n * TILE_N;
        int rows_left = p.m - m0;
        int columns_left = p.n - n0;
        int n = n0 + item_n * WIDTH;
        int4 at = matrices_of(&p, matrix);
        int2 numbers_at = numbers_of(&p, matrix);
        struct numbers numbers = {numbers_at.x, numbers_at.y};
#ifdef K_INNER
        float sums[ROWS * WIDTH];
        for (int i = 0; i < ROWS * WIDTH; i++)
            sums[i] = 0.0f;
#else
        packet sums[ROWS];
        for (int r = 0; r < ROWS; r++)
            sums[r] = (packet)(0.0f);
        numbers.zeros += n * p.zero.n;
        numbers.scales += n * p.scale.n;
#endif
        for (int k0 = 0; k0 < p.k; k0 += CHUNK) {
            int count = min(CHUNK, p.k - k0);
            stage(src + at.x + m0 * p.src_m + k0, p.src_m, rows_left, count,
                    memory);
            barrier(CLK_LOCAL_MEM_FENCE);
            const __global uint *words =
                    (const __global uint *)weights + at.y / ELEMENTS;
#ifdef K_INNER
            add_chunk(&p, k0, count, item_k, n, numbers, memory, words,
                    sums ZERO_ARGUMENT SCALE_ARGUMENT);
#else
            if (n < p.n)
                add_chunk(&p, k0, count, item_k, numbers, memory,
                        words + n / ELEMENTS,
                        sums ZERO_ARGUMENT SCALE_ARGUMENT);
#endif
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        for (int r = 0; r < ROWS; r++) {
            __local float *to = memory + item_n * WIDTH * COLUMN_SIZE + item_k;
#ifdef K_INNER
            for (int c = 0; c < WIDTH; c++)
                to[c * COLUMN_SIZE] = sums[r * WIDTH + c];
#else
#define LAY_DOWN(c) to[c * COLUMN_SIZE] = COMPONENT(sums[r], c);
            EACH_ELEMENT(LAY_DOWN)
#endif
            barrier(CLK_LOCAL_MEM_FENCE);
            add_parts(memory, parts);
            barrier(CLK_LOCAL_MEM_FENCE);
            int end = r < rows_left ? min(TILE_N, columns_left) : 0;
            for (int i = item; i < end; i += ITEMS) {
                float s = 0.0f;
                for (int j = 0; j < ADDERS; j++)
                    s += parts[j * TILE_N + i];
                int place = at.w + (m0 + r) * p.dst_m + (n0 + i) * p.dst_n;
                s = PREPARE(s, dst, place);
#ifdef BIAS
                s += LOAD(BIAS, bias,
                        at.z + (m0 + r) * p.bias_m + (n0 + i) * p.bias_n);
#endif
                STORE(DST, FINISH(s, dst, place), dst, place);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}
