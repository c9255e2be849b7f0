/* SPDX-License-Identifier: Apache-2.0 */
/* The operators that are known here. */
#include "import.h"

#include <stdlib.h>
#include <string.h>

/* For functions that need no more than the name. */
#define NONE graph_op_count

/* By name: bsearch() looks them up. */
static const struct import_operator operators[] = {
        {"Abs", import_unary, graph_op_abs},
        {"Add", import_binary, graph_op_add},
        {"AveragePool", import_pool, graph_op_average_pool},
        {"BatchNormalization", import_batch_norm, graph_op_batch_norm},
        {"Cast", import_cast, graph_op_cast},
        {"Ceil", import_unary, graph_op_ceil},
        {"Celu", import_unary, graph_op_celu},
        {"Clip", import_clip, graph_op_clip},
        {"Concat", import_concat, graph_op_concat},
        {"Constant", import_constant, NONE},
        {"ConstantOfShape", import_constant_of_shape, NONE},
        {"Conv", import_conv, graph_op_conv},
        {"ConvTranspose", import_conv_transpose, graph_op_conv_transpose},
        {"DepthToSpace", import_depth_to_space, NONE},
        {"Div", import_binary, graph_op_div},
        {"Dropout", import_dropout, NONE},
        {"Elu", import_unary, graph_op_elu},
        {"Erf", import_unary, graph_op_erf},
        {"Exp", import_unary, graph_op_exp},
        {"Expand", import_expand, graph_op_expand},
        {"Flatten", import_flatten, graph_op_reshape},
        {"Floor", import_unary, graph_op_floor},
        {"Gather", import_gather, graph_op_gather},
        {"Gemm", import_gemm, graph_op_gemm},
        {"GlobalAveragePool", import_global_pool, graph_op_average_pool},
        {"GlobalLpPool", import_global_lp_pool, NONE},
        {"GlobalMaxPool", import_global_pool, graph_op_max_pool},
        {"HardSigmoid", import_unary, graph_op_hard_sigmoid},
        {"HardSwish", import_unary, graph_op_hard_swish},
        {"Identity", import_dropout, NONE},
        {"InstanceNormalization", import_instance_norm, graph_op_instance_norm},
        {"LRN", import_lrn, graph_op_lrn},
        {"LayerNormalization", import_layer_norm, graph_op_layer_norm},
        {"LeakyRelu", import_unary, graph_op_leaky_relu},
        {"Log", import_unary, graph_op_log},
        {"LogSoftmax", import_softmax, graph_op_log_softmax},
        {"LpPool", import_lp_pool, NONE},
        {"MatMul", import_matmul, graph_op_matmul},
        {"Max", import_variadic, graph_op_max},
        {"MaxPool", import_pool, graph_op_max_pool},
        {"Mean", import_mean, NONE},
        {"Min", import_variadic, graph_op_min},
        {"Mish", import_unary, graph_op_mish},
        {"Mul", import_binary, graph_op_mul},
        {"Neg", import_unary, graph_op_neg},
        {"PRelu", import_prelu, graph_op_prelu},
        {"Pad", import_pad, graph_op_pad},
        {"Pow", import_binary, graph_op_pow},
        {"Reciprocal", import_unary, graph_op_reciprocal},
        {"ReduceL1", import_reduction, graph_op_reduce_l1},
        {"ReduceL2", import_reduction, graph_op_reduce_l2},
        {"ReduceLogSum", import_reduction, graph_op_reduce_log_sum},
        {"ReduceLogSumExp", import_reduction, graph_op_reduce_log_sum_exp},
        {"ReduceMax", import_reduction, graph_op_reduce_max},
        {"ReduceMean", import_reduction, graph_op_reduce_mean},
        {"ReduceMin", import_reduction, graph_op_reduce_min},
        {"ReduceProd", import_reduction, graph_op_reduce_prod},
        {"ReduceSum", import_reduction, graph_op_reduce_sum},
        {"ReduceSumSquare", import_reduction, graph_op_reduce_sum_square},
        {"Relu", import_unary, graph_op_relu},
        {"Reshape", import_reshape, graph_op_reshape},
        {"Resize", import_resize, graph_op_resize},
        {"Round", import_unary, graph_op_round},
        {"Selu", import_unary, graph_op_selu},
        {"Shape", import_shape, NONE},
        {"Sigmoid", import_unary, graph_op_sigmoid},
        {"Size", import_size, NONE},
        {"Slice", import_slice, graph_op_slice},
        {"Softmax", import_softmax, graph_op_softmax},
        {"Softplus", import_unary, graph_op_softplus},
        {"Softsign", import_unary, graph_op_softsign},
        {"SpaceToDepth", import_space_to_depth, NONE},
        {"Split", import_split, graph_op_slice},
        {"Sqrt", import_unary, graph_op_sqrt},
        {"Squeeze", import_squeeze, graph_op_reshape},
        {"Sub", import_binary, graph_op_sub},
        {"Sum", import_variadic, graph_op_add},
        {"Tanh", import_unary, graph_op_tanh},
        {"ThresholdedRelu", import_unary, graph_op_thresholded_relu},
        {"Tile", import_tile, graph_op_tile},
        {"Transpose", import_transpose, graph_op_transpose},
        {"Unsqueeze", import_unsqueeze, graph_op_reshape},
        {"Upsample", import_upsample, graph_op_resize},
};

static int by_name(const void *name, const void *operator)
{
    return strcmp(name, ((const struct import_operator *)operator)->name);
}

const struct import_operator *import_find_operator(const char *name)
{
    return bsearch(name, operators, sizeof operators / sizeof *operators,
            sizeof *operators, by_name);
}
