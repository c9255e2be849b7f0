/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of primitives share when they check and plan. All functions
 * are pure. */
#ifndef DNNL_CACHE_GPU_PRIMITIVES_PLAN_H
#define DNNL_CACHE_GPU_PRIMITIVES_PLAN_H

#include "src/gpu/primitive/primitive_desc.h"
#include "src/gpu/primitive/refusal.h"

static inline bool plan_is_forward(dnnl_prop_kind_t prop_kind)
{
    return prop_kind == dnnl_forward_training
           || prop_kind == dnnl_forward_inference;
}

/* True if no two elements have one place, so that a kernel can write them in
 * any order. Layouts that interleave dimensions in unusual ways count as not
 * writable though they may be. */
bool plan_can_write(const struct dnnl_memory_desc *md);

/* Why kernels cannot find all elements of a tensor; LACK_NONE: they
 * can. */
enum lack plan_find_misfit(const struct dnnl_memory_desc *md);

/* The same of two, of which they write dst. */
enum lack plan_find_misfits(
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst);

/* Gives dst the layout of src if it has layout any. Why they do not go
 * together; NULL: they do. */
const char *plan_set_like(
        struct dnnl_memory_desc *dst, const struct dnnl_memory_desc *src);

/* Why kernels cannot have the descriptor's tensors: their types, then the
 * above; LACK_NONE: they can. */
enum lack plan_find_unsupported(const struct dnnl_primitive_desc *pd);

/* Notes why something cannot be planned; returns dnnl_unimplemented. */
dnnl_status_t plan_decline(struct primitive_plan *plan, enum lack lack);

/* The plan launches this kernel of this static source, which follows what all
 * kernels share: kernels/types.cl, common.cl and post_ops.cl. */
void plan_set_kernel(
        struct primitive_plan *plan, const char *name, const char *source);

/* Fills the plan's params with a copy of the kernel's. */
void plan_set_params(
        struct primitive_plan *plan, const void *params, size_t size);

/* Appends what the attributes do to results: options for kernels/post_ops.cl,
 * and arguments. Comes last, when the plan's other memories are set. */
dnnl_status_t plan_add_tail(
        struct primitive_plan *plan, const struct dnnl_primitive_desc *pd);

/* ---- Options ------------------------------------------------------------- */

/* Appends to plan->options like printf, a blank before it. A text that does
 * not fit is dnnl_unimplemented. */
dnnl_status_t plan_add_option(struct primitive_plan *plan, const char *format,
        ...) __attribute__((format(printf, 2, 3)));

/* ---- Data types ---------------------------------------------------------- */

/* True if kernels on this device can have tensors of the type: f32, bf16, s32,
 * s8, u8, and f16 where the compiler accepts it as storage. Few kernels can
 * have s4 and u4, and ask for themselves. */
bool plan_takes_type(const struct engine_facts *facts, dnnl_data_type_t type);

/* The same for two tensors. */
bool plan_takes_types(const struct engine_facts *facts,
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst);

/* Adds -D<macro>=<type of kernels/types.cl> for a type that is taken, or s4 or
 * u4. */
dnnl_status_t plan_add_type(
        struct primitive_plan *plan, const char *macro, dnnl_data_type_t type);
/* The same for SRC and DST. */
dnnl_status_t plan_add_types(struct primitive_plan *plan,
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst);

/* Adds -D<macro>=<function of kernels/post_ops.cl>, which for some exponents
 * of pow, its beta, is another one. */
dnnl_status_t plan_add_eltwise(struct primitive_plan *plan, const char *macro,
        dnnl_alg_kind_t alg, float beta);
/* The same for a function of two elements: binary_add to binary_ne. */
dnnl_status_t plan_add_binary(
        struct primitive_plan *plan, const char *macro, dnnl_alg_kind_t alg);

/* Are the channels of dst nearer to each other than places are? */
bool plan_has_channels_inner(const struct dnnl_memory_desc *dst);

/* Adds -DCHANNELS_INNER if so: neighbouring work-items write neighbours. */
dnnl_status_t plan_add_channels_inner(
        struct primitive_plan *plan, const struct dnnl_memory_desc *dst);

/* ---- Groups -------------------------------------------------------------- */

/* Sets the grid: so many groups of so many work-items, which -DITEMS= tells. */
dnnl_status_t plan_set_groups(
        struct primitive_plan *plan, size_t items, size_t groups);

/* The same for a kernel that computes so many elements on their own. */
dnnl_status_t plan_set_elements(struct primitive_plan *plan,
        const struct engine_facts *facts, size_t elements);

/* True if the device has many work-items side by side. */
bool plan_is_gpu_like(const struct engine_facts *facts);

/* Work-items of a group that computes elements on their own, about 256 on
 * GPUs, 64 on CPUs. */
size_t plan_elementwise_items(const struct engine_facts *facts);

/* Those of a group that computes a line together, about 128 on GPUs, 16 on
 * CPUs. */
size_t plan_line_items(const struct engine_facts *facts);

/* Elements of one of these work-items: RUN of kernels/common.cl. */
int plan_elementwise_run(const struct engine_facts *facts);

#endif /* DNNL_CACHE_GPU_PRIMITIVES_PLAN_H */
