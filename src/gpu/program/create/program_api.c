/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The application's own programs: handles.
 */
#include "src/gpu/program/create/program_api.h"

#include "dnnl_cache/sys/inside.h"
#include "dnnl_cache/sys/layer.h"
#include "src/blob/included.h"
#include "src/gpu/device/cl_status.h"
#include "src/gpu/device/environment.h"
#include "src/gpu/engine/output.h"
#include "src/gpu/program/create/creation.h"
#include "src/gpu/program/create/exit_capture.h"
#include "src/gpu/program/create/kernel_cache.h"
#include "src/gpu/program/create/program_load.h"
#include "src/gpu/program/object/program_report.h"
#include "src/platform/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dnnl_cache_program {
    struct dnnl_engine *engine; /* retained */
    struct program *program;    /* retained */
    struct creation creation;
    char not_cacheable_reason[160];
};

/* ---- Creation ------------------------------------------------------------ */

/* Takes program over, also on failure. doubt: why it has no ID, if it is not
 * the descriptor that says so. */
static dnnl_status_t make_handle(const struct dnnl_cache_program_desc *desc,
        struct program *program, const char *doubt,
        const struct program_trace *trace, uint64_t start,
        struct dnnl_cache_program **out)
{
    struct dnnl_cache_program *p = calloc(1, sizeof *p);
    dnnl_status_t st = p != NULL ? creation_init(&p->creation, trace, start)
                                 : dnnl_out_of_memory;
    if (st != dnnl_success) {
        free(p);
        program_release(program);
        return st;
    }
    engine_retain(desc->engine);
    p->engine = desc->engine;
    p->program = program;
    atomic_fetch_add(&program->handles, 1);
    snprintf(p->not_cacheable_reason, sizeof p->not_cacheable_reason, "%s",
            program->id.size > 0 ? ""
            : doubt != NULL      ? doubt
                                 : program_desc_doubt(desc));
    p->creation.info.not_cacheable_reason = p->not_cacheable_reason;
    *out = p;
    return dnnl_success;
}

dnnl_status_t program_make(
        const struct dnnl_cache_program_desc *desc, struct program_made *made)
{
    *made = (struct program_made){.trace = {.origin = dnnl_cache_origin_none},
            .start_ns = clock_ns()};
    dnnl_status_t st = program_desc_identify(desc);
    if (st != dnnl_success) return st;
    struct program_text text;
    struct program_recipe recipe = program_desc_recipe(desc, &text);
    st = program_acquire(&recipe, &made->program, &made->trace, &made->note);
    if (st == dnnl_cache_blob_stale) {
        made->doubt = PROGRAM_INCLUDES_CHANGED;
        program_desc_drop_id(&recipe, &text, made->doubt);
        st = program_acquire(
                &recipe, &made->program, &made->trace, &made->note);
    }
    if (program_report_is_on())
        program_report_creation(&recipe, st, &made->trace,
                recipe.key->bytes.size == 0 ? program_desc_doubt(desc) : "",
                clock_ns() - made->start_ns);
    if (st != dnnl_success)
        program_desc_note_refusal(desc, shared_text_retain(made->note));
    return st;
}

void program_made_fini(struct program_made *made)
{
    program_release(made->program);
    shared_text_release(made->note);
}

dnnl_status_t program_made_handle(const struct program_made *made,
        uint64_t end_ns, const struct dnnl_cache_program_desc *desc,
        struct dnnl_cache_program **out)
{
    program_retain(made->program);
    return make_handle(desc, made->program, made->doubt, &made->trace,
            clock_ns() - (end_ns - made->start_ns), out);
}

dnnl_status_t dnnl_cache_program_create(dnnl_cache_program_t *program,
        const_dnnl_cache_program_desc_t program_desc)
{
    struct program_made made;
    if (program == NULL || program_desc == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = program_make(program_desc, &made);
    if (st == dnnl_success)
        return make_handle(program_desc, made.program, made.doubt, &made.trace,
                made.start_ns, program);
    program_made_fini(&made);
    return st;
}

dnnl_status_t dnnl_cache_program_create_from_cache_blob(
        dnnl_cache_program_t *program,
        const_dnnl_cache_program_desc_t program_desc, size_t size,
        const uint8_t *cache_blob)
{
    if (program == NULL || program_desc == NULL || size == 0
            || cache_blob == NULL)
        return dnnl_invalid_arguments;
    const uint64_t start = clock_ns();
    struct program_blob blob;
    struct program_text text;
    struct program_recipe recipe;
    struct program_trace trace;
    struct program *made;
    struct dnnl_cache_program *p = NULL;
    dnnl_status_t st = program_desc_identify(program_desc);
    if (st == dnnl_success) {
        recipe = program_desc_recipe(program_desc, &text);
        recipe.blob = &blob;
        const struct program_id id = program_key_id(recipe.key);
        st = program_blob_open(&blob, cache_blob, size, &id, NULL);
    }
    if (st == dnnl_success) {
        st = program_acquire(&recipe, &made, &trace, NULL);
        if (is_blobs_fault(st))
            blob_reject(st, "its program cannot be used", NULL);
    }
    if (st == dnnl_success)
        st = make_handle(program_desc, made, NULL, &trace, start, &p);
    if (st == dnnl_success)
        st = creation_keep_blob(&p->creation, p->program, &blob);
    if (st == dnnl_success) {
        *program = p;
    } else {
        dnnl_cache_program_destroy(p);
        program_desc_note_refusal(program_desc, NULL);
    }
    return st;
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
    if (st == dnnl_success) st = program_desc_identify(program_desc);
    if (st != dnnl_success) return st;
    struct program_text text;
    struct program_recipe recipe = program_desc_recipe(program_desc, &text);
    struct program_trace trace = {.origin = dnnl_cache_origin_adopted};
    struct program *made;
    const char *doubt = NULL;
    if (text.includes != NULL && text.includes->count > 0) {
        doubt = "the application built it, and it includes files";
        program_desc_drop_id(&recipe, &text, doubt);
    }
    st = program_adopt(&recipe, cl_program, &made);
    if (st != dnnl_success) return st;
    return make_handle(program_desc, made, doubt, &trace, start, program);
}

dnnl_status_t dnnl_cache_program_destroy(dnnl_cache_program_t program)
{
    if (program == NULL) return dnnl_success;
    if (atomic_fetch_sub(&program->program->handles, 1) == 1)
        exit_capture_left(program->program);
    program_release(program->program);
    engine_release(program->engine);
    creation_fini(&program->creation);
    free(program);
    return dnnl_success;
}

/* ---- What they offer ----------------------------------------------------- */

dnnl_status_t dnnl_cache_program_capture(dnnl_cache_program_t program)
{
    if (program == NULL) return dnnl_invalid_arguments;
    if (program->program->id.size == 0) return dnnl_unimplemented;
    return program_close(program->program);
}

dnnl_status_t dnnl_cache_program_capture_launched(dnnl_cache_program_t program)
{
    if (program == NULL) return dnnl_invalid_arguments;
    if (program->program->id.size == 0) return dnnl_unimplemented;
    program_note_launched(program->program);
    return program_close(program->program);
}

dnnl_status_t dnnl_cache_program_read_binary(dnnl_cache_program_t program)
{
    if (program == NULL) return dnnl_invalid_arguments;
    if (program->program->id.size == 0) return dnnl_unimplemented;
    return program_read_ahead(program->program);
}

dnnl_status_t dnnl_cache_program_add_launch_code(dnnl_cache_program_t program,
        const char *folder, const char *kernel, const char *launch_class,
        size_t size, const uint8_t *code)
{
    if (program == NULL || folder == NULL || kernel == NULL
            || launch_class == NULL || size == 0 || code == NULL)
        return dnnl_invalid_arguments;
    const struct pocl_code added = {.folder = folder,
            .kernel = kernel,
            .launch_class = launch_class,
            .data = code,
            .size = size};
    return program_add_ahead(program->program, &added);
}

dnnl_status_t dnnl_cache_program_set_finalised(
        dnnl_cache_program_t program, int finalised)
{
    enum { most = 2 };
    if (program == NULL || finalised < 0 || finalised > most)
        return dnnl_invalid_arguments;
    atomic_store(&program->program->form_wish, finalised);
    return dnnl_success;
}

void dnnl_cache_program_set_included(dnnl_cache_program_t program, size_t count,
        const char *const *names, const uint8_t *const *digests)
{
    struct buffer included = {NULL, 0, 0, false};
    if (program == NULL || names == NULL || digests == NULL) return;
    for (size_t i = 0; i < count; i++)
        (void)included_append(&included, names[i], digests[i]);
    program_set_included(program->program, &included);
}

dnnl_status_t dnnl_cache_program_set_user_data(
        dnnl_cache_program_t program, size_t size, const void *data)
{
    if (program == NULL || (data == NULL && size > 0)
            || size > DNNL_CACHE_MAX_USER_DATA_SIZE
            || program->creation.own_blob.size > 0)
        return dnnl_invalid_arguments;
    if (program->program->id.size == 0) return dnnl_unimplemented;
    return program_set_user_data(program->program, data, size);
}

dnnl_status_t dnnl_cache_program_get_user_data(
        const_dnnl_cache_program_t program, size_t *size, void *data)
{
    struct blob_view view;
    if (program == NULL || size == NULL) return dnnl_invalid_arguments;
    if (program->creation.own_blob.size == 0)
        return program_get_user_data(program->program, size, data);
    dnnl_status_t st = blob_read(&view, program->creation.own_blob.data,
            program->creation.own_blob.size, NULL);
    if (st != dnnl_success) return dnnl_runtime_error; /* it was verified */
    return output_bytes(view.user_data, view.user_data_size, size, data);
}

dnnl_status_t dnnl_cache_program_get_cache_blob(
        const_dnnl_cache_program_t program, size_t *size, uint8_t *cache_blob)
{
    if (program == NULL || size == NULL) return dnnl_invalid_arguments;
    if (program->program->id.size == 0 || environment_changed() != NULL) {
        *size = 0;
        return dnnl_success;
    }
    if (program->creation.own_blob.size > 0)
        return output_bytes(program->creation.own_blob.data,
                program->creation.own_blob.size, size, cache_blob);
    return program_write_blob(program->program, size, cache_blob);
}

dnnl_status_t dnnl_cache_program_get_cl_program(
        const_dnnl_cache_program_t program, cl_program *cl_program)
{
    if (program == NULL || cl_program == NULL) return dnnl_invalid_arguments;
    *cl_program = program->program->cl;
    atomic_store(&program->program->use.is_foreign, true);
    return dnnl_success;
}

dnnl_status_t dnnl_cache_program_get_kernel(
        const_dnnl_cache_program_t program, const char *name, cl_kernel *kernel)
{
    if (program == NULL || name == NULL || kernel == NULL)
        return dnnl_invalid_arguments;
    cl_int error;
    cl_kernel made = clCreateKernel(program->program->cl, name, &error);
    if (error == CL_INVALID_KERNEL_NAME) return kernel_not_there(name);
    dnnl_status_t st = cl_status(error, "clCreateKernel");
    if (st == dnnl_success) {
        program_use_kernel(&program->program->use, name);
        *kernel = made;
    }
    return st;
}

dnnl_status_t dnnl_cache_program_note_launch(const_dnnl_cache_program_t program,
        const char *kernel_name, cl_uint work_dim, const size_t *global_offset,
        const size_t *global_size, const size_t *local_size)
{
    const struct launch launch = {
            work_dim, global_offset, global_size, local_size};
    struct launch_class class;
    if (program == NULL || kernel_name == NULL || kernel_name[0] == '\0'
            || !launch_class_of(&class, &launch))
        return dnnl_invalid_arguments;
    if (!program_may_have_kernel(program->program, kernel_name))
        return kernel_not_there(kernel_name);
    return program_use_launch(
            &program->program->use, kernel_name, &class, work_dim);
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

dnnl_status_t dnnl_cache_program_is_cacheable(
        const_dnnl_cache_program_t program, int *cacheable, const char **reason)
{
    if (program == NULL || cacheable == NULL) return dnnl_invalid_arguments;
    const char *why = program->not_cacheable_reason;
    if (program->program->id.size > 0
            && program->creation.info.origin == dnnl_cache_origin_adopted)
        why = "the application built it";
    if (why[0] == '\0') why = environment_doubt();
    *cacheable = why[0] == '\0';
    if (reason != NULL) *reason = why;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_kernel_create_from_program(dnnl_cache_kernel_t *kernel,
        const_dnnl_cache_program_t program, const char *name)
{
    struct kernel *found;
    if (kernel == NULL || program == NULL || name == NULL)
        return dnnl_invalid_arguments;
    dnnl_status_t st = kernel_acquire(
            program->engine, program->program, name, NULL, &found);
    if (st == dnnl_cache_blob_stale) return kernel_not_there(name);
    if (st != dnnl_success) return st;
    return kernel_handle_create(found, kernel);
}

dnnl_status_t dnnl_cache_program_get_creation_info(
        const_dnnl_cache_program_t program, dnnl_cache_creation_info_t *info)
{
    if (program == NULL || info == NULL) return dnnl_invalid_arguments;
    const dnnl_cache_creation_info_t now =
            creation_info(&program->creation, program->program);
    return creation_info_copy(&now, info);
}
