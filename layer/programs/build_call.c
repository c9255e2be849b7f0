/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/build_call.h"

#include "src/includes/include_places.h"
#include "src/includes/include_watch.h"

#include <stdlib.h>

struct build_call *build_call_new(enum build_kind kind,
        struct layer_program *program, cl_uint device_count,
        const cl_device_id *devices, const char *options, build_callback notify,
        void *user)
{
    struct build_call *call = calloc(1, sizeof *call);
    if (call == NULL) {
        objects_put_program(program);
        return NULL;
    }
    atomic_init(&call->references, 1);
    atomic_init(&call->is_settled, false);
    atomic_init(&call->is_ended, false);
    call->kind = kind;
    call->program = program;
    call->context = program->context;
    call->device_count = device_count;
    call->devices = devices;
    call->options = options;
    call->notify = notify;
    call->user = user;
    return call;
}

void build_call_init(struct build_call *call, struct layer_program *program,
        const struct build *build, cl_device_id devices[most_devices])
{
    *call = (struct build_call){.kind = build->kind,
            .program = program,
            .context = program->context,
            .devices = devices,
            .options = build_options(build)};
    for (size_t i = 0; i < build->count; i++)
        devices[i] = build->devices[i].device;
    call->device_count = (cl_uint)build->count;
}

void build_call_end_watch(struct build_call *call)
{
    if (call->watch != NULL) (void)include_watch_end(call->watch);
    call->watch = NULL;
    include_files_fini(&call->include_places);
}

void build_call_fini(struct build_call *call)
{
    build_call_end_watch(call);
    build_release(call->build);
    call->build = NULL;
}

void build_call_release(struct build_call *call)
{
    if (atomic_fetch_sub(&call->references, 1) != 1) return;
    build_call_fini(call);
    objects_put_program(call->program);
    free(call);
}

bool build_call_knows_all_places(const struct build_call *call)
{
    struct include_places places;
    if (call->includes.places == 0) return true;
    const bool are_all = include_places_init(&places, &call->includes.driver,
                                 call->build->options)
                         && places.are_all;
    include_places_fini(&places);
    return are_all;
}
