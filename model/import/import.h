/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import.h: what the operators of ONNX need to become nodes of a graph. The
 * reader (onnx_read.c) puts one node after the other in hand, whose inputs have
 * tensors by then; the function of its operator (import_table.c) reads
 * attributes and constants, infers the shape of each output, and emits nodes.
 */
#ifndef DNNL_CACHE_MODEL_IMPORT_IMPORT_H
#define DNNL_CACHE_MODEL_IMPORT_IMPORT_H

#include "model/graph/graph.h"
#include "model/onnx/onnx_message.h"
#include "model/onnx/onnx_tensor.h"

struct name;  /* a name of the file, see onnx_names.h */
struct scope; /* a function or a branch, see import_inline.h */

struct import {
    struct graph *graph;
    struct name *names;
    struct onnx_files files;
    uint64_t bytes_left; /* of computed constants */
    int64_t opset;
    struct failure *failure;
    const Onnx__ModelProto *model;
    /* Functions and branches. */
    struct scope *scope; /* of the node in hand; NULL: the model's graph */
    int scopes, depth, inlined_nodes;
    /* The node in hand. */
    const Onnx__NodeProto *node;
    char label[160];
    int fresh; /* counts the tensors that the file has no name for */
};

/* The function of an operator; `op` is what the table has for its name. */
typedef bool import_function(struct import *im, enum graph_op op);

struct import_operator {
    const char *name; /* as in the file */
    import_function *function;
    enum graph_op op;
    int since;          /* the operator set that had it first */
    unsigned types;     /* of input 0, a bit for each graph_type; f32 is also
                         * float16; 0: it has none, or is refused */
    const char *limits; /* for people; NULL: none */
};

/* Of the standard domain, or of ONNX Runtime's; NULL for what is not known
 * here. */
const struct import_operator *import_find_operator(
        const char *domain, const char *name);

/* All of them in the order of their names, those of the standard domain first;
 * NULL behind the last. */
const struct import_operator *import_operator_at(size_t number);

/* The domain of operators that ONNX Runtime's optimizer and quantizer write. */
#define import_runtime_domain "com.microsoft"
bool import_is_runtime_operator(const struct import_operator *op);

/* Takes a node in hand; fails if it has no output. */
bool import_take_in_hand(struct import *im, const Onnx__NodeProto *node);
/* Imports the node in hand. */
bool import_node(struct import *im);
/* The same, if it has an operator of that domain, of that operator. */
bool import_operator_node(struct import *im, const char *domain);

bool import_is_standard_domain(const char *domain);
/* Fails unless the operator set is known. */
bool import_check_opset(struct import *im);
/* Takes the standard domain's from what a model or a function imports; it stays
 * as it is if there is none. Fails if a domain is imported twice. */
enum { import_no_opset = 0 };
bool import_take_opset(
        struct import *im, Onnx__OperatorSetIdProto **sets, size_t count);

/* Fails with the node's label before the text. */
bool import_fail(struct import *im, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

/* ---- Inputs -------------------------------------------------------------- */

/* True if it is given: operators omit inputs at the end or name them "". */
bool import_has_input(const struct import *im, size_t input);
/* Its tensor's number, graph_none if it is not given. */
int import_input(const struct import *im, size_t input);
/* The tensor of a number, until the next is added. */
const struct graph_tensor *import_tensor(const struct import *im, int tensor);

/* Fails unless there are least to most inputs, the first `least` given. */
bool import_check_inputs(struct import *im, size_t least, size_t most);
/* Fails unless all inputs given are f32. */
bool import_check_f32(struct import *im);
/* Fails unless all inputs given have one type, and not bool. */
bool import_check_types(struct import *im);
/* Fails unless an input that is given has a shape. */
bool import_check_shape(
        struct import *im, size_t input, const struct graph_shape *shape);

/* The numbers of an input that must be a constant of i32 or i64, of one
 * dimension at most; false as well if there are more than `most`. */
bool import_constant_ints(
        struct import *im, size_t input, int64_t *values, int most, int *count);
/* The same of f32, or of f64 rounded to it. */
bool import_constant_floats(
        struct import *im, size_t input, float *values, int most, int *count);

/* ---- Attributes ---------------------------------------------------------- */

/* Each leaves the value as it is if the node has no such attribute, and fails
 * if it has one of another kind. */
bool import_int(struct import *im, const char *name, int64_t *value);
bool import_flag(struct import *im, const char *name, bool *value);
bool import_float(struct import *im, const char *name, float *value);
/* More than `most` numbers fail. *count says how many there are. */
bool import_ints(struct import *im, const char *name, int64_t *values, int most,
        int *count);
bool import_floats(struct import *im, const char *name, float *values, int most,
        int *count);
/* An attribute's text is cut to the room there is, which is that of the longest
 * word that means something and one more. */
enum { import_word_size = 32 };
bool import_word(
        struct import *im, const char *name, char value[import_word_size]);
/* NULL if there is none. */
const Onnx__AttributeProto *import_attribute(
        const struct import *im, const char *name);

/* Makes an axis, of a tensor with so many dimensions, count from 0. */
bool import_axis(struct import *im, int64_t axis, int ndims, int *out);
/* The same for several; fails if one is named twice. */
bool import_distinct_axes(struct import *im, const int64_t *given, int count,
        int ndims, int axes[graph_max_ndims]);
/* The attribute "axis", or what is given, for a tensor with so many. */
bool import_axis_attribute(
        struct import *im, int64_t otherwise, int ndims, int *out);
/* Axes from the attribute "axes" or from an input (either way, whatever the
 * operator set says): marks them, and fails if one is named twice. *given tells
 * whether there are any. */
bool import_axes(struct import *im, size_t input, int ndims,
        bool marked[graph_max_ndims], bool *given);

/* ---- Outputs ------------------------------------------------------------- */

enum { import_between = -1 }; /* no output of the node in hand */

/* True if the node in hand names this output. */
bool import_has_output(const struct import *im, int output);

/* A name for a tensor that the file has none for. */
enum { import_name_size = 200 };
bool import_fresh_name(struct import *im, char name[import_name_size]);

/* Adds a node, whose output gets type and shape; if that can be computed from
 * constants it is, and nothing is added but a constant. The tensor becomes the
 * given output of the node in hand, or is import_between. Its number, or
 * graph_none after a failure. */
int import_emit(struct import *im, struct graph_node *node,
        enum graph_type type, const struct graph_shape *shape, int output);

/* The same of an operator with one or two inputs; of inputs that are graph_none
 * the result is, too. The type is the first one's, or bool of comparisons. */
int import_emit_unary(struct import *im, enum graph_op op, int x, int output);
int import_emit_binary(
        struct import *im, enum graph_op op, int a, int b, int output);
/* The same elements as another type. */
int import_emit_cast(
        struct import *im, int x, enum graph_type type, int output);
/* x where the condition is true, else y. */
int import_emit_where(
        struct import *im, int condition, int x, int y, int output);
/* The same elements in another shape: of as many, which is for the caller to
 * make sure; nothing is added if it is the same. */
int import_emit_reshape(
        struct import *im, int x, const struct graph_shape *shape, int output);

/* A constant; takes over data, also when it fails. */
int import_emit_constant(struct import *im, enum graph_type type,
        const struct graph_shape *shape, void *data, bool is_weight,
        int output);

/* The same of one f32, in between. */
int import_emit_scalar(struct import *im, float value);

/* Takes bytes of a constant that is computed off those that are left. */
bool import_charge(struct import *im, uint64_t bytes);

/* Makes a tensor that exists an output of the node in hand. */
bool import_alias(struct import *im, int tensor, int output);

/* Input 1 of an operator of two: before operator set 7 it began at an axis of
 * input 0, if there was one. graph_none after a failure. */
int import_second_operand(struct import *im);

/* A convolution with the attributes of the node in hand. */
struct import_conv_parts {
    int x, weights, bias; /* bias: graph_none if there is none */
};
int import_emit_conv(
        struct import *im, const struct import_conv_parts *parts, int output);

/* x times a half of 1 + erf(x / sqrt(2)), or the like by tanh. */
int import_emit_gelu(struct import *im, int x, bool by_tanh, int output);

/* Dimensions in another order. */
int import_emit_transpose(
        struct import *im, int x, const int perm[graph_max_ndims], int output);

/* A product of tensors as MatMul has it. */
int import_emit_matmul(struct import *im, int a, int b, int output);

/* The least or the largest number of a type of integers, of 4 bytes or less. */
int64_t import_least(enum graph_type type);
int64_t import_most(enum graph_type type);

/* One number of a type, in between. */
int import_emit_number(struct import *im, enum graph_type type, double value);

/* Fails if a tensor is a constant that has an index beyond a dimension of so
 * many elements; negative ones count from the end. */
bool import_check_indices(struct import *im, int indices, int64_t dim);

/* Numbers 0 .. count - 1 of i64, in a row. */
int import_emit_count(struct import *im, int64_t count);

/* The shape that two are broadcast to. */
bool import_broadcast(struct import *im, const struct graph_shape *a,
        const struct graph_shape *b, struct graph_shape *out);

/* ---- Operators ----------------------------------------------------------- */

import_function import_conv, import_conv_transpose;            /* _conv.c */
import_function import_pool, import_global_pool;               /* _pool.c */
import_function import_lp_pool, import_global_lp_pool;         /* _pool.c */
import_function import_gemm, import_matmul;                    /* _products.c */
import_function import_batch_norm, import_instance_norm;       /* _norms.c */
import_function import_group_norm;                             /* _norms.c */
import_function import_layer_norm, import_lrn, import_softmax; /* _norms.c */
import_function import_unary, import_clip, import_dropout;     /* _eltwise.c */
import_function import_binary, import_variadic, import_mean;   /* _eltwise.c */
import_function import_gelu;                                   /* _eltwise.c */
import_function import_quantize, import_dequantize;            /* _quantize.c */
import_function import_dynamic_quantize;                       /* _quantize.c */
import_function import_matmul_integer, import_conv_integer;   /* _quantized.c */
import_function import_qlinear_matmul, import_qlinear_conv;   /* _quantized.c */
import_function import_cum_sum, import_arg;                   /* _line.c */
import_function import_gather_elements, import_hardmax;       /* _line.c */
import_function import_gather_nd;                             /* _gather_nd.c */
import_function import_scatter_elements, import_scatter_nd;   /* _scatter.c */
import_function import_hann_window, import_hamming_window;    /* _signal.c */
import_function import_blackman_window, import_mel_weights;   /* _signal.c */
import_function import_dft, import_stft, import_non_zero;     /* _signal.c */
import_function import_trilu, import_range, import_one_hot;   /* _pattern.c */
import_function import_eye_like;                              /* _pattern.c */
import_function import_rnn, import_gru, import_lstm;          /* _recurrent.c */
import_function import_dynamic_quantize_lstm;                 /* _recurrent.c */
import_function import_if, import_loop, import_scan;          /* _branch.c */
import_function import_prelu;                                 /* _eltwise.c */
import_function import_compare, import_logic, import_not;     /* _logic.c */
import_function import_mod, import_bits, import_bit_shift;    /* _logic.c */
import_function import_is_nan, import_is_inf, import_where;   /* _logic.c */
import_function import_reduction;                             /* _reduction.c */
import_function import_reshape, import_flatten;               /* _reshape.c */
import_function import_squeeze, import_unsqueeze;             /* _reshape.c */
import_function import_transpose, import_expand, import_tile; /* _move.c */
import_function import_concat, import_gather;                 /* _move.c */
import_function import_pad;                                   /* _pad.c */
import_function import_depth_to_space, import_space_to_depth; /* _space.c */
import_function import_slice, import_split;                   /* _slice.c */
import_function import_resize, import_upsample;               /* _resize.c */
import_function import_constant, import_constant_of_shape;    /* _constant.c */
import_function import_shape, import_size, import_cast;       /* _constant.c */
import_function import_cast_like;                             /* _constant.c */
import_function import_plain_gelu, import_bias_gelu,
        import_fast_gelu;                                     /* _fused.c */
import_function import_swish, import_fused_matmul;            /* _fused.c */
import_function import_skip_norm, import_rms_norm;            /* _fused.c */
import_function import_attention;                             /* _attention.c */
import_function import_multi_head_attention;                  /* _attention.c */
import_function import_grouped;                               /* _grouped.c */
import_function import_embed_norm;                            /* _embed.c */
import_function import_rotary, import_rotary_embedding;       /* _rotary.c */
import_function import_attend;                                /* _attends.c */
import_function import_matmul_nbits;                          /* _nbits.c */
import_function import_qlinear_unary, import_qlinear_binary;  /* _qlinear.c */
import_function import_qlinear_softmax, import_qlinear_where; /* _qlinear.c */
import_function import_qlinear_pool, import_qlinear_concat;   /* _qlinear.c */
import_function import_matmul_integer_to_float, import_qgemm; /* _qlinear.c */
import_function import_dynamic_quantize_matmul;               /* _qlinear.c */

#endif /* DNNL_CACHE_MODEL_IMPORT_IMPORT_H */
