/* SPDX-License-Identifier: Apache-2.0 */
/* clBuildProgram and clCompileProgram: a shadow from the storage, or the
 * driver's compiler. */
#include "calls.h"
#include "clock.h"
#include "earlier.h"
#include "harvest.h"
#include "identity.h"
#include "keep.h"
#include "load.h"
#include "quirks.h"
#include "target.h"
#include "trace.h"
#include "watch.h"

#include <stdlib.h>
#include <string.h>

/* What the application asks for. */
struct request {
    enum build_kind kind;
    struct layer_program *program;
    cl_uint device_count;
    const cl_device_id *devices;
    const char *options; /* may be NULL */
    build_callback notify;
    void *user;
};

/* What the layer makes of it; moves on to a callback with an asynchronous
 * build. */
struct attempt {
    struct build *build; /* owned; NULL: not cacheable */
    struct includes includes;
    enum layer_reason reason; /* why it is compiled */
    uint64_t overhead_ns;     /* before the driver was called */
};

static cl_int pass_on_with(
        const struct request *r, build_callback notify, void *user)
{
    cl_program handle = r->program->handle;
    if (r->kind == build_object)
        return target->clCompileProgram(handle, r->device_count, r->devices,
                r->options, 0, NULL, NULL, notify, user);
    return target->clBuildProgram(
            handle, r->device_count, r->devices, r->options, notify, user);
}

static cl_int pass_on(const struct request *r)
{
    return pass_on_with(r, r->notify, r->user);
}

/* ---- What is asked for --------------------------------------------------- */

static bool has(const cl_device_id *list, size_t count, cl_device_id device)
{
    size_t i = 0;
    while (i < count && list[i] != device)
        i++;
    return i < count;
}

/* The device as the program has it: itself, or the one that it is a part of.
 * NULL: neither. */
static cl_device_id device_of(
        const cl_device_id *all, size_t count, cl_device_id device)
{
    while (device != NULL && !has(all, count, device)) {
        cl_device_id parent = NULL;
        target->clGetDeviceInfo(
                device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL);
        device = parent;
    }
    return device;
}

/* The devices that are asked for, each once; how many. 0: the driver has to say
 * what is wrong. */
static size_t asked_devices(const struct request *r, const cl_device_id *all,
        size_t all_count, cl_device_id *asked)
{
    size_t count = 0;
    for (cl_uint i = 0; i < r->device_count; i++) {
        const cl_device_id device = device_of(all, all_count, r->devices[i]);
        if (device == NULL || has(r->devices, i, r->devices[i])) return 0;
        if (!has(asked, count, device)) asked[count++] = device;
    }
    return count;
}

/* A build of the devices that are asked for. NULL: the driver has to say what
 * is wrong, or memory ran out. */
static struct build *new_build(const struct request *r)
{
    cl_device_id all[most_devices];
    cl_device_id asked[most_devices];
    size_t size = 0;
    if (target->clGetProgramInfo(
                r->program->handle, CL_PROGRAM_DEVICES, sizeof all, all, &size)
            != CL_SUCCESS)
        return NULL;
    const size_t all_count = size / sizeof all[0];
    const bool is_list = r->devices != NULL;
    const size_t count =
            is_list ? asked_devices(r, all, all_count, asked) : all_count;
    struct build *build = count > 0 ? build_new(r->kind, count,
                                  is_list ? asked : all, r->options)
                                    : NULL;
    if (build != NULL) build->is_part = count < all_count;
    return build;
}

static bool is_malformed(const struct request *r)
{
    return (r->device_count == 0) != (r->devices == NULL)
           || (r->notify == NULL && r->user != NULL);
}

/* ---- Compiling ----------------------------------------------------------- */

/* A partial hit was counted when it was found to be one. */
static void count_miss(
        enum layer_reason reason, uint64_t compile_ns, uint64_t overhead_ns)
{
    if (reason != layer_reason_partial)
        statistics_count_miss(reason, compile_ns, overhead_ns);
}

static void note_built(struct layer_program *program)
{
    pthread_mutex_lock(&program->lock);
    program->is_built = true;
    pthread_mutex_unlock(&program->lock);
}

/* After the driver built the program from source. */
static void note_compiled(struct layer_program *program,
        struct attempt *attempt, uint64_t compile_ns)
{
    const uint64_t start = clock_now_ns();
    struct build *build = attempt->build;
    attempt->build = NULL;
    note_built(program);
    if (build != NULL
            && !identity_includes_unchanged(
                    program, build->options, &attempt->includes)) {
        statistics_count_not_kept(layer_reason_includes, 0);
        build_release(build);
        build = NULL;
    }
    if (build != NULL) {
        build->compile_ns = compile_ns;
        cl_device_id device = build->devices[0].device;
        earlier_replace(program, build);
        harvest_expect(program, device);
    }
    count_miss(attempt->reason, compile_ns,
            attempt->overhead_ns + clock_now_ns() - start);
}

/* An asynchronous build: two hold it, the caller and the driver's callback. */
struct pending {
    atomic_int references;
    struct layer_program *program; /* a reference */
    struct attempt attempt;
    uint64_t start_ns;
    build_callback notify;
    void *user;
};

static void pending_release(struct pending *pending)
{
    if (atomic_fetch_sub(&pending->references, 1) != 1) return;
    watch_work_end();
    build_release(pending->attempt.build);
    objects_put_program(pending->program);
    free(pending);
}

static bool is_built(cl_program handle, const struct build *build)
{
    for (size_t i = 0; i < build->count; i++) {
        cl_build_status status = CL_BUILD_NONE;
        target->clGetProgramBuildInfo(handle, build->devices[i].device,
                CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
        if (status != CL_BUILD_SUCCESS) return false;
    }
    return true;
}

static void CL_CALLBACK built(cl_program handle, void *user)
{
    struct pending *pending = user;
    const build_callback notify = pending->notify;
    void *notify_user = pending->user;
    const uint64_t compile_ns = clock_now_ns() - pending->start_ns;
    if (pending->attempt.build == NULL
            || is_built(handle, pending->attempt.build))
        note_compiled(pending->program, &pending->attempt, compile_ns);
    else
        count_miss(pending->attempt.reason, compile_ns, 0);
    pending_release(pending);
    notify(handle, notify_user);
}

static cl_int compile_later(const struct request *r, struct attempt *attempt)
{
    struct pending *pending = malloc(sizeof *pending);
    if (pending == NULL) return pass_on(r);
    *pending = (struct pending){.program = r->program,
            .attempt = *attempt,
            .start_ns = clock_now_ns(),
            .notify = r->notify,
            .user = r->user};
    atomic_init(&pending->references, 2);
    attempt->build = NULL;
    watch_work_begin();
    objects_hold_program(r->program);
    const cl_int err = pass_on_with(r, built, pending);
    /* What was not begun calls nobody back. After the other errors it is not
     * certain: rather lost than freed too early. */
    if (err <= CL_INVALID_VALUE) pending_release(pending);
    pending_release(pending);
    return err;
}

static cl_int compile_now(const struct request *r, struct attempt *attempt)
{
    const uint64_t start = clock_now_ns();
    watch_work_begin();
    const cl_int err = pass_on(r);
    watch_work_end();
    const uint64_t compile_ns = clock_now_ns() - start;
    if (err == CL_SUCCESS)
        note_compiled(r->program, attempt, compile_ns);
    else
        count_miss(attempt->reason, compile_ns, attempt->overhead_ns);
    return err;
}

/* ---- A build ------------------------------------------------------------- */

static void drop(struct attempt *attempt, enum layer_reason reason)
{
    attempt->reason = reason;
    build_release(attempt->build);
    attempt->build = NULL;
}

/* Names the build and looks it up. True: it has its shadow. */
static bool try_to_load(
        const struct request *r, enum earlier earlier, struct attempt *attempt)
{
    struct identity_doubt doubt = {layer_reason_failed, ""};
    struct load_result result;
    struct build *build = attempt->build;
    pthread_mutex_lock(&r->program->lock);
    const bool is_named = !r->program->is_unknown
                          && identify_build(build, r->program, r->options,
                                  &attempt->includes, &doubt);
    pthread_mutex_unlock(&r->program->lock);
    if (!is_named) {
        trace_miss(doubt.reason, doubt.detail, 0, NULL);
        drop(attempt, doubt.reason);
        return false;
    }
    if (load_stands_aside(build)) {
        trace_miss(layer_reason_driver_faster, NULL, build->devices[0].id_size,
                build->devices[0].id);
        drop(attempt, layer_reason_driver_faster);
        return false;
    }
    if (earlier == earlier_driver) {
        attempt->reason = layer_reason_unsupported;
        return false;
    }
    if (load_shadow(build, r->program->context, r->options, &result))
        return true;
    attempt->reason = result.reason;
    if (result.device != NULL)
        trace_miss(
                result.reason, NULL, result.device->id_size, result.device->id);
    if (result.reason == layer_reason_quarantined)
        drop(attempt, layer_reason_quarantined);
    return false;
}

static cl_int build_of_ours(const struct request *r)
{
    const uint64_t start = clock_now_ns();
    struct attempt attempt = {.build = new_build(r)};
    cl_int err;
    if (attempt.build == NULL) {
        if (keep_prevent(r->program))
            statistics_count_not_kept(layer_reason_unused, 0);
        err = pass_on(r);
        if (err == CL_SUCCESS) build_release(earlier_take(r->program));
        return err;
    }
    const enum earlier earlier = earlier_look(r->program, attempt.build);
    if (earlier == earlier_in_use
            && !(r->kind == build_object
                    && quirk_compiles_with_kernels(
                            attempt.build->devices[0].device))) {
        build_release(attempt.build);
        return CL_INVALID_OPERATION;
    }
    if (earlier == earlier_partly || attempt.build->is_part) {
        trace_miss(layer_reason_unsupported, "a part of the program's devices",
                0, NULL);
        drop(&attempt, layer_reason_unsupported);
        err = earlier == earlier_partly ? earlier_build_from_source(r->program)
                                        : CL_SUCCESS;
        if (err != CL_SUCCESS) return err;
    } else if (try_to_load(r, earlier, &attempt)) {
        earlier_replace(r->program, attempt.build);
        if (r->notify != NULL) r->notify(r->program->handle, r->user);
        return CL_SUCCESS;
    }
    build_release(earlier_take(r->program));
    attempt.overhead_ns = clock_now_ns() - start;
    err = r->notify != NULL ? compile_later(r, &attempt)
                            : compile_now(r, &attempt);
    build_release(attempt.build);
    return err;
}

/* What only the driver can refuse passes through. */
static cl_int build_or_pass(struct request *r)
{
    return is_malformed(r) ? pass_on(r) : build_of_ours(r);
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

/* Only the driver can: the program is not one of ours, or headers are given as
 * programs. A program that is compiled has no executable any more. */
static cl_int compile_unnamed(const struct request *r, cl_program handle,
        cl_uint header_count, const cl_program *headers,
        const char **header_names)
{
    if (r->program != NULL && keep_prevent(r->program))
        statistics_count_not_kept(layer_reason_unused, 0);
    const cl_int err = target->clCompileProgram(handle, r->device_count,
            r->devices, r->options, header_count, headers, header_names,
            r->notify, r->user);
    statistics_count_miss(layer_reason_compiled, 0, 0);
    if (err != CL_SUCCESS || r->program == NULL) return err;
    build_release(earlier_take(r->program));
    note_built(r->program);
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
