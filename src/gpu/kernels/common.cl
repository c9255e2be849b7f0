/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What several kernels share: where the elements of a strided tensor are, and
 * the tiles of matmul and convolution.
 *
 * Kernels know shapes from a struct of 32-bit members that mirrors one in
 * src/gpu/primitives. Work-groups loop over what the launch left them, so any
 * number of groups will do.
 */

#define MAX_DIMS 12

/* For functions that take local memory. PoCL would else have all work-groups
 * share it: it takes a function that is always given the same array, and is not
 * inlined, for the user of a global one. */
#define INLINE static inline __attribute__((always_inline))

/* The local size of every launch, -DITEMS=, for compilers that make use of it.
 * PoCL compiles for the size of the launch anyway. Told of it, PoCL (3.1)
 * compiles the code that a binary has for all launches for that size, too, and
 * takes it for that of a launch: if the binary is asked for while the kernel
 * runs, in whichever context, the process is aborted (layer/driver/quirks.h).
 */
#ifdef POCL_DEVICE_ADDRESS_BITS /* PoCL's own macro */
#define GROUP_OF_ITEMS
#else
#define GROUP_OF_ITEMS __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
#endif

/* ---- Element-wise kernels ------------------------------------------------ */
/*
 * Elements are taken in runs of RUN neighbours along the innermost dimension
 * of dst: the lines. RUN is 1 on GPUs, where neighbouring work-items share a
 * transaction, and some vectors long on CPUs, where they run one after the
 * other. A line's last run may be shorter.
 */
#ifdef RUN

#define MAX_LINE_DIMS (MAX_DIMS - 1)

/* struct elementwise_params of plan.h; with PAIRS, of several
 * sources, pairwise_params. */
struct elementwise_params {
    int runs;      /* line_runs * lines */
    int line_runs; /* of one line */
    int line;      /* elements of one line */
    int src_offset;
    int dst_offset;
    int src_stride; /* within a line; 1 without STRIDED */
    int dst_stride;
    float alpha;
    float beta;
    int dims[MAX_LINE_DIMS]; /* of lines; unused ones, at the front, are 1 */
    int src_strides[MAX_LINE_DIMS];
    int dst_strides[MAX_LINE_DIMS];
#ifdef PAIRS
    struct {
        int offset;
        int stride;
        int strides[MAX_LINE_DIMS];
    } more[2]; /* src1, src2 */
#endif
};

struct run {
    int src; /* place of the first element */
    int dst;
#ifdef PAIRS
    int src1;
    int src2;
#endif
    int count;
};

/* Places in src and dst, and src1 and src2. */
#ifdef PAIRS
typedef int4 places;
#define OFFSETS(p)                                                 \
    (int4)((p)->src_offset, (p)->dst_offset, (p)->more[0].offset, \
            (p)->more[1].offset)
#define STRIDES(p)                                                 \
    (int4)((p)->src_stride, (p)->dst_stride, (p)->more[0].stride, \
            (p)->more[1].stride)
#define LINE_STRIDES(p, d)                            \
    (int4)((p)->src_strides[d], (p)->dst_strides[d], \
            (p)->more[0].strides[d], (p)->more[1].strides[d])
#else
typedef int2 places;
#define OFFSETS(p) (int2)((p)->src_offset, (p)->dst_offset)
#define STRIDES(p) (int2)((p)->src_stride, (p)->dst_stride)
#define LINE_STRIDES(p, d) (int2)((p)->src_strides[d], (p)->dst_strides[d])
#endif

/* Takes dimension d off the line number. */
#define LINE_DIM(d)                                           \
    rest = line / p->dims[d];                                 \
    at += (line - rest * p->dims[d]) * LINE_STRIDES(p, d); \
    line = rest;

#ifdef STRIDED
/* Where a line starts in the tensors. STRIDED is the number of dimensions of
 * lines, from the end of the arrays, that may be in use. */
static inline places line_of(const struct elementwise_params *p, int line)
{
    places at = OFFSETS(p);
    int rest;
    LINE_DIM(10)
    LINE_DIM(9)
    LINE_DIM(8)
#if STRIDED > 3
    LINE_DIM(7)
    LINE_DIM(6)
    LINE_DIM(5)
    LINE_DIM(4)
    LINE_DIM(3)
    LINE_DIM(2)
    LINE_DIM(1)
    LINE_DIM(0)
#endif
    return at;
}
#endif

/* Run number i. Without STRIDED there is one line, dense in all tensors. */
static inline struct run run_of(const struct elementwise_params *p, int i)
{
    struct run run;
#ifdef STRIDED
    int line = i / p->line_runs;
    int first = (i - line * p->line_runs) * RUN;
    places at = line_of(p, line) + first * STRIDES(p);
#else
    int first = i * RUN;
    places at = OFFSETS(p) + first;
#endif
    run.src = at.x;
    run.dst = at.y;
#ifdef PAIRS
    run.src1 = at.z;
    run.src2 = at.w;
#endif
    run.count = min(RUN, p->line - first);
    return run;
}

/* Distances of neighbours in a line. */
#ifdef STRIDED
#define SRC_STRIDE(p) ((p).src_stride)
#define DST_STRIDE(p) ((p).dst_stride)
#define SRC1_STRIDE(p) ((p).more[0].stride)
#define SRC2_STRIDE(p) ((p).more[1].stride)
#else
#define SRC_STRIDE(p) 1
#define DST_STRIDE(p) 1
#define SRC1_STRIDE(p) 1
#define SRC2_STRIDE(p) 1
#endif
#endif

/* ---- Factors ------------------------------------------------------------- */
/*
 * The factors of a product are of the types SRC and WEIGHTS. They are multiplied
 * and summed up as float, or, if both are integers (INTEGER_SUMS), as int: then
 * nothing is rounded. NUMBERS(n) is a vector of them.
 */
#ifdef WEIGHTS
#ifdef INTEGER_SUMS
typedef int number;
#define NUMBERS(n) PASTE(int, n)
#define TILE_LOAD(type, at, i) LOAD_INTEGER(at, i)
#define TILE_LOAD_VECTOR(type, n, at) LOAD_INTEGER_VECTOR(n, at)
#else
typedef float number;
#define NUMBERS(n) PASTE(float, n)
#define TILE_LOAD(type, at, i) LOAD(type, at, i)
#define TILE_LOAD_VECTOR(type, n, at) LOAD_VECTOR(type, n, at)
#endif

/* s + a * b */
#if defined(USE_FMA) && !defined(INTEGER_SUMS)
#define MULTIPLY_ADD(a, b, s) fma(a, b, s)
#else
#define MULTIPLY_ADD(a, b, s) ((s) + (a) * (b))
#endif
#endif

/* ---- Tiles --------------------------------------------------------------- */
/*
 * A work-group computes TILE_M x TILE_N results at a time, TILE_K products of
 * each from one filling of two tiles in local memory: a, the rows, and b, the
 * columns. Each of its ITEMS_M x ITEMS_N work-items keeps ROWS x COLS of the
 * sums in registers. COLS is the width of a vector: compilers for CPUs make
 * SIMD code of it.
 *
 * WIDTH is how many neighbours a work-item copies at a time: 1 on GPUs, where
 * neighbouring work-items share a transaction, a vector on CPUs, where they
 * run one after the other.
 *
 * With STRIPS a group is one work-item, for devices whose work-items run one
 * after the other. It computes STRIPS * ROWS rows and VECTORS * COLS columns:
 * with each filling of b, strips of ROWS rows after each other, of which a holds
 * one. A strip's sums are in registers while its products are added, else in
 * local memory, where results are taken up later. There are no barriers.
 */
#ifdef TILE_K

#define ITEMS (ITEMS_M * ITEMS_N)
#ifdef STRIPS
#define TILE_M (STRIPS * ROWS)
#define TILE_N (VECTORS * COLS)
#define A_LINES ROWS
#define TILE_BARRIER()
#if ITEMS != 1 || VECTORS != 2 || COLS != WIDTH || !defined(A_K_INNER)
#error "no strips like these"
#endif
#else
#define TILE_M (ITEMS_M * ROWS)
#define TILE_N (ITEMS_N * COLS)
#define A_LINES TILE_M
#define TILE_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#endif

/* Runs are whole. */
#if TILE_N % WIDTH != 0 || TILE_K % WIDTH != 0
#error "a tile that runs do not fill"
#endif
#if TILE_M % WIDTH != 0 && !defined(A_K_INNER)
#error "a tile too low for runs of rows"
#endif

typedef NUMBERS(COLS) columns;

/* Places of neighbours in a. The lines are padded, to spread them over the
 * banks of local memory, or the sets of a cache. */
#ifdef STRIPS
#define A_M (TILE_K + COLS) /* what follows is aligned as vectors are */
#define A_K 1
#define A_SIZE (ROWS * A_M)
#elif WIDTH > 1 && defined(A_K_INNER)
#define A_M (TILE_K + 4)
#define A_K 1
#define A_SIZE (TILE_M * A_M)
#else
#define A_M 1
#define A_K (TILE_M + 4)
#define A_SIZE (TILE_K * A_K)
#endif
#define B_SIZE (TILE_K * TILE_N)

/* Local memory of a group: the factors, later the results; with STRIPS, both. */
#ifdef STRIPS
#define RESULT_M TILE_N
#else
#define RESULT_M (TILE_N + COLS)
#endif
#define RESULT_SIZE (TILE_M * RESULT_M)
#ifdef STRIPS
#define TILE_MEMORY_SIZE (A_SIZE + B_SIZE + RESULT_SIZE)
#elif A_SIZE + B_SIZE > RESULT_SIZE
#define TILE_MEMORY_SIZE (A_SIZE + B_SIZE)
#else
#define TILE_MEMORY_SIZE RESULT_SIZE
#endif

#if WIDTH > 1
#define TILE_COPY_NEIGHBOURS(type, src, zero, tile)                       \
    PASTE(vstore, WIDTH)                                                  \
    (TILE_LOAD_VECTOR(type, WIDTH, src) - zero, 0, tile)
#else
#define TILE_COPY_NEIGHBOURS(type, src, zero, tile) \
    tile[0] = TILE_LOAD(type, src, 0) - zero
#endif

/* The runs of tile_fill_<name>(), by their line and place in it: one after the
 * other, or by turns. Nobody reads of strips what lies past the matrices. */
#ifdef STRIPS
#define EACH_TILE_RUN                                         \
    for (int line = 0; line < min(lines, lines_left); line++) \
        for (int at = 0; at < min(length, length_left); at += WIDTH)
#else
#define EACH_TILE_RUN                                                          \
    for (int i = (int)get_local_id(0), line = i / (length / WIDTH),            \
             at = i % (length / WIDTH) * WIDTH;                                \
            i < lines * (length / WIDTH); i += ITEMS,                          \
             line = i / (length / WIDTH), at = i % (length / WIDTH) * WIDTH)
#endif

/*
 * For the type of a factor, SRC or WEIGHTS:
 *
 * tile_copy_<name>() copies WIDTH elements less `zero`, the factor's zero
 * point, into a tile; 0 for those past the first count.
 *
 * tile_fill_<name>() fills a tile of lines x length from a matrix of which
 * lines_left x length_left are left; what lies past it is 0.
 */
#define DEFINE_TILE_FILL(name, type)                                          \
    INLINE void tile_copy_##name(const __global ELEMENT(type) *src,           \
            int src_stride, int count, number zero, __local number *tile,     \
            int tile_stride)                                                  \
    {                                                                         \
        if (WIDTH > 1 && count >= WIDTH && src_stride == 1                    \
                && tile_stride == 1) {                                        \
            TILE_COPY_NEIGHBOURS(type, src, zero, tile);                      \
            return;                                                           \
        }                                                                     \
        for (int i = 0; i < WIDTH; i++)                                       \
            tile[i * tile_stride] =                                           \
                    i < count ? TILE_LOAD(type, src, i * src_stride) - zero   \
                              : (number)0;                                    \
    }                                                                         \
                                                                              \
    INLINE void tile_fill_##name(const __global ELEMENT(type) *src,           \
            int src_line, int src_stride, int lines_left, int length_left,    \
            number zero, __local number *tile, int tile_line,                 \
            int tile_stride, int lines, int length)                           \
    {                                                                         \
        EACH_TILE_RUN {                                                       \
            tile_copy_##name(src + line * src_line + at * src_stride,         \
                    src_stride, line < lines_left ? length_left - at : 0,     \
                    zero, tile + line * tile_line + at * tile_stride,         \
                    tile_stride);                                             \
        }                                                                     \
    }

DEFINE_TILE_FILL(src, SRC)
#ifndef UNPACK_WEIGHTS
DEFINE_TILE_FILL(weights, WEIGHTS)
#endif

#define EACH_ROW_4(f) f(0) f(1) f(2) f(3)
#define EACH_ROW_6(f) EACH_ROW_4(f) f(4) f(5)
#define EACH_ROW_8(f) EACH_ROW_6(f) f(6) f(7)
#define EACH_ROW(f) PASTE(EACH_ROW_, ROWS)(f)

#ifdef STRIPS
/* The sums of a tile, line after line. */
typedef __local number *tile_sums;
#define TILE_SUMS(memory) __local number *sums = (memory) + A_SIZE + B_SIZE
#define TILE_RESULTS(memory, sums) (sums)

INLINE void tile_clear(__local number *sums, int lines_left)
{
    int size = min(lines_left + ROWS - 1, TILE_M) * RESULT_M;
    for (int i = 0; i < size; i += COLS)
        *(__local columns *)(sums + i) = (columns)(0);
}

#define STRIP(r, n) *(__local columns *)(sums + (r) * RESULT_M + (n))

/* As many sums as there are registers: with 32 of them, both vectors of a row;
 * else one, and the other in a second turn. Compilers for other processors than
 * x86 have neither macro, and their processors 32. */
#if defined(__AVX512F__) || !(defined(__x86_64__) || defined(__i386__))
#define LOAD_SUMS(r)               \
    columns left##r = STRIP(r, 0); \
    columns right##r = STRIP(r, COLS);
#define STORE_SUMS(r)      \
    STRIP(r, 0) = left##r; \
    STRIP(r, COLS) = right##r;
#define ADD_PRODUCTS(r)                                     \
    {                                                       \
        columns factor = (columns)(a[r * A_M]);             \
        left##r = MULTIPLY_ADD(factor, left, left##r);      \
        right##r = MULTIPLY_ADD(factor, right, right##r);   \
    }

INLINE void tile_multiply(const __local number *a, const __local number *b,
        int products_left, int columns_left, __local number *sums)
{
    EACH_ROW(LOAD_SUMS)
    for (const __local number *end = b + min(products_left, TILE_K) * TILE_N;
            b < end; a += A_K, b += TILE_N) {
        columns left = *(const __local columns *)b;
        columns right = *(const __local columns *)(b + COLS);
        EACH_ROW(ADD_PRODUCTS)
    }
    EACH_ROW(STORE_SUMS)
}
#else
#define LOAD_SUMS(r) columns sum##r = STRIP(r, n);
#define STORE_SUMS(r) STRIP(r, n) = sum##r;
#define ADD_PRODUCTS(r) \
    sum##r = MULTIPLY_ADD((columns)(at[r * A_M]), right, sum##r);

INLINE void tile_multiply(const __local number *a, const __local number *b,
        int products_left, int columns_left, __local number *sums)
{
    for (int n = 0; n < min(columns_left, TILE_N); n += COLS) {
        const __local number *at = a;
        const __local number *from = b + n;
        EACH_ROW(LOAD_SUMS)
        for (int k = min(products_left, TILE_K); k > 0;
                k--, at += A_K, from += TILE_N) {
            columns right = *(const __local columns *)from;
            EACH_ROW(ADD_PRODUCTS)
        }
        EACH_ROW(STORE_SUMS)
    }
}
#endif

#else
/* The address space is named: compilers of OpenCL 2.0 and later take a pointer
 * without one for another type than an array's. */
typedef __private columns *tile_sums;
#define TILE_SUMS(memory) columns sums[ROWS]
#define TILE_RESULTS(memory, sums) (memory)

INLINE void tile_clear(columns sums[ROWS], int lines_left)
{
    for (int r = 0; r < ROWS; r++)
        sums[r] = (columns)(0);
}

#define ADD_PRODUCTS(r) \
    sums[r] = MULTIPLY_ADD((columns)(a[r * A_M]), right, sums[r]);

/* sums += a * b. The loop ends by an address that differs between work-items
 * and has no loop inside: else PoCL would take turns between work-items at
 * every step, with all sums in memory. On CPUs, what is left of the matrices is
 * multiplied and no more; on GPUs, a loop of a known length is faster. */
INLINE void tile_multiply(const __local number *a, const __local number *b,
        int lines_left, int products_left, tile_sums sums)
{
    int item = (int)get_local_id(0);
#if WIDTH > 1
    if (item / ITEMS_N * ROWS >= lines_left) return;
    int size = min(products_left, TILE_K) * TILE_N;
#else
    int size = B_SIZE;
#endif
    a += item / ITEMS_N * ROWS * A_M;
    b += item % ITEMS_N * COLS;
    for (const __local number *end = b + size; b < end;
            a += A_K, b += TILE_N) {
        columns right = *(const __local columns *)b;
        EACH_ROW(ADD_PRODUCTS)
    }
}

/* Lays the sums of all work-items down as TILE_M lines. */
INLINE void tile_lay_down(
        const columns sums[ROWS], __local number *result)
{
    int item = (int)get_local_id(0);
    result += item / ITEMS_N * ROWS * RESULT_M + item % ITEMS_N * COLS;
    for (int r = 0; r < ROWS; r++)
        *(__local columns *)(result + r * RESULT_M) = sums[r];
}
#endif

/* Results are taken up in runs of WIDTH neighbours in a line of the tile: the
 * number of runs, and the row and first column of run i. Neighbouring
 * work-items write neighbours, if those are rows or columns. */
#if defined(STRIPS) && !defined(DST_M_INNER)
#define RUNS(lines_left) (min(lines_left, TILE_M) * (TILE_N / WIDTH))
#else
#define RUNS(lines_left) (TILE_M * TILE_N / WIDTH)
#endif
#ifdef DST_M_INNER
#define RUN_M(i) ((i) % TILE_M)
#define RUN_N(i) ((i) / TILE_M * WIDTH)
#else
#define RUN_M(i) ((i) / (TILE_N / WIDTH))
#define RUN_N(i) ((i) % (TILE_N / WIDTH) * WIDTH)
#endif
#endif
