/* SPDX-License-Identifier: Apache-2.0 */
#include "earlier.h"

#include "keep.h"
#include "statistics.h"
#include "target.h"

struct build *earlier_take(struct layer_program *program)
{
    if (keep_prevent(program))
        statistics_count_not_kept(layer_reason_unused, 0);
    pthread_mutex_lock(&program->lock);
    struct build *build = program->build;
    program->build = NULL;
    pthread_mutex_unlock(&program->lock);
    return build;
}

void earlier_replace(struct layer_program *program, struct build *build)
{
    build_release(earlier_take(program));
    pthread_mutex_lock(&program->lock);
    program->build = build;
    pthread_mutex_unlock(&program->lock);
}

enum earlier earlier_look(struct layer_program *program, struct build *next)
{
    enum earlier earlier = earlier_none;
    pthread_mutex_lock(&program->lock);
    struct build *old = program->build;
    if (old != NULL) {
        earlier = old->shadow != NULL ? earlier_shadow : earlier_driver;
        for (size_t i = 0; i < old->count; i++)
            if (build_device(next, old->devices[i].device) == NULL)
                earlier = earlier_partly;
        if (old->shadow != NULL && atomic_load(&old->kernels) > 0)
            earlier = earlier_in_use;
    } else if (program->is_built) {
        earlier = earlier_driver;
    }
    pthread_mutex_unlock(&program->lock);
    return earlier;
}

/* A program built for one device after the other is the driver's alone. */
cl_int earlier_build_from_source(struct layer_program *program)
{
    cl_device_id devices[most_devices];
    cl_int err = CL_SUCCESS;
    struct build *old = earlier_take(program);
    if (old != NULL && old->shadow != NULL) {
        for (size_t i = 0; i < old->count; i++)
            devices[i] = old->devices[i].device;
        const cl_uint count = (cl_uint)old->count;
        err = old->kind == build_object
                      ? target->clCompileProgram(program->handle, count,
                              devices, old->options, 0, NULL, NULL, NULL, NULL)
                      : target->clBuildProgram(program->handle, count, devices,
                              old->options, NULL, NULL);
    }
    build_release(old);
    return err;
}
