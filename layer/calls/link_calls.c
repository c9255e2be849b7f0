/* SPDX-License-Identifier: Apache-2.0 */
/* clLinkProgram: what was linked before of the same objects, or the driver's
 * linker. */
#include "layer/calls/arguments.h"
#include "layer/calls/calls.h"
#include "layer/capture/capture.h"
#include "layer/capture/quiet.h"
#include "layer/compile/compile.h"
#include "layer/compile/lazy.h"
#include "layer/compile/load.h"
#include "layer/compile/verify.h"
#include "layer/compile/withhold.h"
#include "layer/driver/next_layer.h"
#include "layer/driver/watch.h"
#include "layer/programs/identity.h"
#include "layer/programs/kernel_names.h"
#include "layer/programs/launches.h"
#include "layer/programs/link_inputs.h"
#include "layer/programs/notes.h"
#include "layer/programs/objects.h"
#include "layer/programs/records.h"
#include "layer/settings/session.h"
#include "layer/settings/settings.h"
#include "layer/settings/statistics.h"
#include "layer/trace/trace.h"
#include "src/drivers/option_words.h"
#include "src/platform/clock.h"

#include <stdlib.h>
#include <string.h>

/* ---- A link -------------------------------------------------------------- */

static bool is_of_no_library(const char *word, void *unused)
{
    (void)unused;
    return strcmp(word, "-create-library") != 0
           && strcmp(word, "-enable-link-options") != 0;
}

/* A library is no executable, and what has it linked may have options of its
 * own. */
static bool makes_executable(const char *options)
{
    return options == NULL || option_words_are(options, is_of_no_library, NULL);
}

/* A build of the devices that are asked for. NULL: it cannot be named, or the
 * driver has to say what is wrong, or memory ran out. */
static struct build *new_build(const struct build_call *call)
{
    cl_device_id all[most_devices];
    cl_device_id asked[most_devices];
    size_t size = 0;
    if (arguments_are_malformed(
                call->device_count, call->devices, call->notify, call->user)
            || call->notify != NULL || call->inputs->is_other_context
            || !makes_executable(call->options)
            || next_layer->clGetContextInfo(call->context, CL_CONTEXT_DEVICES,
                       sizeof all, all, &size)
                       != CL_SUCCESS)
        return NULL;
    const bool is_list = call->devices != NULL;
    const size_t all_count = size / sizeof all[0];
    /* As they are given: the program is one of parts of devices, too. */
    const cl_device_id *devices = is_list ? call->devices : all;
    const size_t count = is_list ? call->device_count : all_count;
    if (is_list
            && arguments_devices(call->context, call->device_count,
                       call->devices, all, all_count, asked)
                       == 0)
        return NULL;
    if (count == 0) return NULL;
    struct build *build =
            build_new(build_linked, count, devices, call->options);
    if (build == NULL || link_inputs_are_objects(call->inputs, build))
        return build;
    build_release(build);
    return NULL;
}

/* Names the link and looks it up. True: the build has its loaded program. If it
 * is not to be kept, the build goes. */
static bool try_to_load(struct build_call *call)
{
    call->build = new_build(call);
    if (call->build != NULL && identify_link(call)) {
        if (layer_settings()->mode == settings_mode_recompile) {
            call->reason = layer_reason_recompile;
            call->missed = &call->build->devices[0];
        } else if (load_driver_is_faster(call->build)) {
            call->reason = layer_reason_driver_faster;
        } else if (load(call)) {
            verify_skip();
            load_count_hit(call);
            return true;
        }
    }
    const struct built_device *missed = call->missed;
    trace_miss(call->reason, call->detail, missed != NULL ? missed->id_size : 0,
            missed != NULL ? missed->id : NULL, NULL);
    if (missed == NULL || load_is_given_up(call)) {
        build_release(call->build);
        call->build = NULL;
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
    program->is_loaded_link = build->is_loaded;
    program->is_used = true;
    program->build = build;
    pthread_mutex_unlock(&program->lock);
    return program;
}

/* What was loaded becomes the application's program. */
static cl_program take_loaded(struct build_call *call)
{
    cl_program handle = call->build->substitute;
    next_layer->clRetainProgram(handle);
    struct layer_program *program =
            add_program(handle, call->context, call->build);
    if (program != NULL) {
        records_add_build(program, call->build, call->inputs);
        objects_put_program(program);
    }
    return handle;
}

static void keep_later(
        const struct build_call *call, struct layer_program *program)
{
    struct build *build = call->build;
    compile_drop_replaced(build);
    launches_watch(build);
    if (notes_are_wanted(build)) notes_add_build(program, build, call->inputs);
    records_add_build(program, build, call->inputs);
    capture_expect(program, build);
}

/* The driver links. */
static cl_program link_now(struct build_call *call, cl_uint count,
        const cl_program *programs, cl_int *err)
{
    struct build *build = call->build;
    const uint64_t start = clock_ns();
    if (build == NULL)
        kernel_names_miss();
    else
        build_files_begin(build);
    watch_work_begin();
    const unsigned slot = session_compile_begin();
    cl_program handle = next_layer->clLinkProgram(call->context,
            call->device_count, call->devices, call->options, count, programs,
            call->notify, call->user, err);
    watch_work_end();
    const uint64_t link_ns = clock_ns() - start;
    session_compile_end(slot, *err == CL_SUCCESS);
    if (build != NULL && *err == CL_SUCCESS
            && link_ns < layer_settings()->min_compile_ns)
        call->reason = layer_reason_too_fast;
    statistics_count_miss(call->reason, link_ns, call->overhead_ns);
    if (build == NULL || handle == NULL || *err != CL_SUCCESS) {
        if (handle != NULL) kernel_names_miss();
        statistics_count_nothing_to_keep();
        build_release(build);
        return handle;
    }
    build->compile_ns = link_ns;
    build->is_done = true;
    build_files_end(build);
    kernel_names_add(build, handle);
    const bool is_kept = compile_is_worth_keeping(build);
    struct layer_program *program = add_program(handle, call->context, build);
    if (program == NULL) {
        statistics_count_not_kept(layer_reason_failed, 0);
        return handle;
    }
    if (is_kept)
        keep_later(call, program);
    else
        statistics_count_nothing_to_keep();
    objects_put_program(program);
    return handle;
}

static cl_program link_all(struct build_call *call, cl_uint count,
        const cl_program *programs, cl_int *err)
{
    const uint64_t start = clock_ns();
    struct link_inputs inputs;
    cl_program program;
    const bool is_empty = count == 0 || programs == NULL;
    for (cl_uint i = 0; !is_empty && i < count; i++)
        lazy_load_handle(programs[i]);
    if (is_empty
            || !link_inputs_init(&inputs, call->context, count, programs)) {
        trace_miss(call->reason, is_empty ? "no programs" : "out of memory", 0,
                NULL, NULL);
        return link_now(call, count, programs, err);
    }
    call->inputs = &inputs;
    if (try_to_load(call)) {
        *err = CL_SUCCESS;
        program = take_loaded(call);
    } else if (withhold_is_on()
               && !arguments_are_malformed(call->device_count, call->devices,
                       call->notify, call->user)) {
        statistics_count_miss(call->reason, 0, 0);
        statistics_count_nothing_to_keep();
        build_release(call->build);
        program = withhold_link(call, err);
    } else {
        call->overhead_ns = clock_ns() - start;
        link_inputs_compile_loaded(&inputs);
        program = link_now(call, count, inputs.programs, err);
    }
    link_inputs_fini(&inputs);
    return program;
}

static cl_program CL_API_CALL link_programs(cl_context context,
        cl_uint device_count, const cl_device_id *devices, const char *options,
        cl_uint count, const cl_program *programs, build_callback notify,
        void *user, cl_int *err)
{
    struct build_call call = {.kind = build_linked,
            .context = context,
            .device_count = device_count,
            .devices = devices,
            .options = options,
            .notify = notify,
            .user = user,
            .reason = layer_reason_linked};
    cl_int status = CL_SUCCESS;
    quiet_call_begin();
    lazy_call_begin();
    cl_program program = link_all(&call, count, programs, &status);
    lazy_call_end();
    quiet_call_end();
    if (err != NULL) *err = status;
    return program;
}

void put_link_calls(cl_icd_dispatch *table)
{
    table->clLinkProgram = link_programs;
}
