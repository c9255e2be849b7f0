/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst = post_ops(src * (k + alpha * sum of squares of a window of src)^-beta):
 * a work-item takes an element of dst. A window reaches half[] elements to both
 * sides, in the channels with ACROSS, else in the spatial dimensions; what is
 * outside src is 0. With WORKSPACE, what is raised to a power is kept. Spatial
 * dimensions are z, y, x; missing ones have size 1.
 */

/* struct lrn_params of lrn.c. */
struct lrn_params {
    int results;
    float alpha, beta, k;
    int size_c, size_z, size_y, size_x;
    int half_c, half_z, half_y, half_x;
    int src_offset, src_n, src_c, src_z, src_y, src_x;
    int dst_offset, dst_n, dst_c, dst_z, dst_y, dst_x;
    int workspace_n, workspace_c, workspace_z, workspace_y, workspace_x;
};

/* Takes a dimension off the number of a result. */
#define SPLIT(name)              \
    int name = rest % p.size_##name; \
    rest /= p.size_##name;

/* Over the places of a window in one dimension. */
#define EACH(i, name)                                   \
    for (int i = max(name - p.half_##name, 0),          \
             end_##i = min(name + p.half_##name, p.size_##name - 1); \
            i <= end_##i; i++)

/* base^-beta; that of most networks, 3/4, without the slow pow. */
static inline float power(float base, float beta)
{
    float root = sqrt(base);
    return beta == 0.75f ? 1.0f / (root * sqrt(root)) : pow(base, -beta);
}

__kernel GROUP_OF_ITEMS void lrn(
        const __global ELEMENT(SRC) *src,
#ifdef WORKSPACE
        __global float *workspace,
#endif
        __global ELEMENT(DST) *dst, const struct lrn_params p TAIL_PARAMETERS)
{
    uint results = (uint)p.results;
    uint step = (uint)get_num_groups(0) * ITEMS;
    for (uint first = (uint)get_group_id(0) * ITEMS; first < results;
            first += step) {
        uint result = first + (uint)get_local_id(0);
        if (result >= results) continue;
        int rest = (int)result;
#ifdef CHANNELS_INNER
        SPLIT(c)
#endif
        SPLIT(x)
        SPLIT(y)
        SPLIT(z)
#ifndef CHANNELS_INNER
        SPLIT(c)
#endif
        int n = rest;
        int image = p.src_offset + n * p.src_n;
        float sum = 0.0f;
#ifdef ACROSS
        int inner = image + z * p.src_z + y * p.src_y + x * p.src_x;
        EACH(wc, c)
        {
            float s = LOAD(SRC, src, inner + wc * p.src_c);
            sum += s * s;
        }
#else
        int inner = image + c * p.src_c;
        EACH(wz, z)
            EACH(wy, y)
                EACH(wx, x)
                {
                    float s = LOAD(SRC, src,
                            inner + wz * p.src_z + wy * p.src_y + wx * p.src_x);
                    sum += s * s;
                }
#endif
        float base = p.k + p.alpha * sum;
#ifdef WORKSPACE
        workspace[n * p.workspace_n + c * p.workspace_c + z * p.workspace_z
                  + y * p.workspace_y + x * p.workspace_x] = base;
#endif
        int at = image + c * p.src_c + z * p.src_z + y * p.src_y + x * p.src_x;
        float s = LOAD(SRC, src, at) * power(base, p.beta);
        int to = p.dst_offset + n * p.dst_n + c * p.dst_c + z * p.dst_z
                 + y * p.dst_y + x * p.dst_x;
        s = PREPARE(s, dst, to);
        STORE(DST, FINISH(s, dst, to), dst, to);
    }
}
