/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution as a matrix product that is never laid out: rows (m) are the
 * output channels of a group, columns (n) are output pixels of all images,
 * products (k) are the taps: input channels times places of the kernel window.
 * Spatial dimensions are z, y, x; missing ones have size 1.
 *
 * A TRANSPOSED one (a deconvolution) spreads each pixel of src over dst by the
 * window; strides are those of src's pixels in dst. The pixels of dst that are
 * a stride apart are reached from by the same taps, and no others by these:
 * they are a convolution with stride 1 and a part of the window. There is one
 * for each of the first pixels, strides_z * strides_y * strides_x phases.
 */

/* struct convolution_params of convolution_plan.c. */
struct convolution_params {
    int tiles; /* tiles_mn * groups */
    int tiles_m;
    int tiles_mn; /* of one group */
    int m;        /* output channels of a group */
    int n;        /* output pixels */
    int k;        /* taps */
    int channels; /* input channels of a group */
    int runs;     /* 1: taps or pixels that follow are neighbours in src; 2:
                     pixels are every other one, for STRIPS */
    int out_z, out_y, out_x;
    int in_z, in_y, in_x;
    int kernel_z, kernel_y, kernel_x;
    int stride_z, stride_y, stride_x;
    int step_z, step_y, step_x; /* from tap to tap: dilation + 1 */
    int padding_z, padding_y, padding_x;
    int src_size; /* elements; 0: others' are between them */
    int src_offset, src_n, src_g, src_c, src_z, src_y, src_x;
    int weights_offset, weights_g, weights_m, weights_k;
    int weights_c, weights_z, weights_y, weights_x; /* WEIGHTS_IRREGULAR */
    int bias_offset, bias_g, bias_m;
    int dst_offset, dst_n, dst_g, dst_m, dst_z, dst_y, dst_x;
    int next_c, next_z, next_y, next_x; /* TILE_K as a number of taps */
    int images;
    int phases_z, phases_y, phases_x;    /* 1 if not TRANSPOSED */
    int every_z, every_y, every_x; /* from a phase's tap to its next */
};

/* Where the problem is that a tile is part of. */
#ifdef TRANSPOSED
#define PROBLEM __local struct convolution_params
#define HERE here
#else
#define PROBLEM struct convolution_params
#define HERE p
#endif

/* Work-items copy runs of WIDTH taps of one pixel, or pixels of one tap. */
#ifdef TAPS_INNER
#define RUN_TAPS WIDTH
#define RUN_PIXELS 1
#else
#define RUN_TAPS 1
#define RUN_PIXELS WIDTH
#endif

/* Zero points by channel have a pointer, which is a kernel's argument. */
#ifdef SRC_ZERO_POINT_BY_CHANNEL
#define SRC_ZERO_PARAMETER , const __global ELEMENT(SRC_ZERO_POINT) *src_zeros
#define SRC_ZERO_ARGUMENT(group) , src_zero_point + (group) * p.channels
#define SRC_ZERO_OF(k, zero) at->tap_zero[k]
#else
#define SRC_ZERO_PARAMETER
#define SRC_ZERO_ARGUMENT(group)
#define SRC_ZERO_OF(k, zero) (zero)
#endif
#ifdef WEIGHTS_ZERO_POINT_BY_CHANNEL
#define WEIGHTS_ZERO const __global ELEMENT(WEIGHTS_ZERO_POINT) *
#define WEIGHTS_ZERO_OF(zeros, m) (number)(zeros)[m]
#else
#define WEIGHTS_ZERO number
#define WEIGHTS_ZERO_OF(zero, m) (zero)
#endif

/* A run of taps is one of channels. */
#if defined(SRC_ZERO_POINT_BY_CHANNEL) && defined(TAPS_INNER)
#define HAS_RUNS 0
#else
#define HAS_RUNS (WIDTH > 1)
#endif

/* Results of integers that nothing makes a float of on their way. */
#if defined(INTEGER_SUMS) && IS_INTEGER(DST) && !HAS_TAIL \
        && (!defined(BIAS) || IS_INTEGER(BIAS))
#define INTEGER_RESULTS
#endif

/* A place that no sum with a tap's or a pixel's brings into the image. */
#define OUTSIDE (-(1 << 30))

/* A tap by its channel and its place in the window. */
struct tap {
    int c;
    int z;
    int y;
    int x;
};

/* Where the tile's pixels are in src (first tap, maybe in the padding) and in
 * dst, and where its taps are from there. */
struct places {
    int pixel_z[TILE_N];
    int pixel_y[TILE_N];
    int pixel_x[TILE_N];
    int pixel_src[TILE_N];
    int pixel_dst[TILE_N];
    int tap_z[TILE_K];
    int tap_y[TILE_K];
    int tap_x[TILE_K];
    int tap_src[TILE_K];
#ifdef WEIGHTS_IRREGULAR
    int tap_weights[TILE_K];
#endif
#ifdef SRC_ZERO_POINT_BY_CHANNEL
    number tap_zero[TILE_K];
#endif
    struct tap first[TILE_K]; /* of every tile, or the phase's */
    struct tap next[TILE_K];  /* of this tile, next filling */
};

/* Tap number k: channels run fastest if TAPS_INNER, else slowest. */
INLINE struct tap tap_of(const PROBLEM *p, int k)
{
    struct tap t;
#ifdef TAPS_INNER
    t.c = k % p->channels;
    k /= p->channels;
#endif
    t.x = k % p->kernel_x;
    k /= p->kernel_x;
    t.y = k % p->kernel_y;
    k /= p->kernel_y;
#ifdef TAPS_INNER
    t.z = k;
#else
    t.z = k % p->kernel_z;
    t.c = k / p->kernel_z;
#endif
    return t;
}

/* The tap TILE_K further, without a division. */
INLINE struct tap tap_next(
        const PROBLEM *p, struct tap t)
{
#ifdef TAPS_INNER
    t.c += p->next_c;
    int carry = t.c >= p->channels;
    t.c -= carry ? p->channels : 0;
    t.x += carry;
#else
    int carry;
#endif
    t.x += p->next_x;
    carry = t.x >= p->kernel_x;
    t.x -= carry ? p->kernel_x : 0;
    t.y += p->next_y + carry;
    carry = t.y >= p->kernel_y;
    t.y -= carry ? p->kernel_y : 0;
    t.z += p->next_z + carry;
#ifndef TAPS_INNER
    carry = t.z >= p->kernel_z;
    t.z -= carry ? p->kernel_z : 0;
    t.c += p->next_c + carry;
#endif
    return t;
}

#ifdef TRANSPOSED
/* A dimension of a phase, in that of the whole. */
struct phase {
    int out; /* pixels of dst, at least 1 */
    int tap; /* the first of `taps` ones */
    int taps;
    int padding; /* with stride 1 */
};

/* Of the pixels first, first + stride and so on of dst. Tap t leads to dst from
 * pixel (first + padding - t * step) / stride of src, if that is one. */
static inline struct phase phase_of(int first, int out, int kernel_size,
        int stride, int step, int padding, int every)
{
    struct phase phase;
    int most = min(every, kernel_size);
    int tap = 0;
    while (tap < most && (first + padding - tap * step) % stride != 0)
        tap++;
    phase.out = (out - 1 - first) / stride + 1;
    phase.tap = tap;
    phase.taps = tap < most ? (kernel_size - 1 - tap) / every + 1 : 0;
    phase.padding = (tap * step - first - padding) / stride;
    return phase;
}

#define TAKE_PHASE(d)                                                         \
    first = phase % p->phases_##d;                                            \
    phase /= p->phases_##d;                                                   \
    part = phase_of(first, p->out_##d, p->kernel_##d, p->stride_##d,          \
            p->step_##d, p->padding_##d, p->every_##d);                       \
    here->out_##d = part.out;                                                 \
    here->n *= part.out;                                                      \
    here->kernel_##d = max(part.taps, 1);                                     \
    here->k *= part.taps;                                                     \
    here->next_##d = rest % here->kernel_##d;                                 \
    rest /= here->kernel_##d;                                                 \
    here->stride_##d = 1;                                                     \
    here->step_##d = -(p->every_##d * p->step_##d / p->stride_##d);           \
    here->padding_##d = part.padding;                                         \
    here->weights_offset += part.tap * p->weights_##d;                        \
    here->weights_##d = p->every_##d * p->weights_##d;                        \
    here->dst_offset += first * p->dst_##d;                                   \
    here->dst_##d = p->stride_##d * p->dst_##d;

/* Makes *here the convolution that a phase of *p is. Phases are as large as the
 * first one, or smaller: for a tile that is left over there is nothing to sum
 * up. */
INLINE void take_phase(const struct convolution_params *p, int phase, int n0,
        __local struct convolution_params *here)
{
    struct phase part;
    int first;
    int rest = TILE_K;
    *here = *p;
    here->n = p->images;
    here->k = p->channels;
#ifdef TAPS_INNER
    here->next_c = rest % max(p->channels, 1);
    rest /= max(p->channels, 1);
#endif
    TAKE_PHASE(x)
    TAKE_PHASE(y)
    TAKE_PHASE(z)
#ifdef TAPS_INNER
    /* What is beyond the window is beyond the last tap. */
    here->next_z += rest * here->kernel_z;
#else
    here->next_c = rest;
#endif
    if (n0 >= here->n) here->k = 0;
}
#endif

INLINE void place_pixels(
        const PROBLEM *p, int n0, __local struct places *at)
{
    for (int i = (int)get_local_id(0); i < TILE_N; i += ITEMS) {
        int rest = n0 + i;
        int x = rest % p->out_x;
        rest /= p->out_x;
        int y = rest % p->out_y;
        rest /= p->out_y;
        int z = rest % p->out_z;
        int image = rest / p->out_z;
        at->pixel_dst[i] =
                image * p->dst_n + z * p->dst_z + y * p->dst_y + x * p->dst_x;
        z = z * p->stride_z - p->padding_z;
        y = y * p->stride_y - p->padding_y;
        x = x * p->stride_x - p->padding_x;
        at->pixel_src[i] =
                image * p->src_n + z * p->src_z + y * p->src_y + x * p->src_x;
        at->pixel_z[i] = z;
        at->pixel_y[i] = y;
        at->pixel_x[i] = n0 + i < p->n ? x : OUTSIDE;
    }
}

INLINE void place_first_taps(const PROBLEM *p, __local struct places *at)
{
    for (int i = (int)get_local_id(0); i < TILE_K; i += ITEMS)
        at->first[i] = tap_of(p, i);
}

INLINE void place_taps(const PROBLEM *p, int k0,
        __local struct places *at SRC_ZERO_PARAMETER)
{
    for (int i = (int)get_local_id(0); i < TILE_K; i += ITEMS) {
        struct tap t = k0 == 0 ? at->first[i] : at->next[i];
        int z = t.z * p->step_z;
        int y = t.y * p->step_y;
        int x = t.x * p->step_x;
        at->tap_src[i] =
                t.c * p->src_c + z * p->src_z + y * p->src_y + x * p->src_x;
        at->tap_z[i] = z;
        at->tap_y[i] = y;
        at->tap_x[i] = k0 + i < p->k ? x : OUTSIDE;
#ifdef WEIGHTS_IRREGULAR
        at->tap_weights[i] = t.c * p->weights_c + t.z * p->weights_z
                             + t.y * p->weights_y + t.x * p->weights_x;
#endif
#ifdef SRC_ZERO_POINT_BY_CHANNEL
        at->tap_zero[i] = k0 + i < p->k ? (number)src_zeros[t.c] : (number)0;
#endif
        at->next[i] = tap_next(p, t);
    }
}

/* True if tap k of pixel n is in the image, not in the padding. */
INLINE bool is_inside(const PROBLEM *p,
        const __local struct places *at, int n, int k)
{
    return (uint)(at->pixel_x[n] + at->tap_x[k]) < (uint)p->in_x
           && (uint)(at->pixel_y[n] + at->tap_y[k]) < (uint)p->in_y
           && (uint)(at->pixel_z[n] + at->tap_z[k]) < (uint)p->in_z;
}

/* True if the run from tap k of pixel n is one of neighbours in src, none in
 * the padding. Pixels whose x differ by the run's length are in one line. */
INLINE bool is_run(const PROBLEM *p,
        const __local struct places *at, int n, int k)
{
    int last_n = n + RUN_PIXELS - 1;
    int last_k = k + RUN_TAPS - 1;
    return p->runs && at->pixel_x[last_n] - at->pixel_x[n] == RUN_PIXELS - 1
           && is_inside(p, at, n, k) && is_inside(p, at, last_n, last_k);
}

#if RUN_PIXELS > 1
typedef PASTE(int, WIDTH) places_of_run;
typedef PASTE(uint, WIDTH) distances_of_run;
#ifdef INTEGER_SUMS
typedef PASTE(int, WIDTH) numbers_of_run;
#else
typedef PASTE(float, WIDTH) numbers_of_run;
#endif

#if WIDTH != 16
#error "no run of this length"
#endif
#define NEIGHBOURS \
    (places_of_run)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define PLACES_OF_RUN(from, n) PASTE(vload, WIDTH)(0, (from) + (n))
#define IS_BELOW(places, size) \
    (PASTE(as_uint, WIDTH)(places) < (distances_of_run)((uint)(size)))

/* Copies a run of which a part is in the padding, or in another line. Pixels are
 * mostly neighbours in src from line to line, too: then what is not there is
 * read with the others, as far as src goes, and left out; if there are others'
 * elements between its own, src_left is not positive. */
INLINE void copy_parts_of_run(const PROBLEM *p,
        const __local struct places *at, const __global ELEMENT(SRC) *src,
        int src_left, number zero, int n, int k, __local number *b)
{
    places_of_run is_there =
            IS_BELOW(PLACES_OF_RUN(at->pixel_x, n) + at->tap_x[k], p->in_x)
            & IS_BELOW(PLACES_OF_RUN(at->pixel_y, n) + at->tap_y[k], p->in_y)
            & IS_BELOW(PLACES_OF_RUN(at->pixel_z, n) + at->tap_z[k], p->in_z);
    places_of_run pixels = PLACES_OF_RUN(at->pixel_src, n);
    int first = at->pixel_src[n] + at->tap_src[k];
    /* Every one that is there: steps to another line and to another plane may
     * add up to 0 between the ends. */
    if (p->runs && first >= 0 && first <= src_left - WIDTH
            && !any(is_there & (pixels - at->pixel_src[n] != NEIGHBOURS))) {
        numbers_of_run values = TILE_LOAD_VECTOR(SRC, WIDTH, src + first) - zero;
        PASTE(vstore, WIDTH)
        (select((numbers_of_run)(0), values, is_there), 0, b);
        return;
    }
    int from[WIDTH];
    PASTE(vstore, WIDTH)
    (select((places_of_run)(-1), pixels + at->tap_src[k], is_there), 0, from);
    for (int i = 0; i < WIDTH; i++)
        b[i] = from[i] >= 0 ? TILE_LOAD(SRC, src, from[i]) - zero : (number)0;
}
#endif

#if RUN_PIXELS > 1 && defined(STRIPS)
/* The pixels of a run in src, and which of them do not lie behind the first. */
struct pixels {
    places_of_run z, y, x, src;
    places_of_run elsewhere;
    int first;
    bool is_line; /* none is elsewhere, nor behind the last pixel */
};

/* The numbers of a run that begins at src. Those between are read, too. */
INLINE numbers_of_run load_run(
        const PROBLEM *p, const __global ELEMENT(SRC) *src)
{
    numbers_of_run left = TILE_LOAD_VECTOR(SRC, WIDTH, src);
    if (p->runs == 1) return left;
    numbers_of_run right = TILE_LOAD_VECTOR(SRC, WIDTH, src + WIDTH);
    return (numbers_of_run)(left.even, right.even);
}

/* Copies a run's first `taps` taps as copy_parts_of_run() does one. */
INLINE void copy_run(const PROBLEM *p, const __local struct places *at,
        const __global ELEMENT(SRC) *src, int src_left, number zero, int n,
        int taps, __local number *b)
{
    struct pixels run;
    run.z = PLACES_OF_RUN(at->pixel_z, n);
    run.y = PLACES_OF_RUN(at->pixel_y, n);
    run.x = PLACES_OF_RUN(at->pixel_x, n);
    run.src = PLACES_OF_RUN(at->pixel_src, n);
    run.first = at->pixel_src[n];
    run.elsewhere = run.src - run.first != NEIGHBOURS * p->runs;
    run.is_line = p->runs
                  && at->pixel_x[n + WIDTH - 1] - at->pixel_x[n]
                             == (WIDTH - 1) * p->runs;
    for (int k = 0; k < taps; k++, b += TILE_N) {
        int first = run.first + at->tap_src[k];
        bool is_read = first >= 0 && first <= src_left - WIDTH * p->runs;
        if (run.is_line && (is_read || p->runs == 1) && is_inside(p, at, n, k)
                && is_inside(p, at, n + WIDTH - 1, k)) {
            PASTE(vstore, WIDTH)
            (load_run(p, src + first) - SRC_ZERO_OF(k, zero), 0, b);
            continue;
        }
        places_of_run is_there = IS_BELOW(run.x + at->tap_x[k], p->in_x)
                                 & IS_BELOW(run.y + at->tap_y[k], p->in_y)
                                 & IS_BELOW(run.z + at->tap_z[k], p->in_z);
        if (p->runs && !any(is_there & run.elsewhere)
                && (is_read || (p->runs == 1 && all(is_there)))) {
            numbers_of_run values =
                    load_run(p, src + first) - SRC_ZERO_OF(k, zero);
            PASTE(vstore, WIDTH)
            (select((numbers_of_run)(0), values, is_there), 0, b);
            continue;
        }
        int from[WIDTH];
        PASTE(vstore, WIDTH)
        (select((places_of_run)(-1), run.src + at->tap_src[k], is_there), 0,
                from);
        for (int i = 0; i < WIDTH; i++)
            b[i] = from[i] >= 0
                           ? TILE_LOAD(SRC, src, from[i]) - SRC_ZERO_OF(k, zero)
                           : (number)0;
    }
}
#endif

/* Fills b with the tile's taps of its pixels less `zero`, the zero point, and
 * with 0 in the padding. So many elements are left of src, taps and pixels. */
INLINE void fill_columns(const PROBLEM *p,
        const __local struct places *at, const __global ELEMENT(SRC) *src,
        int src_left, int products_left, int columns_left, number zero,
        __local number *b)
{
#if RUN_PIXELS > 1 && defined(STRIPS)
    int taps = min(products_left, TILE_K);
    for (int n = 0; n < min(columns_left, TILE_N); n += WIDTH)
        copy_run(p, at, src, src_left, zero, n, taps, b + n);
#else
#if RUN_PIXELS > 1
    int runs = min(products_left, TILE_K) * (TILE_N / WIDTH);
#else
    int runs = B_SIZE / WIDTH;
#endif
    for (int i = (int)get_local_id(0); i < runs; i += ITEMS) {
#ifdef TAPS_INNER
        int n = i / (TILE_K / WIDTH);
        int k = i % (TILE_K / WIDTH) * WIDTH;
#else
        int n = i % (TILE_N / WIDTH) * WIDTH;
        int k = i / (TILE_N / WIDTH);
#endif
        if (HAS_RUNS && is_run(p, at, n, k)) {
            tile_copy_src(src + at->pixel_src[n] + at->tap_src[k], 1, WIDTH,
                    SRC_ZERO_OF(k, zero), b + k * TILE_N + n, RUN_TAPS > 1 ? TILE_N : 1);
            continue;
        }
#if RUN_PIXELS > 1
        copy_parts_of_run(p, at, src, src_left, SRC_ZERO_OF(k, zero), n, k,
                b + k * TILE_N + n);
#else
        for (int j = 0; j < WIDTH; j++) {
            b[k * TILE_N + n] =
                    is_inside(p, at, n, k)
                            ? TILE_LOAD(SRC, src,
                                      at->pixel_src[n] + at->tap_src[k])
                                      - SRC_ZERO_OF(k, zero)
                            : (number)0;
            k += RUN_TAPS > 1;
        }
#endif
    }
#endif
}

/* Where the tile's tap k is in weights, of which the tile begins at k0. */
#ifdef WEIGHTS_IRREGULAR
#define TAP_WEIGHTS(k, k0) at->tap_weights[k]
#else
#define TAP_WEIGHTS(k, k0) (((k0) + (k)) * p->weights_k)
#endif

/* Fills a with the tile's weights less their zero points, which are those of
 * its rows. */
INLINE void fill_rows(const PROBLEM *p,
        const __local struct places *at,
        const __global ELEMENT(WEIGHTS) *weights, int m_left, int k0,
        WEIGHTS_ZERO zero, __local number *a)
{
#if defined(WEIGHTS_IRREGULAR) || defined(WEIGHTS_ZERO_POINT_BY_CHANNEL)
    for (int i = (int)get_local_id(0); i < A_LINES * TILE_K; i += ITEMS) {
        int m = i / TILE_K;
        int k = i % TILE_K;
        bool is_there = m < m_left && k0 + k < p->k;
        a[m * A_M + k * A_K] =
                is_there ? TILE_LOAD(WEIGHTS, weights,
                                   m * p->weights_m + TAP_WEIGHTS(k, k0))
                                   - WEIGHTS_ZERO_OF(zero, m)
                         : (number)0;
    }
#elif defined(A_K_INNER)
    /* What tile_multiply() passes over is not filled. */
    int lines = min((m_left + ROWS - 1) / ROWS * ROWS, A_LINES);
    tile_fill_weights(weights + k0 * p->weights_k, p->weights_m, p->weights_k,
            m_left, p->k - k0, zero, a, A_M, A_K, lines, TILE_K);
#else
    tile_fill_weights(weights + k0 * p->weights_k, p->weights_k, p->weights_m,
            p->k - k0, m_left, zero, a, A_K, A_M, TILE_K, TILE_M);
#endif
}

#ifdef STRIPS
/* Are these WIDTH places of dst side by side? */
INLINE bool are_neighbours(const __local int *places)
{
    const int16 steps = (int16)(
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return all(vload16(0, places) == (int16)(places[0]) + steps);
}
#endif

/* Makes a result of row m of a tile's sum, number `at` of its results, and
 * stores it at place `to`. */
#ifdef INTEGER_RESULTS
#ifdef BIAS
#define ADD_BIAS(s, m) add_sat(s, convert_int(addend[(m) * bias_m]))
#else
#define ADD_BIAS(s, m) (s)
#endif
#define TAKE_UP(at, m, to)                 \
    {                                      \
        int place = to;                    \
        int s = ADD_BIAS(results[at], m);  \
        STORE_INTEGER(DST, s, dst, place); \
    }
#else
#ifdef BIAS
#define ADD_BIAS(s, m) ((s) + LOAD(BIAS, addend, (m) * bias_m))
#else
#define ADD_BIAS(s, m) (s)
#endif
#define TAKE_UP(at, m, to)                             \
    {                                                  \
        int place = to;                                \
        float s = convert_float(results[at]);          \
        s = PREPARE(s, dst, place);                    \
        s = ADD_BIAS(s, m);                            \
        STORE(DST, FINISH(s, dst, place), dst, place); \
    }
#endif

__kernel GROUP_OF_ITEMS void convolution(
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
        const struct convolution_params p TAIL_PARAMETERS)
{
    __local number memory[TILE_MEMORY_SIZE] __attribute__((aligned(64)));
    __local struct places at;
#ifdef TRANSPOSED
    __local struct convolution_params here;
#endif
    __local number *a = memory;
    __local number *b = memory + A_SIZE;
    int item = (int)get_local_id(0);
    if (p.tiles == 0) return;
    number src_zero = 0;
#if defined(SRC_ZERO_POINT) && !defined(SRC_ZERO_POINT_BY_CHANNEL)
    src_zero = (number)src_zero_point[0];
#endif
#ifdef WEIGHTS_ZERO_POINT_BY_CHANNEL
#define WEIGHTS_ZERO_ARGUMENT(m) weights_zero_point + group * p.m + m0 + (m)
#else
#define WEIGHTS_ZERO_ARGUMENT(m) weights_zero
    number weights_zero = 0;
#ifdef WEIGHTS_ZERO_POINT
    weights_zero = (number)weights_zero_point[0];
#endif
#endif
#ifdef TRANSPOSED
    int phases = p.phases_z * p.phases_y * p.phases_x;
#else
    place_first_taps(&p, &at);
#endif

    for (int tile = (int)get_group_id(0); tile < p.tiles;
            tile += (int)get_num_groups(0)) {
        int group = tile / p.tiles_mn;
        int in_group = tile - group * p.tiles_mn;
        int m0 = in_group % p.tiles_m * TILE_M;
        int n0 = in_group / p.tiles_m * TILE_N;
#ifdef TRANSPOSED
        if (item == 0) take_phase(&p, group % phases, n0, &here);
        group /= phases;
        TILE_BARRIER();
        place_first_taps(&here, &at);
#endif
        place_pixels(&HERE, n0, &at);
        TILE_SUMS(memory);
        tile_clear(sums, p.m - m0);
        int columns_left = HERE.n - n0;
        for (int k0 = 0; k0 < HERE.k; k0 += TILE_K) {
            place_taps(&HERE, k0, &at SRC_ZERO_ARGUMENT(group));
#ifdef STRIPS
            fill_columns(&HERE, &at, src + p.src_offset + group * p.src_g,
                    p.src_size - group * p.src_g, HERE.k - k0, columns_left,
                    src_zero, b);
            int lines = min(p.m - m0, TILE_M);
            for (int m = 0; m < lines; m += ROWS) {
                fill_rows(&HERE, &at,
                        weights + HERE.weights_offset + group * p.weights_g
                                + (m0 + m) * p.weights_m,
                        p.m - m0 - m, k0, WEIGHTS_ZERO_ARGUMENT(m), a);
                tile_multiply(a, b, HERE.k - k0, columns_left,
                        sums + m * RESULT_M);
            }
#else
            barrier(CLK_LOCAL_MEM_FENCE);
            fill_rows(&HERE, &at,
                    weights + HERE.weights_offset + group * p.weights_g
                            + m0 * p.weights_m,
                    p.m - m0, k0, WEIGHTS_ZERO_ARGUMENT(0), a);
            fill_columns(&HERE, &at, src + p.src_offset + group * p.src_g,
                    p.src_size - group * p.src_g, HERE.k - k0, columns_left,
                    src_zero, b);
            barrier(CLK_LOCAL_MEM_FENCE);
            tile_multiply(a, b, p.m - m0, HERE.k - k0, sums);
#endif
        }
        TILE_BARRIER();
        const __local number *results = TILE_RESULTS(memory, sums);
#ifndef STRIPS
        tile_lay_down(sums, memory);
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        int rows_left = p.m - m0;
        int dst_m = p.dst_m;
        int to0 = HERE.dst_offset + group * p.dst_g + m0 * dst_m;
#ifdef BIAS
        int bias_m = p.bias_m;
        const __global ELEMENT(BIAS) *addend =
                bias + p.bias_offset + group * p.bias_g + m0 * bias_m;
#endif
        int runs = RUNS(rows_left);
        for (int i = item; i < runs; i += ITEMS) {
            int m = RUN_M(i);
            int n = RUN_N(i);
            int end = m < rows_left ? min(n + WIDTH, columns_left) : 0;
            int from = m * RESULT_M;
            int to = to0 + m * dst_m;
#ifdef STRIPS
            /* What compilers make vectors of. */
            if (end - n == WIDTH && are_neighbours(at.pixel_dst + n)) {
                to += at.pixel_dst[n];
                for (int j = 0; j < WIDTH; j++)
                    TAKE_UP(from + n + j, m, to + j)
                continue;
            }
#endif
            for (; n < end; n++)
                TAKE_UP(from + n, m, to + at.pixel_dst[n])
        }
        TILE_BARRIER();
    }
}
