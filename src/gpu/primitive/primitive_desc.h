/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Primitive descriptors, and what each kind of primitive supplies.
 *
 * A primitive is one kernel of one program, launched once, or once for each
 * pass; of tensors in blocked layouts, several of these one after the other
 * (staged.h). Shapes reach the kernel as an argument (a struct of ints); the
 * program depends only on what changes its code, so that many primitives share
 * one. The number of work-groups is capped and kernels loop over what is left:
 * every launch of a program is then of one launch class (same local size, no
 * offset, a small grid), which is what drivers compile for.
 */
#ifndef DNNL_CACHE_GPU_PRIMITIVE_DESC_H
#define DNNL_CACHE_GPU_PRIMITIVE_DESC_H

#include "src/gpu/engine/lacks.h"
#include "src/gpu/kernels/kernel_sources.h"
#include "src/gpu/memory/memory_desc.h"
#include "src/gpu/primitive/attributes.h"

#include "src/common/buffer.h"
#include "src/common/shared_text.h"

#include <pthread.h>
#include <stdatomic.h>

struct engine_facts;
struct staged;

/* One kernel launch, planned from a descriptor. Plain value. */
enum {
    PLAN_MAX_MEMORIES = 96,
    PLAN_MAX_SOURCES = 6,
    PLAN_OPTIONS_SIZE = 4096,
    PLAN_PARAMS_SIZE = 512,
    PLAN_TAIL_SIZE = 1024,
    PLAN_PASS_PARAMS_SIZE = 192
};

/* One of several launches of a plan's kernel, which differ in their first
 * memory, in params and in the grid's size, and, if the plan has three
 * memories, in the third. */
struct plan_pass {
    int memory; /* DNNL_ARG_* */
    int third;  /* 0: as the plan's */
    size_t groups;
    unsigned char params[PLAN_PASS_PARAMS_SIZE]; /* the plan's params_size */
};

struct primitive_plan {
    const char *sources[PLAN_MAX_SOURCES]; /* static, joined in order */
    size_t source_count;
    char options[PLAN_OPTIONS_SIZE]; /* for the compiler; no shapes */
    const char *kernel;              /* static */
    /* What the kernel does to weights before it multiplies them, see
     * factors_plan(). */
    bool unpacks_weights;
    bool scales_weights;
    /* Kernel arguments: memory_count memories in this order, then params by
     * value, then, if there is one, the tail by value (see tail.c)
     * and tail_memory_count more memories. */
    int memories[PLAN_MAX_MEMORIES]; /* DNNL_ARG_* */
    size_t memory_count;
    size_t tail_memory_count;
    /* The kernel's parameter struct, host layout: 32-bit members only. All
     * zero must be an empty problem, for which the kernel returns at once. */
    unsigned char params[PLAN_PARAMS_SIZE];
    size_t params_size;
    unsigned char tail[PLAN_TAIL_SIZE];
    size_t tail_size;
    cl_uint work_dim;
    size_t local[3];
    size_t groups[3]; /* work-groups for this shape, before the cap */
    /* The launches, if there are several; no one's result is another's input.
     * Owned. None: one launch, as above. */
    struct plan_pass *passes;
    size_t pass_count;
    enum lack lack; /* why planning was dnnl_unimplemented */
};

static inline size_t plan_memory_count(const struct primitive_plan *plan)
{
    return plan->memory_count + plan->tail_memory_count;
}

/* What a kind makes of attributes; every kind has post-ops unless it says so.
 */
enum attribute_use {
    uses_src_scales = 1 << 0,
    uses_src1_scales = 1 << 1,
    uses_weights_scales = 1 << 2,
    uses_dst_scales = 1 << 3,
    uses_multiple_src_scales = 1 << 4,
    uses_src_zero_points = 1 << 5,
    uses_weights_zero_points = 1 << 6,
    uses_dst_zero_points = 1 << 7,
    uses_no_post_ops = 1 << 8,
    /* The scales of inputs are not the tail's business. */
    kernel_scales_inputs = 1 << 9,
    /* The zero points of src are: they are the same for all that is in a
     * result. */
    tail_subtracts_zero_points = 1 << 10,
    /* Kernels tell the tail an element's number, with the last dimension
     * running fastest, not its place in dst. */
    tail_counts_elements = 1 << 11,
    /* The kind takes DNNL_RUNTIME_DIM_VAL. If has_runtime_dims is set, options
     * of its plans depend on no shape and no layout; plans for shapes that
     * execution has brought begin by checking them. */
    takes_runtime_dims = 1 << 12,
    /* Kernels take scales and zero points of weights by groups, and that differ
     * along the dimension that is summed up. */
    uses_weights_groups = 1 << 13,
    /* Those of random_attributes.h. */
    takes_dropout = 1 << 14,
    takes_rounding = 1 << 15
};

/* What a kind of primitive is. All functions are pure but for allocating
 * passes. */
struct primitive_kind {
    dnnl_primitive_kind_t kind;
    const char *implementation; /* "ocl:matmul:tiled" */
    /* Plans the launch of a checked descriptor. */
    dnnl_status_t (*plan)(
            const struct dnnl_primitive_desc *pd, struct primitive_plan *plan);
    unsigned attributes; /* enum attribute_use */
};

/* Tensors that most descriptors have room for, and the most one may have. */
enum { PD_USUAL_TENSORS = 4, PD_MAX_TENSORS = PLAN_MAX_MEMORIES };

/* A tensor a primitive reads or writes. */
struct pd_tensor {
    int arg; /* DNNL_ARG_* */
    bool is_output;
    struct dnnl_memory_desc md;
};

struct dnnl_primitive_desc {
    atomic_int references; /* of the caller and of primitives */
    const struct primitive_kind *kind;
    struct dnnl_engine *engine; /* retained */
    /* Reorders only: the other engine where it is not engine; retained. */
    struct dnnl_engine *other_engine;
    bool other_is_src;     /* the reorder goes from other_engine to engine */
    bool crosses_contexts; /* kernels cannot have other_engine's memory */
    const struct engine_facts *facts; /* the engine's; NULL on dnnl_cpu */

    dnnl_prop_kind_t prop_kind; /* undef if the kind has none */
    dnnl_alg_kind_t alg_kind;
    float alpha, beta;
    float epsilon;   /* normalizations, reduction */
    float power;     /* reduction: p */
    float bias;      /* LRN: k */
    unsigned flags;  /* normalizations: dnnl_normalization_flags_t */
    dnnl_dim_t size; /* LRN: local size; groups of a normalization; a
                        group of shuffle */
    int spatial;     /* windows: number of spatial dimensions */
    int with_groups;
    int axis; /* softmax, concat, shuffle */
    dnnl_dims_t strides, dilates, padding_l, padding_r;
    dnnl_dims_t kernel; /* pooling: the window's size */
    /* Numbers of the operation, as many as its kind has: factors of
     * resampling, scales of sum. Owned; NULL if there are none. */
    float *numbers;
    int number_count;
    struct pd_tensor *tensors; /* usual_tensors, or owned */
    int tensor_count;
    struct pd_tensor usual_tensors[PD_USUAL_TENSORS];
    dnnl_status_t failure; /* of an addition: finishing fails with it */
    struct dnnl_primitive_attr attr;
    struct staged *staged; /* owned; NULL: one launch, see staged.h */
    bool has_runtime_dims; /* some tensor's descriptor has */
    bool is_empty;         /* no element to compute: no program */

    /* Canonical bytes of the operation (ID fields after the device's), and
     * the key of the primitive cache: context, device, then those bytes. Set
     * by primitive_key_make(), fixed then. */
    struct buffer key;
    size_t key_prefix; /* bytes before the operation's fields */
    uint64_t key_hash;

    pthread_mutex_t id_lock; /* guards id until id_ready; leaf */
    atomic_bool id_ready;
    struct buffer id; /* empty: not cacheable */

    /* Made to see whether it can be, until a primitive takes it. NULL: there is
     * none, or none any more. */
    _Atomic(struct primitive_plan *) plan;

    struct text_slot refusal; /* the compiler's words about the last failure */
};

/* Starts a descriptor: allocates it, retains the engine, makes sure of its
 * facts, copies attr (NULL: default). dnnl_unimplemented on a dnnl_cpu
 * engine. The caller fills it and ends with primitive_desc_finish(). */
dnnl_status_t primitive_desc_start(struct dnnl_primitive_desc **pd,
        struct dnnl_engine *engine, const struct primitive_kind *kind,
        const struct dnnl_primitive_attr *attr);

/* Adds a tensor; md is copied. A failure is primitive_desc_finish()'s. */
void primitive_desc_add(struct dnnl_primitive_desc *pd, int arg, bool is_output,
        const struct dnnl_memory_desc *md);

/* Sets the numbers, which are copied. A failure is primitive_desc_finish()'s.
 */
void primitive_desc_set_numbers(
        struct dnnl_primitive_desc *pd, const float *numbers, int count);

/* Gives it up, after telling why; returns dnnl_unimplemented. */
dnnl_status_t primitive_desc_decline(
        struct dnnl_primitive_desc *pd, enum lack lack);

/* Ends it: sets is_empty and the key. On success *out is pd; on failure pd is
 * destroyed and *out not written. */
dnnl_status_t primitive_desc_finish(
        struct dnnl_primitive_desc *pd, struct dnnl_primitive_desc **out);

/* Plans the launch of a descriptor that has one. *lack, unless lack is NULL:
 * why it is dnnl_unimplemented. Statuses: as the kind's plan();
 * dnnl_out_of_memory. */
dnnl_status_t primitive_plan_create(const struct dnnl_primitive_desc *pd,
        struct primitive_plan **out, enum lack *lack);
/* The same; the plan that was made with the descriptor, if nobody has it. */
dnnl_status_t primitive_plan_take(
        const struct dnnl_primitive_desc *pd, struct primitive_plan **out);
void primitive_plan_destroy(struct primitive_plan *plan);

/* True of a reorder that copies bytes: no kernel. */
static inline bool primitive_desc_is_copy(const struct dnnl_primitive_desc *pd)
{
    return pd->kind->plan == NULL;
}

/* True if primitives of the descriptor have no program: their blobs have none,
 * either. */
static inline bool primitive_desc_compiles_nothing(
        const struct dnnl_primitive_desc *pd)
{
    return pd->is_empty || primitive_desc_is_copy(pd);
}

/* For what changes in a descriptor that is made: pointers and descriptors share
 * one handle type for both kinds of access. */
static inline struct dnnl_primitive_desc *primitive_desc_mutable(
        const struct dnnl_primitive_desc *pd)
{
    return (struct dnnl_primitive_desc *)(uintptr_t)pd;
}

void primitive_desc_retain(const struct dnnl_primitive_desc *pd);
void primitive_desc_release(const struct dnnl_primitive_desc *pd);

/* The tensor of an argument, NULL if there is none. */
const struct dnnl_memory_desc *pd_tensor(
        const struct dnnl_primitive_desc *pd, int arg);

/* True if there is nothing to compute: is_empty of a descriptor of known
 * shapes. */
bool primitive_desc_has_empty_output(const struct dnnl_primitive_desc *pd);

/* Keeps what the compiler said of a failed creation; takes the note over, which
 * may be NULL. */
void primitive_desc_note_refusal(
        const struct dnnl_primitive_desc *pd, struct shared_text *note);

/* Why primitives of the descriptor are not cacheable, "" if they are: static,
 * or the device's. */
dnnl_status_t primitive_desc_find_doubt(
        const struct dnnl_primitive_desc *pd, const char **reason);

#endif /* DNNL_CACHE_GPU_PRIMITIVE_DESC_H */
