/* SPDX-License-Identifier: Apache-2.0 */
/* dst = post_ops(ELTWISE(src)), element by element; ELTWISE is a function of
 * post_ops.cl. src and dst may be one buffer. */

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void eltwise(
        const __global float *src, __global float *dst,
        const struct elementwise_params p POST_OP_PARAMETER)
{
    for (int i = (int)get_global_id(0); i < p.count;
            i += (int)get_global_size(0)) {
        int2 place = element_place(&p, i);
        float s = ELTWISE(src[place.x], p.alpha, p.beta);
        dst[place.y] = POST_OPS(s);
    }
}
