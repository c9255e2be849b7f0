/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h: what a model comes to before any device is asked: steps, which are
 * primitives to be, and the buffers that they read and write.
 *
 * A plan is made on the host from the graph alone (lower.h) and says the same
 * in every process; so a worker is told which step to compile by its number.
 * What networks compute with are floats, or halves: all of a network's tensors
 * are one or the other. Elements of ONNX's other types are doubles or integers
 * of 64 bits, for which only programs of our own are there.
 * A plan belongs to one thread while it is made, and never changes after that.
 */
#ifndef DNNL_CACHE_MODEL_PLAN_PLAN_H
#define DNNL_CACHE_MODEL_PLAN_PLAN_H

#include "model/graph/deferred.h"
#include "model/plan/layout.h"

/* ---- Buffers ------------------------------------------------------------- */

enum buffer_kind {
    buffer_activation, /* in the arena, while it is needed */
    buffer_constant,   /* uploaded once */
    buffer_input       /* the application's to fill before a run */
};

/* Sizes and places are counted in words, those of halves. */
enum { word_bytes = 2 };

struct buffer {
    enum buffer_kind kind;
    int64_t words;
    const void *data; /* of a constant: the graph's, or `owned` */
    void *owned;
    /* The graph's, of data that may not have been read; else NULL. */
    struct deferred *deferred;
    bool is_half; /* of a constant of floats: they become halves on the way */
    /* Of a constant of floats: element i is multiplied by factors[i / run] on
     * its way to the device; NULL: not. Owned. */
    float *factors;
    int64_t run;
    /* An activation that is a part of another one: its number, else -1. */
    int parent;
    int64_t offset;  /* in the parent, else in the arena */
    int first, last; /* steps that need it; first > last: none does */
};

enum element {
    element_f32 = 0,
    element_f64 = 1,
    element_i64 = 2,
    element_f16 = 3
};

/* Is it what networks compute with? */
bool element_is_float(enum element element);

/* Words of an element. */
int element_words(enum element element);

/* Some or all elements of a buffer, as a tensor. */
struct view {
    int buffer;
    enum element element;
    struct layout layout;
};

/* Words from its first element's begin to its last one's end. */
int64_t view_words(const struct view *view);

/* ---- Steps --------------------------------------------------------------- */

enum step_kind {
    step_convolution,
    step_deconvolution,
    step_matmul,
    step_pooling,
    step_softmax,
    step_lrn,
    step_batch_normalization,
    step_group_normalization,
    step_layer_normalization,
    step_eltwise,
    step_binary,
    step_prelu,
    step_reduction,
    step_reorder,
    step_concat,
    step_resampling,
    step_recurrent,
    /* What the library has no primitive for: programs of our own, programs.h */
    step_map,     /* a function of one or two elements */
    step_where,   /* elements of a tensor where another is true: others stay */
    step_remap,   /* elements from other places */
    step_take,    /* elements by a tensor of their numbers: Gather */
    step_pick,    /* the same, a number for each element */
    step_scatter, /* elements to where a tensor of numbers says */
    step_line, /* along one dimension: running sums, the place of the largest */
    step_product, /* of matrices that are no floats */
    step_window,  /* convolution of what is no floats */
    step_fold     /* a sum or the like over some dimensions */
};

struct step_arg {
    int arg; /* DNNL_ARG_* */
    struct view view;
};

enum { step_max_spatial = 3, step_max_post_ops = 10 };

/* What is done to a result before it is written. */
struct post_op {
    dnnl_alg_kind_t alg; /* binary_* reads src1 */
    float alpha, beta;
    struct view src1;
};

/* What is there outside a tensor that a remap looks at. */
enum remap_mode {
    remap_constant,
    remap_edge,    /* what is nearest */
    remap_reflect, /* what is as far inside */
    remap_wrap     /* the same from the begin on */
};

/* How a step of one of our programs goes through a dimension that the result
 * does not have. */
struct walk {
    int64_t count;           /* elements */
    int64_t src, other, dst; /* from one to the next */
    int64_t range;           /* of step_scatter: elements of the result */
    bool is_exclusive;       /* of running sums */
};

/* Element i of the result is element starts + i * steps, in each dimension. */
struct remap {
    enum remap_mode mode;
    float value; /* of remap_constant */
    int64_t starts[layout_max_dims];
    int64_t steps[layout_max_dims];
};

struct step {
    enum step_kind kind;
    int number;         /* from 1 on: a step that fails on a device says it */
    const char *name;   /* of the node, borrowed from the graph */
    const char *op;     /* its operator: borrowed, too */
    const char *tensor; /* what the model calls the result */
    /* All of that, where DNNL_ARG_DST is a part; else without dimensions. */
    struct view whole;
    dnnl_alg_kind_t alg;
    int arg_count;
    struct step_arg *args; /* owned; the result is DNNL_ARG_DST */
    /* Windows, as the library counts them: a dilation of 0 is dense. */
    dnnl_dims_t strides, kernel, dilates, padding_l, padding_r;
    float alpha, beta, epsilon;
    int axis;                   /* of step_recurrent: a dnnl_rnn_direction_t */
    dnnl_alg_kind_t activation; /* of step_recurrent; alg is the cell */
    int64_t size; /* of a window in channels; of groups: their number */
    unsigned flags;
    struct remap remap;
    struct walk walk;     /* of step_pick to step_product */
    const char *function; /* of step_map, step_scatter, step_line and
                           * step_fold, a name in programs.c */
    /* Of these and step_product: the type of OpenCL C that results are cut to,
     * in which integers wrap around; NULL: that of the elements. */
    const char *narrow;
    int post_op_count;
    struct post_op post_ops[step_max_post_ops];
};

/* ---- The plan ------------------------------------------------------------ */

/* A tensor that the model takes or gives. */
struct plan_port {
    const char *name; /* borrowed from the graph */
    int tensor;       /* number in the graph */
    struct view view;
};

struct plan {
    bool is_half; /* floats of the graph are halves on the device */
    int buffer_count;
    struct buffer *buffers;
    int step_count;
    struct step **steps;
    int input_count;
    struct plan_port *inputs;
    int output_count;
    struct plan_port *outputs;
    int64_t arena; /* words of all activations together */
};

/* A zeroed plan is empty. Frees what it owns. */
void plan_fini(struct plan *plan);

/* Number of a new buffer, or -1 if memory runs out. */
int plan_add_buffer(struct plan *plan, enum buffer_kind kind, int64_t words);

/* A new step, zeroed, with room for so many arguments; NULL if memory runs
 * out. */
struct step *plan_add_step(struct plan *plan, enum step_kind kind, int room);

/* Adds an argument; there must be room. */
void step_add_arg(struct step *step, int arg, const struct view *view);

/* The argument's view, NULL if the step has none of it. */
const struct view *step_find_arg(const struct step *step, int arg);

/* The view of the tensor that the step computes. */
const struct view *step_result(const struct step *step);

/* The buffer that really is there, and the word of it that is the other one's
 * first. */
int plan_root(const struct plan *plan, int buffer, int64_t *base);

/* The element, counted from the begin of the memory that the view is in, that
 * its layout counts from. */
int64_t plan_base(const struct plan *plan, const struct view *view);

/* "convolution+relu": what kind of kernel a step runs, for people. */
void step_describe_kind(const struct step *step, size_t size, char *text);

/* ---- Memory -------------------------------------------------------------- */

/* Finds out which steps need each buffer, and gives activations places in the
 * arena such that none that are needed at once overlap. False if memory runs
 * out. */
bool plan_place(struct plan *plan);

#endif /* DNNL_CACHE_MODEL_PLAN_PLAN_H */
