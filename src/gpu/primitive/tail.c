/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What attributes do to results, as steps of kernels/post_ops.cl: before a bias
 * is added, the zero points and scales of inputs; at the end the post-ops, then
 * the scales and zero points of dst. Dropout comes before these, stochastic
 * rounding after them (random_plan.h).
 *
 * A step may read a tensor. Its place is found from the result's place in dst,
 * so kernels may walk dst as they like.
 */
#include "src/gpu/primitive/plan.h"
#include "src/gpu/primitive/random_plan.h"

#include <stdio.h>
#include <string.h>

/* Dimensions of dst of more than one element that a tensor can differ in. As
 * in kernels/post_ops.cl. */
enum { TAIL_DIMS = 6 };

enum { MAX_STEPS = DNNL_CACHE_MAX_POST_OPS + 5, PLACE_INTS = 1 + TAIL_DIMS };

struct tail {
    struct primitive_plan *plan;
    const struct dnnl_primitive_desc *pd;
    const struct dnnl_memory_desc *dst; /* as the tail knows it: plain */
    int dims[DNNL_MAX_NDIMS]; /* dst's, of more than one element: largest
                                 stride first */
    int dim_count;
    bool walks[MAX_STEPS]; /* by tensor: found by dst's dimensions */
    int steps;
    int tensors;
    float v[MAX_STEPS][2];
    cl_int places[MAX_STEPS][PLACE_INTS]; /* offset, strides as dims */
};

static void sort_dims(struct tail *t)
{
    int order[DNNL_MAX_NDIMS];
    memory_desc_order(t->dst, t->dst->ndims, order);
    for (int i = 0; i < t->dst->ndims; i++)
        if (t->dst->dims[order[i]] != 1) t->dims[t->dim_count++] = order[i];
}

/* ---- Tensors ------------------------------------------------------------- */

/* How a step finds its element, see kernels/post_ops.cl; NULL: not at all. */
static const char *access_of(
        const struct tail *t, const dnnl_dim_t strides[DNNL_MAX_NDIMS])
{
    bool is_scalar = true;
    bool is_same = true;
    if (t->pd->has_runtime_dims)
        return t->dim_count <= TAIL_DIMS ? "BROADCAST" : NULL;
    for (int i = 0; i < t->dim_count; i++) {
        dnnl_dim_t stride = strides[t->dims[i]];
        is_scalar = is_scalar && stride == 0;
        is_same = is_same && stride == t->dst->strides[t->dims[i]];
    }
    if (is_scalar) return "SCALAR";
    if (is_same) return "SAME";
    return t->dim_count <= TAIL_DIMS ? "BROADCAST" : NULL;
}

/* Gives the next step the argument's tensor as its operand of a name, with
 * strides by dimension of dst. */
static dnnl_status_t add_tensor(struct tail *t, int arg, const char *operand,
        const dnnl_dim_t strides[DNNL_MAX_NDIMS])
{
    const struct dnnl_memory_desc *md = pd_tensor(t->pd, arg);
    const char *access = access_of(t, strides);
    struct primitive_plan *plan = t->plan;
    char macro[32];
    size_t memory = plan->memory_count + plan->tail_memory_count;
    if (md == NULL || memory == PLAN_MAX_MEMORIES || t->tensors == MAX_STEPS)
        return plan_decline(plan, LACK_ATTRIBUTE_ROOM);
    if (access == NULL) return plan_decline(plan, LACK_REPEATED);
    if (!memory_desc_fits_int32(md)
            || !plan_takes_type(t->pd->facts, md->data_type))
        return plan_decline(plan, LACK_ATTRIBUTE_TENSOR);
    plan->memories[memory] = arg;
    plan->tail_memory_count++;
    cl_int *place = t->places[t->tensors];
    place[0] = (cl_int)md->offset0;
    for (int i = 0; i < TAIL_DIMS && i < t->dim_count; i++)
        place[1 + i] = (cl_int)strides[t->dims[i]];
    t->walks[t->tensors] = strcmp(access, "BROADCAST") == 0;
    snprintf(macro, sizeof macro, "TAIL_%d_TYPE", t->tensors);
    dnnl_status_t st = plan_add_type(plan, macro, md->data_type);
    if (st == dnnl_success)
        st = plan_add_option(plan, "-DTAIL_%d_AT=%s -DSTEP_%d_%s=%d",
                t->tensors, access, t->steps, operand, t->tensors);
    t->tensors++;
    return st;
}

static dnnl_status_t add_step(struct tail *t, const char *kind)
{
    dnnl_status_t st = plan_add_option(t->plan, "-DSTEP_%d=%s", t->steps, kind);
    t->steps++;
    return st;
}

/* result = alg(result, tensor) */
static dnnl_status_t add_binary(struct tail *t, dnnl_alg_kind_t alg, int arg,
        const dnnl_dim_t strides[DNNL_MAX_NDIMS])
{
    char macro[32];
    snprintf(macro, sizeof macro, "STEP_%d_OP", t->steps);
    dnnl_status_t st = plan_add_binary(t->plan, macro, alg);
    if (st == dnnl_success) st = add_tensor(t, arg, "TENSOR", strides);
    return st == dnnl_success ? add_step(t, "BINARY_STEP") : st;
}

/* ---- Scales and zero points ---------------------------------------------- */

/* Does a dimension of an input stay where it is in dst? Others are summed up.
 */
static bool is_kept(const struct dnnl_primitive_desc *pd, int arg, int d)
{
    const struct dnnl_memory_desc *md = pd_tensor(pd, arg);
    if (arg == DNNL_ARG_DST) return true;
    switch (pd->kind->kind) {
    case dnnl_matmul:
        return d != (arg == DNNL_ARG_SRC ? md->ndims - 1 : md->ndims - 2);
    case dnnl_convolution:
    case dnnl_deconvolution:
    case dnnl_inner_product:
        return arg == DNNL_ARG_SRC ? d == 0 : d <= pd->with_groups;
    default:
        return true;
    }
}

/* The dimension of dst that it is. */
static int dim_in_dst(const struct dnnl_primitive_desc *pd, int arg, int d)
{
    bool has_filters = pd->kind->kind == dnnl_convolution
                       || pd->kind->kind == dnnl_deconvolution
                       || pd->kind->kind == dnnl_inner_product;
    /* Output channels, of all groups together. */
    return has_filters && arg == DNNL_ARG_WEIGHTS ? 1 : d;
}

/* Strides of an argument's numbers by dimension of dst. False: they differ
 * within what a result is summed up of. */
static bool spread(const struct dnnl_primitive_desc *pd, int arg, int mask,
        dnnl_dim_t strides[DNNL_MAX_NDIMS])
{
    const struct dnnl_memory_desc *of = pd_tensor(pd, arg);
    dnnl_dim_t stride = 1;
    memset(strides, 0, DNNL_MAX_NDIMS * sizeof strides[0]);
    /* A number a group, or a number a channel of every group: neither. */
    if (arg == DNNL_ARG_WEIGHTS && pd->with_groups && mask != 0 && mask != 3)
        return false;
    for (int d = of->ndims - 1; d >= 0; d--) {
        if ((mask >> d & 1) == 0) continue;
        if (!is_kept(pd, arg, d)) return false;
        int to = dim_in_dst(pd, arg, d);
        if (of->dims[d] > 1 && strides[to] == 0) strides[to] = stride;
        stride *= of->dims[d];
    }
    return true;
}

/* result = alg(result, the argument's numbers), if there are any. */
static dnnl_status_t add_numbers(
        struct tail *t, int kind, int arg, dnnl_alg_kind_t alg)
{
    const struct quantization *q = attr_quantization(&t->pd->attr, kind | arg);
    dnnl_dim_t strides[DNNL_MAX_NDIMS];
    if (q == NULL) return dnnl_success;
    if (!spread(t->pd, arg, q->mask, strides))
        return plan_decline(t->plan, LACK_MASK);
    return add_binary(t, alg, q->arg, strides);
}

static dnnl_status_t add_inputs(struct tail *t)
{
    const enum attribute_use uses = t->pd->kind->attributes;
    dnnl_status_t st = dnnl_success;
    if ((uses & tail_subtracts_zero_points) != 0)
        st = add_numbers(
                t, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_SRC, dnnl_binary_sub);
    if (st == dnnl_success && (uses & kernel_scales_inputs) == 0)
        st = add_numbers(
                t, DNNL_ARG_ATTR_SCALES, DNNL_ARG_SRC, dnnl_binary_mul);
    if (st == dnnl_success && (uses & kernel_scales_inputs) == 0
            && !t->plan->scales_weights)
        st = add_numbers(
                t, DNNL_ARG_ATTR_SCALES, DNNL_ARG_WEIGHTS, dnnl_binary_mul);
    return st;
}

static dnnl_status_t add_output(struct tail *t)
{
    dnnl_status_t st =
            add_numbers(t, DNNL_ARG_ATTR_SCALES, DNNL_ARG_DST, dnnl_binary_div);
    return st == dnnl_success ? add_numbers(
                   t, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_DST, dnnl_binary_add)
                              : st;
}

/* ---- Post-ops ------------------------------------------------------------ */

/* Strides of a tensor with dst's dimensions, or 1 where it repeats. */
static void strides_of(
        const struct dnnl_memory_desc *md, dnnl_dim_t strides[DNNL_MAX_NDIMS])
{
    memset(strides, 0, DNNL_MAX_NDIMS * sizeof strides[0]);
    for (int d = 0; d < md->ndims; d++)
        strides[d] = memory_desc_repeated_stride(md, d);
}

static dnnl_status_t add_eltwise(struct tail *t, const struct post_op *op)
{
    char macro[32];
    t->v[t->steps][0] = op->alpha;
    t->v[t->steps][1] = op->beta;
    snprintf(macro, sizeof macro, "STEP_%d_OP", t->steps);
    dnnl_status_t st = plan_add_eltwise(t->plan, macro, op->alg_kind, op->beta);
    return st == dnnl_success ? add_step(t, "UNARY_STEP") : st;
}

static dnnl_status_t add_sum(struct tail *t, const struct post_op *op)
{
    char macro[32];
    dnnl_data_type_t type = op->data_type != dnnl_data_type_undef
                                    ? op->data_type
                                    : t->dst->data_type;
    if (!plan_takes_type(t->pd->facts, type))
        return plan_decline(t->plan, LACK_SUM_TYPE);
    if ((t->pd->kind->attributes & tail_counts_elements) != 0)
        return plan_decline(t->plan, LACK_SUM_OF_BLOCKS);
    t->v[t->steps][0] = op->alpha;
    t->v[t->steps][1] = (float)op->zero_point;
    snprintf(macro, sizeof macro, "STEP_%d_TYPE", t->steps);
    dnnl_status_t st = plan_add_type(t->plan, macro, type);
    return st == dnnl_success ? add_step(t, "SUM_STEP") : st;
}

static dnnl_status_t add_operand(
        struct tail *t, const struct post_op *op, int index)
{
    bool is_prelu = op->kind == dnnl_prelu;
    int arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(index)
              | (is_prelu ? DNNL_ARG_WEIGHTS : DNNL_ARG_SRC_1);
    const struct dnnl_memory_desc *md = pd_tensor(t->pd, arg);
    dnnl_dim_t strides[DNNL_MAX_NDIMS];
    if (md == NULL) return plan_decline(t->plan, LACK_NO_POST_OPS);
    strides_of(md, strides);
    if (!is_prelu) return add_binary(t, op->alg_kind, arg, strides);
    dnnl_status_t st = plan_add_option(t->plan, "-DSTEP_%d_OP=prelu", t->steps);
    if (st == dnnl_success) st = add_tensor(t, arg, "TENSOR", strides);
    return st == dnnl_success ? add_step(t, "BINARY_STEP") : st;
}

/* result = condition ? result : tensor */
static dnnl_status_t add_select(struct tail *t, int index)
{
    static const int args[] = {DNNL_ARG_SRC_1, DNNL_ARG_SRC_2};
    static const char *const operands[] = {"TENSOR", "CONDITION"};
    dnnl_status_t st = dnnl_success;
    for (int i = 0; i < 2 && st == dnnl_success; i++) {
        const int arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | args[i];
        const struct dnnl_memory_desc *md = pd_tensor(t->pd, arg);
        dnnl_dim_t strides[DNNL_MAX_NDIMS];
        if (md == NULL) return plan_decline(t->plan, LACK_NO_POST_OPS);
        strides_of(md, strides);
        st = add_tensor(t, arg, operands[i], strides);
    }
    return st == dnnl_success ? add_step(t, "SELECT_STEP") : st;
}

static dnnl_status_t add_post_ops(struct tail *t)
{
    const struct dnnl_post_ops *post_ops = &t->pd->attr.post_ops;
    dnnl_status_t st = dnnl_success;
    for (int i = 0; i < post_ops->count && st == dnnl_success; i++) {
        const struct post_op *op = &post_ops->ops[i];
        st = op->kind == dnnl_eltwise ? add_eltwise(t, op)
             : op->kind == dnnl_sum   ? add_sum(t, op)
             : op->src2 != NULL       ? add_select(t, i)
                                      : add_operand(t, op, i);
    }
    return st;
}

/* ---- The argument -------------------------------------------------------- */

static void append(struct primitive_plan *plan, const void *from, size_t size)
{
    if (plan->tail_size + size <= sizeof plan->tail)
        memcpy(plan->tail + plan->tail_size, from, size);
    plan->tail_size += size;
}

/* What every device takes of parameters (CL_DEVICE_MAX_PARAMETER_SIZE of the
 * full profile), with buffers of 64 bits. */
enum { MAX_PARAMETERS_SIZE = 1024 };

/* Does a dimension go on where the next one ends, in dst and in all tensors? */
static bool continues(
        const struct tail *t, const cl_int dst[PLACE_INTS], int d, int64_t size)
{
    if (dst[1 + d] != size * dst[2 + d]) return false;
    for (int i = 0; i < t->tensors; i++)
        if (t->walks[i] && t->places[i][1 + d] != size * t->places[i][2 + d])
            return false;
    return true;
}

static void remove_dim(struct tail *t, cl_int dst[PLACE_INTS], int d, int count)
{
    const size_t size = (size_t)(count - 1 - d) * sizeof dst[0];
    memmove(dst + 1 + d, dst + 2 + d, size);
    for (int i = 0; i < t->tensors; i++)
        memmove(t->places[i] + 1 + d, t->places[i] + 2 + d, size);
}

/* Every dimension costs a division for each element: those that can be are made
 * one, and the last ones, where no tensor differs, left out. Returns how many
 * are left. */
static cl_int merge_dims(struct tail *t, cl_int dst[PLACE_INTS])
{
    int64_t sizes[TAIL_DIMS];
    int count = 0;
    int used = 0;
    for (; count < t->dim_count && count < TAIL_DIMS; count++) {
        sizes[count] = t->dst->dims[t->dims[count]];
        if (sizes[count] == DNNL_RUNTIME_DIM_VAL)
            return TAIL_DIMS; /* for now */
    }
    for (int d = count - 2; d >= 0; d--) {
        if (!continues(t, dst, d, sizes[d + 1])) continue;
        sizes[d] *= sizes[d + 1];
        remove_dim(t, dst, d, count);
        memmove(sizes + d + 1, sizes + d + 2,
                (size_t)(count - 2 - d) * sizeof sizes[0]);
        count--;
    }
    for (int i = 0; i < t->tensors; i++)
        for (int d = used; t->walks[i] && d < count; d++)
            if (t->places[i][1 + d] != 0) used = d + 1;
    return used;
}

/* struct tail_params of kernels/post_ops.cl. */
static dnnl_status_t set_argument(struct tail *t)
{
    struct primitive_plan *plan = t->plan;
    cl_int dst[PLACE_INTS] = {(cl_int)t->dst->offset0};
    for (int i = 0; i < TAIL_DIMS; i++)
        dst[1 + i] = i < t->dim_count ? (cl_int)t->dst->strides[t->dims[i]] : 1;
    const cl_int dims = merge_dims(t, dst);
    append(plan, t->v, (size_t)t->steps * sizeof t->v[0]);
    if (t->tensors > 0) {
        append(plan, &dims, sizeof dims);
        append(plan, dst, sizeof dst);
    }
    append(plan, t->places, (size_t)t->tensors * sizeof t->places[0]);
    if (random_plan_has_part(t->pd)) {
        const struct random_places places = random_plan_places(t->pd);
        append(plan, &places, sizeof places);
    }
    size_t memories = plan->memory_count + plan->tail_memory_count;
    return plan->tail_size <= sizeof plan->tail
                           && plan->params_size + plan->tail_size + 8 * memories
                                      <= MAX_PARAMETERS_SIZE
                   ? dnnl_success
                   : plan_decline(plan, LACK_ATTRIBUTE_ROOM);
}

dnnl_status_t plan_add_tail(
        struct primitive_plan *plan, const struct dnnl_primitive_desc *pd)
{
    struct tail t;
    if (attr_is_default(&pd->attr)) return dnnl_success;
    memset(&t, 0, sizeof t);
    t.plan = plan;
    t.pd = pd;
    struct dnnl_memory_desc dst = *pd_tensor(pd, DNNL_ARG_DST);
    if ((pd->kind->attributes & tail_counts_elements) != 0) {
        dst.format_kind = dnnl_format_kind_any;
        dst.offset0 = 0;
        dst.inner_nblks = 0;
        memory_desc_pad(&dst);
        memory_desc_set_plain(&dst);
    }
    if (!memory_desc_is_plain(&dst)) return plan_decline(plan, LACK_BLOCKS);
    t.dst = &dst;
    sort_dims(&t);
    dnnl_status_t st = add_post_ops(&t);
    if (st == dnnl_success) st = add_output(&t);
    int finished = t.steps;
    if (st == dnnl_success) st = add_inputs(&t);
    for (int i = finished; i < t.steps && st == dnnl_success; i++)
        st = plan_add_option(plan, "-DPREPARE_%d=%d", i - finished, i);
    if (st == dnnl_success && (t.steps > 0 || random_plan_has_part(pd)))
        st = plan_add_option(plan,
                "-DSTEPS=%d -DFINISHED=%d -DPREPARED=%d -DTENSORS=%d", t.steps,
                finished, t.steps - finished, t.tensors);
    if (st == dnnl_success) st = random_plan_add(plan, pd);
    return st == dnnl_success ? set_argument(&t) : st;
}
