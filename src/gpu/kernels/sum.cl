/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dst = sum of scales[i] * src_i, element by element, for EIGHTS * 8 + ONES
 * sources. Their numbers, in octal, are part of names: src_00 to src_77, each
 * of type SRC_<number>; with a 0 before it such a number is one of C. They are
 * laid out in LAYOUTS ways; with more than one, source i has LAYOUT_<number>.
 * dst and a source of the same layout and type may be one buffer.
 */

#define EIGHTS_0(f)
#define EIGHTS_1(f) ONES_8(0, f)
#define EIGHTS_2(f) EIGHTS_1(f) ONES_8(1, f)
#define EIGHTS_3(f) EIGHTS_2(f) ONES_8(2, f)
#define EIGHTS_4(f) EIGHTS_3(f) ONES_8(3, f)
#define EIGHTS_5(f) EIGHTS_4(f) ONES_8(4, f)
#define EIGHTS_6(f) EIGHTS_5(f) ONES_8(5, f)
#define EIGHTS_7(f) EIGHTS_6(f) ONES_8(6, f)
#define EIGHTS_8(f) EIGHTS_7(f) ONES_8(7, f)
#define ONES_0(eights, f)
#define ONES_1(eights, f) f(eights##0)
#define ONES_2(eights, f) ONES_1(eights, f) f(eights##1)
#define ONES_3(eights, f) ONES_2(eights, f) f(eights##2)
#define ONES_4(eights, f) ONES_3(eights, f) f(eights##3)
#define ONES_5(eights, f) ONES_4(eights, f) f(eights##4)
#define ONES_6(eights, f) ONES_5(eights, f) f(eights##5)
#define ONES_7(eights, f) ONES_6(eights, f) f(eights##6)
#define ONES_8(eights, f) ONES_7(eights, f) f(eights##7)
#define LAST_ONES_(ones, eights, f) ONES_##ones(eights, f)
#define LAST_ONES(ones, eights, f) LAST_ONES_(ones, eights, f)

/* f(number) for every source. */
#define EACH_SOURCE(f) PASTE(EIGHTS_, EIGHTS)(f) LAST_ONES(ONES, EIGHTS, f)

#if LAYOUTS > 1
#define LAYOUT(i) LAYOUT_##i
#else
#define LAYOUT(i) 0
#endif

/* Where the elements of a tensor are. */
struct places {
    int offset;
    int stride; /* within a line; 1 without STRIDED */
#ifdef STRIDED
    int strides[STRIDED];
#endif
};

/* Written word by word in primitives/sum.c. */
struct sum_params {
    int runs;      /* line_runs * lines */
    int line_runs; /* of one line */
    int line;      /* elements of one line */
#ifdef STRIDED
    int dims[STRIDED]; /* of lines */
#endif
    struct places dst;
    struct places src[LAYOUTS];
    float scales[EIGHTS * 8 + ONES];
};

#define SOURCE_PARAMETER(i) const __global ELEMENT(SRC_##i) *src_##i,

#ifdef STRIDED
#define STRIDE(places) ((places).stride)
#else
#define STRIDE(places) 1
#endif

/* Where run number i starts, in dst and in each layout of the sources; returns
 * its place in the line. */
static inline int find_run(
        const struct sum_params *p, int i, int *to, int from[LAYOUTS])
{
#ifdef STRIDED
    int line = i / p->line_runs;
    int start = (i - line * p->line_runs) * RUN;
#else
    int start = i * RUN;
#endif
    *to = p->dst.offset + start * STRIDE(p->dst);
    for (int l = 0; l < LAYOUTS; l++)
        from[l] = p->src[l].offset + start * STRIDE(p->src[l]);
#ifdef STRIDED
    for (int d = STRIDED - 1; d >= 0; d--) {
        int rest = line / p->dims[d];
        int at = line - rest * p->dims[d];
        *to += at * p->dst.strides[d];
        for (int l = 0; l < LAYOUTS; l++)
            from[l] += at * p->src[l].strides[d];
        line = rest;
    }
#endif
    return start;
}

#define TAKE_SCALE(i) float scale_##i = p.scales[0##i];
#define ADD_SOURCE(i)                    \
    s += scale_##i                       \
         * LOAD(SRC_##i, src_##i,        \
                 from[LAYOUT(i)] + j * src_stride[LAYOUT(i)]);

__kernel GROUP_OF_ITEMS void sum(
        EACH_SOURCE(SOURCE_PARAMETER) __global ELEMENT(DST) *dst,
        const struct sum_params p TAIL_PARAMETERS)
{
    uint runs = (uint)p.runs;
    uint step = (uint)get_num_groups(0) * ITEMS;
    int length = p.line;
    int dst_stride = STRIDE(p.dst);
    int src_stride[LAYOUTS];
    for (int l = 0; l < LAYOUTS; l++)
        src_stride[l] = STRIDE(p.src[l]);
    EACH_SOURCE(TAKE_SCALE)
    for (uint first = (uint)get_group_id(0) * ITEMS; first < runs;
            first += step) {
        uint i = first + (uint)get_local_id(0);
        if (i >= runs) continue;
        int to;
        int from[LAYOUTS];
        int start = find_run(&p, (int)i, &to, from);
        int count = min(RUN, length - start);
        for (int j = 0; j < count; j++) {
            float s = 0.0f;
            EACH_SOURCE(ADD_SOURCE)
            int at = to + j * dst_stride;
            STORE(DST, FINISH(s, dst, at), dst, at);
        }
    }
}
