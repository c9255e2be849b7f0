/* SPDX-License-Identifier: Apache-2.0 */
/* The small facts of graph.h: names, sizes, shapes. */
#include "model/graph/graph.h"

#include <stdio.h>

static const char *const op_names[graph_op_count] = {
        [graph_op_conv] = "conv",
        [graph_op_conv_transpose] = "conv_transpose",
        [graph_op_max_pool] = "max_pool",
        [graph_op_average_pool] = "average_pool",
        [graph_op_gemm] = "gemm",
        [graph_op_matmul] = "matmul",
        [graph_op_batch_norm] = "batch_norm",
        [graph_op_instance_norm] = "instance_norm",
        [graph_op_layer_norm] = "layer_norm",
        [graph_op_lrn] = "lrn",
        [graph_op_softmax] = "softmax",
        [graph_op_log_softmax] = "log_softmax",
        [graph_op_relu] = "relu",
        [graph_op_leaky_relu] = "leaky_relu",
        [graph_op_elu] = "elu",
        [graph_op_selu] = "selu",
        [graph_op_celu] = "celu",
        [graph_op_sigmoid] = "sigmoid",
        [graph_op_tanh] = "tanh",
        [graph_op_hard_sigmoid] = "hard_sigmoid",
        [graph_op_hard_swish] = "hard_swish",
        [graph_op_softplus] = "softplus",
        [graph_op_softsign] = "softsign",
        [graph_op_thresholded_relu] = "thresholded_relu",
        [graph_op_mish] = "mish",
        [graph_op_clip] = "clip",
        [graph_op_saturate] = "saturate",
        [graph_op_abs] = "abs",
        [graph_op_neg] = "neg",
        [graph_op_exp] = "exp",
        [graph_op_log] = "log",
        [graph_op_sqrt] = "sqrt",
        [graph_op_reciprocal] = "reciprocal",
        [graph_op_floor] = "floor",
        [graph_op_ceil] = "ceil",
        [graph_op_round] = "round",
        [graph_op_erf] = "erf",
        [graph_op_sign] = "sign",
        [graph_op_sin] = "sin",
        [graph_op_cos] = "cos",
        [graph_op_tan] = "tan",
        [graph_op_asin] = "asin",
        [graph_op_acos] = "acos",
        [graph_op_atan] = "atan",
        [graph_op_sinh] = "sinh",
        [graph_op_cosh] = "cosh",
        [graph_op_asinh] = "asinh",
        [graph_op_acosh] = "acosh",
        [graph_op_atanh] = "atanh",
        [graph_op_shrink] = "shrink",
        [graph_op_is_nan] = "is_nan",
        [graph_op_is_inf] = "is_inf",
        [graph_op_not] = "not",
        [graph_op_bit_not] = "bit_not",
        [graph_op_cast] = "cast",
        [graph_op_add] = "add",
        [graph_op_sub] = "sub",
        [graph_op_mul] = "mul",
        [graph_op_div] = "div",
        [graph_op_pow] = "pow",
        [graph_op_max] = "max",
        [graph_op_min] = "min",
        [graph_op_mod] = "mod",
        [graph_op_fmod] = "fmod",
        [graph_op_equal] = "equal",
        [graph_op_less] = "less",
        [graph_op_less_or_equal] = "less_or_equal",
        [graph_op_greater] = "greater",
        [graph_op_greater_or_equal] = "greater_or_equal",
        [graph_op_and] = "and",
        [graph_op_or] = "or",
        [graph_op_xor] = "xor",
        [graph_op_bit_and] = "bit_and",
        [graph_op_bit_or] = "bit_or",
        [graph_op_bit_xor] = "bit_xor",
        [graph_op_shift_left] = "shift_left",
        [graph_op_shift_right] = "shift_right",
        [graph_op_prelu] = "prelu",
        [graph_op_where] = "where",
        [graph_op_reduce_sum] = "reduce_sum",
        [graph_op_reduce_mean] = "reduce_mean",
        [graph_op_reduce_max] = "reduce_max",
        [graph_op_reduce_min] = "reduce_min",
        [graph_op_reduce_prod] = "reduce_prod",
        [graph_op_reduce_l1] = "reduce_l1",
        [graph_op_reduce_l2] = "reduce_l2",
        [graph_op_reduce_sum_square] = "reduce_sum_square",
        [graph_op_reduce_log_sum] = "reduce_log_sum",
        [graph_op_reduce_log_sum_exp] = "reduce_log_sum_exp",
        [graph_op_cum_sum] = "cum_sum",
        [graph_op_arg_max] = "arg_max",
        [graph_op_arg_min] = "arg_min",
        [graph_op_concat] = "concat",
        [graph_op_slice] = "slice",
        [graph_op_gather] = "gather",
        [graph_op_gather_elements] = "gather_elements",
        [graph_op_scatter] = "scatter",
        [graph_op_transpose] = "transpose",
        [graph_op_reshape] = "reshape",
        [graph_op_expand] = "expand",
        [graph_op_tile] = "tile",
        [graph_op_pad] = "pad",
        [graph_op_resize] = "resize",
        [graph_op_recurrent] = "recurrent",
};

const char *graph_op_name(enum graph_op op)
{
    return (unsigned)op < graph_op_count ? op_names[op] : "nothing";
}

const char *graph_type_name(enum graph_type type)
{
    switch (type) {
    case graph_type_f32:
        return "f32";
    case graph_type_f64:
        return "f64";
    case graph_type_i32:
        return "i32";
    case graph_type_i64:
        return "i64";
    case graph_type_bool:
        return "bool";
    case graph_type_i8:
        return "i8";
    case graph_type_u8:
        return "u8";
    case graph_type_i16:
        return "i16";
    case graph_type_u16:
        return "u16";
    case graph_type_u32:
        return "u32";
    }
    return "nothing";
}

bool graph_type_is_float(enum graph_type type)
{
    return type == graph_type_f32 || type == graph_type_f64;
}

bool graph_type_is_integer(enum graph_type type)
{
    return !graph_type_is_float(type) && type != graph_type_bool;
}

bool graph_type_is_unsigned(enum graph_type type)
{
    return type == graph_type_u8 || type == graph_type_u16
           || type == graph_type_u32;
}

size_t graph_type_size(enum graph_type type)
{
    switch (type) {
    case graph_type_f32:
    case graph_type_i32:
    case graph_type_u32:
        return 4;
    case graph_type_f64:
    case graph_type_i64:
        return 8;
    case graph_type_i16:
    case graph_type_u16:
        return 2;
    case graph_type_bool:
    case graph_type_i8:
    case graph_type_u8:
        return 1;
    }
    return 0;
}

/* ---- Shapes -------------------------------------------------------------- */

int64_t graph_most_elements(void)
{
    const uint64_t most = UINT64_C(1) << 43;
    const uint64_t addressed = SIZE_MAX / 2 / sizeof(double);
    return (int64_t)(addressed < most ? addressed : most);
}

int64_t graph_shape_count(const struct graph_shape *shape)
{
    int64_t count = 1;
    for (int d = 0; d < shape->ndims; d++)
        count *= shape->dims[d];
    return count;
}

bool graph_shape_fits(const struct graph_shape *shape, int64_t least)
{
    const int64_t most = graph_most_elements();
    int64_t count = 1;
    for (int d = 0; d < shape->ndims; d++) {
        int64_t dim = shape->dims[d];
        if (dim < least || dim < 0 || dim > most) return false;
        /* An empty one must not hide dimensions that do not fit. */
        if (dim != 0 && count > most / dim) return false;
        if (dim != 0) count *= dim;
    }
    return true;
}

bool graph_shape_equal(const struct graph_shape *a, const struct graph_shape *b)
{
    bool equal = a->ndims == b->ndims;
    for (int d = 0; equal && d < a->ndims; d++)
        equal = a->dims[d] == b->dims[d];
    return equal;
}

void graph_shape_text(
        char text[graph_shape_text_size], const struct graph_shape *shape)
{
    /* Eight dimensions of 20 characters and separators fit. */
    size_t at = 0;
    text[at++] = '[';
    for (int d = 0; d < shape->ndims; d++) {
        int written = snprintf(text + at, graph_shape_text_size - at, "%s%lld",
                d == 0 ? "" : ", ", (long long)shape->dims[d]);
        at += (size_t)written;
    }
    text[at++] = ']';
    text[at] = '\0';
}

size_t graph_tensor_size(const struct graph_tensor *tensor)
{
    return (size_t)graph_shape_count(&tensor->shape)
           * graph_type_size(tensor->type);
}
