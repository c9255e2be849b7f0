/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst = post_ops(softmax(src)) along every line, or its logarithm with LOG. A
 * work-group takes a line; its items read it three times, always the same
 * elements, so that src and dst may be one buffer. The order of additions
 * depends on ITEMS alone.
 */

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
