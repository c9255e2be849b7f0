/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations on elements: for the kernels that do nothing else, and for what
 * attributes do to the results of any other. That is a chain of STEPS steps,
 * see primitives/tail.c.
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

/* erf(s) by a rational function of its square: at most 10 ulp from the exact
 * result, 8 where quotients are rounded correctly; erf() may be 16 off. +-1
 * from where the exact result rounds to it, +-0 and NaN as they are. Compilers
 * vectorize it, which they do with no erf() that has branches. */
static inline float error_function(float s)
{
    float t = s * s;
    float p = 0x1.131d8ap-19f;
    p = p * t + 0x1.2ab4dcp-12f;
    p = p * t + 0x1.eda072p-9f;
    p = p * t + 0x1.b0220cp-5f;
    p = p * t + 0x1.85fb72p-3f;
    p = p * t + 0x1.20dd74p+0f;
    float q = 0x1.3f8024p-15f;
    q = q * t + 0x1.30c3f6p-10f;
    q = q * t + 0x1.ea8c6cp-7f;
    q = q * t + 0x1.d36a4cp-4f;
    q = q * t + 0x1.0111cep-1f;
    q = q * t + 1.0f;
    float r = s * p / q;
    return fabs(s) > 3.92f || fabs(r) > 1.0f ? copysign(1.0f, s) : r;
}

static inline float eltwise_gelu_erf(float s, float a, float b)
{
    const float sqrt_1_over_2 = 0.707106781186547524400844f;
    return 0.5f * s * (1.0f + error_function(s * sqrt_1_over_2));
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

/* Exponents that plan_add_eltwise() knows, as pow() has them for special
 * numbers, +0 for -0 and infinity for -infinity among them. The powers are at
 * most 0.5 ulp off for 2, 2 for 3, and as much as the device's quotient and
 * square root for -1 and 0.5, both for -0.5: pow() may be 16 off, and compilers
 * do not vectorize it. */
static inline float root(float s)
{
    /* Not s + 0: Mesa's compiler takes that for s, also for -0. */
    float special = s == 0.0f ? 0.0f : s == -INFINITY ? INFINITY : NAN;
    return s <= 0.0f ? special : sqrt(s);
}

static inline float eltwise_pow_2(float s, float a, float b)
{
    return a * (s * s);
}

static inline float eltwise_pow_3(float s, float a, float b)
{
    return a * (s * s * s);
}

static inline float eltwise_pow_reciprocal(float s, float a, float b)
{
    return a * (1.0f / s);
}

static inline float eltwise_pow_root(float s, float a, float b)
{
    return a * root(s);
}

static inline float eltwise_pow_reciprocal_root(float s, float a, float b)
{
    return a * (1.0f / root(s));
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

/* With the slope for s below 0. */
static inline float prelu(float s, float slope)
{
    return s > 0.0f ? s : s * slope;
}

/* ---- The chain ----------------------------------------------------------- */
/*
 * Step i is
 *   STEP_i=UNARY_STEP    STEP_i_OP(result, alpha, beta),
 *   STEP_i=SUM_STEP      a sum with what dst has, whose bytes are of STEP_i_TYPE,
 *   STEP_i=BINARY_STEP   STEP_i_OP(result, element), of tensor STEP_i_TENSOR,
 *   STEP_i=SELECT_STEP   the result where tensor STEP_i_CONDITION is not 0, else
 *                        the element.
 * Tensor t has elements of TAIL_t_TYPE and is found, TAIL_t_AT, as one number
 * for all (SCALAR), as dst (SAME), or by the places in dst's dimensions
 * (BROADCAST).
 *
 * The first FINISHED steps are the end of a result; PREPARED others, whose
 * numbers are PREPARE_0 and so on, come before a bias. What random.cl does, if
 * it is there, comes before and after the end's steps; then there may be none.
 */

#ifdef STEPS
#define TAIL_DIMS 6

#ifndef RANDOM_PARAMETERS
#define RANDOM_PARAMETERS
#define RANDOM_MEMBERS
#define DROP_OUT(s, at) (s)
#define ROUND_AT_RANDOM(s, at) (s)
#endif

/* As primitives/tail.c appends it. */
struct tail_params {
#if STEPS > 0
    float v[2 * STEPS]; /* alpha and beta, or scale and zero point, of each */
#endif
#if TENSORS > 0
    int dims; /* that tensors differ in, and those before */
    int dst_offset;
    int dst_strides[TAIL_DIMS]; /* largest first */
    struct {
        int offset;
        int strides[TAIL_DIMS];
    } tensors[TENSORS];
#endif
    RANDOM_MEMBERS
};

#if TENSORS > 0
#define TAKE_DIMENSION(d)                          \
    if (p->dims > d) {                             \
        int i = rest / p->dst_strides[d];          \
        rest -= i * p->dst_strides[d];             \
        place += i * p->tensors[t].strides[d];     \
    }

/* The place in tensor t for place `at` of dst. */
INLINE int broadcast(const struct tail_params *p, int t, int at)
{
    int rest = at - p->dst_offset;
    int place = p->tensors[t].offset;
    TAKE_DIMENSION(0)
    TAKE_DIMENSION(1)
    TAKE_DIMENSION(2)
    TAKE_DIMENSION(3)
    TAKE_DIMENSION(4)
    TAKE_DIMENSION(5)
    return place;
}
#endif

/* As PASTE(), which is used inside: a macro is not expanded in itself. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define JOIN_STEP_(a, b) a##b
#define JOIN_STEP(a, b) JOIN_STEP_(a, b)

#define PLACE_SCALAR(t, at) tail.tensors[t].offset
#define PLACE_SAME(t, at) (tail.tensors[t].offset + (at) - tail.dst_offset)
#define PLACE_BROADCAST(t, at) broadcast(&tail, t, at)
#define READ_TENSOR_(t, at) \
    LOAD(TAIL_##t##_TYPE, tail_##t, PASTE(PLACE_, TAIL_##t##_AT)(t, at))
#define READ_TENSOR(t, at) READ_TENSOR_(t, at)

#define APPLY_UNARY_STEP(i, s, dst, at) \
    STEP_##i##_OP(s, tail.v[2 * i], tail.v[2 * i + 1])
#define APPLY_SUM_STEP(i, s, dst, at)                                             \
    ((s)                                                                     \
            + tail.v[2 * i]                                                  \
                      * (LOAD(STEP_##i##_TYPE,                               \
                                 (const __global ELEMENT(STEP_##i##_TYPE) *) \
                                         dst,                                \
                                 at)                                         \
                              - tail.v[2 * i + 1]))
#define APPLY_BINARY_STEP(i, s, dst, at) \
    STEP_##i##_OP(s, READ_TENSOR(STEP_##i##_TENSOR, at))
#define APPLY_SELECT_STEP(i, s, dst, at)              \
    (READ_TENSOR(STEP_##i##_CONDITION, at) != 0.0f ? (s) \
            : READ_TENSOR(STEP_##i##_TENSOR, at))
#define STEP(i, s, dst, at) JOIN_STEP(APPLY_, STEP_##i)(i, s, dst, at)

/* A chain of n is the n-th step on a chain of n - 1. */
#define CHAIN_0(s, dst, at) (s)
#define CHAIN_1(s, dst, at) STEP(0, CHAIN_0(s, dst, at), dst, at)
#define CHAIN_2(s, dst, at) STEP(1, CHAIN_1(s, dst, at), dst, at)
#define CHAIN_3(s, dst, at) STEP(2, CHAIN_2(s, dst, at), dst, at)
#define CHAIN_4(s, dst, at) STEP(3, CHAIN_3(s, dst, at), dst, at)
#define CHAIN_5(s, dst, at) STEP(4, CHAIN_4(s, dst, at), dst, at)
#define CHAIN_6(s, dst, at) STEP(5, CHAIN_5(s, dst, at), dst, at)
#define CHAIN_7(s, dst, at) STEP(6, CHAIN_6(s, dst, at), dst, at)
#define CHAIN_8(s, dst, at) STEP(7, CHAIN_7(s, dst, at), dst, at)
#define CHAIN_9(s, dst, at) STEP(8, CHAIN_8(s, dst, at), dst, at)
#define CHAIN_10(s, dst, at) STEP(9, CHAIN_9(s, dst, at), dst, at)
#define CHAIN_11(s, dst, at) STEP(10, CHAIN_10(s, dst, at), dst, at)
#define CHAIN_12(s, dst, at) STEP(11, CHAIN_11(s, dst, at), dst, at)
#define CHAIN_13(s, dst, at) STEP(12, CHAIN_12(s, dst, at), dst, at)
#define CHAIN_14(s, dst, at) STEP(13, CHAIN_13(s, dst, at), dst, at)
#define CHAIN_15(s, dst, at) STEP(14, CHAIN_14(s, dst, at), dst, at)
#define CHAIN_16(s, dst, at) STEP(15, CHAIN_15(s, dst, at), dst, at)
#define CHAIN_17(s, dst, at) STEP(16, CHAIN_16(s, dst, at), dst, at)
#define CHAIN_18(s, dst, at) STEP(17, CHAIN_17(s, dst, at), dst, at)
#define CHAIN_19(s, dst, at) STEP(18, CHAIN_18(s, dst, at), dst, at)
#define CHAIN_20(s, dst, at) STEP(19, CHAIN_19(s, dst, at), dst, at)
#define CHAIN_21(s, dst, at) STEP(20, CHAIN_20(s, dst, at), dst, at)
#define CHAIN_22(s, dst, at) STEP(21, CHAIN_21(s, dst, at), dst, at)
#define CHAIN_23(s, dst, at) STEP(22, CHAIN_22(s, dst, at), dst, at)
#define CHAIN_24(s, dst, at) STEP(23, CHAIN_23(s, dst, at), dst, at)
#define CHAIN_25(s, dst, at) STEP(24, CHAIN_24(s, dst, at), dst, at)
#define CHAIN_26(s, dst, at) STEP(25, CHAIN_25(s, dst, at), dst, at)
#define CHAIN_27(s, dst, at) STEP(26, CHAIN_26(s, dst, at), dst, at)
#define CHAIN_28(s, dst, at) STEP(27, CHAIN_27(s, dst, at), dst, at)
#define CHAIN_29(s, dst, at) STEP(28, CHAIN_28(s, dst, at), dst, at)
#define CHAIN_30(s, dst, at) STEP(29, CHAIN_29(s, dst, at), dst, at)
#define CHAIN_31(s, dst, at) STEP(30, CHAIN_30(s, dst, at), dst, at)
#define CHAIN_32(s, dst, at) STEP(31, CHAIN_31(s, dst, at), dst, at)
#define CHAIN_33(s, dst, at) STEP(32, CHAIN_32(s, dst, at), dst, at)
#define CHAIN_34(s, dst, at) STEP(33, CHAIN_33(s, dst, at), dst, at)
#define STEP_OF(i, s, dst, at) STEP(i, s, dst, at)

#define TENSOR(t) , const __global ELEMENT(TAIL_##t##_TYPE) *tail_##t
#define TENSORS_0
#define TENSORS_1 TENSORS_0 TENSOR(0)
#define TENSORS_2 TENSORS_1 TENSOR(1)
#define TENSORS_3 TENSORS_2 TENSOR(2)
#define TENSORS_4 TENSORS_3 TENSOR(3)
#define TENSORS_5 TENSORS_4 TENSOR(4)
#define TENSORS_6 TENSORS_5 TENSOR(5)
#define TENSORS_7 TENSORS_6 TENSOR(6)
#define TENSORS_8 TENSORS_7 TENSOR(7)
#define TENSORS_9 TENSORS_8 TENSOR(8)
#define TENSORS_10 TENSORS_9 TENSOR(9)
#define TENSORS_11 TENSORS_10 TENSOR(10)
#define TENSORS_12 TENSORS_11 TENSOR(11)
#define TENSORS_13 TENSORS_12 TENSOR(12)
#define TENSORS_14 TENSORS_13 TENSOR(13)
#define TENSORS_15 TENSORS_14 TENSOR(14)
#define TENSORS_16 TENSORS_15 TENSOR(15)
#define TENSORS_17 TENSORS_16 TENSOR(16)
#define TENSORS_18 TENSORS_17 TENSOR(17)
#define TENSORS_19 TENSORS_18 TENSOR(18)
#define TENSORS_20 TENSORS_19 TENSOR(19)
#define TENSORS_21 TENSORS_20 TENSOR(20)
#define TENSORS_22 TENSORS_21 TENSOR(21)
#define TENSORS_23 TENSORS_22 TENSOR(22)
#define TENSORS_24 TENSORS_23 TENSOR(23)
#define TENSORS_25 TENSORS_24 TENSOR(24)
#define TENSORS_26 TENSORS_25 TENSOR(25)
#define TENSORS_27 TENSORS_26 TENSOR(26)
#define TENSORS_28 TENSORS_27 TENSOR(27)
#define TENSORS_29 TENSORS_28 TENSOR(28)
#define TENSORS_30 TENSORS_29 TENSOR(29)
#define TENSORS_31 TENSORS_30 TENSOR(30)
#define TENSORS_32 TENSORS_31 TENSOR(31)
#define TENSORS_33 TENSORS_32 TENSOR(32)
#define TENSORS_34 TENSORS_33 TENSOR(33)
#define TENSORS_35 TENSORS_34 TENSOR(34)
#define TENSORS_36 TENSORS_35 TENSOR(35)
#define TENSORS_37 TENSORS_36 TENSOR(36)

/* For the end of a kernel's parameters. */
#define TAIL_PARAMETERS \
    , const struct tail_params tail JOIN(TENSORS_, TENSORS) RANDOM_PARAMETERS
#define HAS_TAIL 1

/* A result that goes to place `at` of dst: before a bias is added, and when
 * everything else is done. */
#if PREPARED == 0
#define PREPARE(s, dst, at) (s)
#elif PREPARED == 1
#define PREPARE(s, dst, at) STEP_OF(PREPARE_0, s, dst, at)
#elif PREPARED == 2
#define PREPARE(s, dst, at) \
    STEP_OF(PREPARE_1, STEP_OF(PREPARE_0, s, dst, at), dst, at)
#else
#define PREPARE(s, dst, at)                                              \
    STEP_OF(PREPARE_2,                                                   \
            STEP_OF(PREPARE_1, STEP_OF(PREPARE_0, s, dst, at), dst, at), \
            dst, at)
#endif
/* With the place that random numbers go by, where `at` is another. */
#define FINISH_AT(s, dst, at, place)                                         \
    ROUND_AT_RANDOM(                                                         \
            JOIN(CHAIN_, FINISHED)(DROP_OUT(s, place), dst, at), place)
#define FINISH(s, dst, at) FINISH_AT(s, dst, at, at)
#else
#define TAIL_PARAMETERS
#define HAS_TAIL 0
#define PREPARE(s, dst, at) (s)
#define FINISH_AT(s, dst, at, place) (s)
#define FINISH(s, dst, at) (s)
#endif
