/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/primitive_key.h"
#include "src/gpu/primitive/staged.h"

/* ---- Memory descriptors -------------------------------------------------- */

static bool has(const struct dnnl_primitive_desc *pd, int arg)
{
    return pd_tensor(pd, arg) != NULL;
}

/* The statistics, in the order of oneDNN's descriptors. */
static int statistic(int index)
{
    return index == 1 ? DNNL_ARG_MEAN : index == 2 ? DNNL_ARG_VARIANCE : 0;
}

static bool is_normalization(const struct dnnl_primitive_desc *pd)
{
    dnnl_primitive_kind_t kind = pd->kind->kind;
    return kind == dnnl_batch_normalization || kind == dnnl_layer_normalization
           || kind == dnnl_group_normalization;
}

static int source_arg(const struct dnnl_primitive_desc *pd, int index)
{
    if (has(pd, DNNL_ARG_MULTIPLE_SRC)) return DNNL_ARG_MULTIPLE_SRC + index;
    if (index == 0) return DNNL_ARG_SRC;
    if (is_normalization(pd) && (pd->flags & dnnl_use_global_stats) != 0)
        return statistic(index);
    return index == 1 ? DNNL_ARG_SRC_1 : index == 2 ? DNNL_ARG_SRC_2 : 0;
}

/* Those of the layer, of the iteration, and, of those that there are, of the
 * peephole and the bias. */
static int recurrent_weights_arg(
        const struct dnnl_primitive_desc *pd, int index)
{
    const bool has_peephole = has(pd, DNNL_ARG_WEIGHTS_PEEPHOLE);
    if (index < 2)
        return index == 0 ? DNNL_ARG_WEIGHTS_LAYER : DNNL_ARG_WEIGHTS_ITER;
    if (index == 2 && has_peephole) return DNNL_ARG_WEIGHTS_PEEPHOLE;
    return index == (has_peephole ? 3 : 2) ? DNNL_ARG_BIAS : 0;
}

static int weights_arg(const struct dnnl_primitive_desc *pd, int index)
{
    if (pd->kind->kind == dnnl_rnn) return recurrent_weights_arg(pd, index);
    if (index == 1) return DNNL_ARG_BIAS;
    if (index != 0) return 0;
    if (!is_normalization(pd)) return DNNL_ARG_WEIGHTS;
    return has(pd, DNNL_ARG_SCALE) ? DNNL_ARG_SCALE : DNNL_ARG_SHIFT;
}

static int destination_arg(const struct dnnl_primitive_desc *pd, int index)
{
    if (index == 0) return DNNL_ARG_DST;
    if (pd->kind->kind == dnnl_rnn)
        return index == 1   ? DNNL_ARG_DST_ITER
               : index == 2 ? DNNL_ARG_DST_ITER_C
                            : 0;
    return is_normalization(pd) && (pd->flags & dnnl_use_global_stats) == 0
                   ? statistic(index)
                   : 0;
}

/* The DNNL_ARG_* a descriptor query is about; 0: a tensor no primitive here
 * has; -1: not such a query, or a wrong index. */
static int queried_arg(
        const struct dnnl_primitive_desc *pd, dnnl_query_t what, int index)
{
    if (index < 0) return -1;
    switch (what) {
    case dnnl_query_exec_arg_md:
        return index;
    case dnnl_query_src_md:
        return source_arg(pd, index);
    case dnnl_query_dst_md:
        return destination_arg(pd, index);
    case dnnl_query_weights_md:
        return weights_arg(pd, index);
    case dnnl_query_workspace_md:
        return index == 0 ? DNNL_ARG_WORKSPACE : -1;
    case dnnl_query_scratchpad_md:
        return index == 0 ? DNNL_ARG_SCRATCHPAD : -1;
    case dnnl_query_diff_src_md:
    case dnnl_query_diff_weights_md:
    case dnnl_query_diff_dst_md:
        return 0;
    default:
        return -1;
    }
}

const_dnnl_memory_desc_t dnnl_primitive_desc_query_md(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what,
        int index)
{
    if (primitive_desc == NULL) return NULL;
    int arg = queried_arg(primitive_desc, what, index);
    if (arg < 0) return NULL;
    const struct dnnl_memory_desc *md = pd_tensor(primitive_desc, arg);
    return md != NULL ? md : &memory_desc_zero;
}

/* Is it none of the operation's own, nor another operand of a post-op? */
static bool is_aside(int arg)
{
    switch (arg) {
    case DNNL_ARG_SCRATCHPAD:
    case DNNL_ARG_ATTR_ROUNDING_SEED:
    case DNNL_ARG_ATTR_DROPOUT_MASK:
    case DNNL_ARG_ATTR_DROPOUT_PROBABILITY:
    case DNNL_ARG_ATTR_DROPOUT_SEED:
        return true;
    default:
        return (arg & (DNNL_ARG_ATTR_SCALES | DNNL_ARG_ATTR_ZERO_POINTS)) != 0;
    }
}

/* Inputs or outputs; neither are numbers of attributes, nor scratch memory. */
static int count_tensors(const struct dnnl_primitive_desc *pd, bool outputs)
{
    int count = 0;
    for (int i = 0; i < pd->tensor_count; i++)
        count += pd->tensors[i].is_output == outputs
                 && !is_aside(pd->tensors[i].arg);
    return count;
}

/* ---- The operation ------------------------------------------------------- */

/* A set of kinds, by bits. */
#define KIND(kind) (1u << dnnl_##kind)
enum {
    NORMALIZATIONS = KIND(batch_normalization) | KIND(layer_normalization)
                     | KIND(group_normalization),
    WINDOWS = KIND(convolution) | KIND(deconvolution) | KIND(pooling)
};

/* The kinds that answer a query of a number or an array. */
static unsigned kinds_with(dnnl_query_t what)
{
    switch (what) {
    case dnnl_query_alpha_f32:
    case dnnl_query_beta_f32:
        return KIND(eltwise) | KIND(lrn) | KIND(rnn);
    case dnnl_query_epsilon_f32:
        return NORMALIZATIONS | KIND(reduction);
    case dnnl_query_p_f32:
        return KIND(reduction);
    case dnnl_query_k_f32:
    case dnnl_query_local_size_s64:
        return KIND(lrn);
    case dnnl_query_flags:
        return NORMALIZATIONS | KIND(rnn);
    case dnnl_query_cell_kind:
    case dnnl_query_activation_kind:
    case dnnl_query_direction:
        return KIND(rnn);
    case dnnl_query_axis_s32:
        return KIND(softmax) | KIND(shuffle);
    case dnnl_query_group_size_s64:
        return KIND(shuffle) | KIND(group_normalization);
    case dnnl_query_factors:
        return KIND(resampling);
    case dnnl_query_kernel:
        return KIND(pooling);
    case dnnl_query_strides:
    case dnnl_query_dilations:
    case dnnl_query_padding_l:
    case dnnl_query_padding_r:
        return WINDOWS;
    case dnnl_query_reorder_src_engine:
    case dnnl_query_reorder_dst_engine:
        return KIND(reorder);
    default:
        return 0;
    }
}

static const dnnl_dims_t *dims_of(
        const struct dnnl_primitive_desc *pd, dnnl_query_t what)
{
    return what == dnnl_query_kernel      ? &pd->kernel
           : what == dnnl_query_strides   ? &pd->strides
           : what == dnnl_query_dilations ? &pd->dilates
           : what == dnnl_query_padding_l ? &pd->padding_l
                                          : &pd->padding_r;
}

static dnnl_engine_t reorder_engine(
        const struct dnnl_primitive_desc *pd, bool is_src)
{
    return pd->other_engine != NULL && is_src == pd->other_is_src
                   ? pd->other_engine
                   : pd->engine;
}

/* Of a kind that answers. */
static void answer_query(
        const struct dnnl_primitive_desc *pd, dnnl_query_t what, void *result)
{
    switch (what) {
    case dnnl_query_alpha_f32:
        *(float *)result = pd->alpha;
        break;
    case dnnl_query_beta_f32:
        *(float *)result = pd->beta;
        break;
    case dnnl_query_epsilon_f32:
        *(float *)result = pd->epsilon;
        break;
    case dnnl_query_p_f32:
        *(float *)result = pd->power;
        break;
    case dnnl_query_k_f32:
        *(float *)result = pd->bias;
        break;
    case dnnl_query_flags:
        *(unsigned *)result = pd->flags;
        break;
    case dnnl_query_cell_kind:
        *(dnnl_alg_kind_t *)result = pd->alg_kind;
        break;
    case dnnl_query_activation_kind:
        *(dnnl_alg_kind_t *)result = (dnnl_alg_kind_t)pd->axis;
        break;
    case dnnl_query_direction:
        *(dnnl_rnn_direction_t *)result = (dnnl_rnn_direction_t)pd->with_groups;
        break;
    case dnnl_query_axis_s32:
        *(int *)result = pd->axis;
        break;
    case dnnl_query_local_size_s64:
    case dnnl_query_group_size_s64:
        *(dnnl_dim_t *)result = pd->size;
        break;
    case dnnl_query_factors:
        *(const float **)result = pd->numbers;
        break;
    case dnnl_query_reorder_src_engine:
    case dnnl_query_reorder_dst_engine:
        *(dnnl_engine_t *)result =
                reorder_engine(pd, what == dnnl_query_reorder_src_engine);
        break;
    default:
        *(const dnnl_dims_t **)result = dims_of(pd, what);
    }
}

static dnnl_status_t query_operation(
        const struct dnnl_primitive_desc *pd, dnnl_query_t what, void *result)
{
    /* No refusal: the operation has nothing of what is asked for. */
    const dnnl_status_t absent = dnnl_unimplemented;
    if (what == dnnl_query_prop_kind) {
        if (pd->prop_kind == dnnl_prop_kind_undef) return absent;
        *(dnnl_prop_kind_t *)result = pd->prop_kind;
    } else if (what == dnnl_query_alg_kind) {
        if (pd->alg_kind == dnnl_alg_kind_undef || pd->kind->kind == dnnl_rnn)
            return absent;
        *(dnnl_alg_kind_t *)result = pd->alg_kind;
    } else {
        if ((kinds_with(what) >> pd->kind->kind & 1) == 0) return absent;
        answer_query(pd, what, result);
    }
    return dnnl_success;
}

/* ---- All ----------------------------------------------------------------- */

static dnnl_status_t query_blob_id(
        const struct dnnl_primitive_desc *pd, dnnl_query_t what, void *result)
{
    const uint8_t *id;
    size_t size;
    dnnl_status_t st = primitive_key_id(pd, &id, &size);
    if (st != dnnl_success) return st;
    if (what == dnnl_query_cache_blob_id)
        *(const uint8_t **)result = id;
    else
        *(dnnl_dim_t *)result = (dnnl_dim_t)size;
    return dnnl_success;
}

/* Bytes that an execution allocates beyond its tensors. */
static dnnl_dim_t own_scratch_size(const struct dnnl_primitive_desc *pd)
{
    return pd->staged != NULL && !has(pd, DNNL_ARG_SCRATCHPAD)
                   ? (dnnl_dim_t)pd->staged->scratch_size
                   : 0;
}

dnnl_status_t dnnl_primitive_desc_query(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what,
        int index, void *result)
{
    const struct dnnl_primitive_desc *pd = primitive_desc;
    if (pd == NULL || result == NULL) return dnnl_invalid_arguments;
    if (what >= dnnl_query_some_md && what <= dnnl_query_exec_arg_md) {
        const_dnnl_memory_desc_t md =
                dnnl_primitive_desc_query_md(pd, what, index);
        if (md == NULL) return dnnl_invalid_arguments;
        *(const_dnnl_memory_desc_t *)result = md;
        return dnnl_success;
    }
    switch (what) {
    case dnnl_query_engine:
    case dnnl_query_scratchpad_engine:
        *(dnnl_engine_t *)result = pd->engine;
        return dnnl_success;
    case dnnl_query_primitive_kind:
        *(dnnl_primitive_kind_t *)result = pd->kind->kind;
        return dnnl_success;
    case dnnl_query_num_of_inputs_s32:
        *(int *)result = count_tensors(pd, false);
        return dnnl_success;
    case dnnl_query_num_of_outputs_s32:
        *(int *)result = count_tensors(pd, true);
        return dnnl_success;
    case dnnl_query_memory_consumption_s64:
        *(dnnl_dim_t *)result = own_scratch_size(pd);
        return dnnl_success;
    case dnnl_query_impl_info_str:
        *(const char **)result = pd->kind->implementation;
        return dnnl_success;
    case dnnl_query_cache_blob_id:
    case dnnl_query_cache_blob_id_size_s64:
        return query_blob_id(pd, what, result);
    default:
        return query_operation(pd, what, result);
    }
}

dnnl_status_t dnnl_primitive_desc_get_attr(
        const_dnnl_primitive_desc_t primitive_desc,
        const_dnnl_primitive_attr_t *attr)
{
    if (primitive_desc == NULL || attr == NULL) return dnnl_invalid_arguments;
    *attr = &primitive_desc->attr;
    return dnnl_success;
}

int dnnl_primitive_desc_query_s32(const_dnnl_primitive_desc_t primitive_desc,
        dnnl_query_t what, int index)
{
    int answer = 0;
    if (what == dnnl_query_num_of_inputs_s32
            || what == dnnl_query_num_of_outputs_s32)
        (void)dnnl_primitive_desc_query(primitive_desc, what, index, &answer);
    return answer;
}
