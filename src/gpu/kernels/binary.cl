/* SPDX-License-Identifier: Apache-2.0 */
/* dst = post_ops(BINARY(src, src1)), element by element; BINARY is a function
 * of post_ops.cl. A source that is repeated has strides of 0; with SCALE_0 or
 * SCALE_1, its scale's type, it is multiplied by that. With SRC2 instead of
 * BINARY, the result is src where src2 is not 0, else src1. dst may be one
 * buffer with a source of its layout.
 *
 * Sources that are no dense lines are often one number, or neighbours all the
 * same: they go by way of arrays of the work-item's own, so that compilers for
 * CPUs make vectors of the loop over what is done with them. */

#ifdef SRC2
#define SRC2_PARAMETER const __global ELEMENT(SRC2) *src2,
#define RESULT(a, b, at) ((src2)[at] != 0 ? (a) : (b))
#else
#define SRC2_PARAMETER
#define RESULT(a, b, at) BINARY(a, b)
#endif

#ifdef SCALE_0
#define SCALE_0_PARAMETER const __global ELEMENT(SCALE_0) *scale_0,
#define SCALE_SRC(s) ((s) * LOAD(SCALE_0, scale_0, 0))
#else
#define SCALE_0_PARAMETER
#define SCALE_SRC(s) (s)
#endif
#ifdef SCALE_1
#define SCALE_1_PARAMETER const __global ELEMENT(SCALE_1) *scale_1,
#define SCALE_SRC1(s) ((s) * LOAD(SCALE_1, scale_1, 0))
#else
#define SCALE_1_PARAMETER
#define SCALE_SRC1(s) (s)
#endif

#define EACH_OF_RUN for (int j = 0; j < run.count; j++)
#ifdef STRIDED
/* Runs of strides other than 1 and 0 are copied one by one, and no loop is
 * repeated in its body: it would take long to compile. */
#ifdef __clang__
#define ONE_BY_ONE _Pragma("clang loop vectorize(disable) unroll(disable)")
#define ONCE _Pragma("clang loop interleave(disable) unroll(disable)")
#else
#define ONE_BY_ONE
#define ONCE
#endif
#define TAKE_RUN(name, type, from, at, stride)                      \
    float name[RUN];                                                \
    if ((stride) == 1)                                              \
        ONCE EACH_OF_RUN name[j] = LOAD(type, from, (at) + j);      \
    else if ((stride) == 0)                                         \
        ONCE EACH_OF_RUN name[j] = LOAD(type, from, at);            \
    else                                                            \
        ONE_BY_ONE EACH_OF_RUN name[j]                              \
                = LOAD(type, from, (at) + j * (stride));
#define TAKEN(name, type, from, at, stride) name[j]
#else
#define ONCE
#define TAKE_RUN(name, type, from, at, stride)
#define TAKEN(name, type, from, at, stride) LOAD(type, from, (at) + j)
#endif

__kernel GROUP_OF_ITEMS void binary(
        const __global ELEMENT(SRC) *src, const __global ELEMENT(SRC1) *src1,
        SRC2_PARAMETER __global ELEMENT(DST) *dst, SCALE_0_PARAMETER SCALE_1_PARAMETER
        const struct elementwise_params p TAIL_PARAMETERS)
{
    uint runs = (uint)p.runs;
    uint step = (uint)get_num_groups(0) * ITEMS;
    int src_stride = SRC_STRIDE(p);
    int src1_stride = SRC1_STRIDE(p);
    int src2_stride = SRC2_STRIDE(p);
    int dst_stride = DST_STRIDE(p);
    for (uint first = (uint)get_group_id(0) * ITEMS; first < runs;
            first += step) {
        uint i = first + (uint)get_local_id(0);
        if (i >= runs) continue;
        struct run run = run_of(&p, (int)i);
        TAKE_RUN(a, SRC, src, run.src, src_stride)
        TAKE_RUN(b, SRC1, src1, run.src1, src1_stride)
        ONCE EACH_OF_RUN {
            int to = run.dst + j * dst_stride;
            float s = RESULT(
                    SCALE_SRC(TAKEN(a, SRC, src, run.src, src_stride)),
                    SCALE_SRC1(TAKEN(b, SRC1, src1, run.src1, src1_stride)),
                    run.src2 + j * src2_stride);
            STORE(DST, FINISH(s, dst, to), dst, to);
        }
    }
}
