/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/build_headers.h"

#include "layer/driver/next_layer.h"
#include "layer/programs/objects.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct build_headers {
    atomic_uint references;
    size_t count;
    struct include_embedded list[]; /* owned texts; fixed */
};

struct build_headers *build_headers_hold(struct build_headers *headers)
{
    if (headers != NULL) atomic_fetch_add(&headers->references, 1);
    return headers;
}

void build_headers_release(struct build_headers *headers)
{
    if (headers == NULL || atomic_fetch_sub(&headers->references, 1) != 1)
        return;
    for (size_t i = 0; i < headers->count; i++) {
        free((char *)(uintptr_t)headers->list[i].name);
        free((char *)(uintptr_t)headers->list[i].text);
    }
    free(headers);
}

/* A program that was linked, or of which memory ran out, has no source. */
static bool copy_text(
        struct include_embedded *out, cl_context context, cl_program handle)
{
    struct layer_program *program = objects_get_program(handle);
    char *text = NULL;
    if (program == NULL) return false;
    const struct program_input *input = &program->input;
    if (program->context == context && input->source != NULL)
        text = malloc(input->source_size + 1);
    if (text != NULL) {
        memcpy(text, input->source, input->source_size);
        text[input->source_size] = '\0';
        out->size = input->source_size;
    }
    objects_put_program(program);
    out->text = text;
    return text != NULL;
}

static bool copy_header(struct include_embedded *out, cl_context context,
        cl_program program, const char *name)
{
    if (program == NULL || name == NULL || !copy_text(out, context, program))
        return false;
    out->name = strdup(name);
    return out->name != NULL;
}

struct build_headers *build_headers_new(cl_context context, size_t count,
        const cl_program *programs, const char *const *names)
{
    struct build_headers *headers = NULL;
    if (count == 0 || count > include_max_files || programs == NULL
            || names == NULL)
        return NULL;
    headers = calloc(1, sizeof *headers + count * sizeof headers->list[0]);
    if (headers == NULL) return NULL;
    atomic_init(&headers->references, 1);
    headers->count = count;
    for (size_t i = 0; i < count; i++)
        if (!copy_header(&headers->list[i], context, programs[i], names[i])) {
            build_headers_release(headers);
            return NULL;
        }
    return headers;
}

const struct include_embedded *build_headers_list(
        const struct build_headers *headers, size_t *count)
{
    *count = headers != NULL ? headers->count : 0;
    return headers != NULL ? headers->list : NULL;
}

/* False: the driver has no memory. */
static bool create_programs(const struct build_headers *headers,
        cl_context context, cl_program *programs, const char **names)
{
    for (size_t i = 0; i < headers->count; i++) {
        const struct include_embedded *h = &headers->list[i];
        cl_int error;
        names[i] = h->name;
        programs[i] = next_layer->clCreateProgramWithSource(context, 1,
                (const char **)(uintptr_t)&h->text, &h->size, &error);
        if (programs[i] == NULL) return false;
    }
    return true;
}

cl_int build_headers_compile(const struct build_headers *headers,
        cl_context context, cl_program program, cl_uint device_count,
        const cl_device_id *devices, const char *options)
{
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    if (headers == NULL)
        return next_layer->clCompileProgram(program, device_count, devices,
                options, 0, NULL, NULL, NULL, NULL);
    cl_program *programs = calloc(headers->count, sizeof(cl_program));
    const char **names = calloc(headers->count, sizeof *names);
    if (programs != NULL && names != NULL
            && create_programs(headers, context, programs, names))
        error = next_layer->clCompileProgram(program, device_count, devices,
                options, (cl_uint)headers->count, programs, names, NULL, NULL);
    for (size_t i = 0; programs != NULL && i < headers->count; i++)
        if (programs[i] != NULL) next_layer->clReleaseProgram(programs[i]);
    free(programs);
    free(names);
    return error;
}
