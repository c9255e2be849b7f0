/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/previous.h"

#include "layer/capture/capture.h"
#include "layer/capture/capture_queue.h"
#include "layer/compile/failed.h"
#include "layer/compile/withhold.h"
#include "layer/driver/next_layer.h"
#include "layer/driver/quirks.h"
#include "layer/programs/rebuilt.h"
#include "layer/settings/statistics.h"

#include <string.h>

/* Whether the driver does not do the same once more. */
static bool is_refused_again(
        const struct build_call *call, const struct build *old)
{
    return old != NULL && old->kind == build_object && !old->is_withheld
           && call->kind == build_object
           && strcmp(old->options, call->build->options) == 0
           && quirk_compiles_once(old->devices[0].device);
}

/* Of a driver that compiles nothing twice: whether it may refuse more than the
 * previous build tells. A call that failed may have changed nothing, and one
 * for some devices left the others as they were. */
static bool hides_earlier(const struct build *old)
{
    return old != NULL && old->kind == build_object
           && (!atomic_load(&old->is_done) || old->is_part)
           && quirk_compiles_once(old->devices[0].device);
}

void previous_look(struct build_call *call)
{
    struct layer_program *program = call->program;
    struct build *old = objects_hold_build(program);
    call->is_in_use = atomic_load(&program->kernels) > 0;
    if (old != NULL && !call->is_in_use) build_drop_stand_in(old);
    call->has_other_devices = false;
    for (size_t i = 0; old != NULL && i < old->count; i++)
        if (build_device(call->build, old->devices[i].device) == NULL)
            call->has_other_devices = true;
    const bool is_again = is_refused_again(call, old);
    pthread_mutex_lock(&program->lock);
    /* Where nothing is compiled the driver has nothing of its own. */
    if (!withhold_is_on()
            && (call->has_unknown_headers
                    || (old != NULL && old->kind != call->kind)
                    || hides_earlier(old)))
        program->is_drivers = true;
    call->is_drivers = program->is_drivers || is_again;
    call->is_loaded_link = program->is_loaded_link;
    pthread_mutex_unlock(&program->lock);
    build_release(old);
}

struct build *previous_exchange(
        struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->lock);
    struct build *before = program->build;
    program->build = build;
    pthread_mutex_unlock(&program->lock);
    return before;
}

bool previous_restore(struct layer_program *program, struct build *build,
        struct build *before)
{
    pthread_mutex_lock(&program->lock);
    const bool is_same = program->build == build;
    if (is_same) program->build = before;
    pthread_mutex_unlock(&program->lock);
    if (is_same) build_release(build);
    return is_same;
}

void previous_replace(struct layer_program *program, struct build *build)
{
    struct build *before = previous_exchange(program, build);
    if (before != NULL && before != build) capture_soon(program, before);
    build_release(before);
}

void previous_begin_handle(struct layer_program *program, struct build *build)
{
    struct build *waited = capture_queue_begin_handle(program, build);
    if (waited != NULL) statistics_count_not_kept(layer_reason_unused, 0);
    build_release(waited);
}

/* ---- Places -------------------------------------------------------------- */

void previous_place_fini(struct previous_place *place)
{
    if (place->lender != NULL)
        build_release(place->lender);
    else if (place->rebuilt != NULL)
        next_layer->clReleaseProgram(place->rebuilt);
    *place = (struct previous_place){.handle = NULL};
}

/* The application's program, but for a build there that waits for its capture.
 */
static struct previous_place handle_or_rebuilt(struct layer_program *program)
{
    if (!capture_queue_holds_handle(program))
        return (struct previous_place){.handle = program->handle};
    cl_program rebuilt = rebuilt_create(program);
    return (struct previous_place){.handle = rebuilt, .rebuilt = rebuilt};
}

/* A program of the driver's has one reference of the layer's: the application
 * counts those. */
static struct previous_place own_place(
        const struct layer_program *program, struct build *build)
{
    struct previous_place place = {
            .handle = objects_working_handle(program, build), .is_own = true};
    if (place.handle == program->handle) return place;
    place.rebuilt = place.handle;
    place.lender = build->lender != NULL ? build->lender : build;
    build_hold(place.lender);
    return place;
}

void previous_place_give(struct previous_place *place, struct build *build)
{
    build->substitute = place->rebuilt;
    build->lender = place->lender;
    place->rebuilt = NULL;
    place->lender = NULL;
}

/* Where the build is, if it was built there from source, and does not have to
 * stay as it is: from now on it does not. */
static bool take_place(struct layer_program *program, struct build *build)
{
    if (build == NULL || build->kind == build_linked) return true;
    if (build->is_loaded) return false;
    return build->substitute != NULL ? capture_queue_lend(program, build)
                                     : !capture_queue_holds_handle(program);
}

/* A program in which a call failed may be of no use for the previous build. */
struct previous_place previous_fresh_place(struct layer_program *program)
{
    struct build *old = objects_hold_build(program);
    const bool is_own = old == NULL;
    pthread_mutex_lock(&program->lock);
    bool is_used = program->is_used;
    pthread_mutex_unlock(&program->lock);
    /* What it failed at may have to be built there. */
    if (failed_is_answered(old)) is_used = true;
    if (!is_own && quirk_never_recovers(old->devices[0].device)) is_used = true;
    build_release(old);
    cl_program rebuilt = is_used ? rebuilt_create(program) : NULL;
    return (struct previous_place){
            .handle = is_used ? rebuilt : program->handle,
            .rebuilt = rebuilt,
            .is_own = is_own};
}

/* Best effort: what failed fails once more, and a file that it read may be gone
 * by now. */
static cl_int build_again(
        cl_program handle, cl_context context, const struct build *old)
{
    cl_device_id devices[most_devices];
    const cl_uint count = (cl_uint)old->count;
    for (size_t i = 0; i < old->count; i++)
        devices[i] = old->devices[i].device;
    return old->kind == build_object
                   ? build_headers_compile(old->headers, context, handle, count,
                           devices, build_options(old))
                   : next_layer->clBuildProgram(handle, count, devices,
                           build_options(old), NULL, NULL);
}

cl_int previous_build_in_handle(
        struct layer_program *program, const struct build *build)
{
    previous_begin_handle(program, NULL);
    const cl_int err = build_again(program->handle, program->context, build);
    capture_queue_end_handle(program);
    return err;
}

struct previous_place previous_known_place(struct layer_program *program)
{
    struct build *old = objects_hold_build(program);
    struct previous_place place;
    failed_undo(program, old);
    if (take_place(program, old)) {
        place = own_place(program, old);
    } else {
        place = handle_or_rebuilt(program);
        const bool is_in_handle = place.handle == program->handle;
        if (is_in_handle) previous_begin_handle(program, NULL);
        if (place.handle != NULL)
            (void)build_again(place.handle, program->context, old);
        if (is_in_handle) capture_queue_end_handle(program);
    }
    build_release(old);
    return place;
}

void previous_build_from_source(struct layer_program *program)
{
    if (withhold_is_on()) return; /* what was loaded answers as it does */
    struct build *old = objects_hold_build(program);
    cl_device_id devices[most_devices];
    struct previous_place place = previous_known_place(program);
    for (size_t i = 0; i < old->count; i++)
        devices[i] = old->devices[i].device;
    struct build *build = place.handle != NULL
                                  ? build_new_like(old, old->count, devices)
                                  : NULL;
    if (build != NULL) {
        previous_place_give(&place, build);
        build->is_done = true;
        previous_replace(program, build);
    }
    previous_place_fini(&place);
    build_release(old);
}
