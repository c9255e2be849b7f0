/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_build.h"

#include "dnnl_cache/sys/layer.h"

#include <stdlib.h>
#include <string.h>

/* A length of 0 means a string that ends with NUL, and that is what an empty
 * one has here. */
dnnl_status_t refresh_build_describe(dnnl_cache_program_desc_t *desc,
        dnnl_engine_t engine, const dnnl_cache_note_t *note)
{
    return dnnl_cache_program_desc_create(desc, engine, note->source_count,
            note->sources, note->source_sizes, note->options);
}

dnnl_status_t refresh_build_describe_all(dnnl_cache_program_desc_t *desc,
        dnnl_engine_t engine, const dnnl_cache_note_t *note)
{
    *desc = NULL;
    dnnl_status_t st =
            note->il != NULL ? dnnl_cache_program_desc_create_with_il(
                    desc, engine, note->il_size, note->il, note->options)
                             : refresh_build_describe(desc, engine, note);
    if (st == dnnl_success && note->origin == dnnl_cache_note_primitive)
        st = dnnl_cache_program_desc_set_primitive(*desc);
    for (size_t i = 0; st == dnnl_success && i < note->header_count; i++)
        st = dnnl_cache_program_desc_add_header(*desc, note->headers[i].name,
                note->headers[i].size, note->headers[i].text);
    for (size_t i = 0; st == dnnl_success && i < note->constant_count; i++)
        st = dnnl_cache_program_desc_set_spec_constant(*desc,
                note->constants[i].id, note->constants[i].size,
                note->constants[i].value);
    return st;
}

const dnnl_cache_note_t *refresh_build_find(
        const struct dnnl_cache_store_journal_list *list, size_t id_size,
        const uint8_t *id)
{
    for (size_t i = 0; i < list->count; i++) {
        const dnnl_cache_note_t *note = list->items[i]->note;
        if (note->kind == dnnl_cache_note_build && note->id_size == id_size
                && memcmp(note->id, id, id_size) == 0)
            return note;
    }
    return NULL;
}

static cl_program create_of_source(
        const struct refresh_device *device, const dnnl_cache_note_t *note)
{
    cl_int error;
    const char **sources = calloc(note->source_count, sizeof *sources);
    if (sources == NULL) return NULL;
    memcpy(sources, note->sources, note->source_count * sizeof *sources);
    cl_program program = clCreateProgramWithSource(device->context,
            (cl_uint)note->source_count, sources, note->source_sizes, &error);
    free(sources);
    return error == CL_SUCCESS ? program : NULL;
}

static cl_program create_of_il(
        const struct refresh_device *device, const dnnl_cache_note_t *note)
{
    cl_int error;
    cl_program program = clCreateProgramWithIL(
            device->context, note->il, note->il_size, &error);
    if (error != CL_SUCCESS) return NULL;
    for (size_t i = 0; i < note->constant_count; i++)
        if (clSetProgramSpecializationConstant(program, note->constants[i].id,
                    note->constants[i].size, note->constants[i].value)
                != CL_SUCCESS) {
            clReleaseProgram(program);
            return NULL;
        }
    return program;
}

static cl_program create_of_header(const struct refresh_device *device,
        const dnnl_cache_note_header_t *header)
{
    cl_int error;
    const char *text = header->text;
    cl_program program = clCreateProgramWithSource(
            device->context, 1, &text, &header->size, &error);
    return error == CL_SUCCESS ? program : NULL;
}

/* With the headers that are programs, in their order. */
static cl_int compile_object(const struct refresh_device *device,
        cl_program program, const dnnl_cache_note_t *note)
{
    const size_t count = note->header_program_count;
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    size_t made = 0;
    if (count == 0)
        return clCompileProgram(program, 1, &device->id, note->options, 0, NULL,
                NULL, NULL, NULL);
    cl_program *programs = calloc(count, sizeof(cl_program));
    const char **names = calloc(count, sizeof *names);
    while (programs != NULL && names != NULL && made < count) {
        names[made] = note->header_programs[made].name;
        programs[made] = create_of_header(device, &note->header_programs[made]);
        if (programs[made] == NULL) break;
        made++;
    }
    if (made == count)
        error = clCompileProgram(program, 1, &device->id, note->options,
                (cl_uint)count, programs, names, NULL, NULL);
    for (size_t i = 0; i < made; i++)
        clReleaseProgram(programs[i]);
    free(programs);
    free(names);
    return error;
}

static cl_program create_and_build(
        const struct refresh_device *device, const dnnl_cache_note_t *note)
{
    cl_program program = note->il != NULL ? create_of_il(device, note)
                                          : create_of_source(device, note);
    if (program == NULL) return NULL;
    const cl_int error = note->type == dnnl_cache_note_executable
                                 ? clBuildProgram(program, 1, &device->id,
                                         note->options, NULL, NULL)
                                 : compile_object(device, program, note);
    if (error == CL_SUCCESS) return program;
    clReleaseProgram(program);
    return NULL;
}

bool refresh_options_init(struct refresh_options *options, size_t count)
{
    *options = (struct refresh_options){count, calloc(count, sizeof(char *))};
    if (options->list == NULL) options->count = 0;
    return options->list != NULL;
}

void refresh_options_fini(struct refresh_options *options)
{
    for (size_t i = 0; i < options->count; i++)
        free(options->list[i]);
    free(options->list);
    *options = (struct refresh_options){0};
}

/* One of the programs that options are of. */
static cl_program build_part(const struct refresh_device *device,
        const dnnl_cache_note_t *note, const struct refresh_options *options,
        size_t index)
{
    dnnl_cache_note_t part = *note;
    if (index < options->count && options->list[index] != NULL)
        part.options = options->list[index];
    return create_and_build(device, &part);
}

/* The inputs are programs of sources: whoever made the list has seen to that.
 */
static cl_program link(const struct refresh_device *device,
        const struct dnnl_cache_store_journal_list *list,
        const dnnl_cache_note_t *note, const struct refresh_options *options)
{
    cl_int error = CL_SUCCESS;
    cl_program linked = NULL;
    size_t count = 0;
    cl_program *inputs = calloc(note->input_count, sizeof(cl_program));
    if (inputs == NULL) return NULL;
    while (count < note->input_count) {
        const dnnl_cache_note_t *input = refresh_build_find(
                list, note->input_id_sizes[count], note->input_ids[count]);
        inputs[count] = input != NULL && input->type == dnnl_cache_note_object
                                ? build_part(device, input, options, count + 1)
                                : NULL;
        if (inputs[count] == NULL) break;
        count++;
    }
    if (count == note->input_count)
        linked = clLinkProgram(device->context, 1, &device->id, note->options,
                (cl_uint)count, inputs, NULL, NULL, &error);
    for (size_t i = 0; i < count; i++)
        clReleaseProgram(inputs[i]);
    free(inputs);
    if (linked != NULL && error != CL_SUCCESS) {
        clReleaseProgram(linked);
        linked = NULL;
    }
    return linked;
}

cl_program refresh_build_replay(const struct refresh_device *device,
        const struct dnnl_cache_store_journal_list *list,
        const dnnl_cache_note_t *note, const struct refresh_options *options)
{
    return note->type == dnnl_cache_note_linked
                   ? link(device, list, note, options)
                   : build_part(device, note, options, 0);
}
