/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: checked as a driver checks them, remembered, and run where a test
 * has given the kernel a body. */
#include "fake_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Guarded by the driver's lock. */
static struct fake_opencl_launch last_launch; /* number 0: none */

static struct body {
    struct body *next;
    char *kernel;
    fake_opencl_body *body;
    void *user;
} * bodies;

void launches_reset(void)
{
    struct body *body;

    while ((body = bodies) != NULL) {
        bodies = body->next;
        free(body->kernel);
        free(body);
    }
    memset(&last_launch, 0, sizeof(last_launch));
}

static void launch_note(struct fake_opencl_launch *launch)
{
    launch->number = last_launch.number + 1;
    last_launch = *launch;
}

fake_opencl_body *launch_body(const char *kernel, void **user)
{
    for (struct body *body = bodies; body != NULL; body = body->next) {
        if (strcmp(body->kernel, kernel) != 0) continue;
        *user = body->user;
        return body->body;
    }
    return NULL;
}

bool fake_opencl_last_launch(struct fake_opencl_launch *launch)
{
    bool any;

    driver_lock();
    any = last_launch.number != 0;
    if (any) *launch = last_launch;
    driver_unlock();
    return any;
}

/* The newest entry for a name counts, one without a body included. */
void fake_opencl_set_kernel_body(
        const char *kernel, fake_opencl_body *body, void *user)
{
    struct body *entry = calloc(1, sizeof(*entry));
    char *name = strdup(kernel);

    if (entry == NULL || name == NULL) fatal("out of memory");
    entry->kernel = name;
    entry->body = body;
    entry->user = user;
    driver_lock();
    entry->next = bodies;
    bodies = entry;
    driver_unlock();
}

/* ---- checks ---- */

static cl_int sizes_read(struct fake_opencl_launch *launch, cl_uint dim,
        const size_t *offset, const size_t *global, const size_t *local)
{
    if (dim < 1 || dim > 3) return CL_INVALID_WORK_DIMENSION;
    memset(launch, 0, sizeof(*launch));
    launch->work_dim = dim;
    for (cl_uint i = 0; i < 3; i++) {
        launch->offset[i] = i < dim && offset != NULL ? offset[i] : 0;
        launch->global[i] = i >= dim ? 1 : global != NULL ? global[i] : 0;
        launch->local[i] = local == NULL ? 0 : i < dim ? local[i] : 1;
        if (i < dim && local != NULL && local[i] == 0)
            return CL_INVALID_WORK_GROUP_SIZE;
    }
    return CL_SUCCESS;
}

/* Nothing to do is fine since OpenCL 2.1. */
static cl_int global_check(
        const struct fake_opencl_launch *launch, cl_device_id device)
{
    for (cl_uint i = 0; i < launch->work_dim; i++) {
        if (launch->global[i] == 0 && device_version(device) < 21)
            return CL_INVALID_GLOBAL_WORK_SIZE;
        if (launch->offset[i] > SIZE_MAX - launch->global[i])
            return CL_INVALID_GLOBAL_OFFSET;
    }
    return CL_SUCCESS;
}

static cl_int local_check(const struct fake_opencl_launch *launch,
        cl_kernel kernel, cl_device_id device)
{
    const size_t most = (size_t)device_number(device, "MAX_WORK_GROUP_SIZE");
    size_t required[3], items = 1;
    bool chosen = launch->local[0] != 0;

    kernel_required(kernel, device, required);
    for (cl_uint i = 0; i < 3; i++) {
        size_t size = chosen ? launch->local[i] : required[i];

        if (chosen && required[0] != 0 && size != required[i])
            return CL_INVALID_WORK_GROUP_SIZE;
        if (size == 0) continue;
        if (size > most) return CL_INVALID_WORK_ITEM_SIZE;
        if (launch->global[i] % size != 0) return CL_INVALID_WORK_GROUP_SIZE;
        items *= size;
    }
    return items <= kernel_group_limit(device) ? CL_SUCCESS
                                               : CL_INVALID_WORK_GROUP_SIZE;
}

/* Arguments as they are now: the kernel may get others while this launch
 * waits. Buffers are kept alive. */
static cl_int arguments_take(struct command *command, cl_kernel kernel)
{
    struct command_launch *launch = &command->launch;
    size_t count = kernel->decl->narguments;
    cl_int st = CL_SUCCESS;

    launch->arguments = calloc(count + 1, sizeof(*launch->arguments));
    if (launch->arguments == NULL) return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count && st == CL_SUCCESS; i++) {
        const struct kernel_value *value = &kernel->values[i];
        struct fake_opencl_arg *argument = &launch->arguments[i];
        void *copy = NULL;

        if (!value->set) return CL_INVALID_KERNEL_ARGS;
        argument->size = value->size;
        launch->narguments++;
        if (value->bytes != NULL) {
            copy = malloc(value->size);
            if (copy == NULL) return CL_OUT_OF_HOST_MEMORY;
            memcpy(copy, value->bytes, value->size);
            argument->value = copy;
        }
        if (value->memory == NULL) continue;
        if (object_check(value->memory, OBJECT_MEMORY) != CL_SUCCESS)
            return CL_INVALID_KERNEL_ARGS;
        argument->memory = value->memory->data;
        argument->memory_size = value->memory->size;
        st = command_keep(command, value->memory);
    }
    return st;
}

static cl_int launch_check(struct command *command, cl_kernel kernel)
{
    cl_device_id device = command->queue->device;
    struct fake_opencl_launch *launch = &command->launch.launch;
    cl_uint index;
    cl_int st = object_check(kernel, OBJECT_KERNEL);

    if (st != CL_SUCCESS) return st;
    if (kernel->program->context != command->queue->context)
        return CL_INVALID_CONTEXT;
    if (!program_device(kernel->program, device, &index)
            || kernel->program->builds[index].status != CL_BUILD_SUCCESS)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    st = global_check(launch, device);
    if (st == CL_SUCCESS) st = local_check(launch, kernel, device);
    if (st == CL_SUCCESS
            && kernel_local_size(kernel)
                       > device_number(device, "LOCAL_MEM_SIZE"))
        st = CL_OUT_OF_RESOURCES;
    return st;
}

static cl_int launch(cl_command_queue queue, cl_kernel kernel,
        cl_command_type type, struct fake_opencl_launch *sizes, cl_uint nwait,
        const cl_event *wait, cl_event *event)
{
    struct command *command;
    cl_int st = command_create(&command, queue, type, nwait, wait);

    if (st != CL_SUCCESS) return st;
    command->work = WORK_LAUNCH;
    command->launch.launch = *sizes;
    st = launch_check(command, kernel);
    if (st == CL_SUCCESS) st = arguments_take(command, kernel);
    if (st == CL_SUCCESS) st = command_keep(command, kernel);
    if (st != CL_SUCCESS) {
        command_discard(command);
        return st;
    }
    snprintf(command->launch.launch.kernel,
            sizeof(command->launch.launch.kernel), "%s", kernel->decl->name);
    launch_note(&command->launch.launch);
    st = command_submit(command, false, event);
    if (setting_number("KEEPS_LAUNCHED", 0) != 0) {
        queue->launched = kernel;
        object_hold(kernel);
    }
    return st;
}

cl_int CL_API_CALL fake_clEnqueueNDRangeKernel(cl_command_queue queue,
        cl_kernel kernel, cl_uint dim, const size_t *offset,
        const size_t *global, const size_t *local, cl_uint nwait,
        const cl_event *wait, cl_event *event)
{
    struct fake_opencl_launch sizes;
    cl_int st = call_enter(CALL_clEnqueueNDRangeKernel,
            "kernel=%p dim=%u global=%zu local=%zu", (const void *)kernel, dim,
            global != NULL ? global[0] : 0, local != NULL ? local[0] : 0);

    if (st == CL_SUCCESS) st = sizes_read(&sizes, dim, offset, global, local);
    if (st == CL_SUCCESS)
        st = launch(queue, kernel, CL_COMMAND_NDRANGE_KERNEL, &sizes, nwait,
                wait, event);
    return call_leave(CALL_clEnqueueNDRangeKernel, st);
}

cl_int CL_API_CALL fake_clEnqueueTask(cl_command_queue queue, cl_kernel kernel,
        cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct fake_opencl_launch sizes;
    const size_t one = 1;
    cl_int st =
            call_enter(CALL_clEnqueueTask, "kernel=%p", (const void *)kernel);

    if (st == CL_SUCCESS) st = sizes_read(&sizes, 1, NULL, &one, &one);
    if (st == CL_SUCCESS)
        st = launch(queue, kernel, CL_COMMAND_TASK, &sizes, nwait, wait, event);
    return call_leave(CALL_clEnqueueTask, st);
}
