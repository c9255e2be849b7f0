/* SPDX-License-Identifier: Apache-2.0 */
/* clBuildProgram and clCompileProgram: a program loaded from the storage, or
 * the driver's compiler. */
#include "arguments.h"
#include "build/compile.h"
#include "build/identity.h"
#include "build/lead.h"
#include "build/load.h"
#include "build/partial.h"
#include "build/previous.h"
#include "calls.h"
#include "clock.h"
#include "driver/quirks.h"
#include "driver/target.h"
#include "harvest/keep.h"
#include "harvest/quiet.h"
#include "health/trace.h"
#include "launch/records.h"

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
    if (target->clGetProgramInfo(call->program->handle, CL_PROGRAM_DEVICES,
                sizeof all, all, &size)
            != CL_SUCCESS)
        return NULL;
    const size_t all_count = size / sizeof all[0];
    const bool is_list = call->devices != NULL;
    const size_t count = is_list ? arguments_devices(call->device_count,
                                 call->devices, all, all_count, asked)
                                 : all_count;
    struct build *build = count > 0 ? build_new(call->kind, count,
                                  is_list ? asked : all, call->options)
                                    : NULL;
    if (build != NULL) build->is_part = count < all_count;
    return build;
}

/* ---- A hit --------------------------------------------------------------- */

/* The program has been built so before, and that still waits for its harvest.
 */
static bool find_queued(struct build_call *call)
{
    const uint64_t start = clock_now_ns();
    struct build *same = keep_find_same(call->program, call->build);
    if (same == NULL) return false;
    build_release(call->build);
    call->build = same;
    for (size_t i = 0; i < same->count; i++)
        trace_hit(same->devices[i].id_size, same->devices[i].id, true);
    statistics_count_hit(true, 0, clock_now_ns() - start, same->compile_ns);
    return true;
}

/* Names the build and looks it up. True: it is one that waits for its harvest,
 * or has its loaded program. False: compile, for the call's reason. */
static bool find_or_load(struct build_call *call)
{
    if (!identify(call)) {
        trace_miss(call->reason, call->detail, 0, NULL);
        return false;
    }
    if (find_queued(call)) return true;
    if (load_driver_is_faster(call->build)) {
        call->is_named = false;
        call->reason = layer_reason_driver_faster;
        call->missed = &call->build->devices[0];
    } else if (load(call) || (lead_or_wait(call) && load(call))) {
        load_count_hit(call);
        if (records_are_on()) identity_remember_includes(call);
        records_add_build(call->program, call->build, NULL);
        return true;
    }
    if (call->missed != NULL)
        trace_miss(call->reason, NULL, call->missed->id_size, call->missed->id);
    if (call->reason == layer_reason_partial && partial_load(call)) return true;
    if (load_is_given_up(call)) call->is_named = false;
    return false;
}

/* ---- A build ------------------------------------------------------------- */

/* The driver's alone: it has to say what is wrong, or what it does is not
 * known. */
static cl_int bypass(struct build_call *call)
{
    compile_bypass_begin(call);
    const cl_int err =
            compile_in(call->program->handle, call, call->notify, call->user);
    compile_bypass_end(call, err);
    return err;
}

/* OpenCL builds no program that has kernels. */
static bool has_kernels_in_use(const struct build_call *call)
{
    return call->is_in_use
           && !(call->kind == build_object
                   && quirk_compiles_with_kernels(
                           call->build->devices[0].device));
}

/* Of some of the program's devices only: that is the driver's alone. */
static cl_int compile_part(struct build_call *call)
{
    const uint64_t start = clock_now_ns();
    call->reason = layer_reason_unsupported;
    trace_miss(
            call->reason, "a build for some of the program's devices", 0, NULL);
    const cl_int err = call->has_other_devices
                               ? previous_build_from_source(call->program)
                               : CL_SUCCESS;
    call->overhead_ns = clock_now_ns() - start;
    return err == CL_SUCCESS ? compile(call) : err;
}

static cl_int load_or_compile(struct build_call *call)
{
    const uint64_t start = clock_now_ns();
    if (call->has_other_devices || call->build->is_part)
        return compile_part(call);
    if (find_or_load(call)) {
        build_hold(call->build);
        previous_replace(call->program, call->build);
        if (call->notify != NULL)
            call->notify(call->program->handle, call->user);
        return CL_SUCCESS;
    }
    call->overhead_ns = clock_now_ns() - start;
    return compile(call);
}

static cl_int build(struct build_call *call)
{
    struct layer_program *program = call->program;
    /* What only the driver can refuse passes through. */
    if (arguments_are_malformed(
                call->device_count, call->devices, call->notify, call->user))
        return compile_in(program->handle, call, call->notify, call->user);
    if (call->kind == build_object && previous_gives_kernels(program))
        return bypass(call);
    call->build = new_build(call);
    if (call->build == NULL) return bypass(call);
    previous_look(call);
    if (!has_kernels_in_use(call)) return load_or_compile(call);
    /* Where the driver knows of the kernels, it refuses itself. */
    return call->had_substitute ? CL_INVALID_OPERATION : bypass(call);
}

static cl_int CL_API_CALL build_program(cl_program handle, cl_uint device_count,
        const cl_device_id *devices, const char *options, build_callback notify,
        void *user)
{
    struct layer_program *program = objects_get_program(handle);
    if (program == NULL)
        return target->clBuildProgram(
                handle, device_count, devices, options, notify, user);
    struct build_call *call = build_call_new(build_executable, program,
            device_count, devices, options, notify, user);
    if (call == NULL) return CL_OUT_OF_HOST_MEMORY;
    quiet_call_begin();
    const cl_int err = build(call);
    quiet_call_end();
    build_call_release(call);
    return err;
}

/* ---- Compilations with headers ------------------------------------------- */

/* Kernels that the driver does not know to be the program's. */
static bool has_hidden_kernels(struct layer_program *program)
{
    struct build *build = objects_hold_substitute(program);
    const bool has = build != NULL && atomic_load(&program->kernels) > 0
                     && !quirk_compiles_with_kernels(build->devices[0].device);
    build_release(build);
    return has;
}

static void note_nameless(const char *why)
{
    statistics_count_miss(layer_reason_compiled, 0, 0);
    statistics_count_nothing_to_keep();
    trace_miss(layer_reason_compiled, why, 0, NULL);
}

/* Only the driver can: headers are given as programs. A program that is
 * compiled has no executable any more. */
static cl_int compile_with_headers(struct build_call *call,
        cl_uint header_count, const cl_program *headers,
        const char **header_names)
{
    if (has_hidden_kernels(call->program)) return CL_INVALID_OPERATION;
    (void)previous_gives_kernels(call->program);
    compile_bypass_begin(call);
    const cl_int err = target->clCompileProgram(call->program->handle,
            call->device_count, call->devices, call->options, header_count,
            headers, header_names, call->notify, call->user);
    note_nameless("headers that are programs");
    compile_bypass_end(call, err);
    return err;
}

static cl_int CL_API_CALL compile_program(cl_program handle,
        cl_uint device_count, const cl_device_id *devices, const char *options,
        cl_uint header_count, const cl_program *headers,
        const char **header_names, build_callback notify, void *user)
{
    struct layer_program *program = objects_get_program(handle);
    if (program == NULL) {
        const cl_int err =
                target->clCompileProgram(handle, device_count, devices, options,
                        header_count, headers, header_names, notify, user);
        note_nameless("the layer does not know the program");
        return err;
    }
    struct build_call *call = build_call_new(build_object, program,
            device_count, devices, options, notify, user);
    if (call == NULL) return CL_OUT_OF_HOST_MEMORY;
    const bool has_headers =
            header_count != 0 || headers != NULL || header_names != NULL;
    quiet_call_begin();
    const cl_int err = has_headers ? compile_with_headers(
                               call, header_count, headers, header_names)
                                   : build(call);
    quiet_call_end();
    build_call_release(call);
    return err;
}

void put_build_calls(cl_icd_dispatch *table)
{
    table->clBuildProgram = build_program;
    table->clCompileProgram = compile_program;
}
