/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst = post_ops(src) in another layout or data type. Integers go to integers
 * without a detour through float, unless there are post-ops.
 */

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void reorder(
        const __global ELEMENT(SRC) *src, __global ELEMENT(DST) *dst,
        const struct elementwise_params p TAIL_PARAMETERS)
{
    uint runs = (uint)p.runs;
    uint step = (uint)get_num_groups(0) * ITEMS;
    int src_stride = SRC_STRIDE(p);
    int dst_stride = DST_STRIDE(p);
    for (uint first = (uint)get_group_id(0) * ITEMS; first < runs;
            first += step) {
        uint i = first + (uint)get_local_id(0);
        if (i >= runs) continue;
        struct run run = run_of(&p, (int)i);
        for (int j = 0; j < run.count; j++) {
            int from = run.src + j * src_stride;
            int to = run.dst + j * dst_stride;
#if IS_INTEGER(SRC) && IS_INTEGER(DST) && !HAS_TAIL
            STORE_INTEGER(DST, src[from], dst, to);
#else
            float s = LOAD(SRC, src, from);
            s = PREPARE(s, dst, to);
            STORE(DST, FINISH(s, dst, to), dst, to);
#endif
        }
    }
}
