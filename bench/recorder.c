/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct recording *active;           /* NULL: nothing is recorded */
static cl_mem buffers[RECIPE_MAX_BUFFERS]; /* made since it started */
static size_t buffer_count;
static unsigned compilations;

void recorder_start(struct recording *recording)
{
    bytes_fini(&recording->binary);
    memset(recording, 0, sizeof *recording);
    buffer_count = 0;
    active = recording;
}

void recorder_stop(void)
{
    active = NULL;
}

void recording_fini(struct recording *recording)
{
    bytes_fini(&recording->binary);
}

unsigned recorder_compilations(void)
{
    return compilations;
}

/* The ICD loader's function of that name, written to *function, a pointer to
 * a function. */
static void next_function(const char *name, void *function)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (symbol == NULL) {
        fprintf(stderr, "the OpenCL library has no %s\n", name);
        abort();
    }
    memcpy(function, &symbol, sizeof symbol);
}

/* ---- What is noted ------------------------------------------------------- */

static void note_text(char *to, size_t capacity, const char *text)
{
    if (strlen(text) >= capacity) {
        active->truncated = true;
        return;
    }
    strcpy(to, text);
}

static void note_source(const char *text, size_t length)
{
    struct recipe *recipe = &active->recipe;
    if (length >= RECIPE_MAX_SOURCE - recipe->source_size) {
        active->truncated = true;
        return;
    }
    memcpy(recipe->source + recipe->source_size, text, length);
    recipe->source_size += length;
}

static void note_argument(cl_uint index, size_t size, const void *value)
{
    struct recipe *recipe = &active->recipe;
    /* Buffers are taken away once the kernel was launched. */
    if (value == NULL && recipe->work_dim > 0) return;
    if (index >= RECIPE_MAX_ARGUMENTS || size > RECIPE_MAX_ARGUMENT
            || value == NULL) {
        active->truncated = true;
        return;
    }
    struct recipe_argument *argument = &recipe->arguments[index];
    argument->kind = argument_value;
    argument->size = size;
    memcpy(argument->value, value, size);
    for (size_t i = 0; i < buffer_count && size == sizeof(cl_mem); i++)
        if (memcmp(value, &buffers[i], size) == 0)
            argument->kind = argument_buffer;
    if (index >= recipe->argument_count) recipe->argument_count = index + 1;
}

static void note_launch(
        cl_uint work_dim, const size_t *global, const size_t *local)
{
    struct recipe *recipe = &active->recipe;
    if (work_dim > 3 || local == NULL) {
        active->truncated = true;
        return;
    }
    recipe->work_dim = work_dim;
    for (cl_uint i = 0; i < work_dim; i++) {
        recipe->global[i] = global[i];
        recipe->local[i] = local[i];
    }
}

/* ---- The functions ------------------------------------------------------- */

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(
        cl_context context, cl_uint count, const char **strings,
        const size_t *lengths, cl_int *error)
{
    static cl_program (*next)(
            cl_context, cl_uint, const char **, const size_t *, cl_int *);
    if (next == NULL) next_function("clCreateProgramWithSource", &next);
    compilations++;
    if (active != NULL) {
        active->recipe.source_size = 0;
        for (cl_uint i = 0; i < count; i++) {
            bool sized = lengths != NULL && lengths[i] != 0;
            note_source(strings[i], sized ? lengths[i] : strlen(strings[i]));
        }
    }
    return next(context, count, strings, lengths, error);
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBinary(
        cl_context context, cl_uint count, const cl_device_id *devices,
        const size_t *lengths, const unsigned char **binaries,
        cl_int *binary_status, cl_int *error)
{
    static cl_program (*next)(cl_context, cl_uint, const cl_device_id *,
            const size_t *, const unsigned char **, cl_int *, cl_int *);
    if (next == NULL) next_function("clCreateProgramWithBinary", &next);
    if (active != NULL && count == 1
            && !bytes_copy(&active->binary, binaries[0], lengths[0]))
        active->truncated = true;
    return next(
            context, count, devices, lengths, binaries, binary_status, error);
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program,
        cl_uint count, const cl_device_id *devices, const char *options,
        void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    static cl_int (*next)(cl_program, cl_uint, const cl_device_id *,
            const char *, void(CL_CALLBACK *)(cl_program, void *), void *);
    if (next == NULL) next_function("clBuildProgram", &next);
    if (active != NULL)
        note_text(active->recipe.options, sizeof active->recipe.options,
                options != NULL ? options : "");
    return next(program, count, devices, options, notify, user);
}

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(
        cl_program program, const char *name, cl_int *error)
{
    static cl_kernel (*next)(cl_program, const char *, cl_int *);
    if (next == NULL) next_function("clCreateKernel", &next);
    if (active != NULL)
        note_text(active->recipe.kernel, sizeof active->recipe.kernel, name);
    return next(program, name, error);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context,
        cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
    static cl_mem (*next)(cl_context, cl_mem_flags, size_t, void *, cl_int *);
    if (next == NULL) next_function("clCreateBuffer", &next);
    cl_mem buffer = next(context, flags, size, host, error);
    if (active != NULL && buffer_count < RECIPE_MAX_BUFFERS)
        buffers[buffer_count++] = buffer;
    return buffer;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(
        cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    static cl_int (*next)(cl_kernel, cl_uint, size_t, const void *);
    if (next == NULL) next_function("clSetKernelArg", &next);
    if (active != NULL) note_argument(index, size, value);
    return next(kernel, index, size, value);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue,
        cl_kernel kernel, cl_uint work_dim, const size_t *offset,
        const size_t *global, const size_t *local, cl_uint event_count,
        const cl_event *events, cl_event *event)
{
    static cl_int (*next)(cl_command_queue, cl_kernel, cl_uint, const size_t *,
            const size_t *, const size_t *, cl_uint, const cl_event *,
            cl_event *);
    if (next == NULL) next_function("clEnqueueNDRangeKernel", &next);
    if (active != NULL) note_launch(work_dim, global, local);
    return next(queue, kernel, work_dim, offset, global, local, event_count,
            events, event);
}
