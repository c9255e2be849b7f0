/* SPDX-License-Identifier: Apache-2.0 */
#include "questions.h"

#include "answers.h"
#include "ask.h"

#include <stdio.h>

#define ASK(param, shape)    \
    {                        \
        param, #param, shape \
    }
/* No parameter of OpenCL's. */
#define NO_SUCH_PARAM 0x7777

static const struct question program_questions[] = {
        ASK(CL_PROGRAM_REFERENCE_COUNT, SHAPE_NUMBER),
        ASK(CL_PROGRAM_CONTEXT, SHAPE_HANDLES),
        ASK(CL_PROGRAM_NUM_DEVICES, SHAPE_NUMBER),
        ASK(CL_PROGRAM_DEVICES, SHAPE_HANDLES),
        ASK(CL_PROGRAM_SOURCE, SHAPE_TEXT),
        ASK(CL_PROGRAM_NUM_KERNELS, SHAPE_NUMBER),
        ASK(CL_PROGRAM_IL, SHAPE_TEXT),
        ASK(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, SHAPE_NUMBER),
        ASK(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, SHAPE_NUMBER),
        ASK(NO_SUCH_PARAM, SHAPE_UNTOLD),
};

static const struct question name_questions[] = {
        ASK(CL_PROGRAM_KERNEL_NAMES, SHAPE_TEXT),
};

static const struct question size_questions[] = {
        ASK(CL_PROGRAM_BINARY_SIZES, SHAPE_SOME),
};

static const struct question build_questions[] = {
        ASK(CL_PROGRAM_BUILD_STATUS, SHAPE_NUMBER),
        ASK(CL_PROGRAM_BUILD_OPTIONS, SHAPE_TEXT),
        ASK(CL_PROGRAM_BUILD_LOG, SHAPE_TEXT),
        ASK(CL_PROGRAM_BINARY_TYPE, SHAPE_NUMBER),
        ASK(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, SHAPE_NUMBER),
        ASK(NO_SUCH_PARAM, SHAPE_UNTOLD),
};

static const struct question kernel_questions[] = {
        ASK(CL_KERNEL_FUNCTION_NAME, SHAPE_TEXT),
        ASK(CL_KERNEL_NUM_ARGS, SHAPE_NUMBER),
        ASK(CL_KERNEL_REFERENCE_COUNT, SHAPE_NUMBER),
        ASK(CL_KERNEL_CONTEXT, SHAPE_HANDLES),
        ASK(CL_KERNEL_PROGRAM, SHAPE_HANDLES),
        ASK(CL_KERNEL_ATTRIBUTES, SHAPE_TEXT),
        ASK(NO_SUCH_PARAM, SHAPE_UNTOLD),
};

static const struct question argument_questions[] = {
        ASK(CL_KERNEL_ARG_ADDRESS_QUALIFIER, SHAPE_NUMBER),
        ASK(CL_KERNEL_ARG_ACCESS_QUALIFIER, SHAPE_NUMBER),
        ASK(CL_KERNEL_ARG_TYPE_NAME, SHAPE_TEXT),
        ASK(CL_KERNEL_ARG_TYPE_QUALIFIER, SHAPE_NUMBER),
        ASK(CL_KERNEL_ARG_NAME, SHAPE_TEXT),
        ASK(NO_SUCH_PARAM, SHAPE_UNTOLD),
};

static const struct question work_group_questions[] = {
        ASK(CL_KERNEL_WORK_GROUP_SIZE, SHAPE_NUMBER),
        ASK(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, SHAPE_SIZES),
        ASK(CL_KERNEL_LOCAL_MEM_SIZE, SHAPE_NUMBER),
        ASK(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, SHAPE_NUMBER),
        ASK(CL_KERNEL_PRIVATE_MEM_SIZE, SHAPE_NUMBER),
        ASK(CL_KERNEL_GLOBAL_WORK_SIZE, SHAPE_SIZES),
        ASK(NO_SUCH_PARAM, SHAPE_UNTOLD),
};

static const struct question range_questions[] = {
        ASK(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, SHAPE_NUMBER),
        ASK(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, SHAPE_NUMBER),
        ASK(CL_KERNEL_MAX_NUM_SUB_GROUPS, SHAPE_NUMBER),
        ASK(CL_KERNEL_COMPILE_NUM_SUB_GROUPS, SHAPE_NUMBER),
        ASK(NO_SUCH_PARAM, SHAPE_UNTOLD),
};

static const struct question count_questions[] = {
        ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, SHAPE_SIZES),
};

#define ASK_ALL(subject, query, questions) \
    ask_all(subject, query, questions, sizeof(questions) / sizeof(*(questions)))

/* ---- The calls ----------------------------------------------------------- */

static cl_int program_info(const struct query *query, cl_uint param,
        size_t capacity, void *value, size_t *size)
{
    return clGetProgramInfo(query->program, param, capacity, value, size);
}

static cl_int build_info(const struct query *query, cl_uint param,
        size_t capacity, void *value, size_t *size)
{
    return clGetProgramBuildInfo(
            query->program, query->device, param, capacity, value, size);
}

static cl_int kernel_info(const struct query *query, cl_uint param,
        size_t capacity, void *value, size_t *size)
{
    return clGetKernelInfo(query->kernel, param, capacity, value, size);
}

static cl_int argument_info(const struct query *query, cl_uint param,
        size_t capacity, void *value, size_t *size)
{
    return clGetKernelArgInfo(
            query->kernel, query->index, param, capacity, value, size);
}

static cl_int work_group_info(const struct query *query, cl_uint param,
        size_t capacity, void *value, size_t *size)
{
    return clGetKernelWorkGroupInfo(
            query->kernel, query->device, param, capacity, value, size);
}

static cl_int sub_group_info(const struct query *query, cl_uint param,
        size_t capacity, void *value, size_t *size)
{
    return clGetKernelSubGroupInfo(query->kernel, query->device, param,
            query->input_size, query->input, capacity, value, size);
}

/* ---- The subjects -------------------------------------------------------- */

void ask_program(const char *subject, cl_program program, int with_sizes)
{
    struct query query = {.call = program_info, .program = program};

    ASK_ALL(subject, &query, program_questions);
    ASK_ALL(subject, &query, name_questions);
    if (with_sizes) ASK_ALL(subject, &query, size_questions);
}

void ask_object(const char *subject, cl_program program)
{
    struct query query = {.call = program_info, .program = program};

    ASK_ALL(subject, &query, program_questions);
}

void ask_build(const char *subject, cl_program program, cl_device_id device)
{
    struct query query = {
            .call = build_info, .program = program, .device = device};

    ASK_ALL(subject, &query, build_questions);
}

void ask_kernel(const char *subject, cl_kernel kernel)
{
    struct query query = {.call = kernel_info, .kernel = kernel};
    cl_uint count = 0;
    char name[128];

    ASK_ALL(subject, &query, kernel_questions);
    clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, NULL);
    query.call = argument_info;
    for (query.index = 0; query.index <= count; query.index++) {
        snprintf(name, sizeof(name), "%s argument %u", subject, query.index);
        ASK_ALL(name, &query, argument_questions);
    }
}

void ask_work_groups(const char *subject, cl_kernel kernel, cl_device_id device)
{
    static const size_t sizes[2] = {8, 2}, count = 2;
    struct query query = {
            .call = work_group_info, .kernel = kernel, .device = device};
    char name[128];

    snprintf(name, sizeof(name), "%s on <%s>", subject, handle_name(device));
    ASK_ALL(name, &query, work_group_questions);
    query.call = sub_group_info;
    query.input = sizes;
    query.input_size = sizeof(sizes);
    ASK_ALL(name, &query, range_questions);
    query.input = &count;
    query.input_size = sizeof(count);
    ASK_ALL(name, &query, count_questions);
}

cl_uint program_references(cl_program program)
{
    cl_uint count = 0;

    return clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof(count),
                   &count,
                   NULL) == CL_SUCCESS
                   ? count
                   : 0;
}

cl_uint kernel_references(cl_kernel kernel)
{
    cl_uint count = 0;

    return clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof(count),
                   &count,
                   NULL) == CL_SUCCESS
                   ? count
                   : 0;
}
