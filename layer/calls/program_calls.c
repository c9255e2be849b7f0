/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: their creation, their references, what they answer. */
#include "layer/calls/calls.h"
#include "layer/capture/capture.h"
#include "layer/compile/lazy.h"
#include "layer/driver/next_layer.h"
#include "layer/driver/quirks.h"
#include "layer/programs/launches.h"
#include "layer/programs/objects.h"
#include "layer/settings/session.h"
#include "layer/settings/settings.h"
#include "layer/settings/statistics.h"
#include "layer/trace/trace.h"
#include "src/drivers/build_marks.h"

#include "dnnl_cache.h"

#include <stdlib.h>
#include <string.h>

cl_int answer(const void *data, size_t size, size_t capacity, void *value,
        size_t *size_ret)
{
    if (value != NULL) {
        if (capacity < size) return CL_INVALID_VALUE;
        if (size > 0) memcpy(value, data, size);
    }
    if (size_ret != NULL) *size_ret = size;
    return CL_SUCCESS;
}

bool tells_size(cl_program handle)
{
    char byte;
    size_t size = 0;
    next_layer->clGetProgramInfo(
            handle, CL_PROGRAM_CONTEXT, sizeof byte, &byte, &size);
    return size != 0;
}

/* ---- Creation ------------------------------------------------------------ */

static size_t length_of(
        const char *const *strings, const size_t *lengths, cl_uint i)
{
    return lengths != NULL && lengths[i] != 0 ? lengths[i] : strlen(strings[i]);
}

/* All strings as one, with a NUL behind. */
static char *join(const char *const *strings, const size_t *lengths,
        cl_uint count, size_t *size)
{
    size_t total = 0;
    for (cl_uint i = 0; i < count; i++)
        total += length_of(strings, lengths, i);
    char *text = malloc(total + 1);
    if (text == NULL) return NULL;
    *size = total;
    total = 0;
    for (cl_uint i = 0; i < count; i++) {
        const size_t n = length_of(strings, lengths, i);
        memcpy(text + total, strings[i], n);
        total += n;
    }
    text[total] = '\0';
    return text;
}

static cl_program CL_API_CALL create_with_source(cl_context context,
        cl_uint count, const char **strings, const size_t *lengths, cl_int *err)
{
    struct program_input input = {0};
    cl_program program = next_layer->clCreateProgramWithSource(
            context, count, strings, lengths, err);
    if (program == NULL) return NULL;
    session_count(session_created);
    input.source = join(
            (const char *const *)strings, lengths, count, &input.source_size);
    if (input.source != NULL) objects_add_program(program, context, &input);
    return program;
}

void remember_il_program(cl_program program, cl_context context, const void *il,
        size_t size, create_with_il_function create)
{
    struct program_input input = {
            .il = malloc(size > 0 ? size : 1), .create_with_il = create};
    session_count(session_created);
    if (input.il == NULL) return;
    memcpy(input.il, il, size);
    input.il_size = size;
    objects_add_program(program, context, &input);
}

static cl_program CL_API_CALL create_with_il(
        cl_context context, const void *il, size_t size, cl_int *err)
{
    cl_program program =
            next_layer->clCreateProgramWithIL(context, il, size, err);
    if (program != NULL)
        remember_il_program(
                program, context, il, size, next_layer->clCreateProgramWithIL);
    return program;
}

/* Of its ID, or a new one. NULL: no memory. */
static struct spec_constant *place_of_constant(
        struct layer_program *program, cl_uint id)
{
    const size_t count = program->constant_count;
    for (size_t i = 0; i < count; i++)
        if (program->constants[i].id == id) return &program->constants[i];
    struct spec_constant *list =
            realloc(program->constants, (count + 1) * sizeof *list);
    if (list == NULL) return NULL;
    program->constants = list;
    program->constant_count++;
    return &list[count];
}

static void remember_constant(struct layer_program *program, cl_uint id,
        size_t size, const void *value)
{
    struct spec_constant constant = {.id = id, .size = size};
    /* None is larger; what a driver takes all the same has no ID. */
    const bool is_known = size <= sizeof constant.value;
    if (is_known) memcpy(constant.value, value, size);
    struct spec_constant *place =
            is_known ? place_of_constant(program, id) : NULL;
    if (place != NULL)
        *place = constant;
    else
        program->is_unknown = true;
}

static void count_change(struct layer_program *program)
{
    pthread_mutex_lock(&program->lock);
    program->constant_changes++;
    pthread_mutex_unlock(&program->lock);
}

/* Builds of other threads meanwhile are not kept: it is not known which value
 * they have. */
static cl_int set_constant(struct layer_program *program, cl_uint id,
        size_t size, const void *value)
{
    lazy_load_program(program); /* with the constants that it was built with */
    pthread_mutex_lock(&program->constants_lock);
    count_change(program);
    const cl_int err = next_layer->clSetProgramSpecializationConstant(
            program->handle, id, size, value);
    pthread_mutex_lock(&program->lock);
    if (err == CL_SUCCESS) remember_constant(program, id, size, value);
    program->constant_changes++;
    pthread_mutex_unlock(&program->lock);
    pthread_mutex_unlock(&program->constants_lock);
    return err;
}

/* What has none refuses. A program that the driver built does so where PoCL
 * (3.1) aborts the process for one that it did not build. */
static cl_int refuse_constant(struct layer_program *program, cl_uint id,
        size_t size, const void *value)
{
    struct build *build = lazy_load(program, objects_hold_build(program));
    const cl_int err = next_layer->clSetProgramSpecializationConstant(
            objects_working_handle(program, build), id, size, value);
    build_release(build);
    return err;
}

static cl_int CL_API_CALL set_specialization_constant(
        cl_program handle, cl_uint id, size_t size, const void *value)
{
    struct layer_program *program = objects_get_program(handle);
    if (program == NULL)
        return next_layer->clSetProgramSpecializationConstant(
                handle, id, size, value);
    const cl_int err = program->input.il != NULL
                               ? set_constant(program, id, size, value)
                               : refuse_constant(program, id, size, value);
    objects_put_program(program);
    return err;
}

/* ---- References ---------------------------------------------------------- */

static cl_int CL_API_CALL retain(cl_program handle)
{
    return objects_retain_program(handle) ? next_layer->clRetainProgram(handle)
                                          : CL_SUCCESS;
}

static cl_int CL_API_CALL release(cl_program handle)
{
    struct layer_program *last;
    if (objects_release_program(handle, &last))
        return next_layer->clReleaseProgram(handle);
    capture_released(last);
    return CL_SUCCESS;
}

/* ---- Queries ------------------------------------------------------------- */

/* What the application would count: its own references, and those of kernels
 * where the driver counts them, the substitute's kernels, too; but none of a
 * capture's. */
static cl_uint references_of(
        struct layer_program *program, const struct build *build)
{
    cl_uint count = 0;
    cl_uint of_substitute = 1;
    pthread_mutex_lock(&program->capture_lock);
    next_layer->clGetProgramInfo(program->handle, CL_PROGRAM_REFERENCE_COUNT,
            sizeof count, &count, NULL);
    if (build != NULL && build->substitute == program->handle)
        count--; /* the build's: a loaded link is the application's program */
    else if (build != NULL && build->substitute != NULL)
        /* a rebuilt one may be captured, too */
        next_layer->clGetProgramInfo(build->substitute,
                CL_PROGRAM_REFERENCE_COUNT, sizeof of_substitute,
                &of_substitute, NULL);
    count -= program->adoptions;
    if (build != NULL) of_substitute -= build->adoptions;
    pthread_mutex_unlock(&program->capture_lock);
    if (objects_app_references(program) == 0) count--;
    return count + of_substitute - 1;
}

/* The loaded program's own answer where it says the same, as drivers differ in
 * what they do with too little room. */
static cl_int answer_names(const struct build *build, size_t capacity,
        void *value, size_t *size_ret)
{
    cl_program loaded = build->substitute; /* NULL: not yet */
    const char *names = build->devices[0].facts.kernel_names;
    const size_t size = strlen(names) + 1;
    size_t own_size = 0;
    char *own = calloc(1, size); /* PoCL's writes nothing of no names */
    const bool is_same =
            own != NULL && loaded != NULL
            && next_layer->clGetProgramInfo(
                       loaded, CL_PROGRAM_KERNEL_NAMES, size, own, &own_size)
                       == CL_SUCCESS
            && own_size == size && memcmp(own, names, size) == 0;
    free(own);
    return is_same ? next_layer->clGetProgramInfo(
                   loaded, CL_PROGRAM_KERNEL_NAMES, capacity, value, size_ret)
                   : answer(names, size, capacity, value, size_ret);
}

/* Of a program that has no kernels, or none yet: Intel's for CPUs tells the
 * number of the former, and no names. The loaded one refuses in the driver's
 * way: NVIDIA's tells a size all the same. */
static cl_int refuse_kernels(cl_program loaded, cl_int status,
        cl_program_info what, size_t capacity, void *value, size_t *size_ret)
{
    next_layer->clGetProgramInfo(loaded, what, capacity, value, size_ret);
    return status;
}

/* Of a program that is loaded. */
static cl_int answer_from_facts(struct layer_program *program,
        struct build *build, cl_program_info what, size_t capacity, void *value,
        size_t *size_ret)
{
    const struct facts *facts = &build->devices[0].facts;
    const size_t kernels = facts->kernel_count;
    cl_program loaded = objects_working_handle(program, build);
    switch (what) {
    case CL_PROGRAM_NUM_KERNELS:
        if (facts->number_status != CL_SUCCESS)
            return refuse_kernels(loaded, facts->number_status, what, capacity,
                    value, size_ret);
        return answer(&kernels, sizeof kernels, capacity, value, size_ret);
    case CL_PROGRAM_KERNEL_NAMES:
        if (facts->names_status != CL_SUCCESS)
            return refuse_kernels(loaded, facts->names_status, what, capacity,
                    value, size_ret);
        return answer_names(build, capacity, value, size_ret);
    case CL_PROGRAM_BINARY_SIZES:
    case CL_PROGRAM_BINARIES:
        return answer_binaries(program, build, what, capacity, value, size_ret);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return next_layer->clGetProgramInfo(
                loaded, what, capacity, value, size_ret);
    default:
        return next_layer->clGetProgramInfo(
                program->handle, what, capacity, value, size_ret);
    }
}

/* True if a query is about what was built, and not what it was built from. */
static bool is_of_build(cl_program_info what)
{
    switch (what) {
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES:
    case CL_PROGRAM_BINARY_SIZES:
    case CL_PROGRAM_BINARIES:
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return true;
    default:
        return false;
    }
}

/* Of a program with a substitute. */
static cl_int answer_from_substitute(struct layer_program *program,
        struct build *build, cl_program_info what, size_t capacity, void *value,
        size_t *size_ret)
{
    if (!build->is_loaded)
        return next_layer->clGetProgramInfo(
                is_of_build(what) ? build->substitute : program->handle, what,
                capacity, value, size_ret);
    const cl_int err =
            answer_from_facts(program, build, what, capacity, value, size_ret);
    if (err == CL_INVALID_VALUE && size_ret != NULL
            && tells_size(program->handle))
        answer_from_facts(program, build, what, 0, NULL, size_ret);
    return err;
}

/* The driver makes the binary now that it will give for ever. Returns the build
 * that the layer has made it of (answer_given()), with a reference; NULL: the
 * driver answers, and *asked is what it is asked of, with a reference, or
 * NULL. */
static struct build *freeze(struct build **asked, struct layer_program *program)
{
    struct build *build = objects_hold_build(program);
    *asked = NULL;
    if (build != NULL && !build->is_loaded) {
        if (!layer_settings()->capture_forms)
            atomic_store(&build->is_binary_wanted, true);
        if (quirk_shares_folders(build->devices[0].device))
            atomic_store(&program->is_folder_named, true);
        launches_freeze(build);
        if (atomic_load(&build->has_stand_ins)
                && given_is_there(program, build))
            return build;
        *asked = build;
        return NULL;
    }
    build_release(build);
    return NULL;
}

static bool is_of_binary(cl_program_info what)
{
    return what == CL_PROGRAM_BINARY_SIZES || what == CL_PROGRAM_BINARIES;
}

static cl_int CL_API_CALL get_info(cl_program handle, cl_program_info what,
        size_t capacity, void *value, size_t *size_ret)
{
    cl_int err;
    struct layer_program *program = objects_get_program(handle);
    if (program == NULL)
        return next_layer->clGetProgramInfo(
                handle, what, capacity, value, size_ret);
    if (is_of_build(what)
            && answer_failed_program(
                    &err, program, what, capacity, value, size_ret)) {
        objects_put_program(program);
        return err;
    }
    struct build *asked = NULL;
    struct build *given = NULL;
    if (is_of_binary(what)) given = freeze(&asked, program);
    if (given != NULL) {
        err = answer_given(given, what, capacity, value, size_ret);
        if (err == CL_INVALID_VALUE && size_ret != NULL && tells_size(handle))
            answer_given(given, what, 0, NULL, size_ret);
        build_release(given);
        objects_put_program(program);
        return err;
    }
    struct build *build = objects_hold_substitute(program);
    if (!lazy_answers(build, what, capacity, value))
        build = lazy_load(program, build);
    if (what == CL_PROGRAM_REFERENCE_COUNT) {
        const cl_uint references = references_of(program, build);
        err = next_layer->clGetProgramInfo(
                handle, what, capacity, value, size_ret);
        if (err == CL_SUCCESS && value != NULL)
            memcpy(value, &references, sizeof references);
    } else if (build != NULL) {
        err = answer_from_substitute(
                program, build, what, capacity, value, size_ret);
    } else {
        err = next_layer->clGetProgramInfo(
                handle, what, capacity, value, size_ret);
    }
    /* The driver has answered: asked again it compiles nothing. */
    if (asked != NULL && err == CL_SUCCESS && value != NULL)
        atomic_store(&asked->is_binary_given, true);
    build_release(asked);
    build_release(build);
    objects_put_program(program);
    return err;
}

static cl_int answer_build(const struct facts *facts,
        cl_program_build_info what, size_t capacity, void *value,
        size_t *size_ret)
{
    const cl_build_status status = CL_BUILD_SUCCESS;
    const cl_program_binary_type type = facts->binary_type;
    switch (what) {
    case CL_PROGRAM_BUILD_STATUS:
        return answer(&status, sizeof status, capacity, value, size_ret);
    case CL_PROGRAM_BUILD_OPTIONS:
        return answer(facts->options, strlen(facts->options) + 1, capacity,
                value, size_ret);
    case CL_PROGRAM_BUILD_LOG:
        return answer(
                facts->log, (size_t)facts->log_size, capacity, value, size_ret);
    case CL_PROGRAM_BINARY_TYPE:
        return answer(&type, sizeof type, capacity, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

/* In as many bytes as the driver gives it, before a build, too: NVIDIA's takes
 * four. Intel's for CPUs tells no more than that of what it did not build. */
static cl_int answer_global_bytes(cl_program handle, cl_device_id device,
        uint64_t global_bytes, size_t capacity, void *value, size_t *size_ret)
{
    const cl_program_build_info what =
            CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE;
    const size_t bytes = (size_t)global_bytes;
    size_t size = 0;
    const cl_int err = next_layer->clGetProgramBuildInfo(
            handle, device, what, capacity, value, size_ret);
    if (global_bytes == facts_no_bytes
            || (err != CL_SUCCESS && err != CL_INVALID_PROGRAM) || value == NULL
            || next_layer->clGetProgramBuildInfo(
                       handle, device, what, 0, NULL, &size)
                       != CL_SUCCESS
            || size > sizeof bytes)
        return err;
    /* Its lower ones: little-endian. */
    if (err != CL_SUCCESS)
        return answer(&bytes, size, capacity, value, size_ret);
    memcpy(value, &bytes, size);
    return CL_SUCCESS;
}

/* Without the marks that the layer put there. */
static cl_int answer_options(cl_program asked, cl_device_id device,
        size_t capacity, void *value, size_t *size_ret)
{
    const cl_program_build_info what = CL_PROGRAM_BUILD_OPTIONS;
    size_t size = 0;
    char *text = NULL;
    cl_int err = next_layer->clGetProgramBuildInfo(
            asked, device, what, 0, NULL, &size);
    if (err == CL_SUCCESS) text = calloc(size + 1, 1);
    if (text != NULL)
        err = next_layer->clGetProgramBuildInfo(
                asked, device, what, size, text, NULL);
    const size_t length = text != NULL ? strlen(text) : 0;
    if (text != NULL && err == CL_SUCCESS) build_marks_remove(text);
    /* In the driver's own way where it says the same. */
    if (text == NULL || err != CL_SUCCESS || strlen(text) == length) {
        err = next_layer->clGetProgramBuildInfo(
                asked, device, what, capacity, value, size_ret);
    } else {
        size = strlen(text) + 1;
        err = answer(text, size, capacity, value, size_ret);
        if (err == CL_INVALID_VALUE && size_ret != NULL && tells_size(asked))
            *size_ret = size;
    }
    free(text);
    return err;
}

static cl_int CL_API_CALL get_build_info(cl_program handle, cl_device_id device,
        cl_program_build_info what, size_t capacity, void *value,
        size_t *size_ret)
{
    cl_int err;
    struct layer_program *program = objects_get_program(handle);
    if (program == NULL)
        return next_layer->clGetProgramBuildInfo(
                handle, device, what, capacity, value, size_ret);
    if (answer_failed_build(
                &err, program, device, what, capacity, value, size_ret)) {
        objects_put_program(program);
        return err;
    }
    struct build *build = objects_hold_substitute(program);
    if (what == CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE)
        build = lazy_load(program, build);
    const struct built_device *d = build != NULL && build->is_loaded
                                           ? build_device(build, device)
                                           : NULL;
    const cl_program asked =
            build != NULL && !build->is_loaded ? build->substitute : handle;
    if (d != NULL && what == CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE) {
        err = answer_global_bytes(handle, device, d->facts.global_bytes,
                capacity, value, size_ret);
    } else if (d != NULL) {
        err = answer_build(&d->facts, what, capacity, value, size_ret);
        if (err == CL_INVALID_VALUE && size_ret != NULL && tells_size(handle))
            answer_build(&d->facts, what, 0, NULL, size_ret);
    } else if (what == CL_PROGRAM_BUILD_OPTIONS) {
        err = answer_options(asked, device, capacity, value, size_ret);
    } else {
        err = next_layer->clGetProgramBuildInfo(
                asked, device, what, capacity, value, size_ret);
    }
    build_release(build);
    objects_put_program(program);
    return err;
}

/* ---- What passes through, and is counted --------------------------------- */

static void count_passed_on(enum layer_reason reason, const char *call)
{
    statistics_count_miss(reason, 0, 0);
    statistics_count_nothing_to_keep();
    trace_miss(reason, call, 0, NULL, NULL);
}

static cl_program CL_API_CALL create_with_binary(cl_context context,
        cl_uint count, const cl_device_id *devices, const size_t *sizes,
        const unsigned char **binaries, cl_int *states, cl_int *err)
{
    count_passed_on(layer_reason_binary, "clCreateProgramWithBinary");
    return next_layer->clCreateProgramWithBinary(
            context, count, devices, sizes, binaries, states, err);
}

static cl_program CL_API_CALL create_with_built_in(cl_context context,
        cl_uint count, const cl_device_id *devices, const char *names,
        cl_int *err)
{
    count_passed_on(layer_reason_built_in, "clCreateProgramWithBuiltInKernels");
    return next_layer->clCreateProgramWithBuiltInKernels(
            context, count, devices, names, err);
}

void put_program_calls(cl_icd_dispatch *table)
{
    table->clCreateProgramWithSource = create_with_source;
    table->clCreateProgramWithIL = create_with_il;
    table->clCreateProgramWithBinary = create_with_binary;
    table->clCreateProgramWithBuiltInKernels = create_with_built_in;
    table->clSetProgramSpecializationConstant = set_specialization_constant;
    table->clRetainProgram = retain;
    table->clReleaseProgram = release;
    table->clGetProgramInfo = get_info;
    table->clGetProgramBuildInfo = get_build_info;
}
