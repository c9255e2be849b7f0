/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element-wise operations: for the eltwise kernel, and for the chain of
 * post-ops at the end of any other. POST_OP_COUNT operations are applied, each
 * POST_OP_<i> is one of the functions below.
 */

static inline float eltwise_relu(float s, float a, float b)
{
    return s > 0.0f ? s : a * s;
}

static inline float eltwise_tanh(float s, float a, float b)
{
    return tanh(s);
}

static inline float eltwise_elu(float s, float a, float b)
{
    return s > 0.0f ? s : a * expm1(s);
}

static inline float eltwise_square(float s, float a, float b)
{
    return s * s;
}

static inline float eltwise_abs(float s, float a, float b)
{
    return fabs(s);
}

static inline float eltwise_sqrt(float s, float a, float b)
{
    return sqrt(s);
}

static inline float eltwise_linear(float s, float a, float b)
{
    return a * s + b;
}

/* ln(1 + e^s) that overflows for no s. */
static inline float soft_plus(float s)
{
    return fmax(s, 0.0f) + log1p(exp(-fabs(s)));
}

static inline float eltwise_soft_relu(float s, float a, float b)
{
    return soft_plus(a * s) / a;
}

static inline float eltwise_hardsigmoid(float s, float a, float b)
{
    return fmax(0.0f, fmin(1.0f, a * s + b));
}

static inline float eltwise_logistic(float s, float a, float b)
{
    return 1.0f / (1.0f + exp(-s));
}

static inline float eltwise_exp(float s, float a, float b)
{
    return exp(s);
}

static inline float eltwise_gelu_tanh(float s, float a, float b)
{
    const float sqrt_2_over_pi = 0.797884560802865355879892f;
    float inner = sqrt_2_over_pi * s * (1.0f + 0.044715f * s * s);
    return 0.5f * s * (1.0f + tanh(inner));
}

static inline float eltwise_gelu_erf(float s, float a, float b)
{
    const float sqrt_1_over_2 = 0.707106781186547524400844f;
    return 0.5f * s * (1.0f + erf(s * sqrt_1_over_2));
}

static inline float eltwise_swish(float s, float a, float b)
{
    return s / (1.0f + exp(-a * s));
}

static inline float eltwise_log(float s, float a, float b)
{
    return log(s);
}

static inline float eltwise_clip(float s, float a, float b)
{
    return s < a ? a : s > b ? b : s;
}

static inline float eltwise_clip_v2(float s, float a, float b)
{
    return eltwise_clip(s, a, b);
}

static inline float eltwise_pow(float s, float a, float b)
{
    return a * pow(s, b);
}

static inline float eltwise_round(float s, float a, float b)
{
    return rint(s);
}

static inline float eltwise_mish(float s, float a, float b)
{
    return s * tanh(soft_plus(s));
}

static inline float eltwise_hardswish(float s, float a, float b)
{
    return s * eltwise_hardsigmoid(s, a, b);
}

/* ---- Of two elements ----------------------------------------------------- */

static inline float binary_add(float a, float b)
{
    return a + b;
}

static inline float binary_mul(float a, float b)
{
    return a * b;
}

/* The larger; the number if the other is NaN. */
static inline float binary_max(float a, float b)
{
    return fmax(a, b);
}

static inline float binary_min(float a, float b)
{
    return fmin(a, b);
}

static inline float binary_div(float a, float b)
{
    return a / b;
}

static inline float binary_sub(float a, float b)
{
    return a - b;
}

static inline float binary_ge(float a, float b)
{
    return a >= b ? 1.0f : 0.0f;
}

static inline float binary_gt(float a, float b)
{
    return a > b ? 1.0f : 0.0f;
}

static inline float binary_le(float a, float b)
{
    return a <= b ? 1.0f : 0.0f;
}

static inline float binary_lt(float a, float b)
{
    return a < b ? 1.0f : 0.0f;
}

static inline float binary_eq(float a, float b)
{
    return a == b ? 1.0f : 0.0f;
}

static inline float binary_ne(float a, float b)
{
    return a != b ? 1.0f : 0.0f;
}

/* Of an element and its slope below 0. */
static inline float prelu(float s, float slope)
{
    return s > 0.0f ? s : s * slope;
}

/* ---- The chain ----------------------------------------------------------- */

#ifndef POST_OP_COUNT
#define POST_OP_COUNT 0
#endif

#if POST_OP_COUNT > 0
struct post_op_params {
    float v[2 * POST_OP_COUNT]; /* alpha and beta of each */
};

/* A chain of n is the n-th operation on a chain of n - 1. */
#define CHAIN_1(s) POST_OP_0(s, p->v[0], p->v[1])
#define CHAIN_2(s) POST_OP_1(CHAIN_1(s), p->v[2], p->v[3])
#define CHAIN_3(s) POST_OP_2(CHAIN_2(s), p->v[4], p->v[5])
#define CHAIN_4(s) POST_OP_3(CHAIN_3(s), p->v[6], p->v[7])
#define CHAIN_5(s) POST_OP_4(CHAIN_4(s), p->v[8], p->v[9])
#define CHAIN_6(s) POST_OP_5(CHAIN_5(s), p->v[10], p->v[11])
#define CHAIN_7(s) POST_OP_6(CHAIN_6(s), p->v[12], p->v[13])
#define CHAIN_8(s) POST_OP_7(CHAIN_7(s), p->v[14], p->v[15])
#define CHAIN_9(s) POST_OP_8(CHAIN_8(s), p->v[16], p->v[17])
#define CHAIN_10(s) POST_OP_9(CHAIN_9(s), p->v[18], p->v[19])
#define CHAIN_11(s) POST_OP_10(CHAIN_10(s), p->v[20], p->v[21])
#define CHAIN_12(s) POST_OP_11(CHAIN_11(s), p->v[22], p->v[23])
#define CHAIN_13(s) POST_OP_12(CHAIN_12(s), p->v[24], p->v[25])
#define CHAIN_14(s) POST_OP_13(CHAIN_13(s), p->v[26], p->v[27])
#define CHAIN_15(s) POST_OP_14(CHAIN_14(s), p->v[28], p->v[29])
#define CHAIN_16(s) POST_OP_15(CHAIN_15(s), p->v[30], p->v[31])
#define CHAIN_17(s) POST_OP_16(CHAIN_16(s), p->v[32], p->v[33])
#define CHAIN_18(s) POST_OP_17(CHAIN_17(s), p->v[34], p->v[35])
#define CHAIN_19(s) POST_OP_18(CHAIN_18(s), p->v[36], p->v[37])
#define CHAIN_20(s) POST_OP_19(CHAIN_19(s), p->v[38], p->v[39])
#define CHAIN_21(s) POST_OP_20(CHAIN_20(s), p->v[40], p->v[41])
#define CHAIN_22(s) POST_OP_21(CHAIN_21(s), p->v[42], p->v[43])
#define CHAIN_23(s) POST_OP_22(CHAIN_22(s), p->v[44], p->v[45])
#define CHAIN_24(s) POST_OP_23(CHAIN_23(s), p->v[46], p->v[47])
#define CHAIN_25(s) POST_OP_24(CHAIN_24(s), p->v[48], p->v[49])
#define CHAIN_26(s) POST_OP_25(CHAIN_25(s), p->v[50], p->v[51])
#define CHAIN_27(s) POST_OP_26(CHAIN_26(s), p->v[52], p->v[53])
#define CHAIN_28(s) POST_OP_27(CHAIN_27(s), p->v[54], p->v[55])
#define CHAIN_29(s) POST_OP_28(CHAIN_28(s), p->v[56], p->v[57])
#define CHAIN_30(s) POST_OP_29(CHAIN_29(s), p->v[58], p->v[59])
#define CHAIN_31(s) POST_OP_30(CHAIN_30(s), p->v[60], p->v[61])
#define CHAIN_32(s) POST_OP_31(CHAIN_31(s), p->v[62], p->v[63])
#define CHAIN_OF_(n, s) CHAIN_##n(s)
#define CHAIN_OF(n, s) CHAIN_OF_(n, s)

static inline float post_ops(float s, const struct post_op_params *p)
{
    return CHAIN_OF(POST_OP_COUNT, s);
}

/* For the end of a kernel's parameters. */
#define TAIL_PARAMETERS , const struct post_op_params chain
#define HAS_TAIL 1
/* For a result that goes to place `at` of dst: before a bias is added, and at
 * the very end. */
#define PREPARE(s, dst, at) (s)
#define FINISH(s, dst, at) post_ops(s, &chain)
#else
#define TAIL_PARAMETERS
#define HAS_TAIL 0
#define PREPARE(s, dst, at) (s)
#define FINISH(s, dst, at) (s)
#endif
