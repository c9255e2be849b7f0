/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst = post_ops(src, reduced over some dimensions). With GROUP a work-group
 * takes a result, its items share the elements; else a work-item does. The
 * order of the steps depends on ITEMS alone.
 *
 * KEPT and REDUCED are how many dimensions that are kept, or reduced, may be in
 * use, from the end of the arrays.
 */

#define MAX_KEPT (MAX_DIMS - 1)

/* struct reduction_params of reduction.c. */
struct reduction_params {
    int results;
    int length; /* elements of a result; 0: results are those of nothing */
    int src_offset;
    int dst_offset;
    float power;
    float epsilon;
    int kept_dims[MAX_KEPT]; /* unused ones, at the front, are 1 */
    int kept_src[MAX_KEPT];
    int kept_dst[MAX_KEPT];
    int reduced_dims[MAX_DIMS];
    int reduced_src[MAX_DIMS];
};

/* Integers are compared as such: floats are too coarse for s32. */
#if IS_INTEGER(SRC) && (defined(MAX) || defined(MIN))
#define AS_INTEGER 1
typedef int number;
#define READ(at, i) (at)[i]
#define IS_NAN(s) 0
#define LEAST INT_MIN
#define MOST INT_MAX
#else
#define AS_INTEGER 0
typedef float number;
#define READ(at, i) LOAD(SRC, at, i)
#define IS_NAN(s) is_nan(s)
#define LEAST (-INFINITY)
#define MOST INFINITY
#endif

/* What nothing is reduced to, and two parts to one. */
#if defined(MAX)
#define NOTHING LEAST
#define MERGE(a, b) ((b) > (a) || IS_NAN(b) ? (b) : (a))
#elif defined(MIN)
#define NOTHING MOST
#define MERGE(a, b) ((b) < (a) || IS_NAN(b) ? (b) : (a))
#elif defined(MUL)
#define NOTHING 1.0f
#define MERGE(a, b) ((a) * (b))
#else
#define NOTHING 0.0f
#define MERGE(a, b) ((a) + (b))
#endif

/* Of an element. The usual powers are exact and quick. */
static inline number term(number s, float power)
{
#ifdef NORM
    return power == 1.0f   ? fabs(s)
           : power == 2.0f ? s * s
                           : pow(fabs(s), power);
#else
    return s;
#endif
}

static inline number finish(number s, const struct reduction_params *p)
{
#ifdef MEAN
    s /= convert_float(p->length);
#endif
#ifdef NORM
#ifdef AT_LEAST
    s = s < p->epsilon ? p->epsilon : s; /* NaN stays */
#else
    s += p->epsilon;
#endif
#ifdef ROOT
    float power = p->power;
    s = power == 1.0f ? s : power == 2.0f ? sqrt(s) : pow(s, 1.0f / power);
#endif
#endif
    return s;
}

/* ---- Places -------------------------------------------------------------- */

#define KEPT_DIM(d)                            \
    rest = i / p->kept_dims[d];                \
    at += (i - rest * p->kept_dims[d])         \
          * (int2)(p->kept_src[d], p->kept_dst[d]); \
    i = rest;

/* Where result i starts in src, and is in dst. */
static inline int2 result_of(const struct reduction_params *p, int i)
{
    int2 at = (int2)(p->src_offset, p->dst_offset);
    int rest;
    KEPT_DIM(10)
    KEPT_DIM(9)
    KEPT_DIM(8)
#if KEPT > 3
    KEPT_DIM(7)
    KEPT_DIM(6)
    KEPT_DIM(5)
    KEPT_DIM(4)
    KEPT_DIM(3)
    KEPT_DIM(2)
    KEPT_DIM(1)
    KEPT_DIM(0)
#endif
    return at;
}

#define REDUCED_DIM(d)                                                \
    rest = i / p->reduced_dims[d];                                    \
    at += (i - rest * p->reduced_dims[d]) * p->reduced_src[d]; \
    i = rest;

/* From a result's start to its element i. */
static inline int element_of(const struct reduction_params *p, int i)
{
#if REDUCED == 1
    return i * p->reduced_src[11];
#else
    int at = 0;
    int rest;
    REDUCED_DIM(11)
    REDUCED_DIM(10)
    REDUCED_DIM(9)
#if REDUCED > 3
    REDUCED_DIM(8)
    REDUCED_DIM(7)
    REDUCED_DIM(6)
    REDUCED_DIM(5)
    REDUCED_DIM(4)
    REDUCED_DIM(3)
    REDUCED_DIM(2)
    REDUCED_DIM(1)
    REDUCED_DIM(0)
#endif
    return at;
#endif
}

/* ---- Results ------------------------------------------------------------- */

#if AS_INTEGER && IS_INTEGER(DST) && !HAS_TAIL
#define PUT(s, dst, at) STORE_INTEGER(DST, s, dst, at)
#else
#define PUT(s, dst, at) STORE(DST, FINISH((float)(s), dst, at), dst, at)
#endif

/* Of every step-th element of a result, from the first on. */
static inline number reduce(const __global ELEMENT(SRC) *src,
        const struct reduction_params *p, int start, uint first, uint step)
{
    number s = NOTHING;
    uint length = (uint)p->length;
    float power = p->power;
    for (uint i = first; i < length; i += step) {
        number t = term(READ(src, start + element_of(p, (int)i)), power);
        s = MERGE(s, t);
    }
    return s;
}

#ifdef GROUP
/* Of what the group's items have. */
INLINE number merge_items(number s, __local number *memory)
{
    int item = (int)get_local_id(0);
    memory[item] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int count = ITEMS; count > 1;) {
        int left = (count + 1) / 2;
        if (item + left < count) {
            number a = memory[item];
            number b = memory[item + left];
            memory[item] = MERGE(a, b);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        count = left;
    }
    number result = memory[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}
#endif

__kernel GROUP_OF_ITEMS void reduction(
        const __global ELEMENT(SRC) *src, __global ELEMENT(DST) *dst,
        const struct reduction_params p TAIL_PARAMETERS)
{
    uint item = (uint)get_local_id(0);
    uint results = (uint)p.results;
#ifdef GROUP
    __local number memory[ITEMS];
    for (uint i = (uint)get_group_id(0); i < results;
            i += (uint)get_num_groups(0)) {
        int2 at = result_of(&p, (int)i);
        number s = reduce(src, &p, at.x, item, ITEMS);
        s = finish(merge_items(s, memory), &p);
        if (item == 0) PUT(s, dst, at.y);
    }
#else
    uint step = (uint)get_num_groups(0) * ITEMS;
    for (uint first = (uint)get_group_id(0) * ITEMS; first < results;
            first += step) {
        uint i = first + item;
        if (i >= results) continue;
        int2 at = result_of(&p, (int)i);
        number s = finish(reduce(src, &p, at.x, 0, 1), &p);
        PUT(s, dst, at.y);
    }
#endif
}
