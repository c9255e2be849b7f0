/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/rnn_plan.h"

#include "src/gpu/engine/engine_facts.h"
#include "src/gpu/primitive/plan.h"

#include <string.h>

/* Units that a work-item computes at once on CPUs, of which rows of states are
 * multiples; work-items of a group on GPUs; rows of the states of a sequence in
 * one direction, as ROWS of the kernel. */
enum { CPU_UNITS = 16, GPU_ITEMS = 256, ROWS = 12 };

/* Mirror the structs of these names in kernels/rnn.cl. */
struct rnn_tensor {
    cl_int is_there;
    cl_int offset;
    cl_int strides[3];
};

struct rnn_params {
    cl_int sequences, batch, steps, units;
    cl_int directions, is_backward;
    cl_int width, gates_row, gates_step, gates_direction, state;
    cl_int is_packed, weights_row;
    cl_float alpha;
    struct rnn_tensor weights, bias, peephole;
    struct rnn_tensor src_iter, src_iter_c, dst_iter, dst_iter_c, dst_layer;
};

int rnn_gates(dnnl_alg_kind_t cell)
{
    return cell == dnnl_vanilla_lstm ? 4 : cell == dnnl_vanilla_rnn ? 1 : 3;
}

int rnn_biases(dnnl_alg_kind_t cell)
{
    return rnn_gates(cell) + (cell == dnnl_lbr_gru ? 1 : 0);
}

/* ---- Scratch memory ------------------------------------------------------ */

static dnnl_dim_t round_up(dnnl_dim_t count)
{
    return (count + CPU_UNITS - 1) / CPU_UNITS * CPU_UNITS;
}

/* Vectors of the last gate may reach beyond it. */
static dnnl_dim_t gates_floats(dnnl_dim_t count)
{
    return round_up(count) + CPU_UNITS;
}

dnnl_dim_t rnn_scratch_floats(dnnl_alg_kind_t cell, dnnl_dim_t directions,
        dnnl_dim_t steps, dnnl_dim_t batch, dnnl_dim_t units)
{
    const dnnl_dim_t sequences = directions * batch;
    return gates_floats(sequences * steps * rnn_gates(cell) * units)
           + sequences * ROWS * round_up(units);
}

/* ---- Parameters ---------------------------------------------------------- */

/* Those of a tensor, from dimension `first` on; all zero if it is not there. */
static struct rnn_tensor tensor_of(
        const struct dnnl_primitive_desc *pd, int arg, int first)
{
    const struct dnnl_memory_desc *md = pd_tensor(pd, arg);
    struct rnn_tensor t = {0};
    if (md == NULL) return t;
    t.is_there = 1;
    t.offset = (cl_int)md->offset0;
    for (int d = 0; d < 3; d++)
        t.strides[d] = (cl_int)md->strides[first + d];
    return t;
}

/* Weights have a dimension more: that of the states. */
static void fill_weights(
        const struct dnnl_primitive_desc *pd, struct rnn_params *p)
{
    const struct dnnl_memory_desc *md = pd_tensor(pd, DNNL_ARG_WEIGHTS_ITER);
    p->weights.is_there = 1;
    p->weights.offset = (cl_int)md->offset0;
    p->weights.strides[0] = (cl_int)md->strides[1];
    p->weights.strides[1] = (cl_int)md->strides[3];
    p->weights.strides[2] = (cl_int)md->strides[4];
    p->weights_row = (cl_int)md->strides[2];
    p->is_packed = p->weights.strides[2] == 1 && p->units >= CPU_UNITS;
}

static void fill_gates(
        const struct dnnl_primitive_desc *pd, struct rnn_params *p)
{
    const cl_int row = rnn_gates(pd->alg_kind) * p->units;
    p->gates_row = pd->size != 0 ? p->steps * row : row;
    p->gates_step = pd->size != 0 ? row : p->batch * row;
    p->gates_direction = p->steps * p->batch * row;
}

static void fill_params(
        const struct dnnl_primitive_desc *pd, struct rnn_params *p)
{
    const struct dnnl_memory_desc *weights =
            pd_tensor(pd, DNNL_ARG_WEIGHTS_ITER);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST_LAYER);
    const cl_int directions = (cl_int)weights->dims[1];
    memset(p, 0, sizeof *p);
    p->steps = (cl_int)dst->dims[0];
    p->batch = (cl_int)dst->dims[1];
    p->units = (cl_int)weights->dims[4];
    p->directions = pd->with_groups == dnnl_bidirectional_sum ? directions : 1;
    p->sequences = p->batch * directions / p->directions;
    p->is_backward = pd->with_groups == dnnl_unidirectional_right2left;
    p->width = (cl_int)round_up(p->units);
    p->alpha = pd->alpha;
    fill_gates(pd, p);
    fill_weights(pd, p);
    p->state =
            (cl_int)gates_floats((dnnl_dim_t)directions * p->gates_direction);
    p->bias = tensor_of(pd, DNNL_ARG_BIAS, 1);
    p->peephole = tensor_of(pd, DNNL_ARG_WEIGHTS_PEEPHOLE, 1);
    p->src_iter = tensor_of(pd, DNNL_ARG_SRC_ITER, 1);
    p->src_iter_c = tensor_of(pd, DNNL_ARG_SRC_ITER_C, 1);
    p->dst_iter = tensor_of(pd, DNNL_ARG_DST_ITER, 1);
    p->dst_iter_c = tensor_of(pd, DNNL_ARG_DST_ITER_C, 1);
    p->dst_layer = tensor_of(pd, DNNL_ARG_DST_LAYER, 0);
}

/* ---- Planning ------------------------------------------------------------ */

static dnnl_status_t add_cell(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const char *const activation = pd->axis == dnnl_eltwise_relu   ? "RELU"
                                   : pd->axis == dnnl_eltwise_tanh ? "TANH"
                                                                   : "LOGISTIC";
    switch (pd->alg_kind) {
    case dnnl_vanilla_lstm:
        return plan_add_option(plan, "-DCELL_LSTM");
    case dnnl_vanilla_gru:
        return plan_add_option(plan, "-DCELL_GRU");
    case dnnl_lbr_gru:
        return plan_add_option(plan, "-DCELL_LBR_GRU");
    default:
        return plan_add_option(plan, "-DCELL_RNN_%s", activation);
    }
}

/* The kernel's memories behind the scratch memory. For one that is not there
 * dst_layer stands, which the kernel then does not look at. */
static dnnl_status_t add_memories(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    static const struct {
        int arg;
        const char *macro;
    } tensors[] = {{DNNL_ARG_WEIGHTS_ITER, "WEIGHTS"}, {DNNL_ARG_BIAS, "BIAS"},
            {DNNL_ARG_WEIGHTS_PEEPHOLE, "PEEPHOLE"},
            {DNNL_ARG_SRC_ITER, "SRC_ITER"},
            {DNNL_ARG_SRC_ITER_C, "SRC_ITER_C"}, {DNNL_ARG_DST_LAYER, "DST"},
            {DNNL_ARG_DST_ITER, "DST_ITER"},
            {DNNL_ARG_DST_ITER_C, "DST_ITER_C"}};
    dnnl_status_t st = dnnl_success;
    plan->memories[plan->memory_count++] = DNNL_ARG_SCRATCHPAD;
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
        const bool is_there = pd_tensor(pd, tensors[i].arg) != NULL;
        const int arg = is_there ? tensors[i].arg : DNNL_ARG_DST_LAYER;
        plan->memories[plan->memory_count++] = arg;
        if (st == dnnl_success)
            st = plan_add_type(
                    plan, tensors[i].macro, pd_tensor(pd, arg)->data_type);
    }
    return st;
}

dnnl_status_t rnn_plan(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const bool is_gpu_like = plan_is_gpu_like(pd->facts);
    const size_t most = pd->facts->max_work_group_size;
    struct rnn_params p;
    fill_params(pd, &p);
    plan_set_kernel(plan, "rnn", kernel_rnn_cl);
    plan_set_params(plan, &p, sizeof p);
    dnnl_status_t st = add_cell(pd, plan);
    if (st == dnnl_success) st = add_memories(pd, plan);
    if (st == dnnl_success)
        st = plan_add_option(plan, "-DBIASES=%d -DVEC=%d",
                rnn_biases(pd->alg_kind), is_gpu_like ? 1 : CPU_UNITS);
    if (st != dnnl_success) return st;
    return plan_set_groups(plan,
            !is_gpu_like       ? 1
            : most < GPU_ITEMS ? most
                               : GPU_ITEMS,
            (size_t)p.sequences);
}
