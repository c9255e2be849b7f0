/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts and command queues. */
#include "fake_internal.h"

#include <stdlib.h>
#include <string.h>

typedef void(CL_CALLBACK context_callback)(cl_context, void *);

static void context_notify(const struct notice *notice)
{
    ((context_callback *)notice->function)(
            (cl_context)notice->handle, notice->user);
}

static void context_destroy(struct object *object)
{
    cl_context context = (cl_context)object;
    struct notice *notice;

    while ((notice = context->destructors) != NULL) {
        context->destructors = notice->next;
        notice_post(notice, object, CL_SUCCESS);
    }
    for (cl_uint i = 0; i < context->ndevices; i++)
        object_drop(context->devices[i]);
    free(context->devices);
    free(context->properties);
}

/* The number of properties, end included; 0 where there are none. */
static cl_int properties_check(
        const cl_context_properties *properties, size_t *count)
{
    size_t n = 0;
    cl_int st;

    *count = 0;
    if (properties == NULL) return CL_SUCCESS;
    for (; properties[n] != 0; n += 2) {
        switch (properties[n]) {
        case CL_CONTEXT_PLATFORM:
            st = object_check((const void *)properties[n + 1], OBJECT_PLATFORM);
            if (st != CL_SUCCESS) return st;
            break;
        case CL_CONTEXT_INTEROP_USER_SYNC:
            break;
        default:
            return CL_INVALID_PROPERTY;
        }
    }
    *count = n + 1;
    return CL_SUCCESS;
}

static cl_int context_create(cl_context *context,
        const cl_context_properties *properties, cl_uint n,
        const cl_device_id *devices)
{
    cl_context made = NULL;
    size_t nproperties;
    cl_int st;

    if (n == 0 || devices == NULL) return CL_INVALID_VALUE;
    st = properties_check(properties, &nproperties);
    if (st != CL_SUCCESS) return st;
    st = devices_check(n, devices, n, devices);
    if (st != CL_SUCCESS) return st;
    st = object_create(&made, sizeof(*made), OBJECT_CONTEXT, context_destroy);
    if (st != CL_SUCCESS) return st;
    made->devices = calloc(n, sizeof(cl_device_id));
    made->properties = calloc(nproperties + 1, sizeof(cl_context_properties));
    if (made->devices == NULL || made->properties == NULL) {
        object_disown(made);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (nproperties != 0)
        memcpy(made->properties, properties, nproperties * sizeof(*properties));
    made->nproperties = nproperties;
    for (cl_uint i = 0; i < n; i++) {
        object_hold(devices[i]);
        made->devices[made->ndevices++] = devices[i];
    }
    *context = made;
    return CL_SUCCESS;
}

cl_context CL_API_CALL fake_clCreateContext(
        const cl_context_properties *properties, cl_uint n,
        const cl_device_id *devices,
        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
        void *user, cl_int *errcode)
{
    cl_context context = NULL;
    cl_int st = call_enter(CALL_clCreateContext, "devices=%u", n);

    if (st == CL_SUCCESS && notify == NULL && user != NULL)
        st = CL_INVALID_VALUE;
    if (st == CL_SUCCESS) st = context_create(&context, properties, n, devices);
    call_leave_with(CALL_clCreateContext, st, errcode);
    return context;
}

cl_context CL_API_CALL fake_clCreateContextFromType(
        const cl_context_properties *properties, cl_device_type type,
        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
        void *user, cl_int *errcode)
{
    cl_context context = NULL;
    cl_device_id list[8];
    cl_uint n = 0;
    cl_int st = call_enter(CALL_clCreateContextFromType, "type=0x%llx",
            (unsigned long long)type);

    if (st == CL_SUCCESS && notify == NULL && user != NULL)
        st = CL_INVALID_VALUE;
    if (st == CL_SUCCESS)
        st = devices_of_type(platform_get(), type, 8, list, &n);
    if (st == CL_SUCCESS) st = context_create(&context, properties, n, list);
    call_leave_with(CALL_clCreateContextFromType, st, errcode);
    return context;
}

cl_int CL_API_CALL fake_clRetainContext(cl_context context)
{
    cl_int st = call_enter(
            CALL_clRetainContext, "context=%p", (const void *)context);

    if (st == CL_SUCCESS) st = object_retain(context, OBJECT_CONTEXT);
    return call_leave(CALL_clRetainContext, st);
}

cl_int CL_API_CALL fake_clReleaseContext(cl_context context)
{
    cl_int st = call_enter(
            CALL_clReleaseContext, "context=%p", (const void *)context);
    cl_int done = object_release(context, OBJECT_CONTEXT);

    return call_leave(CALL_clReleaseContext, st != CL_SUCCESS ? st : done);
}

static cl_int context_info(
        cl_context context, cl_context_info param, const struct answer *answer)
{
    cl_int st = object_check(context, OBJECT_CONTEXT);

    if (st != CL_SUCCESS) return st;
    switch (param) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return answer_uint(answer, context->base.external);
    case CL_CONTEXT_NUM_DEVICES:
        return answer_uint(answer, context->ndevices);
    case CL_CONTEXT_DEVICES:
        return answer_bytes(answer, context->devices,
                context->ndevices * sizeof(cl_device_id));
    case CL_CONTEXT_PROPERTIES:
        return answer_bytes(answer, context->properties,
                context->nproperties * sizeof(cl_context_properties));
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL fake_clGetContextInfo(cl_context context,
        cl_context_info param, size_t capacity, void *value, size_t *size_ret)
{
    const struct answer answer = {capacity, value, size_ret};
    cl_int st = call_enter(CALL_clGetContextInfo, "context=%p param=0x%x",
            (const void *)context, param);

    if (st == CL_SUCCESS) st = context_info(context, param, &answer);
    return call_leave(CALL_clGetContextInfo, st);
}

cl_int CL_API_CALL fake_clSetContextDestructorCallback(
        cl_context context, context_callback *notify, void *user)
{
    struct notice *notice;
    cl_int st = call_enter(CALL_clSetContextDestructorCallback, "context=%p",
            (const void *)context);

    if (st == CL_SUCCESS) st = object_check(context, OBJECT_CONTEXT);
    if (st == CL_SUCCESS && notify == NULL) st = CL_INVALID_VALUE;
    if (st == CL_SUCCESS)
        st = notice_create(
                &notice, context_notify, (void (*)(void))notify, user);
    if (st == CL_SUCCESS) {
        notice->next = context->destructors;
        context->destructors = notice;
    }
    return call_leave(CALL_clSetContextDestructorCallback, st);
}

/* ---- queues ---- */

static void queue_destroy(struct object *object)
{
    cl_command_queue queue = (cl_command_queue)object;

    object_drop(queue->launched);
    object_drop(queue->device);
    object_drop(queue->context);
}

static cl_int queue_create(cl_command_queue *queue, cl_context context,
        cl_device_id device, cl_command_queue_properties properties)
{
    const cl_command_queue_properties known =
            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    cl_command_queue made;
    cl_int st = object_check(context, OBJECT_CONTEXT);

    if (st == CL_SUCCESS)
        st = devices_check(1, &device, context->ndevices, context->devices);
    if (st != CL_SUCCESS) return st;
    if ((properties & ~known) != 0) return CL_INVALID_QUEUE_PROPERTIES;
    st = object_create(&made, sizeof(*made), OBJECT_QUEUE, queue_destroy);
    if (st != CL_SUCCESS) return st;
    made->context = context;
    object_hold(context);
    made->device = device;
    object_hold(device);
    made->properties = properties;
    *queue = made;
    return CL_SUCCESS;
}

cl_command_queue CL_API_CALL fake_clCreateCommandQueue(cl_context context,
        cl_device_id device, cl_command_queue_properties properties,
        cl_int *errcode)
{
    cl_command_queue queue = NULL;
    cl_int st = call_enter(CALL_clCreateCommandQueue, "properties=0x%llx",
            (unsigned long long)properties);

    if (st == CL_SUCCESS)
        st = queue_create(&queue, context, device, properties);
    call_leave_with(CALL_clCreateCommandQueue, st, errcode);
    return queue;
}

/* Reads the list of properties: the number of entries with the end, or 0, and
 * the bits of CL_QUEUE_PROPERTIES. */
static cl_int queue_properties(const cl_queue_properties *list, size_t *count,
        cl_command_queue_properties *bits)
{
    size_t n = 0;

    *count = 0;
    *bits = 0;
    if (list == NULL) return CL_SUCCESS;
    for (; list[n] != 0; n += 2) {
        if (list[n] != CL_QUEUE_PROPERTIES || n != 0) return CL_INVALID_VALUE;
        *bits = list[n + 1];
    }
    *count = n + 1;
    return CL_SUCCESS;
}

cl_command_queue CL_API_CALL fake_clCreateCommandQueueWithProperties(
        cl_context context, cl_device_id device,
        const cl_queue_properties *properties, cl_int *errcode)
{
    cl_command_queue queue = NULL;
    cl_command_queue_properties bits = 0;
    size_t count = 0;
    cl_int st = call_enter(CALL_clCreateCommandQueueWithProperties,
            "context=%p", (const void *)context);

    if (st == CL_SUCCESS) st = queue_properties(properties, &count, &bits);
    if (st == CL_SUCCESS) st = queue_create(&queue, context, device, bits);
    if (st == CL_SUCCESS && count != 0) {
        memcpy(queue->array, properties, count * sizeof(*properties));
        queue->narray = count;
    }
    call_leave_with(CALL_clCreateCommandQueueWithProperties, st, errcode);
    return queue;
}

cl_int CL_API_CALL fake_clRetainCommandQueue(cl_command_queue queue)
{
    cl_int st = call_enter(
            CALL_clRetainCommandQueue, "queue=%p", (const void *)queue);

    if (st == CL_SUCCESS) st = object_retain(queue, OBJECT_QUEUE);
    return call_leave(CALL_clRetainCommandQueue, st);
}

cl_int CL_API_CALL fake_clReleaseCommandQueue(cl_command_queue queue)
{
    cl_int st = call_enter(
            CALL_clReleaseCommandQueue, "queue=%p", (const void *)queue);
    cl_int done = object_release(queue, OBJECT_QUEUE);

    return call_leave(CALL_clReleaseCommandQueue, st != CL_SUCCESS ? st : done);
}

static cl_int queue_info(cl_command_queue queue, cl_command_queue_info param,
        const struct answer *answer)
{
    cl_int st = object_check(queue, OBJECT_QUEUE);

    if (st != CL_SUCCESS) return st;
    switch (param) {
    case CL_QUEUE_CONTEXT:
        return answer_pointer(answer, queue->context);
    case CL_QUEUE_DEVICE:
        return answer_pointer(answer, queue->device);
    case CL_QUEUE_REFERENCE_COUNT:
        return answer_uint(answer, queue->base.external);
    case CL_QUEUE_PROPERTIES:
        return answer_ulong(answer, queue->properties);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return answer_bytes(answer, queue->array,
                queue->narray * sizeof(cl_queue_properties));
    case CL_QUEUE_DEVICE_DEFAULT:
        return answer_pointer(answer, NULL);
    case CL_QUEUE_SIZE:
        return CL_INVALID_COMMAND_QUEUE;
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL fake_clGetCommandQueueInfo(cl_command_queue queue,
        cl_command_queue_info param, size_t capacity, void *value,
        size_t *size_ret)
{
    const struct answer answer = {capacity, value, size_ret};
    cl_int st = call_enter(CALL_clGetCommandQueueInfo, "queue=%p param=0x%x",
            (const void *)queue, param);

    if (st == CL_SUCCESS) st = queue_info(queue, param, &answer);
    return call_leave(CALL_clGetCommandQueueInfo, st);
}
