/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The application's own programs: descriptors and handles.
 */
#include "blob/id.h"
#include "blob/include_scan.h"
#include "common/clock.h"
#include "gpu/blob_match.h"
#include "gpu/cl_status.h"
#include "gpu/output.h"
#include "gpu/program.h"
#include "gpu/program_blob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dnnl_cache_program_desc {
    struct dnnl_engine *engine; /* retained; fixed */
    char **sources;             /* owned; NUL-terminated; fixed */
    size_t *lengths;
    size_t source_count;
    char *options;
    char reason[160];    /* why not cacheable, "" if it is; fixed */
    struct buffer extra; /* ID fields of add_key, until the ID is made */

    struct once identified; /* id is fixed once it is done */
    struct buffer id;       /* empty: not cacheable */
};

struct dnnl_cache_program {
    struct dnnl_engine *engine; /* retained */
    struct program *program;    /* retained */
    dnnl_cache_creation_info_t info;
    char not_cacheable_reason[160];
    char *blob_reason;      /* what info.blob_reason points to, NULL: "" */
    struct buffer own_blob; /* see primitive.h */
};

/* ---- Descriptors --------------------------------------------------------- */

dnnl_status_t dnnl_cache_program_desc_destroy(
        dnnl_cache_program_desc_t program_desc)
{
    struct dnnl_cache_program_desc *d = program_desc;
    if (d == NULL) return dnnl_success;
    for (size_t i = 0; d->sources != NULL && i < d->source_count; i++)
        free(d->sources[i]);
    free(d->sources);
    free(d->lengths);
    free(d->options);
    buffer_fini(&d->extra);
    buffer_fini(&d->id);
    once_fini(&d->identified);
    engine_release(d->engine);
    free(d);
    return dnnl_success;
}

static bool copy_sources(struct dnnl_cache_program_desc *d, size_t count,
        const char *const *sources, const size_t *lengths)
{
    d->sources = calloc(count, sizeof *d->sources);
    d->lengths = calloc(count, sizeof *d->lengths);
    if (d->sources == NULL || d->lengths == NULL) return false;
    d->source_count = count;
    for (size_t i = 0; i < count; i++) {
        size_t length = lengths != NULL && lengths[i] != 0 ? lengths[i]
                                                           : strlen(sources[i]);
        d->sources[i] = malloc(length + 1);
        if (d->sources[i] == NULL) return false;
        memcpy(d->sources[i], sources[i], length);
        d->sources[i][length] = '\0';
        d->lengths[i] = length;
    }
    return true;
}

/* Notes the first thing that keeps the program from having an identity. The
 * sources are scanned as the one text the compiler sees. */
static dnnl_status_t find_includes(struct dnnl_cache_program_desc *d)
{
    struct buffer text = {NULL, 0, 0, false};
    for (size_t i = 0; i < d->source_count; i++)
        buffer_append(&text, d->sources[i], d->lengths[i]);
    dnnl_status_t st = buffer_status(&text);
    struct include_scan scan;
    struct include_directive found;
    include_scan_init(&scan, (const char *)text.data, text.size);
    if (st == dnnl_success && text.size > 0
            && include_scan_next(&scan, &found)) {
        size_t shown = found.name_size < 80 ? found.name_size : 80;
        snprintf(d->reason, sizeof d->reason, "the source includes %.*s",
                (int)shown, found.name);
    } else if (options_include_files(d->options)) {
        snprintf(d->reason, sizeof d->reason,
                "the build options include a file");
    }
    buffer_fini(&text);
    return st;
}

dnnl_status_t dnnl_cache_program_desc_create(
        dnnl_cache_program_desc_t *program_desc, dnnl_engine_t engine,
        size_t nsources, const char *const *sources, const size_t *lengths,
        const char *options)
{
    if (program_desc == NULL || engine == NULL || nsources == 0
            || sources == NULL || engine->kind != dnnl_gpu)
        return dnnl_invalid_arguments;
    for (size_t i = 0; i < nsources; i++)
        if (sources[i] == NULL) return dnnl_invalid_arguments;
    struct dnnl_cache_program_desc *d = calloc(1, sizeof *d);
    if (d == NULL) return dnnl_out_of_memory;
    once_init(&d->identified);
    engine_retain(engine);
    d->engine = engine;
    d->options = strdup(options != NULL ? options : "");
    dnnl_status_t st = dnnl_out_of_memory;
    if (d->options != NULL && copy_sources(d, nsources, sources, lengths))
        st = find_includes(d);
    if (st != dnnl_success) {
        dnnl_cache_program_desc_destroy(d);
        return st;
    }
    *program_desc = d;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_program_desc_add_key(
        dnnl_cache_program_desc_t program_desc, size_t size, const void *key)
{
    struct dnnl_cache_program_desc *d = program_desc;
    if (d == NULL || size == 0 || key == NULL || size > UINT32_MAX
            || once_get_done(&d->identified))
        return dnnl_invalid_arguments;
    struct id_builder field;
    const uint8_t *fields;
    size_t fields_size;
    id_builder_init(&field, blob_kind_program);
    id_put(&field, id_application_key, key, size);
    dnnl_status_t st = id_builder_status(&field);
    if (st == dnnl_success)
        st = id_fields(
                field.bytes.data, field.bytes.size, &fields, &fields_size);
    if (st == dnnl_success) {
        /* Room first: an append that fails would spoil the earlier keys. */
        if (buffer_reserve(&d->extra, fields_size) == NULL) {
            d->extra.failed = false;
            st = dnnl_out_of_memory;
        } else {
            buffer_append(&d->extra, fields, fields_size);
        }
    }
    id_builder_fini(&field);
    return st;
}

static dnnl_status_t identify(struct dnnl_cache_program_desc *d)
{
    const struct device_identity *identity;
    dnnl_status_t st = engine_identity(d->engine, &identity);
    if (st != dnnl_success) return st;
    if (d->reason[0] != '\0') return dnnl_success;
    if (identity->reason[0] != '\0') {
        memcpy(d->reason, identity->reason, sizeof d->reason);
        return dnnl_success;
    }
    return program_id_build(identity, (const char *const *)d->sources,
            d->lengths, d->source_count, d->options, &d->extra, &d->id);
}

/* Makes sure of the ID; a descriptor's constness is about what it describes. */
static dnnl_status_t ensure_id(const struct dnnl_cache_program_desc *desc)
{
    struct dnnl_cache_program_desc *d =
            (struct dnnl_cache_program_desc *)(uintptr_t)desc;
    dnnl_status_t st = dnnl_success;
    switch (once_begin(&d->identified)) {
    case once_is_done:
        break;
    case once_is_ours:
        st = identify(d);
        once_end(&d->identified, st == dnnl_success);
        break;
    case once_is_nested:
        st = dnnl_runtime_error;
        break;
    }
    return st;
}

dnnl_status_t dnnl_cache_program_desc_get_cache_blob_id(
        const_dnnl_cache_program_desc_t program_desc, size_t *size, uint8_t *id)
{
    if (program_desc == NULL || size == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = ensure_id(program_desc);
    if (st != dnnl_success) return st;
    return output_bytes(program_desc->id.data, program_desc->id.size, size, id);
}

/* ---- Programs ------------------------------------------------------------ */

static struct program_recipe recipe_of(const struct dnnl_cache_program_desc *d)
{
    struct program_recipe recipe = {.engine = d->engine,
            .sources = (const char *const *)d->sources,
            .lengths = d->lengths,
            .source_count = d->source_count,
            .options = d->options,
            .id = d->id.data,
            .id_size = d->id.size};
    return recipe;
}

/* Takes program over, also on failure. */
static dnnl_status_t make_handle(const struct dnnl_cache_program_desc *desc,
        struct program *program, const struct program_trace *trace,
        uint64_t start, struct dnnl_cache_program **out)
{
    struct dnnl_cache_program *p = calloc(1, sizeof *p);
    dnnl_status_t st = p != NULL ? program_trace_info(
                               trace, start, &p->info, &p->blob_reason)
                                 : dnnl_out_of_memory;
    if (st != dnnl_success) {
        free(p);
        program_release(program);
        return st;
    }
    engine_retain(desc->engine);
    p->engine = desc->engine;
    p->program = program;
    memcpy(p->not_cacheable_reason, desc->reason,
            sizeof p->not_cacheable_reason);
    p->info.not_cacheable_reason = p->not_cacheable_reason;
    *out = p;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_program_create(dnnl_cache_program_t *program,
        const_dnnl_cache_program_desc_t program_desc)
{
    if (program == NULL || program_desc == NULL) return dnnl_invalid_arguments;
    uint64_t start = clock_ns();
    dnnl_status_t st = ensure_id(program_desc);
    if (st != dnnl_success) return st;
    struct program_recipe recipe = recipe_of(program_desc);
    struct program_trace trace;
    struct program *made;
    st = program_acquire(&recipe, &made, &trace);
    if (st != dnnl_success) return st;
    return make_handle(program_desc, made, &trace, start, program);
}

dnnl_status_t dnnl_cache_program_create_from_cache_blob(
        dnnl_cache_program_t *program,
        const_dnnl_cache_program_desc_t program_desc, size_t size,
        const uint8_t *cache_blob)
{
    if (program == NULL || program_desc == NULL || size == 0
            || cache_blob == NULL)
        return dnnl_invalid_arguments;
    uint64_t start = clock_ns();
    struct blob_view view;
    dnnl_status_t st = ensure_id(program_desc);
    if (st == dnnl_success)
        st = blob_verify(cache_blob, size, blob_kind_program, &view, NULL);
    if (st == dnnl_success)
        st = blob_match_id(
                &view, program_desc->id.data, program_desc->id.size, NULL);
    if (st != dnnl_success) return st;

    struct program_recipe recipe = recipe_of(program_desc);
    struct program_trace trace;
    struct program *made;
    st = program_acquire_from_blob(&recipe, &view, 0, &made, &trace);
    if (is_blobs_fault(st)) blob_reject(st, "its program cannot be used", NULL);
    if (st != dnnl_success) return st;
    struct dnnl_cache_program *p;
    st = make_handle(program_desc, made, &trace, start, &p);
    if (st != dnnl_success) return st;
    p->info.blob_bytes = size;
    if (trace.origin == dnnl_cache_origin_memory_hit
            && !program_matches_record(made, &view, 0)) {
        buffer_append(&p->own_blob, cache_blob, size);
        st = buffer_status(&p->own_blob);
    }
    if (st != dnnl_success) {
        dnnl_cache_program_destroy(p);
        return st;
    }
    *program = p;
    return dnnl_success;
}

/* Checks that the application's program is one of the engine's context and
 * device that has been built. */
static dnnl_status_t check_adoptable(struct dnnl_engine *engine, cl_program cl)
{
    cl_context context;
    cl_build_status built = CL_BUILD_NONE;
    dnnl_status_t st = cl_object_status(clGetProgramInfo(cl, CL_PROGRAM_CONTEXT,
                                                sizeof context, &context, NULL),
            "clGetProgramInfo(CL_PROGRAM_CONTEXT)");
    if (st != dnnl_success) return st;
    if (context != engine->context) return dnnl_invalid_arguments;
    st = cl_object_status(
            clGetProgramBuildInfo(cl, engine->device, CL_PROGRAM_BUILD_STATUS,
                    sizeof built, &built, NULL),
            "clGetProgramBuildInfo(CL_PROGRAM_BUILD_STATUS)");
    if (st != dnnl_success) return st;
    return built == CL_BUILD_SUCCESS ? dnnl_success : dnnl_invalid_arguments;
}

dnnl_status_t dnnl_cache_program_adopt(dnnl_cache_program_t *program,
        const_dnnl_cache_program_desc_t program_desc, cl_program cl_program)
{
    if (program == NULL || program_desc == NULL || cl_program == NULL)
        return dnnl_invalid_arguments;
    uint64_t start = clock_ns();
    dnnl_status_t st = check_adoptable(program_desc->engine, cl_program);
    if (st == dnnl_success) st = ensure_id(program_desc);
    if (st != dnnl_success) return st;
    struct program_recipe recipe = recipe_of(program_desc);
    struct program_trace trace = {.origin = dnnl_cache_origin_adopted};
    struct program *made;
    st = program_adopt(&recipe, cl_program, &made);
    if (st != dnnl_success) return st;
    return make_handle(program_desc, made, &trace, start, program);
}

dnnl_status_t dnnl_cache_program_destroy(dnnl_cache_program_t program)
{
    if (program == NULL) return dnnl_success;
    program_release(program->program);
    engine_release(program->engine);
    buffer_fini(&program->own_blob);
    free(program->blob_reason);
    free(program);
    return dnnl_success;
}

/* ---- What they offer ----------------------------------------------------- */

dnnl_status_t dnnl_cache_program_capture(dnnl_cache_program_t program)
{
    if (program == NULL) return dnnl_invalid_arguments;
    if (program->program->id.size == 0) return dnnl_unimplemented;
    return program_capture(program->program);
}

dnnl_status_t dnnl_cache_program_get_cache_blob(
        const_dnnl_cache_program_t program, size_t *size, uint8_t *cache_blob)
{
    if (program == NULL || size == NULL) return dnnl_invalid_arguments;
    if (program->own_blob.size > 0)
        return output_bytes(program->own_blob.data, program->own_blob.size,
                size, cache_blob);
    if (program->program->id.size == 0) {
        *size = 0;
        return dnnl_success;
    }
    return program_write_blob(program->program, size, cache_blob);
}

dnnl_status_t dnnl_cache_program_get_cl_program(
        const_dnnl_cache_program_t program, cl_program *cl_program)
{
    if (program == NULL || cl_program == NULL) return dnnl_invalid_arguments;
    *cl_program = program->program->cl;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_program_get_kernel(
        const_dnnl_cache_program_t program, const char *name, cl_kernel *kernel)
{
    if (program == NULL || name == NULL || kernel == NULL)
        return dnnl_invalid_arguments;
    cl_int error;
    cl_kernel made = clCreateKernel(program->program->cl, name, &error);
    if (error == CL_INVALID_KERNEL_NAME) return dnnl_invalid_arguments;
    dnnl_status_t st = cl_status(error, "clCreateKernel");
    if (st == dnnl_success) *kernel = made;
    return st;
}

dnnl_status_t dnnl_cache_program_get_build_log(
        const_dnnl_cache_program_t program, size_t *size, char *log)
{
    if (program == NULL || size == NULL) return dnnl_invalid_arguments;
    struct buffer text = {NULL, 0, 0, false};
    dnnl_status_t st = program_build_log(program->program, &text);
    if (st == dnnl_success) st = output_bytes(text.data, text.size, size, log);
    buffer_fini(&text);
    return st;
}

dnnl_status_t dnnl_cache_program_get_creation_info(
        const_dnnl_cache_program_t program, dnnl_cache_creation_info_t *info)
{
    if (program == NULL || info == NULL) return dnnl_invalid_arguments;
    dnnl_cache_creation_info_t now = program->info;
    if (once_get_done(&program->program->captured))
        now.binary_bytes = program->program->raw_size;
    return creation_info_copy(&now, info);
}
