/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers: plain host memory. */
#include "fake_internal.h"

#include <stdlib.h>
#include <string.h>

#define DEVICE_ACCESS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define HOST_ACCESS \
    (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define HOST_POINTER \
    (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)

typedef void(CL_CALLBACK memory_callback)(cl_mem, void *);

static void memory_notify(const struct notice *notice)
{
    ((memory_callback *)notice->function)((cl_mem)notice->handle, notice->user);
}

static void memory_destroy(struct object *object)
{
    cl_mem memory = (cl_mem)object;
    struct notice *notice;

    while ((notice = memory->destructors) != NULL) {
        memory->destructors = notice->next;
        notice_post(notice, object, CL_SUCCESS);
    }
    if (memory->owned) free(memory->data);
    object_drop(memory->parent);
    object_drop(memory->context);
}

static bool at_most_one(cl_mem_flags flags)
{
    return (flags & (flags - 1)) == 0;
}

static cl_int flags_check(cl_mem_flags flags, const void *host)
{
    const cl_mem_flags needs = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;

    if ((flags & ~(cl_mem_flags)(DEVICE_ACCESS | HOST_ACCESS | HOST_POINTER))
            != 0)
        return CL_INVALID_VALUE;
    if (!at_most_one(flags & DEVICE_ACCESS)
            || !at_most_one(flags & HOST_ACCESS))
        return CL_INVALID_VALUE;
    if ((flags & CL_MEM_USE_HOST_PTR) != 0
            && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0)
        return CL_INVALID_VALUE;
    if (((flags & needs) != 0) != (host != NULL)) return CL_INVALID_HOST_PTR;
    return CL_SUCCESS;
}

static cl_int size_check(cl_context context, size_t size)
{
    if (size == 0) return CL_INVALID_BUFFER_SIZE;
    for (cl_uint i = 0; i < context->ndevices; i++)
        if (size > device_number(context->devices[i], "MAX_MEM_ALLOC_SIZE"))
            return CL_INVALID_BUFFER_SIZE;
    return CL_SUCCESS;
}

/* As aligned as the strictest type of OpenCL C wants it. */
static uint8_t *allocate(size_t size)
{
    void *data;

    return posix_memalign(&data, 128, size) == 0 ? data : NULL;
}

static cl_int buffer_create(cl_mem *memory, cl_context context,
        cl_mem_flags flags, size_t size, void *host)
{
    cl_mem made;
    cl_int st = object_check(context, OBJECT_CONTEXT);

    if (st == CL_SUCCESS) st = flags_check(flags, host);
    if (st == CL_SUCCESS) st = size_check(context, size);
    if (st == CL_SUCCESS)
        st = object_create(&made, sizeof(*made), OBJECT_MEMORY, memory_destroy);
    if (st != CL_SUCCESS) return st;
    made->context = context;
    object_hold(context);
    made->size = size;
    made->flags = flags == 0 ? CL_MEM_READ_WRITE : flags;
    if ((flags & CL_MEM_USE_HOST_PTR) != 0) {
        made->host = host;
        made->data = host;
    } else {
        made->data = allocate(size);
        made->owned = true;
    }
    if (made->data == NULL) {
        object_disown(made);
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    }
    if ((flags & CL_MEM_COPY_HOST_PTR) != 0) memcpy(made->data, host, size);
    *memory = made;
    return CL_SUCCESS;
}

cl_mem CL_API_CALL fake_clCreateBuffer(cl_context context, cl_mem_flags flags,
        size_t size, void *host, cl_int *errcode)
{
    cl_mem memory = NULL;
    cl_int st = call_enter(CALL_clCreateBuffer, "size=%zu flags=0x%llx", size,
            (unsigned long long)flags);

    if (st == CL_SUCCESS)
        st = buffer_create(&memory, context, flags, size, host);
    call_leave_with(CALL_clCreateBuffer, st, errcode);
    return memory;
}

cl_mem CL_API_CALL fake_clCreateBufferWithProperties(cl_context context,
        const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
        void *host, cl_int *errcode)
{
    cl_mem memory = NULL;
    cl_int st = call_enter(CALL_clCreateBufferWithProperties,
            "size=%zu flags=0x%llx", size, (unsigned long long)flags);

    if (st == CL_SUCCESS && properties != NULL && properties[0] != 0)
        st = CL_INVALID_PROPERTY;
    if (st == CL_SUCCESS)
        st = buffer_create(&memory, context, flags, size, host);
    if (st == CL_SUCCESS && properties != NULL) memory->nproperties = 1;
    call_leave_with(CALL_clCreateBufferWithProperties, st, errcode);
    return memory;
}

static cl_int sub_buffer_check(
        cl_mem parent, cl_mem_flags flags, const cl_buffer_region *region)
{
    cl_context context = parent->context;
    bool aligned = false;

    if (parent->parent != NULL) return CL_INVALID_MEM_OBJECT;
    if ((flags & HOST_POINTER) != 0 || !at_most_one(flags & DEVICE_ACCESS)
            || !at_most_one(flags & HOST_ACCESS))
        return CL_INVALID_VALUE;
    if (region == NULL || region->origin > parent->size
            || region->size > parent->size - region->origin)
        return CL_INVALID_VALUE;
    if (region->size == 0) return CL_INVALID_BUFFER_SIZE;
    for (cl_uint i = 0; i < context->ndevices; i++)
        if (region->origin * 8
                        % device_number(
                                context->devices[i], "MEM_BASE_ADDR_ALIGN")
                == 0)
            aligned = true;
    return aligned ? CL_SUCCESS : CL_MISALIGNED_SUB_BUFFER_OFFSET;
}

static cl_int sub_buffer_create(cl_mem *memory, cl_mem parent,
        cl_mem_flags flags, cl_buffer_create_type type,
        const cl_buffer_region *region)
{
    cl_mem made;
    cl_int st = object_check(parent, OBJECT_MEMORY);

    if (st != CL_SUCCESS) return st;
    if (type != CL_BUFFER_CREATE_TYPE_REGION) return CL_INVALID_VALUE;
    st = sub_buffer_check(parent, flags, region);
    if (st == CL_SUCCESS)
        st = object_create(&made, sizeof(*made), OBJECT_MEMORY, memory_destroy);
    if (st != CL_SUCCESS) return st;
    made->context = parent->context;
    object_hold(made->context);
    made->parent = parent;
    object_hold(parent);
    made->origin = region->origin;
    made->size = region->size;
    made->flags = flags | (parent->flags & HOST_POINTER);
    if ((flags & DEVICE_ACCESS) == 0)
        made->flags |= parent->flags & DEVICE_ACCESS;
    if ((flags & HOST_ACCESS) == 0) made->flags |= parent->flags & HOST_ACCESS;
    made->data = parent->data + region->origin;
    if (parent->host != NULL) made->host = made->data;
    *memory = made;
    return CL_SUCCESS;
}

cl_mem CL_API_CALL fake_clCreateSubBuffer(cl_mem parent, cl_mem_flags flags,
        cl_buffer_create_type type, const void *info, cl_int *errcode)
{
    cl_mem memory = NULL;
    cl_int st = call_enter(CALL_clCreateSubBuffer, "parent=%p flags=0x%llx",
            (const void *)parent, (unsigned long long)flags);

    if (st == CL_SUCCESS)
        st = sub_buffer_create(&memory, parent, flags, type, info);
    call_leave_with(CALL_clCreateSubBuffer, st, errcode);
    return memory;
}

cl_int CL_API_CALL fake_clRetainMemObject(cl_mem memory)
{
    cl_int st = call_enter(
            CALL_clRetainMemObject, "memory=%p", (const void *)memory);

    if (st == CL_SUCCESS) st = object_retain(memory, OBJECT_MEMORY);
    return call_leave(CALL_clRetainMemObject, st);
}

cl_int CL_API_CALL fake_clReleaseMemObject(cl_mem memory)
{
    cl_int st = call_enter(
            CALL_clReleaseMemObject, "memory=%p", (const void *)memory);
    cl_int done = object_release(memory, OBJECT_MEMORY);

    return call_leave(CALL_clReleaseMemObject, st != CL_SUCCESS ? st : done);
}

static cl_int memory_info(
        cl_mem memory, cl_mem_info param, const struct answer *answer)
{
    cl_int st = object_check(memory, OBJECT_MEMORY);

    if (st != CL_SUCCESS) return st;
    switch (param) {
    case CL_MEM_TYPE:
        return answer_uint(answer, CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS:
        return answer_ulong(answer, memory->flags);
    case CL_MEM_SIZE:
        return answer_size(answer, memory->size);
    case CL_MEM_HOST_PTR:
        return answer_pointer(answer, memory->host);
    case CL_MEM_MAP_COUNT:
        return answer_uint(answer, (cl_uint)memory->maps);
    case CL_MEM_REFERENCE_COUNT:
        return answer_uint(answer, memory->base.external);
    case CL_MEM_CONTEXT:
        return answer_pointer(answer, memory->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return answer_pointer(answer, memory->parent);
    case CL_MEM_OFFSET:
        return answer_size(answer, memory->origin);
    case CL_MEM_USES_SVM_POINTER:
        return answer_uint(answer, CL_FALSE);
    case CL_MEM_PROPERTIES:
        return answer_bytes(answer, memory->properties,
                memory->nproperties * sizeof(cl_mem_properties));
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL fake_clGetMemObjectInfo(cl_mem memory, cl_mem_info param,
        size_t capacity, void *value, size_t *size_ret)
{
    const struct answer answer = {capacity, value, size_ret};
    cl_int st = call_enter(CALL_clGetMemObjectInfo, "memory=%p param=0x%x",
            (const void *)memory, param);

    if (st == CL_SUCCESS) st = memory_info(memory, param, &answer);
    return call_leave(CALL_clGetMemObjectInfo, st);
}

cl_int CL_API_CALL fake_clSetMemObjectDestructorCallback(
        cl_mem memory, memory_callback *notify, void *user)
{
    struct notice *notice;
    cl_int st = call_enter(CALL_clSetMemObjectDestructorCallback, "memory=%p",
            (const void *)memory);

    if (st == CL_SUCCESS) st = object_check(memory, OBJECT_MEMORY);
    if (st == CL_SUCCESS && notify == NULL) st = CL_INVALID_VALUE;
    if (st == CL_SUCCESS)
        st = notice_create(
                &notice, memory_notify, (void (*)(void))notify, user);
    if (st == CL_SUCCESS) {
        notice->next = memory->destructors;
        memory->destructors = notice;
    }
    return call_leave(CALL_clSetMemObjectDestructorCallback, st);
}
