/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.h: a neural network, as plain as it can be: tensors of known types and
 * dimensions, and nodes that compute tensors from tensors, in an order in which
 * they can run. onnx.h reads one from a file.
 *
 * What ONNX says in many ways is said here in one. Whoever runs a graph finds:
 *   - every dimension a number of at least 1, elements lying in row-major
 * order;
 *   - no operator that only names or counts: Identity, Dropout, Constant,
 *     ConstantOfShape and Shape are gone, and what depends on constants alone
 *     is a constant;
 *   - Flatten, Squeeze, Unsqueeze and Reshape are graph_op_reshape; Split is a
 *     graph_op_slice for each of its outputs; Sum, Mean, Max and Min take two
 *     tensors; global poolings are poolings, and norms of windows roots of
 *     averages; DepthToSpace is a transposition between two reshapes;
 *     reductions keep their dimensions and a reshape drops them; operands of
 *     products have two dimensions at least; each node has one output;
 *   - parameters that ONNX passes as tensors (axes, pads, scales, limits) in
 *     the node, axes counted from 0, padding as numbers.
 *
 * The types: activations are f32 in what networks compute, also where the file
 * says float16. Shapes are computed with f64, integers and bool, which leaves
 * nothing behind; but a model may also compute them, and an executor may refuse
 * to. Integers wrap around in their own bits.
 *
 * A graph owns all that it points to, until graph_fini(). Any number of threads
 * may read one; changing it is for one thread alone.
 */
#ifndef DNNL_CACHE_MODEL_GRAPH_GRAPH_H
#define DNNL_CACHE_MODEL_GRAPH_GRAPH_H

#include "model/base/failure.h"
#include "model/graph/deferred.h"

#include <stddef.h>
#include <stdint.h>

enum {
    graph_max_ndims = 8,
    graph_max_inputs = 7, /* of a node but Concat, which takes any number */
    graph_max_spatial = 3,
    graph_none = -1 /* no tensor, no node */
};

/* ---- Tensors ------------------------------------------------------------- */

enum graph_type {
    graph_type_f32 = 1,
    graph_type_f64 = 2,
    graph_type_i32 = 3,
    graph_type_i64 = 4,
    graph_type_bool = 5, /* a byte, 0 or 1 */
    graph_type_i8 = 6,
    graph_type_u8 = 7,
    graph_type_i16 = 8,
    graph_type_u16 = 9,
    graph_type_u32 = 10
};

struct graph_shape {
    int ndims; /* 0: one element */
    int64_t dims[graph_max_ndims];
};

struct graph_tensor {
    char *name; /* unique in the graph, not "" */
    enum graph_type type;
    struct graph_shape shape;
    void *data; /* of a constant, else NULL */
    /* What reads data, which has room for f32 alone until then; NULL: it is
     * there. */
    struct deferred *deferred;
    bool is_weight; /* a constant that random weights replace, see weights.h */
    bool is_half;   /* of f32: the file has it, or what it was computed of, as
                     * float16 */
    /* Of f32: whole numbers from least to most, no others; both 0: they may be
     * anything. */
    int32_t least, most;
    int producer; /* the node; graph_none for constants and inputs */
};

/* ---- Nodes --------------------------------------------------------------- */

/* The inputs of each in the order of ONNX; [x] may be graph_none or missing. */
enum graph_op {
    /* x, weights, [bias]; weights [O, I / groups, ...] and, transposed,
     * [I, O / groups, ...] */
    graph_op_conv, /* also of integers, then without a bias */
    graph_op_conv_transpose,
    graph_op_max_pool,
    graph_op_average_pool,

    graph_op_gemm,   /* alpha * a * b + beta * [c], all of two dimensions but
                      * c, which is broadcast */
    graph_op_matmul, /* a * b, two dimensions or more, the leading broadcast */

    graph_op_batch_norm,    /* x, scale, shift, mean, variance: inference */
    graph_op_instance_norm, /* x, scale, shift */
    graph_op_layer_norm,    /* x, scale, [shift], over the dimensions from
                             * `axis` on */
    graph_op_lrn,           /* across channels */
    graph_op_softmax,       /* along `axis` */
    graph_op_log_softmax,

    /* Functions of one element, alpha and beta as ONNX names them; */
    graph_op_relu,
    graph_op_leaky_relu, /* x < 0: alpha * x */
    graph_op_elu,        /* x < 0: alpha * (e^x - 1) */
    graph_op_selu,       /* beta * elu(x) */
    graph_op_celu,       /* x < 0: alpha * (e^(x / alpha) - 1) */
    graph_op_sigmoid,
    graph_op_tanh,
    graph_op_hard_sigmoid, /* alpha * x + beta, between 0 and 1 */
    graph_op_hard_swish,   /* x * hard_sigmoid(x) of 1/6 and 1/2 */
    graph_op_softplus,
    graph_op_softsign,         /* x / (1 + |x|) */
    graph_op_thresholded_relu, /* x <= alpha: 0 */
    graph_op_mish,             /* x * tanh(softplus(x)) */
    graph_op_clip,     /* between alpha and beta, which may be infinite */
    graph_op_saturate, /* the same of whole numbers that become integers: NaN
                        * and -0 are 0; 17 bits at most */
    graph_op_abs,
    graph_op_neg,
    graph_op_exp,
    graph_op_log,
    graph_op_sqrt,
    graph_op_reciprocal,
    graph_op_floor,
    graph_op_ceil,
    graph_op_round, /* halves to even */
    graph_op_erf,
    graph_op_sign,
    graph_op_sin,
    graph_op_cos,
    graph_op_tan,
    graph_op_asin,
    graph_op_acos,
    graph_op_atan,
    graph_op_sinh,
    graph_op_cosh,
    graph_op_asinh,
    graph_op_acosh,
    graph_op_atanh,
    graph_op_shrink,  /* nearer to 0 than alpha: 0; else beta nearer to 0 */
    graph_op_is_nan,  /* to bool */
    graph_op_is_inf,  /* to bool; alpha not 0: +inf is, beta: -inf is */
    graph_op_not,     /* of bool */
    graph_op_bit_not, /* of integers */
    graph_op_cast,    /* to the type of the output */

    /* Functions of two, both broadcast. */
    graph_op_add,
    graph_op_sub,
    graph_op_mul,
    graph_op_div,
    graph_op_pow,
    graph_op_max,
    graph_op_min,
    graph_op_mod,   /* the sign is that of b */
    graph_op_fmod,  /* the sign is that of a */
    graph_op_equal, /* this and the next four to bool */
    graph_op_less,
    graph_op_less_or_equal,
    graph_op_greater,
    graph_op_greater_or_equal,
    graph_op_and, /* of bool, as the next two */
    graph_op_or,
    graph_op_xor,
    graph_op_bit_and, /* of integers, as the next four */
    graph_op_bit_or,
    graph_op_bit_xor,
    graph_op_shift_left,
    graph_op_shift_right,
    graph_op_prelu, /* x, slope; only the slope is broadcast */

    graph_op_where, /* condition of bool, x, y: all broadcast */

    /* Over `axes`, whose dimensions are 1 in the output. */
    graph_op_reduce_sum,
    graph_op_reduce_mean,
    graph_op_reduce_max,
    graph_op_reduce_min,
    graph_op_reduce_prod,
    graph_op_reduce_l1,
    graph_op_reduce_l2,
    graph_op_reduce_sum_square,
    graph_op_reduce_log_sum,
    graph_op_reduce_log_sum_exp,

    /* Along an axis. */
    graph_op_cum_sum,
    graph_op_arg_max, /* to i64, the axis of length 1 */
    graph_op_arg_min,

    /* Elements elsewhere. */
    graph_op_concat, /* any number of inputs, along `axis` */
    graph_op_slice,
    graph_op_gather, /* x, indices: i32 or i64, negative ones from the end;
                      * along `axis` */
    graph_op_gather_elements, /* x, indices, one for each element of the
                               * output */
    graph_op_scatter, /* x, indices, updates: a copy of x, in which elements
                       * have become updates, or both together, one after the
                       * other. Indices, i32 or i64, negative ones from the end
                       * of `axis`, are broadcast to the updates, whose other
                       * dimensions are no longer than those of x */
    graph_op_transpose,
    graph_op_reshape, /* the same elements in the same order */
    graph_op_expand,  /* broadcast to the output's shape */
    graph_op_tile,    /* repeated as often as the output's shape says */
    graph_op_pad,
    graph_op_resize,

    /* x [steps, batch, inputs], weights of inputs [directions, inputs, gates *
     * size], of states [directions, size, gates * size], [bias [directions,
     * biases * size]], [h], [c] [directions, batch, size], [peepholes
     * [directions, 3 * size]]. The result is [steps, batch, directions * size],
     * and, with the cells at the end, [steps + 1, ...]. Gates are those of
     * oneDNN, in its order. */
    graph_op_recurrent,

    graph_op_count
};

/* Convolutions and poolings. Dilations are 1 where nothing is skipped. The
 * padding at the end is the file's, to which ceil_mode and output_padding may
 * make a difference: what counts are the dimensions of the output. Windows of
 * ceil_mode that reach beyond the padding have nothing there, not even zeros.*/
struct graph_window {
    int spatial; /* dimensions */
    int64_t kernel[graph_max_spatial];
    int64_t strides[graph_max_spatial];
    int64_t dilations[graph_max_spatial];
    int64_t pads_begin[graph_max_spatial];
    int64_t pads_end[graph_max_spatial];
    int64_t groups;         /* 1 for poolings */
    bool count_include_pad; /* average_pool divides by padding, too */
};

struct graph_gemm {
    float alpha, beta;
    bool transpose_a, transpose_b;
};

struct graph_lrn {
    int64_t size;
    float alpha, beta, bias;
};

/* Element i of the output is element starts + i * steps of x. */
struct graph_slice {
    int64_t starts[graph_max_ndims];
    int64_t steps[graph_max_ndims]; /* not 0, may be negative */
};

enum graph_pad_mode {
    graph_pad_constant = 1,
    graph_pad_reflect = 2, /* without the edge itself */
    graph_pad_edge = 3,
    graph_pad_wrap = 4 /* what is at the other end */
};

struct graph_pad {
    enum graph_pad_mode mode;
    int64_t begin[graph_max_ndims]; /* negative ones cut off */
    int64_t end[graph_max_ndims];
    float value; /* of graph_pad_constant */
};

/* What an element becomes, together with an update. */
enum graph_scatter {
    graph_scatter_none, /* the update; of several for one element, any */
    graph_scatter_add,
    graph_scatter_mul,
    graph_scatter_max,
    graph_scatter_min
};

/* Where in x the middle of an element of the output is, `scale` being the
 * output's size by the input's as the file says it. */
enum graph_resize_coordinates {
    graph_resize_half_pixel = 1,         /* (i + 0.5) / scale - 0.5 */
    graph_resize_pytorch_half_pixel = 2, /* the same; 0 if the output has 1 */
    graph_resize_align_corners = 3,      /* i * (in - 1) / (out - 1) */
    graph_resize_asymmetric = 4          /* i / scale */
};

enum graph_resize_mode {
    /* A place between two elements is rounded ... */
    graph_resize_nearest_round_down = 1, /* to nearest, halves down */
    graph_resize_nearest_round_up = 2,   /* to nearest, halves up */
    graph_resize_nearest_floor = 3,
    graph_resize_nearest_ceil = 4,
    /* ... or shares in both, in each dimension, or in four around it. */
    graph_resize_linear = 5,
    graph_resize_cubic = 6
};

struct graph_resize {
    enum graph_resize_mode mode;
    enum graph_resize_coordinates coordinates;
    double scales[graph_max_ndims]; /* those of sizes are no floats */
    float cubic_a;                  /* of graph_resize_cubic: Keys' a */
    bool excludes_outside; /* it shares among elements that are there; else what
                            * is outside is as the edge */
};

enum graph_cell {
    graph_cell_rnn = 1,
    graph_cell_gru = 2,
    graph_cell_lbr_gru = 3, /* linear before reset */
    graph_cell_lstm = 4
};

struct graph_recurrent {
    enum graph_cell cell;
    enum graph_op activation; /* of graph_cell_rnn: relu, tanh, sigmoid */
    bool is_backward; /* of one direction; else forward, then backward */
    bool gives_cell;  /* of graph_cell_lstm */
};

struct graph_node {
    enum graph_op op;
    char *label; /* "Conv 'stem'", as the file calls it: for messages. Nodes
                  * made of one of the file's share its label. */
    int input_count;
    int *inputs; /* tensors, or graph_none */
    int output;
    union {
        struct graph_window window;
        struct graph_gemm gemm;
        struct graph_lrn lrn;
        struct graph_slice slice;
        struct graph_pad pad;
        struct graph_resize resize;
        struct graph_recurrent recurrent;
        float epsilon; /* batch_norm, instance_norm */
        struct {       /* layer_norm */
            float epsilon;
            int axis;
        } layer_norm;
        struct { /* functions of one element */
            float alpha, beta;
        } eltwise;
        int axis; /* softmax, concat, gather */
        struct {  /* cum_sum, arg_max, arg_min */
            int axis;
            bool is_exclusive, is_backward; /* cum_sum */
            bool takes_last;                /* of equal ones; else the first */
        } line;
        struct { /* scatter */
            int axis;
            enum graph_scatter how;
        } scatter;
        bool axes[graph_max_ndims]; /* reductions */
        int perm[graph_max_ndims];  /* transpose: dimension d of the output is
                                     * dimension perm[d] of x */
    } u;
};

/* ---- Graphs -------------------------------------------------------------- */

/* An output has a name of its own: the tensor may be known by another, be an
 * input, a constant, or the tensor of two outputs. */
struct graph_output {
    char *name;
    int tensor;
    bool is_half; /* the file says that it is float16; the tensor is f32 */
};

struct graph {
    bool has_float;    /* some input or conversion of the file is float, not
                        * float16 */
    char warning[600]; /* the first shape that the file has wrong; "": none */
    int tensor_count;
    struct graph_tensor *tensors;
    int node_count;
    struct graph_node *nodes; /* none before those whose outputs it takes */
    int input_count;
    int *inputs; /* tensors, in the file's order; no constants */
    int output_count;
    struct graph_output *outputs;
};

/* Gives back all that a graph owns; NULL and a zeroed one are fine. */
void graph_fini(struct graph *graph);

/* Adds a tensor, whose name is copied and must be new, and takes over data
 * (from malloc(), also when it fails; NULL if it is no constant). Returns its
 * number, graph_none when out of memory or if the shape does not fit. */
int graph_add_tensor(struct graph *graph, const char *name,
        enum graph_type type, const struct graph_shape *shape, void *data,
        struct failure *failure);

/* Brings a constant's elements into its data, if they are not there yet. */
bool graph_tensor_read(
        const struct graph_tensor *tensor, struct failure *failure);
/* The same of all constants. */
bool graph_read(struct graph *graph, struct failure *failure);

/* Closes files: what has not been read is not needed. Fails if one of them was
 * written to after it was opened. */
bool graph_close_files(struct graph *graph, struct failure *failure);

/* Adds a node that is like the given one, of which label and inputs are copied,
 * and makes it the producer of its output. Returns its number, or graph_none
 * when out of memory. */
int graph_add_node(struct graph *graph, const struct graph_node *node,
        struct failure *failure);

bool graph_add_input(struct graph *graph, int tensor, struct failure *failure);
bool graph_add_output(struct graph *graph, const char *name, int tensor,
        struct failure *failure);

/* Takes out the nodes and constants that no output needs. Tensors and nodes get
 * new numbers, in the same order; inputs stay. */
bool graph_sweep(struct graph *graph, struct failure *failure);

/* The tensor of a name, or graph_none. */
int graph_find_tensor(const struct graph *graph, const char *name);

/* "conv"; "nothing" for what is no operator. */
const char *graph_op_name(enum graph_op op);
const char *graph_type_name(enum graph_type type); /* "f32" */

bool graph_type_is_float(enum graph_type type);
/* Integers, not bool. */
bool graph_type_is_integer(enum graph_type type);
bool graph_type_is_unsigned(enum graph_type type); /* bool is not */

/* Bytes of an element. */
size_t graph_type_size(enum graph_type type);
/* The most elements that a tensor may have: with 8 bytes each, and as many
 * bytes more, they can be addressed in this process. Whatever a file says is an
 * int64_t or a uint64_t until it was found to be no more; then size_t holds its
 * bytes. */
int64_t graph_most_elements(void);
/* Numbers of elements: of all dimensions, 1 for none. They fit, for shapes of a
 * graph; graph_shape_fits() tells for others (no dimension below `least`, no
 * more than the most elements, also without the dimensions of 0). */
int64_t graph_shape_count(const struct graph_shape *shape);
bool graph_shape_fits(const struct graph_shape *shape, int64_t least);
bool graph_shape_equal(
        const struct graph_shape *a, const struct graph_shape *b);
/* "[1, 3, 224, 224]", cut to the room there is. */
enum { graph_shape_text_size = 200 };
void graph_shape_text(
        char text[graph_shape_text_size], const struct graph_shape *shape);
/* Bytes of a tensor's elements. */
size_t graph_tensor_size(const struct graph_tensor *tensor);

#endif /* DNNL_CACHE_MODEL_GRAPH_GRAPH_H */
