/* SPDX-License-Identifier: Apache-2.0 */
#include "compile.h"

#include "clock.h"
#include "driver/quirks.h"
#include "driver/target.h"
#include "driver/watch.h"
#include "harvest/harvest.h"
#include "harvest/keep.h"
#include "health/trace.h"
#include "previous.h"
#include "rebuilt.h"

#include <stdlib.h>

cl_int compile_in(cl_program handle, const struct request *r,
        build_callback notify, void *user)
{
    if (r->kind == build_object)
        return target->clCompileProgram(handle, r->device_count, r->devices,
                r->options, 0, NULL, NULL, notify, user);
    return target->clBuildProgram(
            handle, r->device_count, r->devices, r->options, notify, user);
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

static void not_kept(
        const struct build *build, enum layer_reason reason, const char *detail)
{
    statistics_count_not_kept(reason, 0);
    trace_not_kept(
            reason, detail, build->devices[0].id_size, build->devices[0].id);
}

/* After the driver built the program from source. */
static void note_compiled(struct layer_program *program,
        struct attempt *attempt, uint64_t compile_ns)
{
    const uint64_t start = clock_now_ns();
    struct build *build = attempt->build;
    pthread_mutex_lock(&program->lock);
    struct build *fallback = build->fallback;
    build->fallback = NULL;
    build->is_done = true;
    build->compile_ns = compile_ns;
    pthread_mutex_unlock(&program->lock);
    build_release(fallback);
    if (attempt->is_named) {
        if (!attempt->is_watched)
            not_kept(build, layer_reason_includes,
                    "the folders of included files cannot be watched");
        else if (identity_includes_unchanged(program, build->options,
                         &attempt->includes, attempt->watch))
            harvest_expect(program, build);
        else
            not_kept(build, layer_reason_includes,
                    "an included file changed while it was compiled");
        attempt->watch = NULL;
    } else {
        statistics_count_nothing_to_keep();
    }
    statistics_count_miss(attempt->reason, compile_ns,
            attempt->overhead_ns + clock_now_ns() - start);
}

static void count_failed(const struct attempt *attempt, uint64_t compile_ns,
        uint64_t overhead_ns)
{
    statistics_count_miss(attempt->reason, compile_ns, overhead_ns);
    statistics_count_nothing_to_keep();
}

/* An asynchronous build: two hold it, the caller and the driver's callback. */
struct pending {
    atomic_int references;
    /* By the first of the two that knows what came of it: the attempt is that
     * one's. */
    atomic_bool is_settled;
    atomic_bool is_ended; /* in the handle, if it is there */
    bool is_in_handle;
    bool is_given_up;              /* by the caller: it is no work any more */
    struct layer_program *program; /* a reference */
    struct attempt attempt;
    uint64_t start_ns;
    build_callback notify;
    void *user;
};

/* Of what failed to compile. */
static void drop_watch(struct attempt *attempt)
{
    (void)include_watch_end(attempt->watch);
    attempt->watch = NULL;
}

static void pending_release(struct pending *pending)
{
    if (atomic_fetch_sub(&pending->references, 1) != 1) return;
    if (!pending->is_given_up) watch_work_end();
    drop_watch(&pending->attempt);
    build_release(pending->attempt.build);
    objects_put_program(pending->program);
    free(pending);
}

static void pending_end(struct pending *pending)
{
    if (!atomic_exchange(&pending->is_ended, true) && pending->is_in_handle)
        keep_end_handle(pending->program);
}

/* Of whatever program of the driver's; the application knows its own. */
static void CL_CALLBACK built(cl_program where, void *user)
{
    struct pending *pending = user;
    const bool is_first = !atomic_exchange(&pending->is_settled, true);
    struct layer_program *program = pending->program;
    const build_callback notify = pending->notify;
    void *notify_user = pending->user;
    const uint64_t compile_ns = clock_now_ns() - pending->start_ns;
    if (is_first && is_built(where, pending->attempt.build))
        note_compiled(program, &pending->attempt, compile_ns);
    else if (is_first)
        count_failed(&pending->attempt, compile_ns, 0);
    /* Of a rebuilt: the driver holds that alone during the callback, and the
     * application may have given its own program up. */
    objects_hold_program(program);
    pending_end(pending);
    pending_release(pending);
    notify(program->handle, notify_user);
    objects_put_program(program);
}

/* What was not begun calls nobody back later; PoCL calls at once even then.
 * After errors above CL_INVALID_VALUE it is not certain: rather lost than freed
 * too early, but for what it occupies. */
static void end_refused(struct pending *pending, cl_int err)
{
    pending_end(pending);
    if (atomic_exchange(&pending->is_settled, true)) return;
    count_failed(&pending->attempt, clock_now_ns() - pending->start_ns,
            pending->attempt.overhead_ns);
    drop_watch(&pending->attempt);
    watch_work_end();
    pending->is_given_up = true;
    if (err <= CL_INVALID_VALUE) pending_release(pending);
}

static cl_int compile_later(
        cl_program where, const struct request *r, struct attempt *attempt)
{
    struct pending *pending = malloc(sizeof *pending);
    if (pending == NULL) {
        if (where == r->program->handle) keep_end_handle(r->program);
        return CL_OUT_OF_HOST_MEMORY;
    }
    *pending = (struct pending){.program = r->program,
            .attempt = *attempt,
            .is_in_handle = where == r->program->handle,
            .start_ns = clock_now_ns(),
            .notify = r->notify,
            .user = r->user};
    atomic_init(&pending->references, 2);
    atomic_init(&pending->is_settled, false);
    atomic_init(&pending->is_ended, false);
    attempt->build = NULL;
    attempt->watch = NULL;
    watch_work_begin();
    objects_hold_program(r->program);
    const cl_int err = compile_in(where, r, built, pending);
    if (err != CL_SUCCESS) end_refused(pending, err);
    pending_release(pending);
    return err;
}

static cl_int compile_now(
        cl_program where, const struct request *r, struct attempt *attempt)
{
    const uint64_t start = clock_now_ns();
    watch_work_begin();
    const cl_int err = compile_in(where, r, NULL, NULL);
    watch_work_end();
    const uint64_t compile_ns = clock_now_ns() - start;
    if (err == CL_SUCCESS)
        note_compiled(r->program, attempt, compile_ns);
    else
        count_failed(attempt, compile_ns, attempt->overhead_ns);
    if (where == r->program->handle) keep_end_handle(r->program);
    return err;
}

/* ---- Where --------------------------------------------------------------- */

/* The application's program, unless a build in it waits for its harvest. And
 * not in the place of a shadow either: should the driver refuse the call at
 * once, the program is still what the shadow is, and it must be possible to see
 * that nothing was begun. Builds for some of the devices add up there. */
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
static void keep_old_answers(struct layer_program *program, struct build *build,
        struct build *before)
{
    if (before == NULL || !quirk_keeps_old_answers(build->devices[0].device))
        return;
    pthread_mutex_lock(&program->lock);
    build->fallback = before->is_done ? before : before->fallback;
    if (build->fallback != NULL) build_hold(build->fallback);
    pthread_mutex_unlock(&program->lock);
}

cl_int compile(const struct request *r, struct attempt *attempt)
{
    struct build *build = attempt->build;
    attempt->is_watched = attempt->is_named
                          && identity_watch_includes(r->program, r->options,
                                  &attempt->includes, &attempt->watch);
    cl_program where = choose_place(r->program, build);
    build_hold(build);
    build_hold(build);
    /* Known before it is begun: who asks meanwhile hears of it. */
    struct build *before = previous_exchange(r->program, build);
    keep_old_answers(r->program, build, before);
    const cl_int err = r->notify != NULL ? compile_later(where, r, attempt)
                                         : compile_now(where, r, attempt);
    /* A callback, or another thread, may have made the program something else
     * meanwhile. */
    if (err == CL_SUCCESS || was_begun(where, build)
            || !previous_restore(r->program, build, before)) {
        if (before != NULL) harvest_hurry(r->program, before);
        build_release(before);
    }
    build_release(build);
    drop_watch(attempt);
    return err;
}

/* ---- Past the layer ------------------------------------------------------ */

struct apart compile_apart_begin(struct layer_program *program)
{
    struct build *waited = keep_begin_handle(program, NULL);
    return (struct apart){previous_exchange(program, NULL), waited};
}

void compile_apart_end(
        struct layer_program *program, struct apart apart, cl_int err)
{
    struct build *waited = apart.waited;
    const bool is_new = err == CL_SUCCESS || err == CL_BUILD_PROGRAM_FAILURE
                        || err == CL_COMPILE_PROGRAM_FAILURE;
    if (is_new || !previous_restore(program, NULL, apart.before)) {
        if (apart.before != NULL) harvest_hurry(program, apart.before);
        build_release(apart.before);
    }
    if (waited != NULL && !is_new && is_built(program->handle, waited))
        harvest_expect(program, waited);
    else if (waited != NULL)
        statistics_count_not_kept(layer_reason_unused, 0);
    build_release(waited);
    keep_end_handle(program);
}
