/* SPDX-License-Identifier: Apache-2.0 */
/* Images, samplers, vectors of all widths, and the kernel that is launched. */
constant sampler_t nearest =
        CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void image(read_only image2d_t in, write_only image2d_t out)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += read_imagef(in, nearest, at + (int2)(dx, dy));
    write_imagef(out, at, sum / 9.0f);
}

kernel void vectors(global float *x)
{
    const size_t i = get_global_id(0);
    float16 v = vload16(i, x);
    v = shuffle(v, (uint16)(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
                           0));
    vstore16(select(v, -v, isless(v, (float16)0.5f)), i, x);
    vstore3(v.s012, i, x);
}

__attribute__((reqd_work_group_size(8, 1, 1))) kernel void launched(
        global int *x)
{
    x[get_global_id(0)] = (int)(get_global_id(0) * 7 + get_local_id(0));
}
