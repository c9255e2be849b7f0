/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/object/finalised_form.h"

#include "src/common/hash.h"
#include "src/common/log.h"
#include "src/gpu/engine/statistics.h"
#include "src/platform/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What was refused ---------------------------------------------------- */

enum { REMEMBERED = 256 };
static atomic_uint_least64_t refused[REMEMBERED]; /* 0: free */

static uint64_t hash_of(const uint8_t *form, size_t size)
{
    const uint64_t hash = hash64(form, size);
    return hash != 0 ? hash : 1;
}

void finalised_form_note_refused(const uint8_t *form, size_t size)
{
    const uint64_t hash = hash_of(form, size);
    statistics_add(&statistics.finalised_refused, 1);
    /* One that has its place already gives it up. */
    atomic_store(&refused[hash % REMEMBERED], hash);
}

static bool was_refused(const uint8_t *form, size_t size)
{
    const uint64_t hash = hash_of(form, size);
    return atomic_load(&refused[hash % REMEMBERED]) == hash;
}

bool finalised_form_is_usable(cl_device_id device,
        const struct blob_program *record, const uint8_t *form, size_t size,
        const char *kernels, uint32_t kernel_count, bool has_known_launches,
        struct blob_reason *reason)
{
    const struct finaliser *finaliser = finaliser_of(device);
    if (finaliser == NULL || strlen(finaliser->name) != record->finaliser_size
            || memcmp(finaliser->name, record->finaliser,
                       record->finaliser_size)
                       != 0) {
        snprintf(reason->text, sizeof reason->text,
                "made by '%.*s', which this driver does not have",
                (int)record->finaliser_size, record->finaliser);
        return false;
    }
    if (was_refused(form, size)) {
        snprintf(reason->text, sizeof reason->text,
                "refused by the driver before");
        return false;
    }
    return finaliser->check(device, form, size, kernels, kernel_count,
            has_known_launches, reason);
}

/* ---- Making it ----------------------------------------------------------- */

void finalised_form_fini(struct finalised_form *form)
{
    buffer_fini(&form->binary);
    *form = (struct finalised_form){.finaliser = ""};
}

static bool read_kernel(cl_program cl, cl_device_id device, const char *name,
        struct finalised_kernel *facts)
{
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(cl, name, &error);
    if (kernel == NULL) return false;
    memset(facts, 0, sizeof *facts);
    error = clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof facts->arguments,
            &facts->arguments, NULL);
    if (error == CL_SUCCESS)
        error = clGetKernelWorkGroupInfo(kernel, device,
                CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof facts->group,
                facts->group, NULL);
    clReleaseKernel(kernel);
    return error == CL_SUCCESS;
}

dnnl_status_t finalised_form_read_kernels(cl_program cl, cl_device_id device,
        const char *names, uint32_t count, struct finalised_kernel **out)
{
    struct finalised_kernel *kernels = calloc((size_t)count + 1, sizeof **out);
    if (kernels == NULL) return dnnl_out_of_memory;
    uint32_t i = 0;
    for (; i < count && read_kernel(cl, device, names, &kernels[i]); i++)
        names += strlen(names) + 1;
    if (i < count) {
        free(kernels);
        kernels = NULL;
    }
    *out = kernels;
    return dnnl_success;
}

static bool has_same_kernels(cl_program loaded,
        const struct finaliser_source *source,
        const struct finalised_kernel *kernels, struct blob_reason *reason)
{
    const char *name = source->kernels;
    for (uint32_t i = 0; i < source->kernel_count; i++) {
        struct finalised_kernel theirs;
        if (kernels == NULL
                || !read_kernel(loaded, source->device, name, &theirs)
                || kernels[i].arguments != theirs.arguments
                || memcmp(kernels[i].group, theirs.group, sizeof theirs.group)
                           != 0) {
            snprintf(reason->text, sizeof reason->text,
                    "its kernel '%.60s' is not the program's", name);
            return false;
        }
        name += strlen(name) + 1;
    }
    return true;
}

/* Loads the form once, and compares its kernels with the program's. */
static bool is_the_program(const struct finaliser_source *source,
        const struct finalised_kernel *kernels, const struct buffer *form,
        struct blob_reason *reason)
{
    const unsigned char *bytes = form->data;
    const size_t size = form->size;
    cl_int error = CL_SUCCESS;
    cl_program loaded = clCreateProgramWithBinary(
            source->context, 1, &source->device, &size, &bytes, NULL, &error);
    if (loaded != NULL && error == CL_SUCCESS)
        error = clBuildProgram(
                loaded, 1, &source->device, source->options, NULL, NULL);
    bool is_same = false;
    if (loaded == NULL || error != CL_SUCCESS)
        snprintf(reason->text, sizeof reason->text,
                "the driver refuses it: error %d", (int)error);
    else
        is_same = has_same_kernels(loaded, source, kernels, reason);
    if (loaded != NULL) clReleaseProgram(loaded);
    return is_same;
}

dnnl_status_t finalised_form_make(const struct finaliser_source *source,
        const struct finalised_kernel *kernels, struct finalised_form *form)
{
    const struct finaliser *finaliser = finaliser_of(source->device);
    struct blob_reason reason = {""};
    const uint64_t start = clock_ns();
    if (finaliser == NULL) return dnnl_success;
    buffer_init(&form->binary);
    dnnl_status_t st = finaliser->finalise(source, &form->binary, &reason);
    if (st == dnnl_success) st = buffer_status(&form->binary);
    /* What replaces the binary is the finaliser's to be sure of. */
    if (st == dnnl_success && !finaliser->replaces
            && !is_the_program(source, kernels, &form->binary, &reason))
        st = dnnl_unimplemented;
    if (st != dnnl_success) {
        finalised_form_fini(form);
        if (st == dnnl_out_of_memory) return st;
        log_message(dnnl_cache_log_info, "finalise", "left as it is: %s",
                reason.text);
        return dnnl_success;
    }
    snprintf(form->finaliser, sizeof form->finaliser, "%s", finaliser->name);
    form->replaces = finaliser->replaces;
    statistics_add(&statistics.finalised_made, 1);
    log_message(dnnl_cache_log_info, "finalise",
            "%s: %zu bytes of %zu, in %llu us", finaliser->name,
            form->binary.size, source->size,
            (unsigned long long)((clock_ns() - start) / 1000));
    return dnnl_success;
}
