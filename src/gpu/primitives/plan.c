/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/primitives/plan.h"

#include "gpu/engine_facts.h"

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
    return n >= 0 && (size_t)n < room ? dnnl_success : dnnl_unimplemented;
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

dnnl_status_t plan_add_eltwise(
        struct primitive_plan *plan, const char *macro, dnnl_alg_kind_t alg)
{
    return plan_add_option(plan, "-D%s=eltwise_%s", macro, eltwise_name(alg));
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
    default:
        return NULL;
    }
}

bool plan_takes_type(const struct engine_facts *facts, dnnl_data_type_t type)
{
    if (type == dnnl_f16) return (facts->accepts & engine_accepts_half) != 0;
    return type_name(type) != NULL;
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

enum { NO_AXIS = -1 };

/* Puts a dimension among the first count, those with large strides in dst
 * first; one of a single element is left out. Returns the new count. */
static int insert_dimension(
        struct dimension *sorted, int count, struct dimension d)
{
    int i = count;
    if (d.size == 1) return count;
    for (; i > 0 && sorted[i - 1].dst < d.dst; i--)
        sorted[i] = sorted[i - 1];
    sorted[i] = d;
    return count + 1;
}

/* The dimensions of more than one element but axis, those with large strides
 * in dst first. Returns their number. */
static int sort_dimensions(const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *dst, int axis,
        struct dimension sorted[DNNL_MAX_NDIMS])
{
    int count = 0;
    for (int d = 0; d < dst->ndims; d++)
        if (d != axis)
            count = insert_dimension(sorted, count,
                    (struct dimension){
                            dst->dims[d], src->strides[d], dst->strides[d]});
    return count;
}

bool plan_can_write(const struct dnnl_memory_desc *md)
{
    struct dimension sorted[DNNL_MAX_NDIMS];
    if (!memory_desc_is_plain(md) || memory_desc_has_runtime(md)) return false;
    int count = sort_dimensions(md, md, NO_AXIS, sorted);
    if (memory_desc_nelems(md) == 0) return true;
    /* From the innermost out, each stride steps over all that is inside. */
    dnnl_dim_t inside = 1;
    for (int i = count - 1; i >= 0; i--) {
        if (sorted[i].dst < inside) return false;
        inside += (sorted[i].size - 1) * sorted[i].dst;
    }
    return true;
}

void plan_set_params(
        struct primitive_plan *plan, const void *params, size_t size)
{
    memcpy(plan->params, params, size);
    plan->params_size = size;
}

/* ---- Element-wise kernels ------------------------------------------------ */

size_t plan_work_group_size(const struct engine_facts *facts, size_t wanted)
{
    size_t most = facts->max_work_group_size;
    return wanted < most ? wanted : most;
}

/* From this SIMD width on a device has many work-items side by side. */
enum { GPU_SIMD_WIDTH = 32 };

static bool is_gpu_like(const struct engine_facts *facts)
{
    return facts->simd_width >= GPU_SIMD_WIDTH;
}

/* Work-items of an element-wise group, about: a multiple of the device's SIMD
 * width; and the elements of each. */
enum { GPU_ITEMS = 256, GPU_RUN = 1, CPU_ITEMS = 64, CPU_RUN = 64 };

size_t plan_elementwise_items(const struct engine_facts *facts)
{
    size_t wanted = is_gpu_like(facts) ? GPU_ITEMS : CPU_ITEMS;
    size_t width = facts->simd_width;
    size_t multiples = wanted / width;
    return plan_work_group_size(facts, width * (multiples > 0 ? multiples : 1));
}

int plan_elementwise_run(const struct engine_facts *facts)
{
    return is_gpu_like(facts) ? GPU_RUN : CPU_RUN;
}

/* Do both tensors step over the inner dimension as one with the outer? */
static bool is_one_dimension(
        const struct dimension *outer, const struct dimension *inner)
{
    return outer->src == inner->size * inner->src
           && outer->dst == inner->size * inner->dst;
}

/* Gives the inner dimension's elements to the outer one. */
static void merge(struct dimension *outer, const struct dimension *inner)
{
    outer->size *= inner->size;
    outer->src = inner->src;
    outer->dst = inner->dst;
}

/* Makes one dimension of those that follow each other in both tensors. Returns
 * how many are left. */
static int merge_dimensions(struct dimension *dims, int count)
{
    int left = 0;
    for (int i = 0; i < count; i++) {
        if (left > 0 && is_one_dimension(&dims[left - 1], &dims[i]))
            merge(&dims[left - 1], &dims[i]);
        else
            dims[left++] = dims[i];
    }
    return left;
}

/* The innermost dimension is the lines', the others are those of lines. */
static void fill_lines(struct elementwise_params *p,
        const struct dimension *dims, int count, int run)
{
    const struct dimension one = {1, 1, 1};
    const struct dimension *line = count > 0 ? &dims[count - 1] : &one;
    dnnl_dim_t lines = 1;
    for (int i = 0; i < MAX_LINE_DIMS; i++) {
        int from = i - (MAX_LINE_DIMS - (count - 1));
        bool is_used = from >= 0 && from < count - 1;
        p->dims[i] = is_used ? (cl_int)dims[from].size : 1;
        p->src_strides[i] = is_used ? (cl_int)dims[from].src : 0;
        p->dst_strides[i] = is_used ? (cl_int)dims[from].dst : 0;
        lines *= p->dims[i];
    }
    p->line = (cl_int)line->size;
    p->src_stride = (cl_int)line->src;
    p->dst_stride = (cl_int)line->dst;
    p->line_runs = (cl_int)((line->size + run - 1) / run);
    p->runs = (cl_int)(lines * p->line_runs);
}

/* Most layouts come down to a few dimensions; each costs a division. */
int plan_strided(int count)
{
    return count <= 4 ? 3 : MAX_LINE_DIMS;
}

static dnnl_status_t add_strided(struct primitive_plan *plan, int count)
{
    return plan_add_option(plan, "-DSTRIDED=%d", plan_strided(count));
}

static dnnl_status_t set_lines(struct primitive_plan *plan,
        const struct elementwise_params *p, size_t items, size_t groups,
        int run)
{
    plan_set_params(plan, p, sizeof *p);
    plan->memories[0] = DNNL_ARG_SRC;
    plan->memories[1] = DNNL_ARG_DST;
    plan->memory_count = 2;
    plan->work_dim = 1;
    plan->local[0] = items;
    plan->groups[0] = groups;
    return plan_add_option(plan, "-DITEMS=%zu -DRUN=%d", items, run);
}

int plan_lines(struct elementwise_params *p, const struct engine_facts *facts,
        struct dimension *dims, int count)
{
    int sorted = 0;
    for (int i = 0; i < count; i++)
        sorted = insert_dimension(dims, sorted, dims[i]);
    count = merge_dimensions(dims, sorted);
    if (count > DNNL_MAX_NDIMS) return -1;
    fill_lines(p, dims, count, plan_elementwise_run(facts));
    bool is_dense = count <= 1 && p->src_stride == 1 && p->dst_stride == 1;
    return is_dense ? 0 : count > 0 ? count : 1;
}

size_t plan_groups(
        const struct elementwise_params *p, const struct engine_facts *facts)
{
    size_t items = plan_elementwise_items(facts);
    return ((size_t)p->runs + items - 1) / items;
}

dnnl_status_t plan_set_lines(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct elementwise_params *p,
        int dims)
{
    dnnl_status_t st = set_lines(plan, p, plan_elementwise_items(facts),
            plan_groups(p, facts), plan_elementwise_run(facts));
    return st == dnnl_success && dims > 0 ? add_strided(plan, dims) : st;
}

dnnl_status_t plan_elementwise(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *dst, float alpha, float beta)
{
    struct dimension dims[DNNL_MAX_NDIMS];
    struct elementwise_params p;
    memset(&p, 0, sizeof p);
    p.src_offset = (cl_int)src->offset0;
    p.dst_offset = (cl_int)dst->offset0;
    p.alpha = alpha;
    p.beta = beta;
    int count = plan_lines(
            &p, facts, dims, sort_dimensions(src, dst, NO_AXIS, dims));
    return plan_set_lines(plan, facts, &p, count);
}

int plan_dimensions(struct dimension dims[DNNL_MAX_NDIMS],
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    return merge_dimensions(dims, sort_dimensions(src, dst, NO_AXIS, dims));
}

/* ---- Of several sources -------------------------------------------------- */

enum { MORE_SOURCES = PLAN_MAX_ELEMENT_SOURCES - 1 };

/* Mirrors struct elementwise_params of kernels/common.cl with PAIRS. */
struct pairwise_params {
    struct elementwise_params first; /* source, and what is common */
    struct {
        cl_int offset;
        cl_int stride;
        cl_int strides[MAX_LINE_DIMS];
    } more[MORE_SOURCES];
};

/* A source as large as dst: what has one element is repeated. */
static struct dnnl_memory_desc repeat(const struct dnnl_memory_desc *src)
{
    struct dnnl_memory_desc large = *src;
    for (int d = 0; d < src->ndims; d++)
        if (src->dims[d] == 1) large.strides[d] = 0;
    return large;
}

/* Makes one dimension of those that follow each other in all sources and dst.
 * Returns how many are left. */
static int merge_all(
        struct dimension dims[PLAN_MAX_ELEMENT_SOURCES][DNNL_MAX_NDIMS],
        int sources, int count)
{
    int left = 0;
    for (int i = 0; i < count; i++) {
        bool is_one = left > 0;
        for (int s = 0; s < sources && is_one; s++)
            is_one = is_one_dimension(&dims[s][left - 1], &dims[s][i]);
        if (!is_one) left++;
        for (int s = 0; s < sources; s++) {
            if (is_one)
                merge(&dims[s][left - 1], &dims[s][i]);
            else
                dims[s][left - 1] = dims[s][i];
        }
    }
    return left;
}

/* Tells where another source's lines are; false unless they are dense. */
static bool fill_more(struct pairwise_params *p, int index,
        const struct dnnl_memory_desc *md, const struct dimension *dims,
        int count)
{
    int front = MAX_LINE_DIMS - (count - 1);
    p->more[index].offset = (cl_int)md->offset0;
    p->more[index].stride = count > 0 ? (cl_int)dims[count - 1].src : 1;
    for (int i = 0; i < count - 1; i++)
        p->more[index].strides[front + i] = (cl_int)dims[i].src;
    return count <= 1 && p->more[index].stride == 1;
}

dnnl_status_t plan_pairwise(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct plan_source *sources,
        int source_count, const struct dnnl_memory_desc *dst)
{
    struct dimension dims[PLAN_MAX_ELEMENT_SOURCES][DNNL_MAX_NDIMS];
    struct pairwise_params p;
    int count = 0;
    memset(&p, 0, sizeof p);
    /* The order is dst's, whatever the source. */
    for (int s = 0; s < source_count; s++) {
        const struct dnnl_memory_desc large = repeat(sources[s].md);
        count = sort_dimensions(&large, dst, NO_AXIS, dims[s]);
    }
    count = merge_all(dims, source_count, count);
    fill_lines(
            &p.first, dims[0], count, is_gpu_like(facts) ? GPU_RUN : CPU_RUN);
    p.first.src_offset = (cl_int)sources[0].md->offset0;
    p.first.dst_offset = (cl_int)dst->offset0;
    bool is_dense =
            count <= 1 && p.first.src_stride == 1 && p.first.dst_stride == 1;
    for (int s = 1; s < source_count; s++)
        is_dense =
                fill_more(&p, s - 1, sources[s].md, dims[s], count) && is_dense;
    dnnl_status_t st =
            plan_set_lines(plan, facts, &p.first, is_dense ? 0 : count);
    plan_set_params(plan, &p, sizeof p);
    for (int s = 0; s < source_count; s++)
        plan->memories[s] = sources[s].arg;
    plan->memories[source_count] = DNNL_ARG_DST;
    plan->memory_count = (size_t)source_count + 1;
    return st == dnnl_success ? plan_add_option(plan, "-DPAIRS") : st;
}

/* ---- Along an axis ------------------------------------------------------- */

/* Work-items of a line, about. */
enum { GPU_LINE_ITEMS = 128, CPU_LINE_ITEMS = 16 };

size_t plan_line_items(const struct engine_facts *facts)
{
    return plan_work_group_size(
            facts, is_gpu_like(facts) ? GPU_LINE_ITEMS : CPU_LINE_ITEMS);
}

dnnl_status_t plan_along(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *dst, int axis)
{
    struct dimension dims[DNNL_MAX_NDIMS];
    struct elementwise_params p;
    memset(&p, 0, sizeof p);
    int count = merge_dimensions(dims, sort_dimensions(src, dst, axis, dims));
    dims[count++] = (struct dimension){
            dst->dims[axis], src->strides[axis], dst->strides[axis]};
    fill_lines(&p, dims, count, (int)dst->dims[axis]);
    p.src_offset = (cl_int)src->offset0;
    p.dst_offset = (cl_int)dst->offset0;
    size_t items = plan_line_items(facts);
    dnnl_status_t st = set_lines(plan, &p, items, (size_t)p.runs, 1);
    return st == dnnl_success ? add_strided(plan, count) : st;
}

/* ---- Tiled kernels ------------------------------------------------------- */

/* Matrices of at most so many rows get low, wide tiles. */
enum { LOW_ROWS = 8 };

/* Tiles by kind of device and height, best first; the last of each has one
 * work-item. */
static const struct tile cpu_tiles[] = {
        {16, 4, 4, 16, 32, 16}, {1, 1, 4, 16, 32, 16}};
static const struct tile cpu_low_tiles[] = {
        {1, 8, 4, 16, 16, 16}, {1, 1, 4, 16, 16, 16}};
static const struct tile gpu_tiles[] = {
        {8, 16, 8, 4, 16, 1}, {4, 8, 8, 4, 16, 1}, {1, 1, 8, 4, 16, 1}};
static const struct tile gpu_low_tiles[] = {
        {1, 64, 4, 4, 16, 1}, {1, 32, 4, 4, 16, 1}, {1, 1, 4, 4, 16, 1}};

const struct tile *plan_tile(const struct engine_facts *facts, dnnl_dim_t m)
{
    const struct tile *tile;
    if (is_gpu_like(facts))
        tile = m <= LOW_ROWS ? gpu_low_tiles : gpu_tiles;
    else
        tile = m <= LOW_ROWS ? cpu_low_tiles : cpu_tiles;
    while (tile->items_m * tile->items_n > facts->max_work_group_size)
        tile++;
    return tile;
}

dnnl_status_t plan_add_tile(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct tile *tile,
        dnnl_dim_t tiles)
{
    plan->work_dim = 1;
    plan->local[0] = tile->items_m * tile->items_n;
    plan->groups[0] = (size_t)tiles;
    dnnl_status_t st = plan_add_option(plan,
            "-DITEMS_M=%zu -DITEMS_N=%zu -DROWS=%zu -DCOLS=%zu -DTILE_K=%zu "
            "-DWIDTH=%zu",
            tile->items_m, tile->items_n, tile->rows, tile->cols,
            tile->products, tile->width);
    if (st == dnnl_success && (facts->accepts & engine_accepts_fma) != 0)
        st = plan_add_option(plan, "-DUSE_FMA");
    return st;
}

static bool is_integer(dnnl_data_type_t type)
{
    return type == dnnl_s8 || type == dnnl_u8 || type == dnnl_s32;
}

/* The types of the tensors, and what sums are of. */
static dnnl_status_t add_factor_types(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    dnnl_data_type_t src = primitive_desc_tensor(pd, DNNL_ARG_SRC)->data_type;
    dnnl_data_type_t weights =
            primitive_desc_tensor(pd, DNNL_ARG_WEIGHTS)->data_type;
    const struct dnnl_memory_desc *bias =
            primitive_desc_tensor(pd, DNNL_ARG_BIAS);
    dnnl_status_t st = plan_add_type(plan, "SRC", src);
    if (st == dnnl_success) st = plan_add_type(plan, "WEIGHTS", weights);
    if (st == dnnl_success)
        st = plan_add_type(plan, "DST",
                primitive_desc_tensor(pd, DNNL_ARG_DST)->data_type);
    if (st == dnnl_success && bias != NULL)
        st = plan_add_type(plan, "BIAS", bias->data_type);
    if (st == dnnl_success && is_integer(src) && is_integer(weights))
        st = plan_add_option(plan, "-DINTEGER_SUMS");
    return st;
}

/* The zero point of a factor, one number for all of it. */
static dnnl_status_t add_zero_point(const struct dnnl_primitive_desc *pd,
        int arg, const char *macro, struct primitive_plan *plan)
{
    const struct quantization *q =
            attr_quantization(&pd->attr, DNNL_ARG_ATTR_ZERO_POINTS | arg);
    if (q == NULL) return dnnl_success;
    if (q->mask != 0) return dnnl_unimplemented;
    plan->memories[plan->memory_count++] = q->arg;
    return plan_add_type(plan, macro, q->data_type);
}

dnnl_status_t plan_set_factors(const struct dnnl_primitive_desc *pd,
        struct primitive_plan *plan, bool is_sum_empty)
{
    size_t n = 0;
    plan->memories[n++] = is_sum_empty ? DNNL_ARG_DST : DNNL_ARG_SRC;
    plan->memories[n++] = is_sum_empty ? DNNL_ARG_DST : DNNL_ARG_WEIGHTS;
    if (primitive_desc_tensor(pd, DNNL_ARG_BIAS) != NULL)
        plan->memories[n++] = DNNL_ARG_BIAS;
    plan->memory_count = n;
    dnnl_status_t st = add_zero_point(pd, DNNL_ARG_SRC, "SRC_ZERO_POINT", plan);
    if (st == dnnl_success)
        st = add_zero_point(pd, DNNL_ARG_WEIGHTS, "WEIGHTS_ZERO_POINT", plan);
    plan->memories[plan->memory_count++] = DNNL_ARG_DST;
    return st == dnnl_success ? add_factor_types(pd, plan) : st;
}
