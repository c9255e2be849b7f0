/* SPDX-License-Identifier: Apache-2.0 */
/* clBuildProgram and clCompileProgram: a shadow from the storage, or the
 * driver's compiler. */
#include "arguments.h"
#include "build/compile.h"
#include "build/identity.h"
#include "build/load.h"
#include "build/partial.h"
#include "build/previous.h"
#include "calls.h"
#include "clock.h"
#include "driver/quirks.h"
#include "driver/target.h"
#include "harvest/keep.h"
#include "health/trace.h"

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
static struct build *new_build(const struct request *r)
{
    cl_device_id all[most_devices];
    cl_device_id asked[most_devices];
    size_t size = 0;
    if (is_unknown(r->program)) return NULL;
    if (target->clGetProgramInfo(
                r->program->handle, CL_PROGRAM_DEVICES, sizeof all, all, &size)
            != CL_SUCCESS)
        return NULL;
    const size_t all_count = size / sizeof all[0];
    const bool is_list = r->devices != NULL;
    const size_t count = is_list ? arguments_devices(r->device_count,
                                 r->devices, all, all_count, asked)
                                 : all_count;
    struct build *build = count > 0 ? build_new(r->kind, count,
                                  is_list ? asked : all, r->options)
                                    : NULL;
    if (build != NULL) build->is_part = count < all_count;
    return build;
}

/* ---- A build ------------------------------------------------------------- */

/* Nothing is kept of it. */
static bool give_up(struct attempt *attempt, enum layer_reason reason)
{
    attempt->reason = reason;
    attempt->is_named = false;
    return false;
}

/* The program has been built so before, and that still waits for its harvest.
 */
static bool find_waiting(const struct request *r, struct attempt *attempt)
{
    const uint64_t start = clock_now_ns();
    struct build *same = keep_find_same(r->program, attempt->build);
    if (same == NULL) return false;
    build_release(attempt->build);
    attempt->build = same;
    for (size_t i = 0; i < same->count; i++)
        trace_hit(same->devices[i].id_size, same->devices[i].id, true, false);
    statistics_count_hit(true, 0, clock_now_ns() - start, same->compile_ns);
    return true;
}

/* Names the build and looks it up. True: it is one that is there, or has its
 * shadow. */
static bool try_to_load(const struct request *r, struct attempt *attempt)
{
    struct identity_doubt doubt = {layer_reason_failed, ""};
    struct load_result result;
    struct build *build = attempt->build;
    pthread_mutex_lock(&r->program->lock);
    attempt->is_named = identify_build(
            build, r->program, r->options, &attempt->includes, &doubt);
    pthread_mutex_unlock(&r->program->lock);
    if (!attempt->is_named) {
        trace_miss(doubt.reason, doubt.detail, 0, NULL);
        return give_up(attempt, doubt.reason);
    }
    if (find_waiting(r, attempt)) return true;
    if (load_driver_is_faster(build)) {
        trace_miss(layer_reason_driver_faster, NULL, build->devices[0].id_size,
                build->devices[0].id);
        return give_up(attempt, layer_reason_driver_faster);
    }
    if (load_program(build, r->program->context, r->options, &result)) {
        load_count_hit(build, &result);
        return true;
    }
    attempt->reason = result.reason;
    if (result.device != NULL)
        trace_miss(
                result.reason, NULL, result.device->id_size, result.device->id);
    if (result.reason == layer_reason_partial && partial_load(r, attempt))
        return true;
    if (load_is_given_up(&result)) give_up(attempt, result.reason);
    return false;
}

/* The driver's alone: it has to say what is wrong, or what it does is not
 * known. */
static cl_int pass_on(const struct request *r)
{
    const struct apart apart = compile_apart_begin(r->program);
    const cl_int err = compile_in(r->program->handle, r, r->notify, r->user);
    compile_apart_end(r->program, apart, err);
    return err;
}

/* OpenCL builds no program that has kernels. Where the driver knows of them, it
 * refuses itself. */
static cl_int refuse(const struct request *r, const struct earlier *earlier)
{
    return earlier->has_shadow ? CL_INVALID_OPERATION : pass_on(r);
}

static bool is_in_the_way(const struct request *r,
        const struct earlier *earlier, const struct build *build)
{
    return earlier->is_in_use
           && !(r->kind == build_object
                   && quirk_compiles_with_kernels(build->devices[0].device));
}

static cl_int load_or_compile(const struct request *r,
        const struct earlier *earlier, struct attempt *attempt)
{
    const uint64_t start = clock_now_ns();
    cl_int err = CL_SUCCESS;
    if (earlier->is_partly || attempt->build->is_part) {
        give_up(attempt, layer_reason_unsupported);
        trace_miss(layer_reason_unsupported, "a part of the program's devices",
                0, NULL);
        if (earlier->is_partly) err = previous_build_from_source(r->program);
        if (err != CL_SUCCESS) return err;
    } else if (try_to_load(r, attempt)) {
        build_hold(attempt->build);
        previous_replace(r->program, attempt->build);
        if (r->notify != NULL) r->notify(r->program->handle, r->user);
        return CL_SUCCESS;
    }
    attempt->overhead_ns = clock_now_ns() - start;
    return compile(r, attempt);
}

static cl_int build_of_ours(const struct request *r)
{
    if (r->kind == build_object && previous_gives_kernels(r->program))
        return pass_on(r);
    struct attempt attempt = {.build = new_build(r)};
    if (attempt.build == NULL) return pass_on(r);
    const struct earlier earlier = previous_look(r->program, attempt.build);
    const cl_int err = is_in_the_way(r, &earlier, attempt.build)
                               ? refuse(r, &earlier)
                               : load_or_compile(r, &earlier, &attempt);
    build_release(attempt.build);
    return err;
}

/* What only the driver can refuse passes through. */
static cl_int build_or_pass(struct request *r)
{
    return arguments_are_malformed(
                   r->device_count, r->devices, r->notify, r->user)
                   ? compile_in(r->program->handle, r, r->notify, r->user)
                   : build_of_ours(r);
}

static cl_int CL_API_CALL build_program(cl_program handle, cl_uint device_count,
        const cl_device_id *devices, const char *options, build_callback notify,
        void *user)
{
    struct request r = {.kind = build_executable,
            .program = objects_get_program(handle),
            .device_count = device_count,
            .devices = devices,
            .options = options,
            .notify = notify,
            .user = user};
    if (r.program == NULL)
        return target->clBuildProgram(
                handle, device_count, devices, options, notify, user);
    const cl_int err = build_or_pass(&r);
    objects_put_program(r.program);
    return err;
}

/* Kernels that the driver does not know to be the program's. */
static bool has_hidden_kernels(struct layer_program *program)
{
    struct build *build = objects_hold_substitute(program);
    const bool has = build != NULL && atomic_load(&program->kernels) > 0
                     && !quirk_compiles_with_kernels(build->devices[0].device);
    build_release(build);
    return has;
}

/* Only the driver can: the program is not one of ours, or headers are given as
 * programs. A program that is compiled has no executable any more. */
static cl_int compile_unnamed(const struct request *r, cl_program handle,
        cl_uint header_count, const cl_program *headers,
        const char **header_names)
{
    if (r->program != NULL && has_hidden_kernels(r->program))
        return CL_INVALID_OPERATION;
    struct apart apart = {NULL, NULL};
    if (r->program != NULL) (void)previous_gives_kernels(r->program);
    if (r->program != NULL) apart = compile_apart_begin(r->program);
    const cl_int err = target->clCompileProgram(handle, r->device_count,
            r->devices, r->options, header_count, headers, header_names,
            r->notify, r->user);
    statistics_count_miss(layer_reason_compiled, 0, 0);
    statistics_count_nothing_to_keep();
    trace_miss(layer_reason_compiled,
            header_count > 0 ? "headers that are programs"
                             : "the layer does not know the program",
            0, NULL);
    if (r->program != NULL) compile_apart_end(r->program, apart, err);
    return err;
}

static cl_int CL_API_CALL compile_program(cl_program handle,
        cl_uint device_count, const cl_device_id *devices, const char *options,
        cl_uint header_count, const cl_program *headers,
        const char **header_names, build_callback notify, void *user)
{
    struct request r = {.kind = build_object,
            .program = objects_get_program(handle),
            .device_count = device_count,
            .devices = devices,
            .options = options,
            .notify = notify,
            .user = user};
    const bool has_headers =
            header_count != 0 || headers != NULL || header_names != NULL;
    const cl_int err = r.program == NULL || has_headers ? compile_unnamed(
                               &r, handle, header_count, headers, header_names)
                                                        : build_or_pass(&r);
    if (r.program != NULL) objects_put_program(r.program);
    return err;
}

void put_build_calls(cl_icd_dispatch *table)
{
    table->clBuildProgram = build_program;
    table->clCompileProgram = compile_program;
}
