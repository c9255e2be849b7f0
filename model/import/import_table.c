/* SPDX-License-Identifier: Apache-2.0 */
/* The operators that are known here. */
#include "model/import/import.h"

#include <stdlib.h>
#include <string.h>

/* For functions that need no more than the name. */
#define NONE graph_op_count

/* Types of the first operand. */
#define BIT(type) (1U << graph_type_##type)
#define F32 BIT(f32)
#define FLOATS (F32 | BIT(f64))
#define UNSIGNED (BIT(u8) | BIT(u16) | BIT(u32))
#define INTEGERS (UNSIGNED | BIT(i8) | BIT(i16) | BIT(i32) | BIT(i64))
#define QUANTIZED (BIT(i8) | BIT(u8) | BIT(i16) | BIT(u16))
#define NUMBERS (FLOATS | INTEGERS)
#define BOOL BIT(bool)
#define ANY (NUMBERS | BOOL)

#define SCATTER \
    "indices of i32 or i64; out of range: an error; of bool no reduction"

/* By name: bsearch() looks them up. */
static const struct import_operator operators[] = {
        {"Abs", import_unary, graph_op_abs, 1, NUMBERS, NULL},
        {"Acos", import_unary, graph_op_acos, 7, FLOATS, NULL},
        {"Acosh", import_unary, graph_op_acosh, 9, FLOATS, NULL},
        {"Add", import_binary, graph_op_add, 1, NUMBERS, NULL},
        {"And", import_logic, graph_op_and, 1, BOOL, NULL},
        {"ArgMax", import_arg, graph_op_arg_max, 1, NUMBERS, NULL},
        {"ArgMin", import_arg, graph_op_arg_min, 1, NUMBERS, NULL},
        {"Asin", import_unary, graph_op_asin, 7, FLOATS, NULL},
        {"Asinh", import_unary, graph_op_asinh, 9, FLOATS, NULL},
        {"Atan", import_unary, graph_op_atan, 7, FLOATS, NULL},
        {"Atanh", import_unary, graph_op_atanh, 9, FLOATS, NULL},
        {"Attention", import_attend, NONE, 23, F32,
                "masks of 4 dimensions at most"},
        {"AveragePool", import_pool, graph_op_average_pool, 1, F32,
                "1 to 3 spatial dimensions"},
        {"BatchNormalization", import_batch_norm, graph_op_batch_norm, 1, F32,
                "inference only"},
        {"BitShift", import_bit_shift, NONE, 11, UNSIGNED, NULL},
        {"BitwiseAnd", import_bits, graph_op_bit_and, 18, INTEGERS, NULL},
        {"BitwiseNot", import_unary, graph_op_bit_not, 18, INTEGERS, NULL},
        {"BitwiseOr", import_bits, graph_op_bit_or, 18, INTEGERS, NULL},
        {"BitwiseXor", import_bits, graph_op_bit_xor, 18, INTEGERS, NULL},
        {"BlackmanWindow", import_blackman_window, NONE, 17,
                BIT(i32) | BIT(i64), "size constant"},
        {"Cast", import_cast, graph_op_cast, 1, ANY,
                "from and to the supported types"},
        {"CastLike", import_cast_like, NONE, 15, ANY,
                "from and to the supported types"},
        {"Ceil", import_unary, graph_op_ceil, 1, FLOATS, NULL},
        {"Celu", import_unary, graph_op_celu, 12, F32, NULL},
        {"Clip", import_clip, graph_op_clip, 1, NUMBERS, NULL},
        {"Concat", import_concat, graph_op_concat, 1, ANY,
                "all operands of one type"},
        {"Constant", import_constant, NONE, 1, 0, "no sparse tensors, no text"},
        {"ConstantOfShape", import_constant_of_shape, NONE, 9,
                BIT(i32) | BIT(i64), "shape constant"},
        {"Conv", import_conv, graph_op_conv, 1, F32,
                "1 to 3 spatial dimensions"},
        {"ConvInteger", import_conv_integer, NONE, 10, QUANTIZED,
                "zero points as the tensors; 1 to 3 spatial dimensions"},
        {"ConvTranspose", import_conv_transpose, graph_op_conv_transpose, 1,
                F32, "1 to 3 spatial dimensions"},
        {"Cos", import_unary, graph_op_cos, 7, FLOATS, NULL},
        {"Cosh", import_unary, graph_op_cosh, 9, FLOATS, NULL},
        {"CumSum", import_cum_sum, graph_op_cum_sum, 11, NUMBERS,
                "axis constant"},
        {"DFT", import_dft, NONE, 17, F32,
                "length and axis constant; no one-sided inverse"},
        {"DepthToSpace", import_depth_to_space, NONE, 1, ANY, NULL},
        {"DequantizeLinear", import_dequantize, NONE, 10, QUANTIZED | BIT(i32),
                "scales of f32"},
        {"Div", import_binary, graph_op_div, 1, NUMBERS, NULL},
        {"Dropout", import_dropout, NONE, 1, ANY, "inference only; no mask"},
        {"DynamicQuantizeLinear", import_dynamic_quantize, NONE, 11, F32, NULL},
        {"Elu", import_unary, graph_op_elu, 1, FLOATS, NULL},
        {"Equal", import_compare, graph_op_equal, 1, ANY, NULL},
        {"Erf", import_unary, graph_op_erf, 9, FLOATS, NULL},
        {"Exp", import_unary, graph_op_exp, 1, FLOATS, NULL},
        {"Expand", import_expand, graph_op_expand, 8, ANY, "shape constant"},
        {"EyeLike", import_eye_like, NONE, 9, ANY, NULL},
        {"Flatten", import_flatten, graph_op_reshape, 1, ANY, NULL},
        {"Floor", import_unary, graph_op_floor, 1, FLOATS, NULL},
        {"GRU", import_gru, NONE, 1, F32, "as RNN"},
        {"Gather", import_gather, graph_op_gather, 1, ANY,
                "indices of i32 or i64; out of range: an error"},
        {"GatherElements", import_gather_elements, graph_op_gather_elements, 11,
                ANY, "indices of i32 or i64; out of range: an error"},
        {"GatherND", import_gather_nd, graph_op_gather, 11, ANY,
                "indices of i64; out of range: an error"},
        {"Gelu", import_gelu, NONE, 20, F32, NULL},
        {"Gemm", import_gemm, graph_op_gemm, 1, F32, NULL},
        {"GlobalAveragePool", import_global_pool, graph_op_average_pool, 1, F32,
                "1 to 3 spatial dimensions"},
        {"GlobalLpPool", import_global_lp_pool, NONE, 1, F32,
                "1 to 3 spatial dimensions"},
        {"GlobalMaxPool", import_global_pool, graph_op_max_pool, 1, F32,
                "1 to 3 spatial dimensions"},
        {"Greater", import_compare, graph_op_greater, 1, NUMBERS, NULL},
        {"GreaterOrEqual", import_compare, graph_op_greater_or_equal, 12,
                NUMBERS, NULL},
        {"GroupNormalization", import_group_norm, graph_op_instance_norm, 18,
                F32, NULL},
        {"HammingWindow", import_hamming_window, NONE, 17, BIT(i32) | BIT(i64),
                "size constant"},
        {"HannWindow", import_hann_window, NONE, 17, BIT(i32) | BIT(i64),
                "size constant"},
        {"HardSigmoid", import_unary, graph_op_hard_sigmoid, 1, F32, NULL},
        {"HardSwish", import_unary, graph_op_hard_swish, 14, F32, NULL},
        {"Hardmax", import_hardmax, NONE, 1, F32, "from operator set 13 on"},
        {"Identity", import_dropout, NONE, 1, ANY, NULL},
        {"If", import_if, NONE, 1, BOOL,
                "condition constant, or both graphs give the same types and "
                "dimensions and pick no elements by run-time indices"},
        {"InstanceNormalization", import_instance_norm, graph_op_instance_norm,
                1, F32, NULL},
        {"IsInf", import_is_inf, graph_op_is_inf, 10, FLOATS, NULL},
        {"IsNaN", import_is_nan, graph_op_is_nan, 9, FLOATS, NULL},
        {"LRN", import_lrn, graph_op_lrn, 1, F32, NULL},
        {"LSTM", import_lstm, NONE, 1, F32, "as RNN; no input_forget"},
        {"LayerNormalization", import_layer_norm, graph_op_layer_norm, 17, F32,
                "no mean, no deviation"},
        {"LeakyRelu", import_unary, graph_op_leaky_relu, 1, FLOATS, NULL},
        {"Less", import_compare, graph_op_less, 1, NUMBERS, NULL},
        {"LessOrEqual", import_compare, graph_op_less_or_equal, 12, NUMBERS,
                NULL},
        {"Log", import_unary, graph_op_log, 1, FLOATS, NULL},
        {"LogSoftmax", import_softmax, graph_op_log_softmax, 1, F32, NULL},
        {"Loop", import_loop, NONE, 1, 0,
                "trip count or condition constant in each iteration"},
        {"LpPool", import_lp_pool, NONE, 1, F32, "1 to 3 spatial dimensions"},
        {"MatMul", import_matmul, graph_op_matmul, 1, NUMBERS, NULL},
        {"MatMulInteger", import_matmul_integer, NONE, 10, QUANTIZED,
                "zero points as the tensors"},
        {"Max", import_variadic, graph_op_max, 1, NUMBERS, NULL},
        {"MaxPool", import_pool, graph_op_max_pool, 1, F32,
                "1 to 3 spatial dimensions; no indices"},
        {"Mean", import_mean, NONE, 1, F32, NULL},
        {"MelWeightMatrix", import_mel_weights, NONE, 17, BIT(i32) | BIT(i64),
                "operands constant"},
        {"Min", import_variadic, graph_op_min, 1, NUMBERS, NULL},
        {"Mish", import_unary, graph_op_mish, 18, F32, NULL},
        {"Mod", import_mod, NONE, 10, NUMBERS, "floats only with fmod"},
        {"Mul", import_binary, graph_op_mul, 1, NUMBERS, NULL},
        {"Neg", import_unary, graph_op_neg, 1, NUMBERS, NULL},
        {"NonZero", import_non_zero, NONE, 9, ANY, "constant"},
        {"Not", import_not, graph_op_not, 1, BOOL, NULL},
        {"OneHot", import_one_hot, NONE, 9, NUMBERS, "depth constant"},
        {"Or", import_logic, graph_op_or, 1, BOOL, NULL},
        {"PRelu", import_prelu, graph_op_prelu, 1, F32, NULL},
        {"Pad", import_pad, graph_op_pad, 1, ANY,
                "pads, value and axes constant; integers to pad with below "
                "2^24"},
        {"Pow", import_binary, graph_op_pow, 1, NUMBERS, NULL},
        {"QLinearConv", import_qlinear_conv, NONE, 10, QUANTIZED,
                "scales of f32; 1 to 3 spatial dimensions"},
        {"QLinearMatMul", import_qlinear_matmul, NONE, 10, QUANTIZED,
                "scales of f32"},
        {"QuantizeLinear", import_quantize, NONE, 10, F32 | BIT(i32),
                "scales of f32, to 8 or 16 bits"},
        {"RMSNormalization", import_rms_norm, NONE, 23, F32, NULL},
        {"RNN", import_rnn, NONE, 1, F32,
                "no clip; sequences of one length; activations Sigmoid, Tanh, "
                "Relu, Softsign, Softplus: at most 1024 steps with others than "
                "the usual ones"},
        {"Range", import_range, NONE, 11, NUMBERS, "operands constant"},
        {"Reciprocal", import_unary, graph_op_reciprocal, 1, FLOATS, NULL},
        {"ReduceL1", import_reduction, graph_op_reduce_l1, 1, NUMBERS,
                "axes constant"},
        {"ReduceL2", import_reduction, graph_op_reduce_l2, 1, FLOATS,
                "axes constant"},
        {"ReduceLogSum", import_reduction, graph_op_reduce_log_sum, 1, FLOATS,
                "axes constant"},
        {"ReduceLogSumExp", import_reduction, graph_op_reduce_log_sum_exp, 1,
                FLOATS, "axes constant"},
        {"ReduceMax", import_reduction, graph_op_reduce_max, 1, NUMBERS,
                "axes constant"},
        {"ReduceMean", import_reduction, graph_op_reduce_mean, 1, NUMBERS,
                "axes constant"},
        {"ReduceMin", import_reduction, graph_op_reduce_min, 1, NUMBERS,
                "axes constant"},
        {"ReduceProd", import_reduction, graph_op_reduce_prod, 1, NUMBERS,
                "axes constant"},
        {"ReduceSum", import_reduction, graph_op_reduce_sum, 1, NUMBERS,
                "axes constant"},
        {"ReduceSumSquare", import_reduction, graph_op_reduce_sum_square, 1,
                NUMBERS, "axes constant"},
        {"Relu", import_unary, graph_op_relu, 1, NUMBERS, NULL},
        {"Reshape", import_reshape, graph_op_reshape, 1, ANY, "shape constant"},
        {"Resize", import_resize, graph_op_resize, 10, F32,
                "scales and sizes constant; no antialias, tf_crop_and_resize, "
                "half_pixel_symmetric; align_corners only with lengths that "
                "are whole"},
        {"RotaryEmbedding", import_rotary_embedding, NONE, 23, F32, NULL},
        {"Round", import_unary, graph_op_round, 11, FLOATS, NULL},
        {"STFT", import_stft, NONE, 17, F32,
                "step and length of frames constant"},
        {"Scan", import_scan, NONE, 8, 0, "refused"},
        {"Scatter", import_scatter_elements, graph_op_scatter, 9, ANY, SCATTER},
        {"ScatterElements", import_scatter_elements, graph_op_scatter, 11, ANY,
                SCATTER},
        {"ScatterND", import_scatter_nd, graph_op_scatter, 11, ANY,
                "indices of i64; out of range: an error; of bool no "
                "reduction"},
        {"Selu", import_unary, graph_op_selu, 1, F32, NULL},
        {"Shape", import_shape, NONE, 1, ANY, NULL},
        {"Shrink", import_unary, graph_op_shrink, 9, NUMBERS, NULL},
        {"Sigmoid", import_unary, graph_op_sigmoid, 1, FLOATS, NULL},
        {"Sign", import_unary, graph_op_sign, 9, NUMBERS, NULL},
        {"SimplifiedLayerNormalization", import_rms_norm, NONE, 1, F32,
                "ONNX Runtime's; no deviation"},
        {"Sin", import_unary, graph_op_sin, 7, FLOATS, NULL},
        {"Sinh", import_unary, graph_op_sinh, 9, FLOATS, NULL},
        {"Size", import_size, NONE, 1, ANY, NULL},
        {"Slice", import_slice, graph_op_slice, 1, ANY,
                "starts, ends, axes, steps constant"},
        {"Softmax", import_softmax, graph_op_softmax, 1, F32, NULL},
        {"Softplus", import_unary, graph_op_softplus, 1, FLOATS, NULL},
        {"Softsign", import_unary, graph_op_softsign, 1, FLOATS, NULL},
        {"SpaceToDepth", import_space_to_depth, NONE, 1, ANY, NULL},
        {"Split", import_split, graph_op_slice, 1, ANY, "sizes constant"},
        {"Sqrt", import_unary, graph_op_sqrt, 1, FLOATS, NULL},
        {"Squeeze", import_squeeze, graph_op_reshape, 1, ANY, "axes constant"},
        {"Sub", import_binary, graph_op_sub, 1, NUMBERS, NULL},
        {"Sum", import_variadic, graph_op_add, 1, NUMBERS, NULL},
        {"Swish", import_swish, graph_op_sigmoid, 24, F32, NULL},
        {"Tan", import_unary, graph_op_tan, 7, FLOATS, NULL},
        {"Tanh", import_unary, graph_op_tanh, 1, FLOATS, NULL},
        {"ThresholdedRelu", import_unary, graph_op_thresholded_relu, 10, FLOATS,
                NULL},
        {"Tile", import_tile, graph_op_tile, 1, ANY, "repeats constant"},
        {"Transpose", import_transpose, graph_op_transpose, 1, ANY, NULL},
        {"Trilu", import_trilu, NONE, 14, ANY, "k constant"},
        {"Unsqueeze", import_unsqueeze, graph_op_reshape, 1, ANY,
                "axes constant"},
        {"Upsample", import_upsample, graph_op_resize, 1, F32,
                "scales constant"},
        {"Where", import_where, graph_op_where, 9, BOOL, NULL},
        {"Xor", import_logic, graph_op_xor, 1, BOOL, NULL},
};

#define QLINEAR "scales and zero points of the whole tensor"

/* Those of ONNX Runtime's domain, by name as well. */
static const struct import_operator runtime_operators[] = {
        {"Attention", import_attention, NONE, 1, F32,
                "no do_rotary, no past_present_share_buffer; masks of 1 to 3 "
                "dimensions"},
        {"BiasGelu", import_bias_gelu, NONE, 1, F32, NULL},
        {"DequantizeLinear", import_dequantize, NONE, 1, QUANTIZED | BIT(i32),
                "scales of f32"},
        {"DynamicQuantizeLSTM", import_dynamic_quantize_lstm, NONE, 1, F32,
                "as LSTM; at most 1024 steps"},
        {"DynamicQuantizeMatMul", import_dynamic_quantize_matmul, NONE, 1, F32,
                "zero points as the tensors"},
        {"EmbedLayerNormalization", import_embed_norm, graph_op_layer_norm, 1,
                BIT(i32), NULL},
        {"FastGelu", import_fast_gelu, NONE, 1, F32, NULL},
        {"FusedMatMul", import_fused_matmul, NONE, 1, F32, NULL},
        {"Gelu", import_plain_gelu, NONE, 1, F32, NULL},
        {"GroupQueryAttention", import_grouped, NONE, 1, F32,
                "total_sequence_length constant; no smooth_softmax, no "
                "head_sink, no scales"},
        {"MatMulIntegerToFloat", import_matmul_integer_to_float, NONE, 1,
                QUANTIZED, "zero points as the tensors"},
        {"MatMulNBits", import_matmul_nbits, NONE, 1, F32,
                "weights constant; 2, 4 or 8 bits, groups only of 4"},
        {"MultiHeadAttention", import_multi_head_attention, NONE, 1, F32,
                "no packed operands, no shared buffer; masks of 1 to 3 "
                "dimensions"},
        {"QGemm", import_qgemm, NONE, 1, QUANTIZED, "scales of f32"},
        {"QLinearAdd", import_qlinear_binary, graph_op_add, 1, QUANTIZED,
                QLINEAR},
        {"QLinearAveragePool", import_qlinear_pool, graph_op_average_pool, 1,
                QUANTIZED, QLINEAR "; 1 to 3 spatial dimensions"},
        {"QLinearConcat", import_qlinear_concat, NONE, 1, F32, QLINEAR},
        {"QLinearGlobalAveragePool", import_qlinear_pool, NONE, 1, QUANTIZED,
                QLINEAR "; 1 to 3 spatial dimensions"},
        {"QLinearLeakyRelu", import_qlinear_unary, graph_op_leaky_relu, 1,
                QUANTIZED, QLINEAR},
        {"QLinearMul", import_qlinear_binary, graph_op_mul, 1, QUANTIZED,
                QLINEAR},
        {"QLinearSigmoid", import_qlinear_unary, graph_op_sigmoid, 1, QUANTIZED,
                QLINEAR},
        {"QLinearSoftmax", import_qlinear_softmax, NONE, 1, QUANTIZED, QLINEAR},
        {"QLinearWhere", import_qlinear_where, NONE, 1, BOOL, QLINEAR},
        {"QuantizeLinear", import_quantize, NONE, 1, F32 | BIT(i32),
                "scales of f32, to 8 or 16 bits"},
        {"QuickGelu", import_swish, NONE, 1, F32, NULL},
        {"RotaryEmbedding", import_rotary, NONE, 1, F32,
                "no is_packed_batching; scale 1"},
        {"SkipLayerNormalization", import_skip_norm, graph_op_layer_norm, 1,
                F32, "no mean, no deviation"},
        {"SkipSimplifiedLayerNormalization", import_skip_norm, NONE, 1, F32,
                "no mean, no deviation"},
};

enum {
    count = sizeof operators / sizeof *operators,
    runtime_count = sizeof runtime_operators / sizeof *runtime_operators
};

static int by_name(const void *name, const void *operator)
{
    return strcmp(name, ((const struct import_operator *)operator)->name);
}

const struct import_operator *import_find_operator(
        const char *domain, const char *name)
{
    if (strcmp(domain, import_runtime_domain) == 0)
        return bsearch(name, runtime_operators, runtime_count,
                sizeof *runtime_operators, by_name);
    return bsearch(name, operators, count, sizeof *operators, by_name);
}

const struct import_operator *import_operator_at(size_t number)
{
    if (number < count) return &operators[number];
    number -= count;
    return number < runtime_count ? &runtime_operators[number] : NULL;
}

bool import_is_runtime_operator(const struct import_operator *op)
{
    return op >= runtime_operators && op < runtime_operators + runtime_count;
}
