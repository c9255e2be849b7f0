/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/create/program_load.h"

#include "dnnl_cache/sys/layer.h"
#include "src/blob/codec.h"
#include "src/common/log.h"
#include "src/gpu/device/cl_status.h"
#include "src/gpu/device/device.h"
#include "src/gpu/engine/statistics.h"
#include "src/gpu/program/describe/program_binary.h"
#include "src/gpu/program/object/finalised_form.h"
#include "src/platform/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool program_blob_is_of(
        const struct program_blob *blob, const struct program_id *id)
{
    return blob->program.id_size == id->size
           && memcmp(blob->program.id, id->data, id->size) == 0;
}

dnnl_status_t program_blob_open(struct program_blob *blob, const uint8_t *data,
        size_t size, const struct program_id *id, struct blob_reason *reason)
{
    dnnl_status_t st =
            blob_verify(data, size, blob_kind_program, &blob->view, reason);
    blob->index = 0;
    if (st == dnnl_success)
        st = blob_match_id(&blob->view, id->data, id->size, reason);
    if (st != dnnl_success) return st;
    if (blob->view.program_count != 1
            || blob_view_program(&blob->view, 0, &blob->program) != dnnl_success
            || !program_blob_is_of(blob, id)) {
        st = dnnl_cache_blob_stale;
        blob_reject(st, "its program cannot be used", reason);
    }
    return st;
}

/* A refusal of the driver's is no error of the caller's: the blob is stale. */
static dnnl_status_t binary_status(cl_int error, const char *function)
{
    /* What the binary has no part in. */
    if (error == CL_OUT_OF_HOST_MEMORY || error == CL_OUT_OF_RESOURCES
            || error == CL_DEVICE_NOT_AVAILABLE)
        return cl_status(error, function);
    log_message(dnnl_cache_log_info, "blob",
            "the driver refuses the binary: %s answers %s (%d)", function,
            cl_error_name(error), (int)error);
    return dnnl_cache_blob_stale;
}

/* The options again: with them some drivers know a program's argument info and
 * options as if it came from source. */
static dnnl_status_t build_loaded(
        cl_program cl, cl_device_id device, const char *options)
{
    cl_int error = clBuildProgram(cl, 1, &device, options, NULL, NULL);
    if (error != CL_SUCCESS && error != CL_OUT_OF_HOST_MEMORY)
        error = clBuildProgram(cl, 1, &device, "", NULL, NULL);
    return error == CL_SUCCESS ? dnnl_success
                               : binary_status(error, "clBuildProgram");
}

/* One form of a blob's program: its own bytes, or decoded, *room then. */
static dnnl_status_t decode(enum blob_codec codec, const uint8_t *stored,
        size_t stored_size, uint64_t raw_size, uint8_t **room,
        const uint8_t **binary, size_t *size)
{
    *binary = stored;
    *size = stored_size;
    if (codec == blob_codec_none) return dnnl_success;
    *size = (size_t)raw_size;
    *binary = *room = malloc(*size);
    if (*room == NULL) return dnnl_out_of_memory;
    return codec_decode(codec, stored, stored_size, *room, *size);
}

/* A built program of the bytes. */
static dnnl_status_t make(const struct program_recipe *recipe,
        const uint8_t *binary, size_t size, cl_program *out)
{
    struct dnnl_engine *engine = recipe->engine;
    cl_int loaded = CL_SUCCESS;
    cl_int error = CL_SUCCESS;
    cl_program cl = NULL;
    dnnl_status_t st =
            dnnl_cache_create_program_with_binary(&cl, engine->context, 1,
                    &engine->device, &size, &binary, &loaded, &error);
    if (st == dnnl_unimplemented) st = dnnl_cache_blob_unsupported;
    if (error == CL_SUCCESS && st == dnnl_success) error = loaded;
    if (error != CL_SUCCESS)
        st = binary_status(error, "clCreateProgramWithBinary");
    if (st == dnnl_success)
        st = build_loaded(cl, engine->device, recipe->text->options);
    if (st == dnnl_success)
        *out = cl;
    else if (cl != NULL)
        clReleaseProgram(cl);
    return st;
}

/* ---- The finalised form -------------------------------------------------- */

/* The names of the program's kernels, each with a NUL. */
static dnnl_status_t read_names(
        const struct program_blob *blob, struct buffer *names, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < blob->view.kernel_count; i++) {
        struct blob_kernel kernel;
        dnnl_status_t st = blob_view_kernel(&blob->view, i, &kernel);
        if (st != dnnl_success) return st;
        if (kernel.program != blob->index) continue;
        buffer_append(names, kernel.name, kernel.name_size + 1);
        (*count)++;
    }
    return buffer_status(names);
}

/* Whether a program has all of the kernels: other code needs other means. */
static bool has_kernels(cl_program cl, cl_device_id device,
        const struct buffer *names, uint32_t count)
{
    struct buffer theirs = {NULL, 0, 0, false};
    uint32_t their_count = 0;
    bool has = program_binary_kernels(cl, device, &theirs, &their_count)
               == dnnl_success;
    const char *name = (const char *)names->data;
    for (uint32_t i = 0; has && i < count; i++) {
        const char *at = (const char *)theirs.data;
        uint32_t k = 0;
        while (k < their_count && strcmp(at, name) != 0) {
            at += strlen(at) + 1;
            k++;
        }
        has = k < their_count;
        name += strlen(name) + 1;
    }
    buffer_fini(&theirs);
    return has;
}

/* A primitive's, whose grids are capped so that all launches are of the class
 * of the first one: engine_max_groups(). */
static bool has_known_launches(const struct program_recipe *recipe)
{
    const struct program_id id = program_key_id(recipe->key);
    return recipe->engine->is_cpu_device && id.size > 0
           && !device_id_is_applications(id.data, id.size);
}

/* NULL: there is none, or, with a reason, none that is of use. */
static cl_program make_of_form(const struct program_recipe *recipe,
        const struct program_blob *blob, struct blob_reason *reason)
{
    const struct blob_program *record = &blob->program;
    const cl_device_id device = recipe->engine->device;
    uint32_t count;
    struct buffer names = {NULL, 0, 0, false};
    uint8_t *room = NULL;
    const uint8_t *form;
    size_t size;
    cl_program cl = NULL;
    if (record->final_binary == NULL) return NULL;
    snprintf(reason->text, sizeof reason->text, "it does not decode");
    if (decode((enum blob_codec)record->final_codec, record->final_binary,
                record->final_size, record->final_raw_size, &room, &form, &size)
                    != dnnl_success
            || read_names(blob, &names, &count) != dnnl_success)
        goto out;
    reason->text[0] = '\0';
    if (!finalised_form_is_usable(device, record, form, size,
                (const char *)names.data, count, has_known_launches(recipe),
                reason))
        goto out;
    dnnl_status_t st = make(recipe, form, size, &cl);
    if (st == dnnl_success && has_kernels(cl, device, &names, count)) goto out;
    snprintf(reason->text, sizeof reason->text, "%s",
            cl != NULL ? "its kernels are not the program's"
                       : "the driver refuses it");
    if (cl != NULL) {
        clReleaseProgram(cl);
        cl = NULL;
        st = dnnl_cache_blob_stale;
    }
    if (is_blobs_fault(st)) finalised_form_note_refused(form, size);
out:
    free(room);
    buffer_fini(&names);
    return cl;
}

/* A binary that replaced the driver's own is of no use to a driver that has no
 * such finaliser. */
static bool is_fit(const struct program_recipe *recipe,
        const struct blob_program *record, const uint8_t *binary, size_t size)
{
    struct blob_reason reason = {""};
    if (record->finaliser_size == 0 || record->final_binary != NULL
            || finalised_form_is_usable(recipe->engine->device, record, binary,
                    size, NULL, 0, has_known_launches(recipe), &reason))
        return true;
    log_message(dnnl_cache_log_info, "finalise", "not loaded: %s", reason.text);
    return false;
}

/* The driver's own binary, or what replaced it. */
static dnnl_status_t make_of_binary(const struct program_recipe *recipe,
        const struct blob_program *record, cl_program *cl)
{
    uint8_t *room = NULL;
    const uint8_t *binary;
    size_t size;
    dnnl_status_t st = decode((enum blob_codec)record->codec, record->binary,
            record->binary_size, record->raw_size, &room, &binary, &size);
    if (st == dnnl_success && !is_fit(recipe, record, binary, size))
        st = dnnl_cache_blob_stale;
    if (st == dnnl_success) st = make(recipe, binary, size, cl);
    if (is_blobs_fault(st) && record->finaliser_size > 0
            && record->final_binary == NULL)
        finalised_form_note_refused(binary, size);
    free(room);
    return st;
}

dnnl_status_t program_load(const struct program_recipe *recipe,
        const struct program_blob *blob, struct program_trace *trace,
        struct program **out)
{
    const uint64_t start = clock_ns();
    struct program *p = NULL;
    struct blob_reason reason = {""};
    dnnl_status_t st = dnnl_success;
    if (blob->program.backend != blob_backend_opencl)
        return dnnl_cache_blob_unsupported;
    cl_program cl = make_of_form(recipe, blob, &reason);
    const bool is_of_form = cl != NULL;
    if (reason.text[0] != '\0')
        log_message(dnnl_cache_log_info, "finalise",
                "the driver's own binary is loaded, not the finalised form: %s",
                reason.text);
    if (!is_of_form) st = make_of_binary(recipe, &blob->program, &cl);
    if (st == dnnl_success) st = program_create(recipe, cl, &p);
    if (st == dnnl_success) st = program_take(p, blob);
    trace->driver_ns = clock_ns() - start;
    statistics_add(&statistics.load_ns, trace->driver_ns);
    if (st != dnnl_success) {
        program_release(p);
        return st;
    }
    p->is_loaded = true;
    p->form_reason = reason;
    p->is_finalised = is_of_form
                      || (blob->program.finaliser_size > 0
                              && blob->program.final_binary == NULL);
    statistics_add(&statistics.programs_loaded, 1);
    if (p->is_finalised) statistics_add(&statistics.finalised_loaded, 1);
    *out = p;
    return dnnl_success;
}
