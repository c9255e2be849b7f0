/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/compile.h"

#include "layer/capture/capture.h"
#include "layer/capture/capture_queue.h"
#include "layer/capture/quiet.h"
#include "layer/compile/failed.h"
#include "layer/compile/previous.h"
#include "layer/compile/withhold.h"
#include "layer/driver/next_layer.h"
#include "layer/driver/quirks.h"
#include "layer/driver/watch.h"
#include "layer/programs/driver_files.h"
#include "layer/programs/identity.h"
#include "layer/programs/kernel_names.h"
#include "layer/programs/launches.h"
#include "layer/programs/lease.h"
#include "layer/programs/notes.h"
#include "layer/programs/rebuilt.h"
#include "layer/programs/records.h"
#include "layer/settings/session.h"
#include "layer/settings/settings.h"
#include "layer/storage/storage.h"
#include "layer/trace/trace.h"
#include "src/drivers/build_marks.h"
#include "src/platform/clock.h"

#include <stdlib.h>

static cl_int compile_with(const char *options, cl_program handle,
        const struct build_call *call, build_callback notify, void *user)
{
    /* Of a call within a call the headers are the build's alone. */
    if (call->kind == build_object && call->header_count == 0
            && call->build->headers != NULL)
        return build_headers_compile(call->build->headers, call->context,
                handle, call->device_count, call->devices, options);
    if (call->kind == build_object)
        return next_layer->clCompileProgram(handle, call->device_count,
                call->devices, options, call->header_count, call->headers,
                call->header_names, notify, user);
    return next_layer->clBuildProgram(
            handle, call->device_count, call->devices, options, notify, user);
}

/* What may be kept is compiled for its ID: a cache of the driver's own does not
 * answer with what was compiled for another one. */
cl_int compile_in(cl_program handle, const struct build_call *call,
        build_callback notify, void *user)
{
    char *marks = call->is_named ? identity_build_marks(call->build) : NULL;
    if (call->is_named && marks == NULL) return CL_OUT_OF_HOST_MEMORY;
    if (marks == NULL || marks[0] == '\0') {
        free(marks);
        return compile_with(call->options, handle, call, notify, user);
    }
    const bool names_arguments = call->options == NULL
                                 && quirk_tells_arguments_without_options(
                                         call->build->devices[0].device);
    char *options = names_arguments ? build_marks_put_for_none(marks)
                                    : build_marks_put(marks, call->options);
    free(marks);
    if (options == NULL) return CL_OUT_OF_HOST_MEMORY;
    const cl_int err = compile_with(options, handle, call, notify, user);
    free(options);
    return err;
}

/* Whether any of the build's devices has a status there. */
static bool any_is(
        cl_program handle, const struct build *build, cl_build_status wanted)
{
    for (size_t i = 0; i < build->count; i++) {
        cl_build_status status = CL_BUILD_NONE;
        next_layer->clGetProgramBuildInfo(handle, build->devices[i].device,
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

static void not_kept(const struct build_call *call, enum layer_reason reason,
        const char *detail)
{
    struct build *build = call->build;
    atomic_store(&build->is_misnamed, true);
    statistics_count_not_kept(reason, 0);
    trace_not_kept(
            reason, detail, build->devices[0].id_size, build->devices[0].id);
}

/* Why what was compiled may be another than its ID says: *detail, or NULL. */
static enum layer_reason find_doubt(
        struct build_call *call, const char **detail)
{
    *detail = NULL;
    if (!identity_constants_unchanged(call)) {
        *detail = "a specialization constant was set while it was compiled";
        return layer_reason_identity;
    }
    if (!call->is_watched)
        *detail = "the folders of included files cannot be watched";
    else if (!identity_includes_unchanged(call))
        *detail = "an included file changed while it was compiled";
    return layer_reason_includes;
}

/* OpenCL's list of what was built; to be freed. NULL: it is not to be had. */
static char *kernels_of(const struct build_call *call)
{
    const cl_program made = objects_working_handle(call->program, call->build);
    size_t size = 0;
    char *names = NULL;
    if (next_layer->clGetProgramInfo(
                made, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size)
            == CL_SUCCESS)
        names = calloc(size + 1, 1);
    if (names == NULL
            || next_layer->clGetProgramInfo(
                       made, CL_PROGRAM_KERNEL_NAMES, size, names, NULL)
                       == CL_SUCCESS)
        return names;
    free(names);
    return NULL;
}

/* The device whose entry is missing; NULL: none, or it was another build's. */
static const struct built_device *missed_of(const struct build_call *call)
{
    const struct build *build = call->build;
    for (size_t i = 0; i < build->count; i++)
        if (&build->devices[i] == call->missed && call->missed->id != NULL)
            return call->missed;
    return NULL;
}

static void trace_end(
        const struct build_call *call, uint64_t compile_ns, bool is_good)
{
    const struct built_device *missed = missed_of(call);
    if (!trace_wants_facts()) return;
    char *kernels =
            is_good && call->kind != build_object ? kernels_of(call) : NULL;
    const struct trace_facts facts = {.kernels = kernels,
            .took_ns = compile_ns,
            .what_ended = is_good                    ? "compiled"
                          : call->build->is_withheld ? "answered"
                                                     : "failed"};
    trace_miss_end(call->reason, call->detail,
            missed != NULL ? missed->id_size : 0,
            missed != NULL ? missed->id : NULL, &facts);
    free(kernels);
}

static void count_miss(
        struct build_call *call, uint64_t compile_ns, bool is_good)
{
    if (call->is_counted) return;
    call->is_counted = true;
    trace_end(call, compile_ns, is_good);
    const uint64_t after_ns = clock_ns() - call->start_ns - compile_ns;
    statistics_count_miss(
            call->reason, compile_ns, call->overhead_ns + after_ns);
}

/* Not before: a program that does not compile keeps what it has. */
void compile_drop_replaced(const struct build *build)
{
    if (layer_settings()->mode != settings_mode_recompile) return;
    for (size_t i = 0; i < build->count; i++)
        storage_remove(build->devices[i].id_size, build->devices[i].id);
}

bool compile_is_worth_keeping(const struct build *build)
{
    return build->compile_ns >= layer_settings()->min_compile_ns;
}

/* Other hosts need not wait for it, and no next start counts it as lost. */
static void leave_fast(struct build_call *call)
{
    const struct built_device *d = &call->build->devices[0];
    lease_end(call->build);
    call->reason = layer_reason_too_fast;
    statistics_count_nothing_to_keep();
    trace_not_kept(layer_reason_too_fast, NULL, d->id_size, d->id);
}

void compile_keep_later(const struct build_call *call)
{
    struct build *build = call->build;
    compile_drop_replaced(build);
    launches_watch(build);
    driver_files_note(build);
    if (notes_are_wanted(build)) notes_add_build(call->program, build, NULL);
    records_add_build(call->program, build, NULL);
    capture_expect(call->program, build);
}

/* After the driver built the program from source. */
static void note_compiled(struct build_call *call, uint64_t compile_ns)
{
    struct build *build = call->build;
    const char *doubt = NULL;
    enum layer_reason reason = layer_reason_includes;
    if (call->is_named) reason = find_doubt(call, &doubt);
    if (doubt != NULL) not_kept(call, reason, doubt);
    failed_forget(call);
    pthread_mutex_lock(&call->program->lock);
    build->is_done = true;
    build->compile_ns = compile_ns;
    build_files_end(build);
    pthread_mutex_unlock(&call->program->lock);
    kernel_names_add(build, objects_working_handle(call->program, build));
    if (!call->is_named) {
        statistics_count_nothing_to_keep();
        if (!build->reads_files && !call->is_past_layer)
            records_add_build(call->program, build, NULL);
    } else if (doubt == NULL && !compile_is_worth_keeping(build)) {
        leave_fast(call);
    } else if (doubt == NULL) {
        compile_keep_later(call);
    }
    count_miss(call, compile_ns, true);
}

/* Before the driver's program is anything else. */
static void keep_failure(
        struct build_call *call, cl_int err, uint64_t compile_ns)
{
    const char *doubt = NULL;
    if (!failed_may_be_kept(call, err)) return;
    (void)find_doubt(call, &doubt);
    if (doubt == NULL) failed_keep(call, err, compile_ns);
}

static void note_failed(struct build_call *call, uint64_t compile_ns)
{
    const struct build *build = call->build;
    if (!build->is_withheld && quirk_never_recovers(build->devices[0].device)
            && any_is(objects_working_handle(call->program, build), build,
                    CL_BUILD_ERROR)) {
        pthread_mutex_lock(&call->program->lock);
        call->program->is_drivers = true;
        pthread_mutex_unlock(&call->program->lock);
    }
    lease_end(call->build);
    if (!call->is_counted) statistics_count_nothing_to_keep();
    count_miss(call, compile_ns, false);
}

static void end_handle(struct build_call *call)
{
    if (!atomic_exchange(&call->is_ended, true) && call->is_in_handle)
        capture_queue_end_handle(call->program);
}

/* Called by the driver at the end of an asynchronous build, with its program,
 * which need not be the application's. */
static void CL_CALLBACK built(cl_program where, void *user)
{
    struct build_call *call = user;
    struct layer_program *program = call->program;
    const build_callback notify = call->notify;
    void *notify_user = call->user;
    const uint64_t compile_ns = clock_ns() - call->start_ns;
    if (!atomic_exchange(&call->is_settled, true)) {
        const bool is_good = is_built(where, call->build);
        session_compile_end(call->session_slot, is_good);
        watch_work_end();
        quiet_call_end();
        if (is_good) {
            note_compiled(call, compile_ns);
        } else {
            call->failed_ns = compile_ns;
            atomic_store(&call->has_failed, true);
            note_failed(call, compile_ns);
        }
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
    session_compile_end(call->session_slot, false);
    watch_work_end();
    quiet_call_end();
    note_failed(call, clock_ns() - call->start_ns);
    build_call_end_watch(call);
    if (err <= CL_INVALID_VALUE) build_call_release(call);
}

static cl_int compile_later(cl_program where, struct build_call *call)
{
    atomic_fetch_add(&call->references, 1); /* the callback's */
    watch_work_begin();
    quiet_call_begin();
    call->session_slot = session_compile_begin();
    const cl_int err = compile_in(where, call, built, call);
    /* In a callback a driver may not make kernels, and what the call returns is
     * not known: of one that calls back later nothing is kept. */
    if (atomic_load(&call->has_failed))
        keep_failure(call, err, call->failed_ns);
    if (err != CL_SUCCESS) end_refused(call, err);
    return err;
}

static cl_int compile_now(cl_program where, struct build_call *call)
{
    watch_work_begin();
    const unsigned slot = session_compile_begin();
    const cl_int err = compile_in(where, call, NULL, call->user);
    watch_work_end();
    const uint64_t compile_ns = clock_ns() - call->start_ns;
    session_compile_end(slot, err == CL_SUCCESS);
    if (err == CL_SUCCESS) {
        note_compiled(call, compile_ns);
    } else {
        keep_failure(call, err, compile_ns);
        note_failed(call, compile_ns);
    }
    end_handle(call);
    return err;
}

/* ---- Where --------------------------------------------------------------- */

/* It has been replaced. */
static void drop_previous(struct build_call *call)
{
    if (call->previous != NULL) capture_soon(call->program, call->previous);
    build_release(call->previous);
    call->previous = NULL;
}

/* In the place, which goes to the build. */
static cl_int compile_at(struct build_call *call, struct previous_place *place)
{
    struct build *build = call->build;
    cl_program where = place->handle;
    /* Before anybody else knows the build. */
    previous_place_give(place, build);
    call->is_in_handle = where == call->program->handle;
    if (call->is_in_handle) previous_begin_handle(call->program, build);
    build_hold(build);
    /* Set before the build begins, so that queries meanwhile see it. */
    call->previous = previous_exchange(call->program, build);
    build_files_begin(build);
    call->start_ns = clock_ns();
    return call->notify != NULL ? compile_later(where, call)
                                : compile_now(where, call);
}

/* The same of the call, with nothing of it named. False: no memory. */
static bool renew_build(struct build_call *call)
{
    const struct build *build = call->build;
    cl_device_id devices[most_devices];
    for (size_t i = 0; i < build->count; i++)
        devices[i] = build->devices[i].device;
    struct build *again = build_new_like(build, build->count, devices);
    if (again == NULL) return false;
    again->is_part = build->is_part;
    build_release(call->build);
    call->build = again;
    call->is_named = false;
    return true;
}

/* The application has kernels of the program, but none in the place: of this
 * the driver has to say whether it builds a program that has any. False: none
 * can be made. */
static bool make_kernel_in(cl_kernel *made, const struct previous_place *place)
{
    cl_kernel kernel = NULL;
    cl_uint count = 0;
    *made = NULL;
    if (place->is_own) return true;
    if (next_layer->clCreateKernelsInProgram(place->handle, 0, NULL, &count)
                    != CL_SUCCESS
            || count == 0)
        return false;
    cl_kernel *all = calloc(count, sizeof(cl_kernel));
    if (all != NULL
            && next_layer->clCreateKernelsInProgram(
                       place->handle, count, all, NULL)
                       == CL_SUCCESS) {
        kernel = all[0];
        for (cl_uint i = 1; i < count; i++)
            next_layer->clReleaseKernel(all[i]);
    }
    free(all);
    *made = kernel;
    return kernel != NULL;
}

/* The kernel still stands there for the application's. */
static void take_stand_in(struct build_call *call)
{
    if (call->previous != NULL)
        atomic_store(&call->build->stand_in,
                atomic_exchange(&call->previous->stand_in, NULL));
}

/* A program of an earlier build has the constants of that time: the driver was
 * told of later ones for the application's program alone. */
static bool has_constants(
        const struct build_call *call, const struct previous_place *place)
{
    struct layer_program *program = call->program;
    return program->input.il == NULL || place->handle == program->handle
           || rebuilt_set_constants(program, place->handle);
}

cl_int compile_after_previous(struct build_call *call)
{
    cl_kernel kernel = NULL;
    if (call->is_named && !renew_build(call)) return CL_OUT_OF_HOST_MEMORY;
    struct previous_place place = previous_known_place(call->program);
    if (place.handle == NULL) return CL_OUT_OF_HOST_MEMORY;
    if (!has_constants(call, &place)) {
        previous_place_fini(&place);
        return CL_OUT_OF_HOST_MEMORY;
    }
    /* As OpenCL says, if the driver cannot be asked. */
    if (call->is_in_use && !make_kernel_in(&kernel, &place)) {
        previous_place_fini(&place);
        return CL_INVALID_OPERATION;
    }
    const cl_int err = compile_at(call, &place);
    if (err == CL_SUCCESS)
        atomic_store(&call->build->stand_in, kernel);
    else if (kernel != NULL)
        next_layer->clReleaseKernel(kernel);
    /* What is refused for its kernels stays as it is. */
    if (err > CL_INVALID_VALUE || !call->is_in_use
            || !previous_restore(call->program, call->build, call->previous)) {
        if (place.is_own) take_stand_in(call);
        drop_previous(call);
    }
    call->previous = NULL;
    return err;
}

cl_int compile_withheld(struct build_call *call)
{
    cl_program failing = withhold_make(call->context, call->reason);
    struct previous_place place = {.handle = failing, .rebuilt = failing};
    if (failing == NULL) return CL_OUT_OF_HOST_MEMORY;
    call->is_named = false; /* no marks, nothing to keep */
    call->build->is_withheld = true;
    const cl_int err = compile_at(call, &place);
    /* Wrong arguments change nothing. */
    const bool is_failed = err == CL_SUCCESS || err == CL_BUILD_PROGRAM_FAILURE
                           || err == CL_COMPILE_PROGRAM_FAILURE;
    if (is_failed
            || !previous_restore(call->program, call->build, call->previous))
        drop_previous(call);
    call->previous = NULL;
    return err;
}

cl_int compile(struct build_call *call)
{
    struct previous_place place = previous_fresh_place(call->program);
    const bool is_first = place.is_own;
    if (place.handle == NULL) return CL_OUT_OF_HOST_MEMORY;
    /* An asynchronous call that fails cannot be made once more. */
    if (call->notify != NULL && !is_first) {
        previous_place_fini(&place);
        return compile_after_previous(call);
    }
    if (call->is_named) identity_watch_includes(call);
    const cl_int err = compile_at(call, &place);
    if (err == CL_SUCCESS || is_first
            || !previous_restore(call->program, call->build, call->previous)) {
        drop_previous(call);
        return err;
    }
    call->previous = NULL;
    return renew_build(call) ? compile_after_previous(call) : err;
}
