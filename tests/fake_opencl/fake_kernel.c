/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: arguments and what the compiler is said to have made of them. */
#include "fake_internal.h"

#include <stdlib.h>
#include <string.h>

static void kernel_destroy(struct object *object)
{
    cl_kernel kernel = (cl_kernel)object;

    for (size_t i = 0; kernel->values != NULL && i < kernel->decl->narguments;
            i++)
        free(kernel->values[i].bytes);
    free(kernel->values);
    kernel->program->kernels--;
    object_drop(kernel->program);
}

static bool tells_arguments(cl_program program)
{
    const struct build *built = program_executable(program);

    if (is_like_intel()) return !program->is_of_binary;
    return built != NULL
           && strstr(built->options, "-cl-kernel-arg-info") != NULL;
}

static cl_int kernel_create(
        cl_kernel *kernel, cl_program program, const struct kernel_decl *decl)
{
    cl_kernel made;
    cl_int st =
            object_create(&made, sizeof(*made), OBJECT_KERNEL, kernel_destroy);

    if (st != CL_SUCCESS) return st;
    made->program = program;
    object_hold(program);
    program->kernels++;
    made->decl = decl;
    made->tells_arguments = tells_arguments(program);
    made->values = calloc(decl->narguments + 1, sizeof(*made->values));
    if (made->values == NULL) {
        object_disown(made);
        return CL_OUT_OF_HOST_MEMORY;
    }
    *kernel = made;
    return CL_SUCCESS;
}

static cl_int kernel_by_name(
        cl_kernel *kernel, cl_program program, const char *name)
{
    const struct build *built;
    const struct kernel_list *list;
    const struct kernel_decl *decl;
    cl_int st = object_check(program, OBJECT_PROGRAM);

    if (st != CL_SUCCESS) return st;
    if (name == NULL) return CL_INVALID_VALUE;
    built = program_executable(program);
    list = built != NULL ? &built->kernels : &program->builds[0].before;
    if (built == NULL && list->count == 0) return CL_INVALID_PROGRAM_EXECUTABLE;
    decl = kernel_list_find(list, name);
    if (decl == NULL) return CL_INVALID_KERNEL_NAME;
    return kernel_create(kernel, program, decl);
}

cl_kernel CL_API_CALL fake_clCreateKernel(
        cl_program program, const char *name, cl_int *errcode)
{
    cl_kernel kernel = NULL;
    cl_int st = call_enter(CALL_clCreateKernel, "program=%p name=%s",
            (const void *)program, name != NULL ? name : "(null)");

    if (st == CL_SUCCESS) st = kernel_by_name(&kernel, program, name);
    call_leave_with(CALL_clCreateKernel, st, errcode);
    return kernel;
}

static bool is_object(cl_program program)
{
    return program->builds[0].type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
}

static cl_int kernels_all(cl_program program, cl_uint capacity,
        cl_kernel *kernels, cl_uint *count)
{
    const struct build *built;
    cl_int st = object_check(program, OBJECT_PROGRAM);
    size_t made = 0;

    if (st != CL_SUCCESS) return st;
    built = program_executable(program);
    if (built == NULL) {
        if (is_like_intel() && is_object(program))
            fatal("asked for the kernels of a compiled object");
        return CL_INVALID_PROGRAM_EXECUTABLE;
    }
    if (kernels != NULL && capacity == 0 && setting_number("NO_ROOM", 0) != 0)
        return CL_INVALID_VALUE;
    if (kernels != NULL && capacity < built->kernels.count) {
        if (is_like_intel() && count != NULL)
            *count = (cl_uint)built->kernels.count;
        return CL_INVALID_VALUE;
    }
    for (; kernels != NULL && made < built->kernels.count; made++) {
        st = kernel_create(
                &kernels[made], program, &built->kernels.items[made]);
        if (st != CL_SUCCESS) break;
    }
    if (st != CL_SUCCESS) {
        while (made > 0)
            object_disown(kernels[--made]);
        return st;
    }
    if (count != NULL) *count = (cl_uint)built->kernels.count;
    return CL_SUCCESS;
}

cl_int CL_API_CALL fake_clCreateKernelsInProgram(cl_program program,
        cl_uint capacity, cl_kernel *kernels, cl_uint *count)
{
    cl_int st = call_enter(
            CALL_clCreateKernelsInProgram, "program=%p", (const void *)program);

    if (st == CL_SUCCESS) st = kernels_all(program, capacity, kernels, count);
    return call_leave(CALL_clCreateKernelsInProgram, st);
}

/* Gives a kernel's argument a value; bytes are copied. */
static cl_int value_set(
        struct kernel_value *value, size_t size, const void *bytes)
{
    uint8_t *copy = NULL;

    if (bytes != NULL) {
        copy = malloc(size);
        if (copy == NULL) return CL_OUT_OF_HOST_MEMORY;
        memcpy(copy, bytes, size);
    }
    free(value->bytes);
    memset(value, 0, sizeof(*value));
    value->set = true;
    value->size = size;
    value->bytes = copy;
    return CL_SUCCESS;
}

static cl_int kernel_clone(cl_kernel *kernel, cl_kernel source)
{
    cl_kernel made = NULL;
    cl_int st = object_check(source, OBJECT_KERNEL);

    if (st == CL_SUCCESS)
        st = kernel_create(&made, source->program, source->decl);
    if (st != CL_SUCCESS) return st;
    made->tells_arguments = source->tells_arguments;
    for (size_t i = 0; i < source->decl->narguments && st == CL_SUCCESS; i++) {
        const struct kernel_value *value = &source->values[i];

        if (!value->set) continue;
        st = value_set(&made->values[i], value->size, value->bytes);
        made->values[i].memory = value->memory;
    }
    if (st != CL_SUCCESS)
        object_disown(made);
    else
        *kernel = made;
    return st;
}

cl_kernel CL_API_CALL fake_clCloneKernel(cl_kernel source, cl_int *errcode)
{
    cl_kernel kernel = NULL;
    cl_int st =
            call_enter(CALL_clCloneKernel, "kernel=%p", (const void *)source);

    if (st == CL_SUCCESS) st = kernel_clone(&kernel, source);
    call_leave_with(CALL_clCloneKernel, st, errcode);
    return kernel;
}

cl_int CL_API_CALL fake_clRetainKernel(cl_kernel kernel)
{
    cl_int st =
            call_enter(CALL_clRetainKernel, "kernel=%p", (const void *)kernel);

    if (st == CL_SUCCESS) st = object_retain(kernel, OBJECT_KERNEL);
    return call_leave(CALL_clRetainKernel, st);
}

cl_int CL_API_CALL fake_clReleaseKernel(cl_kernel kernel)
{
    cl_int st =
            call_enter(CALL_clReleaseKernel, "kernel=%p", (const void *)kernel);
    cl_int done = object_release(kernel, OBJECT_KERNEL);

    return call_leave(CALL_clReleaseKernel, st != CL_SUCCESS ? st : done);
}

/* ---- arguments ---- */

static cl_int memory_set(
        cl_kernel kernel, cl_uint index, size_t size, const void *handle)
{
    cl_mem memory = NULL;
    cl_int st;

    if (size != sizeof(cl_mem)) return CL_INVALID_ARG_SIZE;
    if (handle != NULL) memcpy(&memory, handle, sizeof(memory));
    if (memory != NULL) {
        st = object_check(memory, OBJECT_MEMORY);
        if (st != CL_SUCCESS) return st;
        if (memory->context != kernel->program->context)
            return CL_INVALID_MEM_OBJECT;
    }
    st = value_set(&kernel->values[index], size, NULL);
    kernel->values[index].memory = memory;
    return st;
}

static cl_int argument_set(
        cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    const struct kernel_argument *argument;
    cl_int st = object_check(kernel, OBJECT_KERNEL);

    if (st != CL_SUCCESS) return st;
    if (index >= kernel->decl->narguments) return CL_INVALID_ARG_INDEX;
    argument = &kernel->decl->arguments[index];
    if (argument->address == CL_KERNEL_ARG_ADDRESS_LOCAL) {
        if (value != NULL) return CL_INVALID_ARG_VALUE;
        if (size == 0) return CL_INVALID_ARG_SIZE;
        return value_set(&kernel->values[index], size, NULL);
    }
    if (argument->pointer) return memory_set(kernel, index, size, value);
    if (value == NULL) return CL_INVALID_ARG_VALUE;
    if (size == 0 || (argument->size != 0 && argument->size != size))
        return CL_INVALID_ARG_SIZE;
    return value_set(&kernel->values[index], size, value);
}

cl_int CL_API_CALL fake_clSetKernelArg(
        cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_int st = call_enter(CALL_clSetKernelArg, "kernel=%p index=%u size=%zu",
            (const void *)kernel, index, size);

    if (st == CL_SUCCESS) st = argument_set(kernel, index, size, value);
    return call_leave(CALL_clSetKernelArg, st);
}

/* ---- queries ---- */

static cl_int kernel_info(
        cl_kernel kernel, cl_kernel_info param, const struct answer *answer)
{
    cl_int st = object_check(kernel, OBJECT_KERNEL);

    if (st != CL_SUCCESS) return st;
    switch (param) {
    case CL_KERNEL_FUNCTION_NAME:
        return answer_string(answer, kernel->decl->name);
    case CL_KERNEL_NUM_ARGS:
        return answer_uint(answer, (cl_uint)kernel->decl->narguments);
    case CL_KERNEL_REFERENCE_COUNT:
        return answer_uint(answer, kernel->base.external);
    case CL_KERNEL_CONTEXT:
        return answer_pointer(answer, kernel->program->context);
    case CL_KERNEL_PROGRAM:
        return answer_pointer(answer, kernel->program);
    case CL_KERNEL_ATTRIBUTES:
        return answer_string(answer, kernel->decl->attributes);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL fake_clGetKernelInfo(cl_kernel kernel, cl_kernel_info param,
        size_t capacity, void *value, size_t *size_ret)
{
    const struct answer answer = {capacity, value, size_ret};
    cl_int st = call_enter(CALL_clGetKernelInfo, "kernel=%p param=0x%x",
            (const void *)kernel, param);

    if (st == CL_SUCCESS) st = kernel_info(kernel, param, &answer);
    return call_leave(CALL_clGetKernelInfo, st);
}

static cl_int argument_info(cl_kernel kernel, cl_uint index,
        cl_kernel_arg_info param, const struct answer *answer)
{
    const struct kernel_argument *argument;
    cl_int st = object_check(kernel, OBJECT_KERNEL);

    if (st != CL_SUCCESS) return st;
    if (!is_like_intel() && index >= kernel->decl->narguments)
        return CL_INVALID_ARG_INDEX;
    if (!kernel->tells_arguments) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    if (index >= kernel->decl->narguments) return CL_INVALID_VALUE;
    argument = &kernel->decl->arguments[index];
    switch (param) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return answer_uint(answer, argument->address);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return answer_uint(answer, argument->access);
    case CL_KERNEL_ARG_TYPE_NAME:
        return answer_string(answer, argument->type);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return answer_ulong(answer, argument->qualifiers);
    case CL_KERNEL_ARG_NAME:
        return answer_string(answer, argument->name);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL fake_clGetKernelArgInfo(cl_kernel kernel, cl_uint index,
        cl_kernel_arg_info param, size_t capacity, void *value,
        size_t *size_ret)
{
    const struct answer answer = {capacity, value, size_ret};
    cl_int st =
            call_enter(CALL_clGetKernelArgInfo, "kernel=%p index=%u param=0x%x",
                    (const void *)kernel, index, param);

    if (st == CL_SUCCESS) st = argument_info(kernel, index, param, &answer);
    return call_leave(CALL_clGetKernelArgInfo, st);
}

/* NULL stands for the device of a program that has but one. */
static cl_int kernel_device(cl_kernel kernel, cl_device_id *device)
{
    cl_uint index;
    cl_int st = object_check(kernel, OBJECT_KERNEL);

    if (st != CL_SUCCESS) return st;
    if (*device == NULL && kernel->program->ndevices == 1)
        *device = kernel->program->devices[0];
    return program_device(kernel->program, *device, &index) ? CL_SUCCESS
                                                            : CL_INVALID_DEVICE;
}

size_t kernel_group_limit(cl_device_id device)
{
    const char *own = setting("KERNEL_WORK_GROUP_SIZE", device->index);

    return (size_t)device_number(device,
            own[0] != '\0' ? "KERNEL_WORK_GROUP_SIZE" : "MAX_WORK_GROUP_SIZE");
}

void kernel_required(cl_kernel kernel, cl_device_id device, size_t required[3])
{
    const char *accepts = setting("ACCEPTS", device->index);

    memcpy(required, kernel->decl->required, 3 * sizeof(size_t));
    if (kernel->decl->computed && accepts[0] != '\0')
        required[0] = 1 + (size_t)device_number(device, "ACCEPTS");
}

size_t kernel_local_size(cl_kernel kernel)
{
    size_t size = 0;

    for (size_t i = 0; i < kernel->decl->narguments; i++)
        if (kernel->decl->arguments[i].address == CL_KERNEL_ARG_ADDRESS_LOCAL)
            size += kernel->values[i].size;
    return size;
}

/* As NVIDIA's driver counts it: of PTX four bytes more than of a CUBIN. */
static size_t counted_local_size(cl_kernel kernel, cl_device_id device)
{
    cl_uint index = 0;
    const bool is_ptx = setting_number("PTX", device->index) != 0
                        && program_device(kernel->program, device, &index)
                        && !kernel->program->builds[index].is_cubin;

    return kernel_local_size(kernel) + (is_ptx ? 4 : 0);
}

/* What a query of the kernel fails with because a setting says so. */
static cl_int work_group_status(
        cl_device_id device, cl_kernel_work_group_info param)
{
    switch (param) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return setting_status("KERNEL_WORK_GROUP_SIZE", device->index);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return setting_status("ACCEPTS", device->index);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return setting_status("WG_MULTIPLE", device->index);
    default:
        return CL_SUCCESS;
    }
}

static cl_int work_group_info(cl_kernel kernel, cl_device_id device,
        cl_kernel_work_group_info param, const struct answer *answer)
{
    size_t required[3];
    cl_int st = kernel_device(kernel, &device);

    if (st == CL_SUCCESS) st = work_group_status(device, param);
    if (st != CL_SUCCESS) return st;
    switch (param) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return answer_size(answer, kernel_group_limit(device));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        kernel_required(kernel, device, required);
        return answer_bytes(answer, required, sizeof(required));
    case CL_KERNEL_LOCAL_MEM_SIZE:
        return answer_ulong(answer, counted_local_size(kernel, device));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return answer_size(
                answer, (size_t)device_number(device, "WG_MULTIPLE"));
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return answer_ulong(answer, 0);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL fake_clGetKernelWorkGroupInfo(cl_kernel kernel,
        cl_device_id device, cl_kernel_work_group_info param, size_t capacity,
        void *value, size_t *size_ret)
{
    const struct answer answer = {capacity, value, size_ret};
    cl_int st = call_enter(CALL_clGetKernelWorkGroupInfo,
            "kernel=%p param=0x%x", (const void *)kernel, param);

    if (st == CL_SUCCESS) st = work_group_info(kernel, device, param, &answer);
    return call_leave(CALL_clGetKernelWorkGroupInfo, st);
}

/* Sub-groups fill a work-group along its linear order. */
static cl_int sub_group_info(cl_kernel kernel, cl_device_id device,
        cl_kernel_sub_group_info param, size_t input_size, const void *input,
        const struct answer *answer)
{
    size_t size, sizes[3] = {1, 1, 1}, items = 1;
    cl_int st = kernel_device(kernel, &device);

    if (st == CL_SUCCESS) st = setting_status("SUBGROUP_SIZE", device->index);
    if (st != CL_SUCCESS) return st;
    if (!device_has_subgroups(device)) return CL_INVALID_OPERATION;
    size = (size_t)device_number(device, "SUBGROUP_SIZE");
    switch (param) {
    case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        return answer_size(answer, kernel_group_limit(device) / size);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        return answer_size(answer, 0);
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        break;
    default:
        return CL_INVALID_VALUE;
    }
    if (input == NULL || input_size == 0 || input_size > sizeof(sizes)
            || input_size % sizeof(size_t) != 0)
        return CL_INVALID_VALUE;
    memcpy(sizes, input, input_size);
    items = sizes[0] * sizes[1] * sizes[2];
    return answer_size(answer, param == CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE
                                       ? (items + size - 1) / size
                                       : size);
}

cl_int CL_API_CALL fake_clGetKernelSubGroupInfo(cl_kernel kernel,
        cl_device_id device, cl_kernel_sub_group_info param, size_t input_size,
        const void *input, size_t capacity, void *value, size_t *size_ret)
{
    const struct answer answer = {capacity, value, size_ret};
    cl_int st = call_enter(CALL_clGetKernelSubGroupInfo, "kernel=%p param=0x%x",
            (const void *)kernel, param);

    if (st == CL_SUCCESS)
        st = sub_group_info(kernel, device, param, input_size, input, &answer);
    return call_leave(CALL_clGetKernelSubGroupInfo, st);
}

cl_int CL_API_CALL fake_clGetKernelSubGroupInfoKHR(cl_kernel kernel,
        cl_device_id device, cl_kernel_sub_group_info param, size_t input_size,
        const void *input, size_t capacity, void *value, size_t *size_ret)
{
    const struct answer answer = {capacity, value, size_ret};
    cl_int st = call_enter(CALL_clGetKernelSubGroupInfoKHR,
            "kernel=%p param=0x%x", (const void *)kernel, param);

    if (st == CL_SUCCESS)
        st = sub_group_info(kernel, device, param, input_size, input, &answer);
    return call_leave(CALL_clGetKernelSubGroupInfoKHR, st);
}
