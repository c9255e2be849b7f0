/* SPDX-License-Identifier: Apache-2.0 */
/* clBuildProgram and clCompileProgram: a program loaded from the storage, or
 * the driver's compiler. */
#include "layer/calls/arguments.h"
#include "layer/calls/calls.h"
#include "layer/capture/capture_queue.h"
#include "layer/capture/quiet.h"
#include "layer/compile/compile.h"
#include "layer/compile/example.h"
#include "layer/compile/failed.h"
#include "layer/compile/lazy.h"
#include "layer/compile/load.h"
#include "layer/compile/noted_mark.h"
#include "layer/compile/partial.h"
#include "layer/compile/previous.h"
#include "layer/compile/verify.h"
#include "layer/compile/withhold.h"
#include "layer/driver/next_layer.h"
#include "layer/driver/quirks.h"
#include "layer/programs/identity.h"
#include "layer/programs/kernel_names.h"
#include "layer/programs/lease.h"
#include "layer/programs/records.h"
#include "layer/settings/settings.h"
#include "layer/storage/ahead.h"
#include "layer/trace/trace.h"
#include "src/platform/clock.h"

#include <stdio.h>

/* ---- What is asked for --------------------------------------------------- */

/* Of a program that was linked, or of which not all is known. */
static bool is_unknown(struct layer_program *program)
{
    pthread_mutex_lock(&program->lock);
    const bool is = program->is_unknown;
    pthread_mutex_unlock(&program->lock);
    return is;
}

/* A build of the devices that are asked for. NULL: the driver has to say what
 * is wrong, or it is not known what is built, or memory ran out. */
static struct build *new_build(const struct build_call *call)
{
    cl_device_id all[most_devices];
    cl_device_id asked[most_devices];
    size_t size = 0;
    if (is_unknown(call->program)) return NULL;
    if (next_layer->clGetProgramInfo(call->program->handle, CL_PROGRAM_DEVICES,
                sizeof all, all, &size)
            != CL_SUCCESS)
        return NULL;
    const size_t all_count = size / sizeof all[0];
    const bool is_list = call->devices != NULL;
    const size_t count =
            is_list ? arguments_devices(call->context, call->device_count,
                    call->devices, all, all_count, asked)
                    : all_count;
    struct build *build =
            count > 0 ? build_new(call->kind, count, is_list ? asked : all,
                    noted_mark_skip(call->options))
                      : NULL;
    if (build != NULL) build->is_part = count < all_count;
    return build;
}

/* For all of the program's devices, whatever the call says. */
static struct build *new_build_of_all(const struct build_call *call)
{
    cl_device_id all[most_devices];
    size_t size = 0;
    if (next_layer->clGetProgramInfo(call->program->handle, CL_PROGRAM_DEVICES,
                sizeof all, all, &size)
            != CL_SUCCESS)
        return NULL;
    struct build *build = build_new(call->kind, size / sizeof all[0], all,
            noted_mark_skip(call->options));
    if (build != NULL) build->is_part = true;
    return build;
}

/* ---- A hit --------------------------------------------------------------- */

/* The program has been built so before, and that still waits for its capture.
 */
static bool find_queued(struct build_call *call)
{
    const uint64_t start = clock_ns();
    struct build *same = capture_queue_find_same(call->program, call->build);
    if (same == NULL) return false;
    build_release(call->build);
    call->build = same;
    const struct trace_facts facts = {.compile_ns = same->compile_ns};
    for (size_t i = 0; i < same->count; i++)
        trace_hit(same->devices[i].id_size, same->devices[i].id, true,
                build_moved_options(same), &facts);
    statistics_count_hit(true, 0, clock_ns() - start, same->compile_ns);
    return true;
}

/* A call with a callback is not to wait; nor is one of several devices, of
 * which one is made at a time. */
static bool await_ahead(const struct build_call *call)
{
    const struct built_device *d = &call->build->devices[0];
    return call->reason == layer_reason_missing && call->notify == NULL
           && call->build->count == 1
           && layer_settings()->mode == settings_mode_normal
           && ahead_await(d->id_size, d->id);
}

/* What was not found may fail each time: then nobody compiles it. */
static bool load_or_wait(struct build_call *call)
{
    return load(call)
           || (!failed_find(call)
                   && ((await_ahead(call) && load(call))
                           || (lease_or_wait(call) && load(call))));
}

/* Names the build and looks it up. True: it is one that waits for its capture,
 * or has its loaded program, or a failure that was kept. False: compile, for
 * the call's reason. */
static bool find_or_load(struct build_call *call)
{
    const uint64_t start = clock_ns();
    if (!identify(call)) {
        trace_miss_begin(call->reason, call->detail, 0, NULL, NULL);
        return false;
    }
    if (find_queued(call)) return true;
    if (layer_settings()->mode == settings_mode_recompile) {
        call->reason = layer_reason_recompile;
        call->missed = &call->build->devices[0];
    } else if (load_driver_is_faster(call->build)) {
        call->is_named = false;
        call->reason = layer_reason_driver_faster;
        call->missed = &call->build->devices[0];
    } else if (load_or_wait(call) && verify_loaded(call)) {
        load_count_hit(call);
        if (records_are_on()) identity_remember_includes(call);
        records_add_build(call->program, call->build, NULL);
        return true;
    } else if (call->build->failure != NULL) {
        failed_count(call, start);
        return true;
    }
    if (call->missed != NULL)
        trace_miss_begin(call->reason, NULL, call->missed->id_size,
                call->missed->id, build_moved_options(call->build));
    if (call->reason == layer_reason_partial && !withhold_is_on()
            && partial_load(call)) {
        trace_miss_end(layer_reason_partial, NULL, call->missed->id_size,
                call->missed->id, NULL);
        return true;
    }
    if (load_is_given_up(call)) call->is_named = false;
    return false;
}

/* ---- A build ------------------------------------------------------------- */

/* What drivers make of it is their own. */
static cl_int compile_by_driver(
        struct build_call *call, enum layer_reason reason, const char *why)
{
    call->reason = reason;
    if (why != NULL)
        (void)snprintf(call->detail, sizeof call->detail, "%s", why);
    trace_miss_begin(reason, why, 0, NULL, NULL);
    return withhold_takes(call) ? compile_withheld(call)
                                : compile_after_previous(call);
}

/* The same where it is not even known what is built: of all devices, then. */
static cl_int bypass(struct build_call *call, const char *why)
{
    cl_int err = CL_SUCCESS;
    /* The driver would have to compile to say so. */
    if (withhold_takes(call) && call->is_in_use) return CL_INVALID_OPERATION;
    if (call->is_loaded_link && !call->is_in_use && example_answers(call, &err))
        return err;
    call->is_past_layer = true;
    return compile_by_driver(call, layer_reason_unsupported, why);
}

static cl_int load_or_compile(struct build_call *call)
{
    const uint64_t start = clock_ns();
    if (find_or_load(call)) {
        const struct kept_failure *failure = call->build->failure;
        build_hold(call->build);
        previous_replace(call->program, call->build);
        if (call->notify != NULL)
            call->notify(call->program->handle, call->user);
        return failure != NULL ? failure->answers.returned : CL_SUCCESS;
    }
    call->overhead_ns = clock_ns() - start;
    return withhold_takes(call) ? compile_withheld(call) : compile(call);
}

/* The kernels are the substitute's: of that the driver says what it says of any
 * program that has some. What it does not refuse, as another thread has given
 * them up by now, is tried elsewhere. */
static bool is_refused_for_kernels(const struct build_call *call)
{
    bool is_refused = false;
    struct build *build = objects_hold_substitute(call->program);
    if (build != NULL && build->substitute != NULL
            && call->kind == build_executable && build->kind == build_executable
            && call->notify == NULL) {
        capture_queue_lend_begin(call->program, build);
        is_refused = compile_in(build->substitute, call, NULL, call->user)
                     == CL_INVALID_OPERATION;
        capture_queue_lend_end(call->program, build, !is_refused);
    }
    build_release(build);
    return is_refused;
}

static bool has_headers(const struct build_call *call)
{
    return call->header_count != 0 || call->headers != NULL
           || call->header_names != NULL;
}

static cl_int build(struct build_call *call)
{
    const bool is_malformed = arguments_are_malformed(
            call->device_count, call->devices, call->notify, call->user);
    call->build = is_malformed ? NULL : new_build(call);
    const bool is_known = call->build != NULL;
    if (!is_known) call->build = new_build_of_all(call);
    if (call->build == NULL) {
        kernel_names_miss();
        return compile_in(
                call->program->handle, call, call->notify, call->user);
    }
    if (has_headers(call)) {
        call->build->headers = build_headers_new(call->context,
                call->header_count, call->headers, call->header_names);
        call->has_unknown_headers = call->build->headers == NULL;
    }
    previous_look(call);
    if (call->is_in_use && is_refused_for_kernels(call))
        return CL_INVALID_OPERATION;
    if (!is_known) return bypass(call, "it is not known what is built");
    /* OpenCL builds no program that has kernels. */
    if (call->is_in_use) return bypass(call, "the program has kernels");
    call->is_past_layer = call->has_unknown_headers;
    if (call->is_past_layer)
        return compile_by_driver(call, layer_reason_compiled,
                "headers that are programs, and not all made from source");
    if (call->has_other_devices || call->build->is_part)
        return compile_by_driver(call, layer_reason_unsupported,
                "a build for some of the program's devices");
    if (call->is_drivers)
        return compile_by_driver(call, layer_reason_unsupported,
                "the program was both compiled and built, or compiled for some "
                "devices, or failed");
    return load_or_compile(call);
}

static cl_int CL_API_CALL build_program(cl_program handle, cl_uint device_count,
        const cl_device_id *devices, const char *options, build_callback notify,
        void *user)
{
    struct layer_program *program = objects_get_program(handle);
    if (program == NULL) {
        kernel_names_miss();
        return next_layer->clBuildProgram(
                handle, device_count, devices, options, notify, user);
    }
    struct build_call *call = build_call_new(build_executable, program,
            device_count, devices, options, notify, user);
    if (call == NULL) return CL_OUT_OF_HOST_MEMORY;
    quiet_call_begin();
    lazy_call_begin();
    const cl_int err = build(call);
    lazy_call_end();
    quiet_call_end();
    noted_mark_clear();
    build_call_release(call);
    return err;
}

static cl_int CL_API_CALL compile_program(cl_program handle,
        cl_uint device_count, const cl_device_id *devices, const char *options,
        cl_uint header_count, const cl_program *headers,
        const char **header_names, build_callback notify, void *user)
{
    struct layer_program *program = objects_get_program(handle);
    if (program == NULL) {
        const cl_int err = next_layer->clCompileProgram(handle, device_count,
                devices, options, header_count, headers, header_names, notify,
                user);
        statistics_count_miss(layer_reason_compiled, 0, 0);
        statistics_count_nothing_to_keep();
        trace_miss(layer_reason_compiled, "the layer does not know the program",
                0, NULL, NULL);
        return err;
    }
    lazy_load_program(program);
    struct build_call *call = build_call_new(build_object, program,
            device_count, devices, options, notify, user);
    if (call == NULL) return CL_OUT_OF_HOST_MEMORY;
    call->header_count = header_count;
    call->headers = headers;
    call->header_names = header_names;
    quiet_call_begin();
    lazy_call_begin();
    const cl_int err = build(call);
    lazy_call_end();
    quiet_call_end();
    noted_mark_clear();
    build_call_release(call);
    return err;
}

void put_build_calls(cl_icd_dispatch *table)
{
    table->clBuildProgram = build_program;
    table->clCompileProgram = compile_program;
}
