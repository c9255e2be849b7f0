/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst = post_ops(softmax(src)) along every line, or its logarithm with LOG. A
 * work-group takes a line; its items read it three times, always the same
 * elements, so that src and dst may be one buffer. The order of additions
 * depends on ITEMS alone.
 *
 * With VECTORS, for devices whose work-items run one after the other and lines
 * of neighbours, a work-item takes a line, in vectors. Exponentials of a line's
 * first KEPT elements are kept for the third time. The order of additions is the
 * same for all lengths.
 */

#ifdef VECTORS
#define WIDE 16
#define KEPT 2048
typedef PASTE(float, WIDE) floats;

/* The line's vector from element i on, with nothing behind the last. */
INLINE floats read_wide(const __global ELEMENT(SRC) *line, int i, int length)
{
    if (length - i >= WIDE) return LOAD_VECTOR(SRC, WIDE, line + i);
    float s[WIDE];
    for (int j = 0; j < WIDE; j++)
        s[j] = i + j < length ? LOAD(SRC, line, i + j) : -INFINITY;
    return vload16(0, s);
}

INLINE float find_largest(const __global ELEMENT(SRC) *line, int length)
{
    floats s = (floats)(-INFINITY);
    for (int i = 0; i < length; i += WIDE) {
        floats v = read_wide(line, i, length);
        s = select(s, v, v > s); /* not if it is NaN */
    }
    float8 s8 = fmax(s.lo, s.hi);
    float4 s4 = fmax(s8.lo, s8.hi);
    float2 s2 = fmax(s4.lo, s4.hi);
    return fmax(s2.x, s2.y);
}

/* Of numbers up to 1, one of them 1: never too large, never 0. */
INLINE float sum_up(const __global ELEMENT(SRC) *line, int length,
        float largest, __local float *kept)
{
    floats s = (floats)(0.0f);
    for (int i = 0; i < length; i += WIDE) {
        floats v = exp(read_wide(line, i, length) - largest);
#ifndef LOG
        if (i < KEPT) vstore16(v, 0, kept + i);
#endif
        s += v;
    }
    float8 s8 = s.lo + s.hi;
    float4 s4 = s8.lo + s8.hi;
    float2 s2 = s4.lo + s4.hi;
    return s2.x + s2.y;
}

__kernel GROUP_OF_ITEMS void softmax(
        const __global ELEMENT(SRC) *src, __global ELEMENT(DST) *dst,
        const struct elementwise_params p TAIL_PARAMETERS)
{
    __local float kept[KEPT] __attribute__((aligned(64)));
    for (int number = (int)get_group_id(0); number < p.runs;
            number += (int)get_num_groups(0)) {
        int2 at = line_of(&p, number);
        const __global ELEMENT(SRC) *line = src + at.x;
        float largest = find_largest(line, p.line);
        float sum = sum_up(line, p.line, largest, kept);
#ifdef LOG
        float log_sum = log(sum);
#endif
        for (int i = 0; i < p.line; i += WIDE) {
            float results[WIDE];
#ifdef LOG
            floats v = read_wide(line, i, p.line) - largest - log_sum;
#else
            floats v = i < KEPT ? vload16(0, kept + i)
                                : exp(read_wide(line, i, p.line) - largest);
            v = v / sum;
#endif
            vstore16(v, 0, results);
            int count = min(WIDE, p.line - i);
            for (int j = 0; j < count; j++) {
                float s = results[j];
                int to = at.y + i + j;
                s = PREPARE(s, dst, to);
                STORE(DST, FINISH(s, dst, to), dst, to);
            }
        }
    }
}
#else

/* The largest, or the sum, of what the group's items have. */
INLINE float combine(
        float s, bool is_sum, __local float *memory)
{
    int item = (int)get_local_id(0);
    memory[item] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int count = ITEMS; count > 1;) {
        int left = (count + 1) / 2;
        if (item + left < count) {
            float a = memory[item];
            float b = memory[item + left];
            memory[item] = is_sum ? a + b : fmax(a, b);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        count = left;
    }
    float result = memory[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

__kernel GROUP_OF_ITEMS void softmax(
        const __global ELEMENT(SRC) *src, __global ELEMENT(DST) *dst,
        const struct elementwise_params p TAIL_PARAMETERS)
{
    __local float memory[ITEMS];
    uint item = (uint)get_local_id(0);
    uint length = (uint)p.line;
    int src_stride = p.src_stride;
    int dst_stride = p.dst_stride;
    uint lines = (uint)p.runs;
    for (uint line = (uint)get_group_id(0); line < lines;
            line += (uint)get_num_groups(0)) {
        int2 at = line_of(&p, (int)line);
        float largest = -INFINITY;
        for (uint i = item; i < length; i += ITEMS)
            largest = fmax(largest, LOAD(SRC, src, at.x + (int)i * src_stride));
        largest = combine(largest, false, memory);
        /* Of numbers up to 1, one of them 1: never too large, never 0. */
        float sum = 0.0f;
        for (uint i = item; i < length; i += ITEMS)
            sum += exp(LOAD(SRC, src, at.x + (int)i * src_stride) - largest);
        sum = combine(sum, true, memory);
#ifdef LOG
        float log_sum = log(sum);
#endif
        for (uint i = item; i < length; i += ITEMS) {
            float s = LOAD(SRC, src, at.x + (int)i * src_stride) - largest;
#ifdef LOG
            s = s - log_sum;
#else
            s = exp(s) / sum;
#endif
            int to = at.y + (int)i * dst_stride;
            s = PREPARE(s, dst, to);
            STORE(DST, FINISH(s, dst, to), dst, to);
        }
    }
}
#endif
