/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst = post_ops((src - mean) / sqrt(variance + epsilon) * scale + shift): of
 * batch, layer and group normalization, which differ in what elements have
 * mean and variance in common. These are a set, the elements its members.
 *
 * With RMS the mean counts as 0, and the variance is the mean of squares.
 *
 * With GIVEN, mean and variance are inputs, and a work-item takes a run of
 * neighbours in dst: `outer` tells the lines apart, `inner` is one. Without, a
 * work-group takes a set (`outer` tells the sets apart, `inner` the members)
 * and computes them first; with SAVE it keeps them. Its items read the members
 * three times, each always the same ones, so that src and dst may be one
 * buffer. The order of additions depends on ITEMS alone.
 */

#define MAX_AXES 5

/* struct axes of normalization.c. Strides are 0 where a tensor does not have
 * the dimension. */
struct axes {
    int count; /* at least 1; outermost first */
    int sizes[MAX_AXES];
    int src[MAX_AXES];
    int dst[MAX_AXES];
    int statistics[MAX_AXES];
    int scale[MAX_AXES]; /* and shift */
};

/* struct normalization_params of normalization.c. */
struct normalization_params {
    int sets;      /* elements of outer */
    int members;   /* elements of inner */
    int line_runs; /* of inner, with GIVEN */
    float epsilon;
    int src_offset;
    int dst_offset;
    int statistics_offset;
    struct axes outer;
    struct axes inner;
};

#define STRIDES(d) \
    (int4)(axes->src[d], axes->dst[d], axes->statistics[d], axes->scale[d])
/* Takes dimension d off the number i. */
#define TAKE(d)                                  \
    if (axes->count > d) {                       \
        int rest = i / axes->sizes[d];           \
        at += (i - rest * axes->sizes[d]) * STRIDES(d); \
        i = rest;                                \
    }

/* Where number i is in src, dst, the statistics and scale. */
static inline int4 place_of(const struct axes *axes, int i)
{
    int4 at = 0;
    TAKE(4)
    TAKE(3)
    TAKE(2)
    TAKE(1)
    return at + i * STRIDES(0);
}

/* Where element i of inner is. The LINE_ strides, all 0 or 1, are given if it
 * is a line of such strides. */
#ifdef LINE_SRC
#define INNER(i) ((i) * (int4)(LINE_SRC, LINE_DST, LINE_STATISTICS, LINE_SCALE))
#else
#define INNER(i) place_of(&p.inner, i)
#define LINE_STATISTICS p.inner.statistics[0]
#define LINE_SCALE 1
#endif

#ifdef RMS
#define MEAN_PARAMETER(parameter)
#define MEAN(at) 0.0f
#define SAVE_MEAN(at, m)
#else
#define MEAN_PARAMETER(parameter) parameter,
#define MEAN(at) mean[at]
#define SAVE_MEAN(at, m) mean[at] = m;
#endif

/* The sums of what the group's items have. */
INLINE float2 combine(float2 s, __local float2 *memory)
{
    int item = (int)get_local_id(0);
    memory[item] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int count = ITEMS; count > 1;) {
        int left = (count + 1) / 2;
        if (item + left < count) memory[item] += memory[item + left];
        barrier(CLK_LOCAL_MEM_FENCE);
        count = left;
    }
    float2 result = memory[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

__kernel GROUP_OF_ITEMS void normalization(
        const __global ELEMENT(SRC) *src,
#ifdef GIVEN
        MEAN_PARAMETER(const __global float *mean)
        const __global float *variance,
#elif defined(SAVE)
        MEAN_PARAMETER(__global float *mean) __global float *variance,
#endif
#ifdef WITH_SCALE
        const __global ELEMENT(SCALE) *scale,
#endif
#ifdef WITH_SHIFT
        const __global ELEMENT(SCALE) *shift,
#endif
#ifdef WITH_ADD
        const __global ELEMENT(DST) *addend,
#endif
#ifdef WORKSPACE
        __global uchar *workspace,
#endif
        __global ELEMENT(DST) *dst,
        const struct normalization_params p TAIL_PARAMETERS)
{
    int4 offset = (int4)(p.src_offset, p.dst_offset, p.statistics_offset, 0);
#ifdef GIVEN
    uint runs = (uint)p.sets * (uint)p.line_runs;
    uint step = 1;
    uint stride = (uint)get_num_groups(0) * ITEMS;
    for (uint start = (uint)get_group_id(0) * ITEMS; start < runs;
            start += stride) {
        uint run = start + (uint)get_local_id(0);
        if (run >= runs) continue;
        uint line = run / (uint)p.line_runs;
        uint first = (run - line * (uint)p.line_runs) * RUN_LENGTH;
        uint end = min(first + RUN_LENGTH, (uint)p.members);
        int4 at = offset + place_of(&p.outer, (int)line);
        float m = MEAN(at.z);
        float factor = 1.0f / sqrt(variance[at.z] + p.epsilon);
#else
    __local float2 memory[ITEMS];
    uint first = (uint)get_local_id(0);
    uint end = (uint)p.members;
    uint step = ITEMS;
    float members = convert_float(p.members);
    for (uint set = (uint)get_group_id(0); set < (uint)p.sets;
            set += (uint)get_num_groups(0)) {
        int4 at = offset + place_of(&p.outer, (int)set);
#ifdef RMS
        float m = 0.0f;
        float2 sums = 0.0f;
        for (uint i = first; i < end; i += ITEMS) {
            float s = LOAD(SRC, src, at.x + INNER((int)i).x);
            sums.y += s * s;
        }
        float v = combine(sums, memory).y / members;
#else
        /* The mean, nearly; then the variance around that, and what is missing
         * of both: they are as exact as the differences are small. */
        float2 sums = 0.0f;
        for (uint i = first; i < end; i += ITEMS)
            sums.x += LOAD(SRC, src, at.x + INNER((int)i).x);
        float m = combine(sums, memory).x / members;
        sums = 0.0f;
        for (uint i = first; i < end; i += ITEMS) {
            float d = LOAD(SRC, src, at.x + INNER((int)i).x) - m;
            sums += (float2)(d, d * d);
        }
        sums = combine(sums, memory) / members;
        m += sums.x;
        float v = sums.y - sums.x * sums.x;
        if (v < 0.0f) v = 0.0f;
#endif
        float factor = 1.0f / sqrt(v + p.epsilon);
#ifdef SAVE
        if (first == 0) {
            SAVE_MEAN(at.z, m)
            variance[at.z] = v;
        }
#endif
#endif
#ifdef WITH_SCALE
        float gain = LOAD(SCALE, scale, at.w);
#endif
#ifdef WITH_SHIFT
        float bias = LOAD(SCALE, shift, at.w);
#endif
        for (uint i = first; i < end; i += step) {
            int4 to = at + INNER((int)i);
#ifdef GIVEN
            if (LINE_STATISTICS != 0) {
                m = MEAN(to.z);
                factor = 1.0f / sqrt(variance[to.z] + p.epsilon);
            }
#endif
            float s = (LOAD(SRC, src, to.x) - m) * factor;
#ifdef WITH_SCALE
            if (LINE_SCALE != 0) gain = LOAD(SCALE, scale, to.w);
            s *= gain;
#endif
#ifdef WITH_SHIFT
            if (LINE_SCALE != 0) bias = LOAD(SCALE, shift, to.w);
            s += bias;
#endif
            s = PREPARE(s, dst, to.y);
#ifdef WITH_ADD
            s += LOAD(DST, addend, to.y);
#endif
#ifdef WORKSPACE
            workspace[to.y - p.dst_offset] = s > 0.0f;
#endif
#ifdef WITH_RELU
            s = eltwise_relu(s, 0.0f, 0.0f);
#endif
            STORE(DST, FINISH(s, dst, to.y), dst, to.y);
        }
    }
}
