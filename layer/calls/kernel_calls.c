/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: those of a program with a substitute are the substitute's. All that
 * the application has are counted, since a program that has any is not built.
 */
#include "layer/calls/calls.h"
#include "layer/capture/capture.h"
#include "layer/capture/quiet.h"
#include "layer/compile/lazy.h"
#include "layer/compile/previous.h"
#include "layer/driver/next_layer.h"
#include "layer/driver/quirks.h"
#include "layer/programs/launches.h"
#include "layer/programs/objects.h"
#include "layer/programs/records.h"

#include <stdlib.h>
#include <string.h>

/* ---- Creation ------------------------------------------------------------ */

/* A kernel that the layer knows of. */
static cl_kernel create_known(struct layer_program *program,
        struct build *build, const char *name, cl_int *err)
{
    cl_kernel kernel = next_layer->clCreateKernel(
            objects_working_handle(program, build), name, err);
    if (kernel == NULL || objects_add_kernel(kernel, program, build, name)) {
        if (kernel != NULL) records_add_kernel(build, kernel, name);
        return kernel;
    }
    next_layer->clReleaseKernel(kernel);
    if (err != NULL) *err = CL_OUT_OF_HOST_MEMORY;
    return NULL;
}

/* What the program is now, with a reference; may be NULL. OpenCL has no kernels
 * of what is only compiled, and drivers refuse them in ways of their own, which
 * depend on what they compiled it from: so then the driver compiles it after
 * all, in the application's program. */
static struct build *hold_build_with_kernels(struct layer_program *program)
{
    struct build *build = objects_hold_build(program);
    if (build == NULL || !build->is_loaded || build->kind != build_object)
        return lazy_load(program, build);
    build_release(build);
    previous_build_from_source(program);
    return objects_hold_build(program);
}

static cl_kernel CL_API_CALL create_kernel(
        cl_program handle, const char *name, cl_int *err)
{
    struct layer_program *program = objects_get_program(handle);
    if (program == NULL) return next_layer->clCreateKernel(handle, name, err);
    cl_kernel kernel = NULL;
    cl_int refusal = CL_SUCCESS;
    quiet_call_begin();
    lazy_call_begin();
    if (answer_failed_kernel(&refusal, program, name)) {
        if (err != NULL) *err = refusal;
    } else {
        struct build *build = hold_build_with_kernels(program);
        kernel = create_known(program, build, name, err);
        build_release(build);
    }
    lazy_call_end();
    quiet_call_end();
    objects_put_program(program);
    return kernel;
}

static cl_int CL_API_CALL release_kernel(cl_kernel kernel)
{
    struct layer_kernel *last = objects_release_kernel(kernel);
    if (last == NULL) return next_layer->clReleaseKernel(kernel);
    struct layer_program *program = last->program;
    launches_forget();
    objects_hold_program(program);
    const cl_int err = next_layer->clReleaseKernel(kernel);
    layer_kernel_destroy(last);
    capture_kernel_released(program);
    return err;
}

/* The driver's answer to a call that has no kernel for the application: those
 * of a binary with others than the source had are released. */
static cl_int create_for_answer(const struct build *build, cl_uint capacity,
        cl_kernel *kernels, cl_uint *count_ret)
{
    cl_uint made = 0;
    cl_uint *const count = count_ret != NULL ? count_ret : &made;
    const cl_int err = next_layer->clCreateKernelsInProgram(
            build->substitute, capacity, kernels, count);
    for (cl_uint i = 0; err == CL_SUCCESS && i < *count && i < capacity; i++)
        next_layer->clReleaseKernel(kernels[i]);
    return err;
}

/* With room for too few. Drivers differ in what they leave: Intel's for CPUs
 * says how many there are. */
static cl_int refuse_all(const struct build *build, cl_uint capacity,
        cl_kernel *kernels, cl_uint *count_ret)
{
    const cl_int err = create_for_answer(build, capacity, kernels, count_ret);
    return err != CL_SUCCESS ? err : CL_INVALID_VALUE;
}

/* Of a program without kernels: PoCL's refuses a list with room for none. */
static cl_int create_none(const struct build *build, cl_uint capacity,
        cl_kernel *kernels, cl_uint *count_ret)
{
    const cl_int err = create_for_answer(build, capacity, kernels, count_ret);
    if (err == CL_SUCCESS && count_ret != NULL) *count_ret = 0;
    return err;
}

/* Of a program that is loaded: in the order in which the compiler gave them,
 * which the driver's of a binary may not be. */
static cl_int create_all_loaded(struct layer_program *program,
        struct build *build, cl_uint capacity, cl_kernel *kernels,
        cl_uint *count_ret)
{
    const struct facts *facts = &build->devices[0].facts;
    cl_int err = CL_SUCCESS;
    cl_uint made = 0;
    /* The number alone: drivers differ in what they do if not even that is
     * asked for. */
    if (kernels == NULL)
        return next_layer->clCreateKernelsInProgram(
                build->substitute, capacity, kernels, count_ret);
    if (facts->kernel_count == 0)
        return create_none(build, capacity, kernels, count_ret);
    if (capacity < facts->kernel_count)
        return refuse_all(build, capacity, kernels, count_ret);
    while (made < facts->kernel_count && err == CL_SUCCESS) {
        kernels[made] =
                create_known(program, build, facts->kernels[made].name, &err);
        if (err == CL_SUCCESS) made++;
    }
    if (err != CL_SUCCESS) {
        while (made > 0)
            release_kernel(kernels[--made]);
        return err;
    }
    if (count_ret != NULL) *count_ret = facts->kernel_count;
    return CL_SUCCESS;
}

/* Of one that the driver compiled: all, in its order. */
static cl_int create_all_compiled(struct layer_program *program,
        struct build *build, cl_uint capacity, cl_kernel *kernels,
        cl_uint *count_ret)
{
    cl_uint own_count = 0;
    cl_uint known = 0;
    cl_uint *count =
            kernels != NULL && count_ret == NULL ? &own_count : count_ret;
    const cl_int err = next_layer->clCreateKernelsInProgram(
            objects_working_handle(program, build), capacity, kernels, count);
    if (err != CL_SUCCESS || kernels == NULL) return err;
    while (known < *count
            && objects_add_kernel(kernels[known], program, build, ""))
        records_add_kernel(build, kernels[known++], "");
    if (known == *count) return CL_SUCCESS;
    for (cl_uint i = 0; i < *count; i++)
        release_kernel(kernels[i]);
    return CL_OUT_OF_HOST_MEMORY;
}

static cl_int create_all(struct layer_program *program, cl_uint capacity,
        cl_kernel *kernels, cl_uint *count_ret)
{
    cl_int refusal = CL_SUCCESS;
    if (answer_failed_kernels(&refusal, program, capacity, kernels, count_ret))
        return refusal;
    struct build *build = hold_build_with_kernels(program);
    /* One that could neither be loaded nor compiled the driver refuses. */
    const bool is_loaded =
            build != NULL && build->is_loaded && !build_is_lazy(build);
    const cl_int err = is_loaded ? create_all_loaded(
                               program, build, capacity, kernels, count_ret)
                                 : create_all_compiled(program, build, capacity,
                                         kernels, count_ret);
    build_release(build);
    return err;
}

static cl_int CL_API_CALL create_kernels_in_program(cl_program handle,
        cl_uint capacity, cl_kernel *kernels, cl_uint *count_ret)
{
    struct layer_program *program = objects_get_program(handle);
    if (program == NULL)
        return next_layer->clCreateKernelsInProgram(
                handle, capacity, kernels, count_ret);
    quiet_call_begin();
    lazy_call_begin();
    const cl_int err = create_all(program, capacity, kernels, count_ret);
    lazy_call_end();
    quiet_call_end();
    objects_put_program(program);
    return err;
}

static cl_kernel CL_API_CALL clone_kernel(cl_kernel source, cl_int *err)
{
    const struct layer_kernel *known = objects_find_kernel(source);
    cl_kernel clone = next_layer->clCloneKernel(source, err);
    if (clone == NULL || known == NULL
            || objects_add_kernel(
                    clone, known->program, known->build, known->name))
        return clone;
    next_layer->clReleaseKernel(clone);
    if (err != NULL) *err = CL_OUT_OF_HOST_MEMORY;
    return NULL;
}

static cl_int CL_API_CALL retain_kernel(cl_kernel kernel)
{
    objects_retain_kernel(kernel);
    return next_layer->clRetainKernel(kernel);
}

/* ---- Queries ------------------------------------------------------------- */

/* NULL: the driver's own answers are right. */
static const struct kernel_facts *facts_of(const struct layer_kernel *kernel)
{
    if (kernel == NULL || kernel->build == NULL || !kernel->build->is_loaded)
        return NULL;
    return facts_kernel(&kernel->build->devices[0].facts, kernel->name);
}

/* Its program, or with facts its attributes. */
static cl_int answer_kernel(const struct layer_kernel *kernel,
        const struct kernel_facts *facts, size_t capacity, void *value,
        size_t *size_ret)
{
    if (facts == NULL)
        return answer(&kernel->program->handle, sizeof(cl_program), capacity,
                value, size_ret);
    return answer(facts->attributes, strlen(facts->attributes) + 1, capacity,
            value, size_ret);
}

static cl_int CL_API_CALL get_kernel_info(cl_kernel handle, cl_kernel_info what,
        size_t capacity, void *value, size_t *size_ret)
{
    const struct layer_kernel *kernel =
            what == CL_KERNEL_PROGRAM || what == CL_KERNEL_ATTRIBUTES
                    ? objects_find_kernel(handle)
                    : NULL;
    const bool is_program = kernel != NULL && what == CL_KERNEL_PROGRAM
                            && kernel->build != NULL
                            && kernel->build->substitute != NULL;
    const struct kernel_facts *facts =
            what == CL_KERNEL_ATTRIBUTES ? facts_of(kernel) : NULL;
    if (!is_program && facts == NULL)
        return next_layer->clGetKernelInfo(
                handle, what, capacity, value, size_ret);
    const cl_int err = answer_kernel(kernel, facts, capacity, value, size_ret);
    if (err == CL_INVALID_VALUE && size_ret != NULL
            && tells_size(kernel->program->handle))
        answer_kernel(kernel, facts, 0, NULL, size_ret);
    return err;
}

/* Of a query that no OpenCL has: some drivers see first that they can tell
 * nothing of any argument. */
static cl_int answer_no_query(const struct arg_facts *arg)
{
    for (int i = 1; i < arg_queries; i++)
        if (arg->status[i] != arg->status[0]) return CL_INVALID_VALUE;
    return arg->status[0] != CL_SUCCESS ? arg->status[0] : CL_INVALID_VALUE;
}

static cl_int answer_arg(const struct arg_facts *arg, cl_kernel_arg_info what,
        size_t capacity, void *value, size_t *size_ret)
{
    const void *data = NULL;
    size_t size = 0;
    switch (what) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        data = &arg->address;
        size = sizeof arg->address;
        break;
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        data = &arg->access;
        size = sizeof arg->access;
        break;
    case CL_KERNEL_ARG_TYPE_NAME:
        data = arg->type_name;
        size = strlen(arg->type_name) + 1;
        break;
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        data = &arg->type;
        size = sizeof arg->type;
        break;
    case CL_KERNEL_ARG_NAME:
        data = arg->name;
        size = strlen(arg->name) + 1;
        break;
    default:
        return answer_no_query(arg);
    }
    const cl_int known = arg->status[what - CL_KERNEL_ARG_ADDRESS_QUALIFIER];
    return known == CL_SUCCESS ? answer(data, size, capacity, value, size_ret)
                               : known;
}

/* The entry may be of a build or a link that had "" in place of no options, or
 * the reverse. What is loaded was built with what this application gave. */
static bool driver_knows_arguments(const struct layer_kernel *kernel)
{
    return kernel->build->options[0] == '\0'
           && quirk_tells_arguments_without_options(
                   kernel->build->devices[0].device);
}

static cl_int CL_API_CALL get_kernel_arg_info(cl_kernel handle, cl_uint index,
        cl_kernel_arg_info what, size_t capacity, void *value, size_t *size_ret)
{
    const struct layer_kernel *kernel = objects_find_kernel(handle);
    const struct kernel_facts *facts = facts_of(kernel);
    if (facts == NULL || driver_knows_arguments(kernel))
        return next_layer->clGetKernelArgInfo(
                handle, index, what, capacity, value, size_ret);
    const struct arg_facts *arg =
            &facts->args[index < facts->arg_count ? index : facts->arg_count];
    const cl_int err = answer_arg(arg, what, capacity, value, size_ret);
    if (err == CL_INVALID_VALUE && size_ret != NULL
            && tells_size(kernel->program->handle))
        answer_arg(arg, what, 0, NULL, size_ret);
    return err;
}

/* What a new kernel from source had more than one of the form that was loaded,
 * modulo 2^64. 0: the driver's own answer is right. device: as the application
 * gave it. */
static cl_ulong missing_local_bytes(
        const struct layer_kernel *kernel, cl_device_id device)
{
    struct build *build = kernel != NULL ? kernel->build : NULL;
    cl_ulong of_form = 0;
    if (build == NULL || !build->is_loaded) return 0;
    /* NULL stands for the only one. */
    const struct built_device *d =
            device != NULL ? build_device(build, device) : &build->devices[0];
    if (d == NULL || !d->is_of_form) return 0;
    const struct kernel_facts *facts = facts_kernel(&d->facts, kernel->name);
    if (facts == NULL || facts->local_bytes == facts_no_bytes) return 0;
    /* Not the application's: arguments may count in that. */
    cl_kernel fresh = next_layer->clCreateKernel(
            objects_working_handle(kernel->program, build), kernel->name, NULL);
    if (fresh == NULL) return 0;
    const cl_int err = next_layer->clGetKernelWorkGroupInfo(fresh, device,
            CL_KERNEL_LOCAL_MEM_SIZE, sizeof of_form, &of_form, NULL);
    next_layer->clReleaseKernel(fresh);
    return err == CL_SUCCESS ? facts->local_bytes - of_form : 0;
}

static cl_int CL_API_CALL get_kernel_work_group_info(cl_kernel handle,
        cl_device_id device, cl_kernel_work_group_info what, size_t capacity,
        void *value, size_t *size_ret)
{
    cl_ulong bytes;
    const cl_int err = next_layer->clGetKernelWorkGroupInfo(
            handle, device, what, capacity, value, size_ret);
    if (what != CL_KERNEL_LOCAL_MEM_SIZE || err != CL_SUCCESS || value == NULL
            || capacity < sizeof bytes)
        return err;
    memcpy(&bytes, value, sizeof bytes);
    bytes += missing_local_bytes(objects_find_kernel(handle), device);
    memcpy(value, &bytes, sizeof bytes);
    return err;
}

/* ---- Launches ------------------------------------------------------------ */

static cl_int CL_API_CALL enqueue_range(cl_command_queue queue,
        cl_kernel kernel, cl_uint dimensions, const size_t *offset,
        const size_t *global, const size_t *local, cl_uint wait_count,
        const cl_event *wait_list, cl_event *event)
{
    const struct launch launch = {dimensions, offset, global, local};
    launches_note(queue, kernel, &launch);
    return next_layer->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset,
            global, local, wait_count, wait_list, event);
}

static cl_int CL_API_CALL enqueue_task(cl_command_queue queue, cl_kernel kernel,
        cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    static const size_t one[] = {1};
    const struct launch launch = {1, NULL, one, one};
    launches_note(queue, kernel, &launch);
    return next_layer->clEnqueueTask(
            queue, kernel, wait_count, wait_list, event);
}

void put_kernel_calls(cl_icd_dispatch *table)
{
    table->clEnqueueNDRangeKernel = enqueue_range;
    table->clEnqueueTask = enqueue_task;
    table->clCreateKernel = create_kernel;
    table->clCreateKernelsInProgram = create_kernels_in_program;
    table->clCloneKernel = clone_kernel;
    table->clRetainKernel = retain_kernel;
    table->clReleaseKernel = release_kernel;
    table->clGetKernelInfo = get_kernel_info;
    table->clGetKernelArgInfo = get_kernel_arg_info;
    table->clGetKernelWorkGroupInfo = get_kernel_work_group_info;
}
