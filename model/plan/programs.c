/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/programs.h"

#include <stdio.h>
#include <string.h>

enum { max_dims = 8, group = 64, max_groups = 512 };

/* As the source has it. */
struct params {
    cl_int count, mode, number;
    cl_float value, second;
    cl_int src_offset, other_offset, dst_offset;
    cl_int dims[max_dims], src[max_dims], other[max_dims], dst[max_dims];
    cl_int starts[max_dims], steps[max_dims], sizes[max_dims];
};

/* ---- Programs ------------------------------------------------------------ */

bool step_is_program(const struct step *step)
{
    return step->kind >= step_map;
}

const char *program_kernel(const struct step *step)
{
    static const char *const names[] = {[step_map] = "map",
            [step_where] = "where",
            [step_remap] = "remap",
            [step_take] = "take",
            [step_pick] = "pick",
            [step_scatter] = "scatter",
            [step_line] = "line",
            [step_product] = "product",
            [step_window] = "window",
            [step_fold] = "fold"};
    return names[step->kind];
}

bool step_can_fail(const struct step *step)
{
    return step->kind == step_take || step->kind == step_pick
           || step->kind == step_scatter;
}

static const char *type_name(const struct step *step, int arg)
{
    static const char *const names[] = {[element_f32] = "float",
            [element_f64] = "double",
            [element_i64] = "long"};
    const struct view *view = step_find_arg(step, arg);
    if (view == NULL) view = step_find_arg(step, DNNL_ARG_SRC);
    return names[view->element];
}

/* What elements become together: with what it begins, what is done with each,
 * and at the end. */
static const char *fold_options(const char *function)
{
    static const struct {
        const char *name, *options;
    } table[] = {{"sum", "-DBEGIN=0 -DEACH=each_sum -DEND=end_same"},
            {"mean", "-DBEGIN=0 -DEACH=each_sum -DEND=end_mean"},
            {"max", "-DBEGIN=first -DEACH=each_max -DEND=end_same"},
            {"min", "-DBEGIN=first -DEACH=each_min -DEND=end_same"},
            {"prod", "-DBEGIN=1 -DEACH=each_prod -DEND=end_same"},
            {"l1", "-DBEGIN=0 -DEACH=each_size -DEND=end_same"},
            {"l2", "-DBEGIN=0 -DEACH=each_square -DEND=end_sqrt"},
            {"sum_square", "-DBEGIN=0 -DEACH=each_square -DEND=end_same"},
            {"log_sum", "-DBEGIN=0 -DEACH=each_sum -DEND=end_log"},
            {"log_sum_exp", "-DBEGIN=0 -DEACH=each_exp -DEND=end_log_exp"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, function) == 0) return table[i].options;
    return "";
}

/* Elements that a work-item takes at a time where compilers make vectors of
 * loops; 1 where neighbouring work-items are side by side. */
static int run_of(dnnl_engine_t engine)
{
    cl_device_id device = NULL;
    cl_device_type type = 0;
    return dnnl_ocl_interop_get_device(engine, &device) == dnnl_success
                           && clGetDeviceInfo(device, CL_DEVICE_TYPE,
                                      sizeof type, &type, NULL)
                                      == CL_SUCCESS
                           && (type & CL_DEVICE_TYPE_CPU) != 0
                   ? 64
                   : 1;
}

/* Not every device has doubles. */
static bool takes_types(const struct step *step, dnnl_engine_t engine)
{
    cl_device_id device = NULL;
    cl_device_fp_config doubles = 0;
    bool needs_doubles = false;
    for (int i = 0; i < step->arg_count; i++)
        needs_doubles =
                needs_doubles || step->args[i].view.element == element_f64;
    if (!needs_doubles) return true;
    return dnnl_ocl_interop_get_device(engine, &device) == dnnl_success
           && clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG,
                      sizeof doubles, &doubles, NULL)
                      == CL_SUCCESS
           && doubles != 0;
}

/* The kernel's text, and the options that make it the step's. */
static const char *choose(const struct step *step, size_t size, char *options)
{
    const bool is_integer =
            step_find_arg(step, DNNL_ARG_DST)->element == element_i64;
    switch (step->kind) {
    case step_map:
        snprintf(options, size, "-DFUNCTION=f_%s", step->function);
        return program_map;
    case step_fold:
        snprintf(options, size, "%s", fold_options(step->function));
        return program_fold;
    case step_take:
        snprintf(options, size, "-DMISSING=%s", is_integer ? "0" : "NAN");
        return program_take;
    case step_pick:
        snprintf(options, size, "-DMISSING=%s", is_integer ? "0" : "NAN");
        return program_pick;
    case step_scatter:
        snprintf(options, size, "-DSCATTER=scatter_%s", step->function);
        return program_scatter;
    case step_line:
        snprintf(options, size, "-DLINE=line_%s", step->function);
        return program_line;
    case step_where:
        options[0] = '\0';
        return program_where;
    case step_product:
        options[0] = '\0';
        return program_product;
    case step_window:
        options[0] = '\0';
        return program_window;
    default:
        options[0] = '\0';
        return program_remap;
    }
}

dnnl_status_t program_describe(const struct step *step, dnnl_engine_t engine,
        dnnl_cache_program_desc_t *desc)
{
    char kernel[96], options[256], run[16] = "";
    if (!takes_types(step, engine)) return dnnl_unimplemented;
    const bool is_map = step->kind == step_map;
    const char *own = choose(step, sizeof kernel, kernel);
    const char *const text[] = {
            program_head, is_map ? program_functions : own, own};
    const char *dst = type_name(step, DNNL_ARG_DST);
    if (is_map && run_of(engine) > 1)
        snprintf(run, sizeof run, " -DRUN=%d", run_of(engine));
    snprintf(options, sizeof options,
            "%s%s -DSRC=%s -DOTHER=%s -DDST=%s -DNARROW=%s", kernel, run,
            type_name(step, DNNL_ARG_SRC), type_name(step, DNNL_ARG_SRC_1), dst,
            step->narrow != NULL ? step->narrow : dst);
    return dnnl_cache_program_desc_create(
            desc, engine, is_map ? 3 : 2, text, NULL, options);
}

/* ---- Launches ------------------------------------------------------------ */

/* Where a tensor is, in 32 bits; false if it does not fit. */
static bool place(const struct plan *plan, const struct view *view,
        cl_int *offset, cl_int strides[max_dims])
{
    int64_t reach = plan_base(plan, view) + view->layout.offset;
    *offset = (cl_int)reach;
    if (view->layout.ndims > max_dims) return false;
    for (int d = 0; d < view->layout.ndims; d++) {
        reach += (view->layout.dims[d] - 1) * view->layout.strides[d];
        strides[d] = (cl_int)view->layout.strides[d];
    }
    return reach <= INT32_MAX;
}

/* Counts of windows are not those of the result's dimensions. */
static void fill_window(const struct step *step, struct params *p)
{
    const struct view *src = step_find_arg(step, DNNL_ARG_SRC);
    const struct view *weights = step_find_arg(step, DNNL_ARG_SRC_1);
    const struct view *dst = step_find_arg(step, DNNL_ARG_DST);
    for (int d = 0; d < 3; d++) {
        p->starts[d] = (cl_int)step->padding_l[d];
        p->steps[d] = (cl_int)step->strides[d];
        p->steps[3 + d] = (cl_int)step->dilates[d];
        p->sizes[d] = (cl_int)src->layout.dims[2 + d];
        p->sizes[3 + d] = (cl_int)weights->layout.dims[2 + d];
    }
    p->sizes[6] = (cl_int)weights->layout.dims[1];
    p->sizes[7] = (cl_int)(dst->layout.dims[1] / step->size);
}

static void fill_walk(const struct walk *walk, struct params *p)
{
    p->mode = walk->is_exclusive;
    p->sizes[0] = (cl_int)walk->count;
    p->sizes[1] = (cl_int)walk->range;
    p->steps[0] = (cl_int)walk->src;
    p->steps[1] = (cl_int)walk->other;
    p->steps[2] = (cl_int)walk->dst;
}

/* All of the memory that a view is in, not only its own elements, in 32 bits:
 * walks leave the view. */
static bool is_small(const struct plan *plan, const struct view *view)
{
    int64_t base;
    const struct buffer *root =
            &plan->buffers[plan_root(plan, view->buffer, &base)];
    return plan_base(plan, view) + root->words / element_words(view->element)
           <= INT32_MAX;
}

/* Does a dimension with that stride go on where one with the other ends? */
static bool follows(cl_int stride, cl_int inner, cl_int size)
{
    return stride == (int64_t)inner * size;
}

/* Moves a map's dimensions to the end of the arrays, without those of one
 * element; neighbours that are one line in all tensors become one. */
static void merge_dimensions(struct params *p)
{
    const struct params from = *p;
    int at = max_dims;
    for (int d = 0; d < max_dims; d++) {
        p->dims[d] = 1;
        p->src[d] = p->other[d] = p->dst[d] = 0;
    }
    for (int d = max_dims - 1; d >= 0; d--) {
        if (from.dims[d] == 1) continue;
        if (at < max_dims && follows(from.src[d], p->src[at], p->dims[at])
                && follows(from.other[d], p->other[at], p->dims[at])
                && follows(from.dst[d], p->dst[at], p->dims[at])) {
            p->dims[at] *= from.dims[d];
            continue;
        }
        at--;
        p->dims[at] = from.dims[d];
        p->src[at] = from.src[d];
        p->other[at] = from.other[d];
        p->dst[at] = from.dst[d];
    }
}

static bool fill(
        const struct plan *plan, const struct step *step, struct params *p)
{
    const struct view *src = step_find_arg(step, DNNL_ARG_SRC);
    const struct view *other = step_find_arg(step, DNNL_ARG_SRC_1);
    const struct view *dst = step_find_arg(step, DNNL_ARG_DST);
    const int ndims = dst->layout.ndims;
    if (other == NULL) other = src;
    memset(p, 0, sizeof *p);
    if (!place(plan, src, &p->src_offset, p->src)
            || !place(plan, other, &p->other_offset, p->other)
            || !place(plan, dst, &p->dst_offset, p->dst)
            || layout_count(&dst->layout) > INT32_MAX / 2)
        return false;
    p->count = (cl_int)layout_count(&dst->layout);
    p->mode = (cl_int)step->remap.mode;
    p->number = (cl_int)step->number;
    p->value = step->kind == step_map ? step->alpha : step->remap.value;
    p->second = step->beta;
    for (int d = 0; d < max_dims; d++) {
        p->dims[d] = d < ndims ? (cl_int)dst->layout.dims[d] : 1;
        p->sizes[d] = d < ndims ? (cl_int)src->layout.dims[d] : 1;
        p->starts[d] = (cl_int)step->remap.starts[d];
        p->steps[d] = (cl_int)step->remap.steps[d];
    }
    if (step->kind == step_map) merge_dimensions(p);
    if (step->kind < step_pick || step->kind > step_window) return true;
    if (step->kind == step_window)
        fill_window(step, p);
    else
        fill_walk(&step->walk, p);
    return is_small(plan, src) && is_small(plan, other) && is_small(plan, dst);
}

bool program_fits(const struct plan *plan, const struct step *step)
{
    struct params p;
    return fill(plan, step, &p);
}

/* The memory of an argument; that of the source for one that is not there. */
static const cl_mem *memory_of(
        const struct step *step, int arg, const cl_mem *mems)
{
    const cl_mem *src = &mems[0];
    for (int i = 0; i < step->arg_count; i++)
        if (step->args[i].arg == arg) src = &mems[i];
    return src;
}

static bool set(cl_kernel kernel, const cl_mem *src, const cl_mem *other,
        const cl_mem *dst, const struct params *p)
{
    return clSetKernelArg(kernel, 0, sizeof *src, src) == CL_SUCCESS
           && clSetKernelArg(kernel, 1, sizeof *other, other) == CL_SUCCESS
           && clSetKernelArg(kernel, 2, sizeof *dst, dst) == CL_SUCCESS
           && clSetKernelArg(kernel, 3, sizeof *p, p) == CL_SUCCESS;
}

bool program_set_arguments(const struct plan *plan, const struct step *step,
        cl_kernel kernel, const cl_mem *mems, cl_mem fault)
{
    struct params p;
    return fill(plan, step, &p)
           && (!step_can_fail(step)
                   || clSetKernelArg(kernel, 4, sizeof fault, &fault)
                              == CL_SUCCESS)
           && set(kernel, memory_of(step, DNNL_ARG_SRC, mems),
                   memory_of(step, DNNL_ARG_SRC_1, mems),
                   memory_of(step, DNNL_ARG_DST, mems), &p);
}

static bool enqueue(cl_kernel kernel, cl_command_queue queue, int64_t count)
{
    const size_t local = group;
    size_t groups = (size_t)((count + group - 1) / group);
    if (groups < 1) groups = 1;
    if (groups > max_groups) groups = max_groups;
    const size_t global = groups * local;
    return clEnqueueNDRangeKernel(
                   queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL)
           == CL_SUCCESS;
}

bool program_enqueue(
        const struct step *step, cl_kernel kernel, cl_command_queue queue)
{
    const struct view *dst = step_find_arg(step, DNNL_ARG_DST);
    return enqueue(kernel, queue, layout_count(&dst->layout));
}

dnnl_status_t program_note_launch(
        dnnl_cache_program_t program, const char *kernel)
{
    const size_t local = group;
    return dnnl_cache_program_note_launch(
            program, kernel, 1, NULL, &local, &local);
}

bool program_warm_up(const struct step *step, cl_kernel kernel,
        cl_context context, cl_command_queue queue)
{
    const struct params empty = {0};
    cl_int error;
    cl_mem mem = clCreateBuffer(
            context, CL_MEM_READ_WRITE, sizeof(cl_double), NULL, &error);
    if (error != CL_SUCCESS) return false;
    const bool ok = (!step_can_fail(step)
                            || clSetKernelArg(kernel, 4, sizeof mem, &mem)
                                       == CL_SUCCESS)
                    && set(kernel, &mem, &mem, &mem, &empty)
                    && enqueue(kernel, queue, 0)
                    && clFinish(queue) == CL_SUCCESS;
    clReleaseMemObject(mem);
    return ok;
}
