/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/example.h"

#include "layer/compile/compile.h"
#include "layer/driver/next_layer.h"

#include <stdlib.h>

/* NULL: the driver cannot, or has no memory. */
static cl_program create_linked(const struct build *build, cl_context context)
{
    const char *source = "__kernel void example(__global int *x) { *x = 1; }";
    cl_device_id devices[most_devices];
    const cl_uint count = (cl_uint)build->count;
    cl_program linked = NULL;
    cl_int err = CL_SUCCESS;
    for (size_t i = 0; i < build->count; i++)
        devices[i] = build->devices[i].device;
    cl_program object = next_layer->clCreateProgramWithSource(
            context, 1, &source, NULL, &err);
    if (object == NULL) return NULL;
    if (next_layer->clCompileProgram(
                object, count, devices, "", 0, NULL, NULL, NULL, NULL)
            == CL_SUCCESS)
        linked = next_layer->clLinkProgram(
                context, count, devices, "", 1, &object, NULL, NULL, &err);
    next_layer->clReleaseProgram(object);
    if (linked == NULL || err == CL_SUCCESS) return linked;
    next_layer->clReleaseProgram(linked);
    return NULL;
}

/* The caller's, and the driver's if it calls back. */
struct calls {
    atomic_uint references;
    atomic_uint count;
};

static void release_calls(struct calls *calls)
{
    if (atomic_fetch_sub(&calls->references, 1) == 1) free(calls);
}

static void CL_CALLBACK count_call(cl_program program, void *user)
{
    struct calls *calls = user;
    (void)program;
    /* It calls back once. */
    if (atomic_fetch_add(&calls->count, 1) == 0) release_calls(calls);
}

/* With a callback of ours in place of the application's. */
static cl_int try_on(cl_program example, struct build_call *call, bool *answers)
{
    cl_int err;
    struct calls *calls = calloc(1, sizeof *calls);
    if (calls == NULL) return CL_OUT_OF_HOST_MEMORY;
    atomic_init(&calls->references, 2);
    err = call->notify != NULL ? compile_in(example, call, count_call, calls)
                               : compile_in(example, call, NULL, call->user);
    /* Of options that are refused something may be left. */
    *answers = err == CL_SUCCESS
               || (err <= CL_INVALID_VALUE && err != CL_INVALID_BUILD_OPTIONS
                       && err != CL_INVALID_COMPILER_OPTIONS);
    if (*answers && call->notify != NULL
            && (err == CL_SUCCESS || atomic_load(&calls->count) > 0))
        call->notify(call->program->handle, call->user);
    /* What is refused without a callback has none later. */
    if (call->notify == NULL
            || (err != CL_SUCCESS && atomic_load(&calls->count) == 0))
        release_calls(calls);
    release_calls(calls);
    return err;
}

bool example_answers(struct build_call *call, cl_int *err)
{
    bool answers = false;
    cl_program example = create_linked(call->build, call->context);
    if (example == NULL) return false;
    *err = try_on(example, call, &answers);
    next_layer->clReleaseProgram(example);
    return answers;
}
