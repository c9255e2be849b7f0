/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/plan.h"

#include "src/gpu/engine/engine_facts.h"
#include "src/gpu/memory/data_type.h"
#include "src/gpu/primitive/dimensions.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void plan_set_kernel(
        struct primitive_plan *plan, const char *name, const char *source)
{
    plan->sources[0] = kernel_types_cl;
    plan->sources[1] = kernel_common_cl;
    plan->sources[2] = kernel_post_ops_cl;
    plan->sources[3] = source;
    plan->source_count = 4;
    plan->kernel = name;
}

void plan_set_params(
        struct primitive_plan *plan, const void *params, size_t size)
{
    memcpy(plan->params, params, size);
    plan->params_size = size;
}

/* ---- Options ------------------------------------------------------------- */

dnnl_status_t plan_add_option(
        struct primitive_plan *plan, const char *format, ...)
{
    size_t used = strlen(plan->options);
    size_t room = sizeof plan->options - used;
    if (used > 0 && room > 1) {
        plan->options[used++] = ' ';
        plan->options[used] = '\0';
        room--;
    }
    va_list args;
    va_start(args, format);
    int n = vsnprintf(plan->options + used, room, format, args);
    va_end(args);
    return n >= 0 && (size_t)n < room ? dnnl_success
                                      : plan_decline(plan, LACK_ATTRIBUTE_ROOM);
}

/* The function of kernels/post_ops.cl, without its prefix. */
static const char *eltwise_name(dnnl_alg_kind_t alg)
{
    static const char *const names[] = {"relu", "tanh", "elu", "square", "abs",
            "sqrt", "linear", "soft_relu", "hardsigmoid", "logistic", "exp",
            "gelu_tanh", "swish", "log", "clip", "clip_v2", "pow", "gelu_erf",
            "round", "mish", "hardswish"};
    return names[eltwise_forward_alg(alg) - dnnl_eltwise_relu];
}

/* What is behind the name of pow() for an exponent that has a function of its
 * own. */
static const char *exponent_name(float exponent)
{
    static const struct {
        float exponent;
        const char *name;
    } table[] = {{2.0f, "_2"}, {3.0f, "_3"}, {-1.0f, "_reciprocal"},
            {0.5f, "_root"}, {-0.5f, "_reciprocal_root"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (exponent == table[i].exponent) return table[i].name;
    return "";
}

dnnl_status_t plan_add_eltwise(struct primitive_plan *plan, const char *macro,
        dnnl_alg_kind_t alg, float beta)
{
    return plan_add_option(plan, "-D%s=eltwise_%s%s", macro, eltwise_name(alg),
            alg == dnnl_eltwise_pow ? exponent_name(beta) : "");
}

/* The same for two elements. */
static const char *binary_name(dnnl_alg_kind_t alg)
{
    static const char *const names[] = {"add", "mul", "max", "min", "div",
            "sub", "ge", "gt", "le", "lt", "eq", "ne"};
    return names[alg - dnnl_binary_add];
}

dnnl_status_t plan_add_binary(
        struct primitive_plan *plan, const char *macro, dnnl_alg_kind_t alg)
{
    return plan_add_option(plan, "-D%s=binary_%s", macro, binary_name(alg));
}

/* ---- Data types ---------------------------------------------------------- */

/* As in kernels/types.cl; NULL: no kernel has elements of this type. */
static const char *type_name(dnnl_data_type_t type)
{
    switch (type) {
    case dnnl_f32:
        return "f32";
    case dnnl_f16:
        return "f16";
    case dnnl_bf16:
        return "bf16";
    case dnnl_s32:
        return "s32";
    case dnnl_s8:
        return "s8";
    case dnnl_u8:
        return "u8";
    case dnnl_s4:
        return "s4";
    case dnnl_u4:
        return "u4";
    default:
        return NULL;
    }
}

bool plan_takes_type(const struct engine_facts *facts, dnnl_data_type_t type)
{
    if (type == dnnl_f16) return (facts->accepts & engine_accepts_half) != 0;
    return !data_type_is_half_byte(type) && type_name(type) != NULL;
}

bool plan_takes_types(const struct engine_facts *facts,
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    return plan_takes_type(facts, src->data_type)
           && plan_takes_type(facts, dst->data_type);
}

dnnl_status_t plan_add_type(
        struct primitive_plan *plan, const char *macro, dnnl_data_type_t type)
{
    return plan_add_option(plan, "-D%s=%s", macro, type_name(type));
}

dnnl_status_t plan_add_types(struct primitive_plan *plan,
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    dnnl_status_t st = plan_add_type(plan, "SRC", src->data_type);
    if (st == dnnl_success) st = plan_add_type(plan, "DST", dst->data_type);
    return st;
}

/* ---- Tensors ------------------------------------------------------------- */

bool plan_can_write(const struct dnnl_memory_desc *md)
{
    struct dimension sorted[DNNL_MAX_NDIMS];
    if (!memory_desc_is_plain(md) || memory_desc_has_runtime(md)) return false;
    int count = dimensions_sort(sorted, md, md, DIMENSIONS_ALL);
    if (memory_desc_nelems(md) == 0) return true;
    /* From the innermost out, each stride steps over all that is inside. */
    dnnl_dim_t inside = 1;
    for (int i = count - 1; i >= 0; i--) {
        if (sorted[i].dst < inside) return false;
        inside += (sorted[i].size - 1) * sorted[i].dst;
    }
    return true;
}

enum lack plan_find_misfit(const struct dnnl_memory_desc *md)
{
    if (memory_desc_has_runtime(md)) return LACK_RUNTIME;
    return memory_desc_fits_int32(md) ? LACK_NONE : LACK_SIZE;
}

enum lack plan_find_misfits(
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    enum lack lack = plan_find_misfit(src);
    if (lack == LACK_NONE) lack = plan_find_misfit(dst);
    if (lack == LACK_NONE && !plan_can_write(dst)) lack = LACK_SHARED_PLACES;
    return lack;
}

const char *plan_set_like(
        struct dnnl_memory_desc *dst, const struct dnnl_memory_desc *src)
{
    if (src->format_kind == dnnl_format_kind_any) return REFUSAL_ANY;
    if (!memory_desc_same_dims(src, dst)) return REFUSAL_DIMS;
    memory_desc_set_like(dst, src);
    return NULL;
}

enum lack plan_find_unsupported(const struct dnnl_primitive_desc *pd)
{
    for (int i = 0; i < pd->tensor_count; i++) {
        const struct dnnl_memory_desc *md = &pd->tensors[i].md;
        if (!plan_takes_type(pd->facts, md->data_type)) return LACK_TYPES;
        enum lack lack = pd->tensors[i].is_output ? plan_find_misfits(md, md)
                                                  : plan_find_misfit(md);
        if (lack != LACK_NONE) return lack;
    }
    return LACK_NONE;
}

dnnl_status_t plan_decline(struct primitive_plan *plan, enum lack lack)
{
    plan->lack = lack;
    /* No refusal: who plans tells the lack. */
    return dnnl_unimplemented;
}

bool plan_has_channels_inner(const struct dnnl_memory_desc *dst)
{
    return dst->strides[1] < dst->strides[dst->ndims - 1];
}

dnnl_status_t plan_add_channels_inner(
        struct primitive_plan *plan, const struct dnnl_memory_desc *dst)
{
    return plan_has_channels_inner(dst)
                   ? plan_add_option(plan, "-DCHANNELS_INNER")
                   : dnnl_success;
}

/* ---- Groups -------------------------------------------------------------- */

dnnl_status_t plan_set_groups(
        struct primitive_plan *plan, size_t items, size_t groups)
{
    plan->work_dim = 1;
    plan->local[0] = items;
    plan->groups[0] = groups;
    return plan_add_option(plan, "-DITEMS=%zu", items);
}

dnnl_status_t plan_set_elements(struct primitive_plan *plan,
        const struct engine_facts *facts, size_t elements)
{
    size_t items = plan_elementwise_items(facts);
    return plan_set_groups(plan, items, (elements + items - 1) / items);
}

/* Most work-items a work-group of this engine may have, at most wanted. */
static size_t work_group_size(const struct engine_facts *facts, size_t wanted)
{
    size_t most = facts->max_work_group_size;
    return wanted < most ? wanted : most;
}

/* From this SIMD width on a device has many work-items side by side. */
enum { GPU_SIMD_WIDTH = 32 };

bool plan_is_gpu_like(const struct engine_facts *facts)
{
    return facts->simd_width >= GPU_SIMD_WIDTH;
}

/* Work-items of an element-wise group, about: a multiple of the device's SIMD
 * width; and the elements of each. */
enum { GPU_ITEMS = 256, GPU_RUN = 1, CPU_ITEMS = 64, CPU_RUN = 64 };

size_t plan_elementwise_items(const struct engine_facts *facts)
{
    size_t wanted = plan_is_gpu_like(facts) ? GPU_ITEMS : CPU_ITEMS;
    size_t width = facts->simd_width;
    size_t multiples = wanted / width;
    return work_group_size(facts, width * (multiples > 0 ? multiples : 1));
}

int plan_elementwise_run(const struct engine_facts *facts)
{
    return plan_is_gpu_like(facts) ? GPU_RUN : CPU_RUN;
}

/* Work-items of a line, about. */
enum { GPU_LINE_ITEMS = 128, CPU_LINE_ITEMS = 16 };

size_t plan_line_items(const struct engine_facts *facts)
{
    return work_group_size(
            facts, plan_is_gpu_like(facts) ? GPU_LINE_ITEMS : CPU_LINE_ITEMS);
}
