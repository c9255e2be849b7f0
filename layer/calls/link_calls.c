/* SPDX-License-Identifier: Apache-2.0 */
/* clLinkProgram: what was linked before of the same objects, or the driver's
 * linker. */
#include "arguments.h"
#include "build/identity.h"
#include "build/link_inputs.h"
#include "build/load.h"
#include "build/objects.h"
#include "calls.h"
#include "clock.h"
#include "driver/target.h"
#include "driver/watch.h"
#include "harvest/harvest.h"
#include "health/statistics.h"
#include "health/trace.h"

#include <stdlib.h>
#include <string.h>

/* What the application asks for. */
struct request {
    cl_context context;
    cl_uint device_count;
    const cl_device_id *devices;
    const char *options; /* may be NULL */
    cl_uint count;
    const cl_program *programs;
    build_callback notify;
    void *user;
};

/* ---- A link -------------------------------------------------------------- */

/* A library is no executable, and what has it linked may have options of its
 * own. */
static bool makes_executable(const char *options)
{
    return options == NULL
           || (strstr(options, "-create-library") == NULL
                   && strstr(options, "-enable-link-options") == NULL);
}

/* A build of the devices that are asked for. NULL: it cannot be named, or the
 * driver has to say what is wrong, or memory ran out. */
static struct build *new_build(
        const struct request *r, const struct link_inputs *inputs)
{
    cl_device_id all[most_devices];
    cl_device_id asked[most_devices];
    size_t size = 0;
    if (arguments_are_malformed(r->device_count, r->devices, r->notify, r->user)
            || r->notify != NULL || inputs->is_other_context
            || !makes_executable(r->options)
            || target->clGetContextInfo(
                       r->context, CL_CONTEXT_DEVICES, sizeof all, all, &size)
                       != CL_SUCCESS)
        return NULL;
    const bool is_list = r->devices != NULL;
    const size_t all_count = size / sizeof all[0];
    /* As they are given: the program is one of parts of devices, too. */
    const cl_device_id *devices = is_list ? r->devices : all;
    const size_t count = is_list ? r->device_count : all_count;
    if (is_list
            && arguments_devices(
                       r->device_count, r->devices, all, all_count, asked)
                       == 0)
        return NULL;
    if (count == 0) return NULL;
    struct build *build = build_new(build_linked, count, devices, r->options);
    if (build == NULL || link_inputs_are_objects(inputs, build)) return build;
    build_release(build);
    return NULL;
}

/* Names the link and looks it up. True: the build has its shadow. If it has no
 * name, the build goes. */
static bool try_to_load(const struct request *r,
        const struct link_inputs *inputs, struct build **build,
        enum layer_reason *reason)
{
    struct identity_doubt doubt = {layer_reason_linked, ""};
    struct load_result result = {.reason = layer_reason_linked};
    *build = new_build(r, inputs);
    if (*build == NULL
            || !identify_link(
                    *build, r->context, inputs->count, inputs->builds, &doubt))
        result.reason = doubt.reason;
    else if (load_driver_is_faster(*build))
        result.reason = layer_reason_driver_faster;
    else if (load_program(*build, r->context, r->options, &result)) {
        load_count_hit(*build, &result);
        return true;
    }
    *reason = result.reason;
    trace_miss(result.reason, doubt.detail,
            result.device != NULL ? result.device->id_size : 0,
            result.device != NULL ? result.device->id : NULL);
    if (result.device == NULL || load_is_given_up(&result)) {
        build_release(*build);
        *build = NULL;
    }
    return false;
}

/* Makes a new program one of ours, with its build. NULL: no memory, and it
 * passes through. */
static struct layer_program *add_program(
        cl_program handle, cl_context context, struct build *build)
{
    objects_add_program(handle, context, &(struct program_input){0});
    struct layer_program *program = objects_get_program(handle);
    if (program == NULL) {
        build_release(build);
        return NULL;
    }
    pthread_mutex_lock(&program->lock);
    program->is_unknown = true; /* there is nothing to build it from */
    program->is_used = true;
    program->build = build;
    pthread_mutex_unlock(&program->lock);
    return program;
}

/* What was loaded becomes the application's program. */
static cl_program take_shadow(const struct request *r, struct build *build)
{
    cl_program handle = build->substitute;
    target->clRetainProgram(handle);
    struct layer_program *program = add_program(handle, r->context, build);
    if (program != NULL) objects_put_program(program);
    return handle;
}

/* The driver links. */
static cl_program link_now(const struct request *r, const cl_program *programs,
        struct build *build, enum layer_reason reason, uint64_t overhead_ns,
        cl_int *err)
{
    const uint64_t start = clock_now_ns();
    watch_work_begin();
    cl_program handle =
            target->clLinkProgram(r->context, r->device_count, r->devices,
                    r->options, r->count, programs, r->notify, r->user, err);
    watch_work_end();
    const uint64_t link_ns = clock_now_ns() - start;
    statistics_count_miss(reason, link_ns, overhead_ns);
    if (build == NULL || handle == NULL || *err != CL_SUCCESS) {
        statistics_count_nothing_to_keep();
        build_release(build);
        return handle;
    }
    build->compile_ns = link_ns;
    build->is_done = true;
    struct layer_program *program = add_program(handle, r->context, build);
    if (program == NULL) {
        statistics_count_not_kept(layer_reason_failed, 0);
        return handle;
    }
    harvest_expect(program, build);
    objects_put_program(program);
    return handle;
}

static cl_program link_all(const struct request *r, cl_int *err)
{
    const uint64_t start = clock_now_ns();
    enum layer_reason reason = layer_reason_linked;
    struct build *build = NULL;
    struct link_inputs inputs;
    cl_program program;
    const bool is_empty = r->count == 0 || r->programs == NULL;
    if (is_empty
            || !link_inputs_init(&inputs, r->context, r->count, r->programs)) {
        trace_miss(reason, is_empty ? "no programs" : "out of memory", 0, NULL);
        return link_now(r, r->programs, NULL, reason, 0, err);
    }
    if (try_to_load(r, &inputs, &build, &reason)) {
        *err = CL_SUCCESS;
        program = take_shadow(r, build);
    } else {
        const uint64_t overhead_ns = clock_now_ns() - start;
        link_inputs_compile_loaded(&inputs);
        program = link_now(r, inputs.programs, build, reason, overhead_ns, err);
    }
    link_inputs_fini(&inputs);
    return program;
}

static cl_program CL_API_CALL link_programs(cl_context context,
        cl_uint device_count, const cl_device_id *devices, const char *options,
        cl_uint count, const cl_program *programs, build_callback notify,
        void *user, cl_int *err)
{
    const struct request r = {.context = context,
            .device_count = device_count,
            .devices = devices,
            .options = options,
            .count = count,
            .programs = programs,
            .notify = notify,
            .user = user};
    cl_int status = CL_SUCCESS;
    cl_program program = link_all(&r, &status);
    if (err != NULL) *err = status;
    return program;
}

void put_link_calls(cl_icd_dispatch *table)
{
    table->clLinkProgram = link_programs;
}
