/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What attributes leave to chance: dropout (-DDROPOUT_SEED=<int or long>,
 * -DDROPOUT_MASK=<type of the mask> if there is one, -DDROPOUT_OFFSET if the seed
 * has one) and stochastic rounding (-DROUNDING). Included before post_ops.cl,
 * where it is asked for.
 *
 * Both draw from Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random
 * numbers: as easy as 1, 2, 3", 2011), a function of a counter and a key: the
 * counter is an element's place in dst, the key an execution's seed, so that
 * results depend on neither work-groups nor device. Which counter and which
 * bits an element has is as in oneDNN, whose results for a seed these are.
 */

/* One of ten rounds. */
static inline uint4 philox_round(uint4 counter, uint2 key)
{
    const uint m0 = 0xD2511F53u;
    const uint m1 = 0xCD9E8D57u;
    return (uint4)(mul_hi(m1, counter.z) ^ counter.y ^ key.x, m1 * counter.z,
            mul_hi(m0, counter.x) ^ counter.w ^ key.y, m0 * counter.x);
}

/* Number i of a key's and a counter's four. */
static inline uint philox(uint4 counter, uint2 key, uint i)
{
    for (int round = 0; round < 10; round++) {
        counter = philox_round(counter, key);
        key += (uint2)(0x9E3779B9u, 0xBB67AE85u);
    }
    uint2 pair = (i & 2u) != 0 ? counter.zw : counter.xy;
    return (i & 1u) != 0 ? pair.y : pair.x;
}

/* Number i of a seed's: 32 bits. Four neighbours are of one counter. */
static inline uint random_number(uint i, uint seed)
{
    uint first = i & ~3u;
    return philox((uint4)(first, first + 1, first + 2, first + 3),
            (uint2)(seed), i);
}

/* ---- Dropout ------------------------------------------------------------- */

#ifdef DROPOUT_SEED
/* The same from an offset on, with all bits of seed and offset. */
static inline uint random_number_from(uint i, long seed, long offset)
{
    if (offset == 0) return random_number(i, (uint)seed);
    return philox((uint4)((uint)offset, (uint)(offset >> 32), i & ~3u, 0u),
            (uint2)((uint)seed, (uint)(seed >> 32)), i);
}

/* What a number has to exceed: the probability times 2^32 - 1, cut off, in
 * integers: not every device has doubles. */
static inline uint dropout_threshold(float probability)
{
    uint bits = as_uint(probability);
    uint shift = 150 - (bits >> 23);
    if (!(probability > 0.0f)) return 0;
    if (probability >= 1.0f) return 0xffffffffu;
    ulong product = (ulong)(bits & 0x7fffffu | 0x800000u) * 0xffffffffu;
    return shift < 64 ? (uint)(product >> shift) : 0;
}

/* The results that are kept are scaled up, so that the mean stays. */
static inline float drop_out(float s, float p, uint number, int *is_kept)
{
    *is_kept = number > dropout_threshold(p);
    return *is_kept ? s * (1.0f / (1.0f - p)) : 0.0f;
}

#ifdef DROPOUT_OFFSET
#define DROPOUT_OFFSET_PARAMETER , const __global long *dropout_offset
#define DROPOUT_NUMBER(i) \
    random_number_from((uint)(i), dropout_seed[0], dropout_offset[0])
#else
#define DROPOUT_OFFSET_PARAMETER
#define DROPOUT_NUMBER(i) random_number((uint)(i), (uint)dropout_seed[0])
#endif

#define DROPOUT_PARAMETERS_BUT_MASK                  \
    , const __global float *dropout_probability,     \
            const __global DROPOUT_SEED *dropout_seed DROPOUT_OFFSET_PARAMETER
#ifdef DROPOUT_MASK
static inline float drop_out_noted(
        float s, float p, uint number, __global ELEMENT(DROPOUT_MASK) *mask)
{
    int is_kept;
    s = drop_out(s, p, number, &is_kept);
    *mask = (ELEMENT(DROPOUT_MASK))is_kept;
    return s;
}

#define DROPOUT_PARAMETERS                       \
    , __global ELEMENT(DROPOUT_MASK) *dropout_mask DROPOUT_PARAMETERS_BUT_MASK
#define DROP_OUT(s, at)                                                  \
    drop_out_noted(s, dropout_probability[0],                            \
            DROPOUT_NUMBER((at) - tail.random_dst),                      \
            dropout_mask + tail.random_mask + ((at) - tail.random_dst))
#else
static inline float drop_out_unnoted(float s, float p, uint number)
{
    int is_kept;
    return drop_out(s, p, number, &is_kept);
}

#define DROPOUT_PARAMETERS DROPOUT_PARAMETERS_BUT_MASK
#define DROP_OUT(s, at)                         \
    drop_out_unnoted(s, dropout_probability[0], \
            DROPOUT_NUMBER((at) - tail.random_dst))
#endif
#else
#define DROPOUT_PARAMETERS
#define DROP_OUT(s, at) (s)
#endif

/* ---- Rounding ------------------------------------------------------------ */

#ifdef ROUNDING
/* Binary digits of a type's numbers, how many random bits are added to one, and
 * the range; what is nearer to 0 than a float's SMALLEST becomes 0. */
#define DIGITS_f32 24
#define DIGITS_f16 11
#define DIGITS_bf16 8
#define DIGITS_s8 7
#define DIGITS_u8 8
#define RANDOM_BITS_f32 16
#define RANDOM_BITS_f16 8
#define RANDOM_BITS_bf16 8
#define RANDOM_BITS_s8 16
#define RANDOM_BITS_u8 16
#define LARGEST_f32 0x1.fffffep127f
#define LARGEST_f16 65504.0f
#define LARGEST_bf16 0x1.fep127f
#define LARGEST_s8 127.0f
#define LARGEST_u8 255.0f
#define LOWEST_f32 (-LARGEST_f32)
#define LOWEST_f16 (-LARGEST_f16)
#define LOWEST_bf16 (-LARGEST_bf16)
#define LOWEST_s8 (-128.0f)
#define LOWEST_u8 0.0f
#define SMALLEST_f32 0x1p-126f
#define SMALLEST_f16 0x1p-14f
#define SMALLEST_bf16 0x1p-126f
#define SMALLEST_s8 0.0f
#define SMALLEST_u8 0.0f

/* Adds random bits to what is below the last digit that dst has, and cuts off
 * the rest. */
static inline float round_at_random(float s, int i, const __global int *seed)
{
    const int bits = PASTE(RANDOM_BITS_, DST);
    const uint rest = (1u << (24 - PASTE(DIGITS_, DST))) - 1;
    const uint per_number = 32 / bits;
    uint number = random_number((uint)i / per_number, (uint)seed[0]);
    uint added = number >> ((uint)i % per_number * bits) & ((1u << bits) - 1);
    if ((as_uint(s) & 0x7f800000u) == 0x7f800000u) return s;
    uint r = (as_uint(s) + (added & rest)) & ~rest;
    /* By bits: what devices make of numbers that small differs. */
    uint size = r & 0x7fffffffu;
    if (size > 0 && size < as_uint(PASTE(SMALLEST_, DST))) return 0.0f;
    return fmin(fmax(as_float(r), PASTE(LOWEST_, DST)), PASTE(LARGEST_, DST));
}

#define ROUNDING_PARAMETERS , const __global int *rounding_seed
#define ROUND_AT_RANDOM(s, at) \
    round_at_random(s, (at) - tail.random_dst, rounding_seed)
#else
#define ROUNDING_PARAMETERS
#define ROUND_AT_RANDOM(s, at) (s)
#endif

#define RANDOM_PARAMETERS DROPOUT_PARAMETERS ROUNDING_PARAMETERS
/* Members of struct tail_params: where elements begin. */
#define RANDOM_MEMBERS \
    int random_dst;    \
    int random_mask;
