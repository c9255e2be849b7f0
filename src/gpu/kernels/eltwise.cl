/* SPDX-License-Identifier: Apache-2.0 */
/* dst = post_ops(ELTWISE(src)), element by element; ELTWISE is a function of
 * post_ops.cl. src and dst may be one buffer. */

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void eltwise(
        const __global float *src, __global float *dst,
        const struct elementwise_params p POST_OP_PARAMETER)
{
    uint count = (uint)p.count;
    uint step = (uint)get_num_groups(0) * ITEMS;
    for (uint first = (uint)get_group_id(0) * ITEMS; first < count;
            first += step) {
        uint i = first + (uint)get_local_id(0);
        if (i >= count) continue;
        int2 at = element_place(&p, (int)i);
        float s = ELTWISE(src[at.x], p.alpha, p.beta);
        dst[at.y] = POST_OPS(s);
    }
}
