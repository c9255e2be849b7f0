/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/failed_facts.h"

#include "layer/driver/next_layer.h"
#include "src/drivers/build_marks.h"
#include "tools/common/id/failure_log.h"

#include <stdlib.h>
#include <string.h>

/* The options as the application gave them. */
static void remove_marks(struct failure_answer *answer, char *text)
{
    text[answer->size] = '\0';
    const size_t length = strlen(text);
    build_marks_remove(text);
    if (strlen(text) != length) answer->size = strlen(text) + 1;
}

/* A mark is another one on each machine, and none of the application's. */
static bool has_mark(const char *text)
{
    return strstr(text, "-D__dnnl_cache_") != NULL;
}

/* False: it cannot be kept. */
static bool ask(struct failure_answer *answer, cl_program where,
        cl_device_id device, enum failure_query query)
{
    const cl_program_build_info what = failure_query_name(query);
    size_t size = 0;
    answer->error = next_layer->clGetProgramBuildInfo(
            where, device, what, 0, NULL, &size);
    if (answer->error != CL_SUCCESS) return true;
    char *bytes = calloc(1, size + 1);
    if (bytes == NULL) return false;
    answer->size = size;
    answer->bytes = (const uint8_t *)bytes;
    answer->error = next_layer->clGetProgramBuildInfo(
            where, device, what, size, bytes, NULL);
    if (answer->error != CL_SUCCESS) return false;
    if (query == failure_options) remove_marks(answer, bytes);
    return query != failure_log || !has_mark(bytes);
}

static bool ask_device(
        struct failure_device *out, cl_program where, cl_device_id device)
{
    for (int q = 0; q < failure_query_count; q++)
        if (!ask(&out->answers[q], where, device, (enum failure_query)q))
            return false;
    return true;
}

/* A program that has failed has none, by whatever name. A kernel all the same
 * is CL_SUCCESS, which no record has. */
static cl_int ask_for_kernel(cl_program where)
{
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = next_layer->clCreateKernel(
            where, "dnnl_cache_asks_for_none", &error);
    if (kernel == NULL) return error;
    next_layer->clReleaseKernel(kernel);
    return CL_SUCCESS;
}

bool failed_facts_collect(
        struct failure *f, cl_program where, const struct build *build)
{
    size_t number = 0;
    size_t size = 0;
    cl_uint count = 0;
    bool good = build->count <= failure_most_devices;
    *f = (struct failure){.devices = NULL};
    if (good) f->devices = calloc(build->count, sizeof *f->devices);
    good = f->devices != NULL;
    for (size_t i = 0; good && i < build->count; i++) {
        f->device_count++;
        good = ask_device(&f->devices[i], where, build->devices[i].device);
    }
    if (!good) {
        failed_facts_fini(f);
        return false;
    }
    f->number_error = next_layer->clGetProgramInfo(
            where, CL_PROGRAM_NUM_KERNELS, sizeof number, &number, NULL);
    f->names_error = next_layer->clGetProgramInfo(
            where, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size);
    f->kernel_error = ask_for_kernel(where);
    f->kernels_error =
            next_layer->clCreateKernelsInProgram(where, 0, NULL, &count);
    return true;
}

void failed_facts_fini(struct failure *f)
{
    for (uint32_t i = 0; i < f->device_count; i++)
        for (int q = 0; q < failure_query_count; q++)
            free((uint8_t *)(uintptr_t)f->devices[i].answers[q].bytes);
    failure_fini(f);
}

static bool has_error(const struct failure_device *device)
{
    const struct failure_answer *answer = &device->answers[failure_status];
    cl_build_status status = CL_BUILD_NONE;
    if (answer->error != CL_SUCCESS || answer->size != sizeof status)
        return false;
    memcpy(&status, answer->bytes, sizeof status);
    return status == CL_BUILD_ERROR;
}

static const char *log_of(const struct failure_device *device)
{
    const struct failure_answer *answer = &device->answers[failure_log];
    return answer->error == CL_SUCCESS ? (const char *)answer->bytes : "";
}

bool failed_facts_has_failed(const struct failure *f, size_t device)
{
    const struct failure_device *d = &f->devices[device];
    return has_error(d)
           && failure_log_blames_source(
                   log_of(d), d->answers[failure_log].size);
}

/* PoCL ends with the first device that fails, and then all have failed: it is
 * not known what of the others, which have no log. */
bool failed_facts_blame_source(const struct failure *f)
{
    bool any = false;
    for (uint32_t i = 0; i < f->device_count; i++) {
        const bool has_failed = failed_facts_has_failed(f, i);
        if (!has_failed && has_error(&f->devices[i])
                && log_of(&f->devices[i])[0] != '\0')
            return false;
        any = any || has_failed;
    }
    return any;
}
