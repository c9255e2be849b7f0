/* SPDX-License-Identifier: Apache-2.0 */
/* CL_PROGRAM_BINARY_SIZES and CL_PROGRAM_BINARIES of a loaded program:
 * the very bytes that it was made from, or those of the program compiled. */
#include "layer/calls/calls.h"
#include "layer/compile/compiled_again.h"
#include "layer/driver/next_layer.h"
#include "layer/programs/form.h"
#include "layer/storage/storage.h"

#include "dnnl_cache.h"

#include <stdlib.h>
#include <string.h>

/* The stored binary: a query to the driver may take long and return another
 * one. Malloc'ed; NULL: it is not stored any more. */
static uint8_t *kept_binary(const struct built_device *d)
{
    struct storage_entry entry;
    uint8_t *binary = NULL;
    size_t size = d->binary_size;
    if (!storage_get(&entry, d->id_size, d->id)) return NULL;
    binary = malloc(size);
    if (binary != NULL
            && (dnnl_cache_blob_get_program_binary(
                        entry.size, entry.blob, 0, &size, binary)
                            != dnnl_success
                    || size != d->binary_size)) {
        free(binary);
        binary = NULL;
    }
    storage_release(&entry);
    return binary;
}

/* The driver's, if it is as large. Malloc'ed; NULL: it is not. */
static uint8_t *driver_binary(
        const struct build *build, const struct built_device *d)
{
    const size_t index = (size_t)(d - build->devices);
    size_t sizes[most_devices] = {0};
    unsigned char *binaries[most_devices] = {NULL};
    const size_t count = build->count;
    if (count > most_devices || build->substitute == NULL
            || next_layer->clGetProgramInfo(build->substitute,
                       CL_PROGRAM_BINARY_SIZES, count * sizeof sizes[0], sizes,
                       NULL)
                       != CL_SUCCESS
            || sizes[index] != d->binary_size)
        return NULL;
    binaries[index] = malloc(d->binary_size);
    if (binaries[index] == NULL
            || next_layer->clGetProgramInfo(build->substitute,
                       CL_PROGRAM_BINARIES, count * sizeof binaries[0],
                       binaries, NULL)
                       == CL_SUCCESS)
        return binaries[index];
    free(binaries[index]);
    return NULL;
}

static cl_int copy_binary(const struct build *build,
        const struct built_device *d, unsigned char *to)
{
    uint8_t *binary = kept_binary(d);
    if (binary == NULL) binary = driver_binary(build, d);
    if (binary == NULL) return CL_OUT_OF_HOST_MEMORY;
    memcpy(to, binary, d->binary_size);
    free(binary);
    return CL_SUCCESS;
}

/* Of an entry that has no binary of the driver's: what is handed out must do
 * all that the application may want of it. */
static cl_int answer_compiled(struct layer_program *program,
        struct build *build, cl_program_info what, size_t capacity, void *value,
        size_t *size_ret)
{
    cl_program compiled = compiled_for_questions(program, build);
    return compiled != NULL ? next_layer->clGetProgramInfo(
                   compiled, what, capacity, value, size_ret)
                            : CL_OUT_OF_HOST_MEMORY;
}

cl_int answer_binaries(struct layer_program *program, struct build *build,
        cl_program_info what, size_t capacity, void *value, size_t *size_ret)
{
    const cl_program handle = program->handle;
    cl_device_id devices[most_devices];
    size_t sizes[most_devices] = {0};
    size_t size = 0;
    cl_int err = next_layer->clGetProgramInfo(
            handle, CL_PROGRAM_DEVICES, sizeof devices, devices, &size);
    const size_t count = size / sizeof devices[0];
    if (err != CL_SUCCESS) return err;
    if (form_is_alone(build))
        return answer_compiled(program, build, what, capacity, value, size_ret);
    for (size_t i = 0; i < count; i++) {
        const struct built_device *d = build_device(build, devices[i]);
        if (d != NULL) sizes[i] = d->binary_size;
    }
    if (what == CL_PROGRAM_BINARY_SIZES)
        return answer(
                sizes, count * sizeof sizes[0], capacity, value, size_ret);
    if (value != NULL && capacity < count * sizeof(void *))
        return CL_INVALID_VALUE;
    for (size_t i = 0; value != NULL && i < count && err == CL_SUCCESS; i++) {
        unsigned char *to = ((unsigned char **)value)[i];
        if (to != NULL && sizes[i] > 0)
            err = copy_binary(build, build_device(build, devices[i]), to);
    }
    if (err == CL_SUCCESS && size_ret != NULL)
        *size_ret = count * sizeof(void *);
    return err;
}

/* ---- Of what was compiled ------------------------------------------------ */

bool given_is_there(struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->capture_lock);
    const bool is_there = atomic_load(&build->has_stand_ins);
    pthread_mutex_unlock(&program->capture_lock);
    return is_there;
}

cl_int answer_given(const struct build *build, cl_program_info what,
        size_t capacity, void *value, size_t *size_ret)
{
    unsigned char *to = NULL;
    if (build->given == NULL) return CL_OUT_OF_HOST_MEMORY;
    if (what == CL_PROGRAM_BINARY_SIZES)
        return answer(&build->given_size, sizeof build->given_size, capacity,
                value, size_ret);
    if (value != NULL && capacity < sizeof to) return CL_INVALID_VALUE;
    if (value != NULL) memcpy(&to, value, sizeof to);
    if (to != NULL) memcpy(to, build->given, build->given_size);
    if (size_ret != NULL) *size_ret = sizeof to;
    return CL_SUCCESS;
}
