/* SPDX-License-Identifier: Apache-2.0 */
/* dst = post_ops(ELTWISE(src)), element by element; ELTWISE is a function of
 * post_ops.cl. src and dst may be one buffer. */

__kernel GROUP_OF_ITEMS void eltwise(
        const __global ELEMENT(SRC) *src, __global ELEMENT(DST) *dst,
        const struct elementwise_params p TAIL_PARAMETERS)
{
    uint runs = (uint)p.runs;
    uint step = (uint)get_num_groups(0) * ITEMS;
    int src_stride = SRC_STRIDE(p);
    int dst_stride = DST_STRIDE(p);
    float alpha = p.alpha;
    float beta = p.beta;
    for (uint first = (uint)get_group_id(0) * ITEMS; first < runs;
            first += step) {
        uint i = first + (uint)get_local_id(0);
        if (i >= runs) continue;
        struct run run = run_of(&p, (int)i);
        for (int j = 0; j < run.count; j++) {
            float s = LOAD(SRC, src, run.src + j * src_stride);
            int to = run.dst + j * dst_stride;
            s = ELTWISE(s, alpha, beta);
            STORE(DST, FINISH(s, dst, to), dst, to);
        }
    }
}
