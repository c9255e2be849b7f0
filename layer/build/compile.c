/* SPDX-License-Identifier: Apache-2.0 */
#include "compile.h"

#include "clock.h"
#include "driver/quirks.h"
#include "driver/target.h"
#include "driver/watch.h"
#include "harvest/harvest.h"
#include "harvest/keep.h"
#include "harvest/quiet.h"
#include "health/trace.h"
#include "identity.h"
#include "launch/launches.h"
#include "launch/notes.h"
#include "launch/records.h"
#include "lead.h"
#include "previous.h"
#include "rebuilt.h"

#include <stdlib.h>

cl_int compile_in(cl_program handle, const struct build_call *call,
        build_callback notify, void *user)
{
    if (call->kind == build_object)
        return target->clCompileProgram(handle, call->device_count,
                call->devices, call->options, 0, NULL, NULL, notify, user);
    return target->clBuildProgram(handle, call->device_count, call->devices,
            call->options, notify, user);
}

/* Whether any, or all, of the build's devices have a status there. */
static bool any_is(
        cl_program handle, const struct build *build, cl_build_status wanted)
{
    for (size_t i = 0; i < build->count; i++) {
        cl_build_status status = CL_BUILD_NONE;
        target->clGetProgramBuildInfo(handle, build->devices[i].device,
                CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
        if (status == wanted) return true;
    }
    return false;
}

static bool is_built(cl_program handle, const struct build *build)
{
    return !any_is(handle, build, CL_BUILD_NONE)
           && !any_is(handle, build, CL_BUILD_ERROR)
           && !any_is(handle, build, CL_BUILD_IN_PROGRESS);
}

/* ---- What came of it ----------------------------------------------------- */

static void not_kept(const struct build *build, const char *detail)
{
    statistics_count_not_kept(layer_reason_includes, 0);
    trace_not_kept(layer_reason_includes, detail, build->devices[0].id_size,
            build->devices[0].id);
}

static void count_miss(struct build_call *call, uint64_t compile_ns)
{
    const uint64_t after_ns = clock_now_ns() - call->start_ns - compile_ns;
    statistics_count_miss(
            call->reason, compile_ns, call->overhead_ns + after_ns);
}

/* The driver is asked for the binary, or the journal says how to make it. */
static void keep_later(const struct build_call *call)
{
    struct build *build = call->build;
    launches_watch(build);
    if (notes_are_wanted(build)) notes_add_build(call->program, build, NULL);
    records_add_build(call->program, build, NULL);
    harvest_expect(call->program, build);
}

/* After the driver built the program from source. */
static void note_compiled(struct build_call *call, uint64_t compile_ns)
{
    struct build *build = call->build;
    pthread_mutex_lock(&call->program->lock);
    struct build *fallback = build->fallback;
    build->fallback = NULL;
    build->is_done = true;
    build->compile_ns = compile_ns;
    pthread_mutex_unlock(&call->program->lock);
    build_release(fallback);
    if (!call->is_named) {
        statistics_count_nothing_to_keep();
        if (!build->reads_files) records_add_build(call->program, build, NULL);
    } else if (!call->is_watched) {
        not_kept(build, "the folders of included files cannot be watched");
    } else if (identity_includes_unchanged(call)) {
        keep_later(call);
    } else {
        not_kept(build, "an included file changed while it was compiled");
    }
    count_miss(call, compile_ns);
}

static void note_failed(struct build_call *call, uint64_t compile_ns)
{
    lead_end(call->build);
    count_miss(call, compile_ns);
    statistics_count_nothing_to_keep();
}

static void end_handle(struct build_call *call)
{
    if (!atomic_exchange(&call->is_ended, true) && call->is_in_handle)
        keep_end_handle(call->program);
}

/* Called by the driver at the end of an asynchronous build, with its program,
 * which need not be the application's. */
static void CL_CALLBACK built(cl_program where, void *user)
{
    struct build_call *call = user;
    struct layer_program *program = call->program;
    const build_callback notify = call->notify;
    void *notify_user = call->user;
    const uint64_t compile_ns = clock_now_ns() - call->start_ns;
    if (!atomic_exchange(&call->is_settled, true)) {
        watch_work_end();
        quiet_call_end();
        if (is_built(where, call->build))
            note_compiled(call, compile_ns);
        else
            note_failed(call, compile_ns);
    }
    /* Of a rebuilt program: the driver holds that alone during the callback,
     * and the application may have given its own program up. */
    objects_hold_program(program);
    end_handle(call);
    build_call_release(call);
    notify(program->handle, notify_user);
    objects_put_program(program);
}

/* A build that was refused makes no callback later; PoCL makes one at once even
 * then. After errors above CL_INVALID_VALUE this is not certain: then the
 * callback's reference is leaked rather than freed too early, but for the watch
 * and its places, which a settled call no longer uses. */
static void end_refused(struct build_call *call, cl_int err)
{
    end_handle(call);
    if (atomic_exchange(&call->is_settled, true)) return;
    watch_work_end();
    quiet_call_end();
    note_failed(call, clock_now_ns() - call->start_ns);
    build_call_end_watch(call);
    if (err <= CL_INVALID_VALUE) build_call_release(call);
}

static cl_int compile_later(cl_program where, struct build_call *call)
{
    atomic_fetch_add(&call->references, 1); /* the callback's */
    watch_work_begin();
    quiet_call_begin();
    const cl_int err = compile_in(where, call, built, call);
    if (err != CL_SUCCESS) end_refused(call, err);
    return err;
}

static cl_int compile_now(cl_program where, struct build_call *call)
{
    watch_work_begin();
    const cl_int err = compile_in(where, call, NULL, NULL);
    watch_work_end();
    const uint64_t compile_ns = clock_now_ns() - call->start_ns;
    if (err == CL_SUCCESS)
        note_compiled(call, compile_ns);
    else
        note_failed(call, compile_ns);
    end_handle(call);
    return err;
}

/* ---- Where --------------------------------------------------------------- */

/* The application's program, unless a build in it waits for its harvest. And
 * not where a substitute does its work: should the driver refuse the call at
 * once, the program is still what the substitute is, and it must be possible to
 * see that nothing was begun. Builds for some of the devices add up there. */
static bool fits_handle(
        struct layer_program *program, const struct build *build)
{
    if (build->is_part) return true;
    if (keep_waits_for_handle(program)) return false;
    pthread_mutex_lock(&program->lock);
    const struct build *now = program->build;
    const bool fits =
            !program->is_used || now == NULL || now->substitute == NULL;
    pthread_mutex_unlock(&program->lock);
    return fits;
}

/* Before anybody else knows the build. */
static cl_program choose_place(
        struct layer_program *program, struct build *build)
{
    if (!fits_handle(program, build))
        build->substitute = rebuilt_create(program);
    if (build->substitute != NULL) return build->substitute;
    previous_begin_handle(program, build);
    return program->handle;
}

/* A call that is refused at once leaves the program what it was. What was begun
 * has failed here, as without the layer. */
static bool was_begun(cl_program where, const struct build *build)
{
    return any_is(where, build, CL_BUILD_ERROR)
           || any_is(where, build, CL_BUILD_IN_PROGRESS);
}

/* Before the build is begun. */
static void keep_old_answers(struct build_call *call)
{
    struct build *build = call->build;
    const struct build *previous = call->previous;
    if (previous == NULL || !quirk_keeps_old_answers(build->devices[0].device))
        return;
    pthread_mutex_lock(&call->program->lock);
    build->fallback = previous->is_done ? call->previous : previous->fallback;
    if (build->fallback != NULL) build_hold(build->fallback);
    pthread_mutex_unlock(&call->program->lock);
}

/* It has been replaced. */
static void drop_previous(struct build_call *call)
{
    if (call->previous != NULL) harvest_soon(call->program, call->previous);
    build_release(call->previous);
    call->previous = NULL;
}

cl_int compile(struct build_call *call)
{
    struct build *build = call->build;
    if (call->is_named) identity_watch_includes(call);
    cl_program where = choose_place(call->program, build);
    call->is_in_handle = where == call->program->handle;
    build_hold(build);
    /* Set before the build begins, so that queries meanwhile see it. */
    call->previous = previous_exchange(call->program, build);
    keep_old_answers(call);
    call->start_ns = clock_now_ns();
    const cl_int err = call->notify != NULL ? compile_later(where, call)
                                            : compile_now(where, call);
    /* A callback, or another thread, may have made the program something else
     * meanwhile. */
    if (err == CL_SUCCESS || was_begun(where, build)
            || !previous_restore(call->program, build, call->previous))
        drop_previous(call);
    call->previous = NULL;
    return err;
}

/* ---- Past the layer ------------------------------------------------------ */

void compile_bypass_begin(struct build_call *call)
{
    call->queued = keep_begin_handle(call->program, NULL);
    call->previous = previous_exchange(call->program, NULL);
}

void compile_bypass_end(struct build_call *call, cl_int err)
{
    const bool is_new = err == CL_SUCCESS || err == CL_BUILD_PROGRAM_FAILURE
                        || err == CL_COMPILE_PROGRAM_FAILURE;
    if (is_new || !previous_restore(call->program, NULL, call->previous))
        drop_previous(call);
    call->previous = NULL;
    if (call->queued != NULL && !is_new
            && is_built(call->program->handle, call->queued))
        harvest_expect(call->program, call->queued);
    else if (call->queued != NULL)
        statistics_count_not_kept(layer_reason_unused, 0);
    build_release(call->queued);
    call->queued = NULL;
    keep_end_handle(call->program);
}
