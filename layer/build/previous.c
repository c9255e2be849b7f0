/* SPDX-License-Identifier: Apache-2.0 */
#include "previous.h"

#include "driver/quirks.h"
#include "driver/target.h"
#include "harvest/harvest.h"
#include "harvest/keep.h"
#include "health/statistics.h"

void previous_look(struct build_call *call)
{
    struct build *old = objects_hold_build(call->program);
    call->is_in_use = atomic_load(&call->program->kernels) > 0;
    call->had_substitute = old != NULL && old->substitute != NULL;
    call->has_other_devices = false;
    for (size_t i = 0; old != NULL && i < old->count; i++)
        if (build_device(call->build, old->devices[i].device) == NULL)
            call->has_other_devices = true;
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
    if (before != NULL && before != build) harvest_hurry(program, before);
    build_release(before);
}

void previous_begin_handle(struct layer_program *program, struct build *build)
{
    struct build *waited = keep_begin_handle(program, build);
    if (waited != NULL) statistics_count_not_kept(layer_reason_unused, 0);
    build_release(waited);
}

static cl_int build_again(
        struct layer_program *program, const struct build *old)
{
    cl_device_id devices[most_devices];
    const cl_uint count = (cl_uint)old->count;
    for (size_t i = 0; i < old->count; i++)
        devices[i] = old->devices[i].device;
    previous_begin_handle(program, NULL);
    const cl_int err =
            old->kind == build_object
                    ? target->clCompileProgram(program->handle, count, devices,
                            old->options, 0, NULL, NULL, NULL, NULL)
                    : target->clBuildProgram(program->handle, count, devices,
                            old->options, NULL, NULL);
    keep_end_handle(program);
    return err;
}

/* A program built for one device after the other is the driver's alone. What
 * failed fails once more, which is what the other devices go on to tell. */
cl_int previous_build_from_source(struct layer_program *program)
{
    struct build *old = previous_exchange(program, NULL);
    cl_int err = CL_SUCCESS;
    if (old != NULL && old->substitute != NULL) {
        const bool has_succeeded = old->is_done;
        err = build_again(program, old);
        if (!has_succeeded) err = CL_SUCCESS;
    }
    build_release(old);
    return err;
}

bool previous_gives_kernels(struct layer_program *program)
{
    struct build *old = objects_hold_build(program);
    const bool gives = old != NULL && old->kind == build_executable
                       && old->is_done
                       && quirk_compiles_with_kernels(old->devices[0].device);
    if (gives && old->substitute != NULL)
        (void)previous_build_from_source(program);
    build_release(old);
    return gives;
}
