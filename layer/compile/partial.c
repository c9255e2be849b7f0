/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/partial.h"

#include "layer/capture/capture_build.h"
#include "layer/compile/compiled_again.h"
#include "layer/compile/load.h"
#include "layer/driver/answer_time.h"
#include "layer/driver/quirks.h"
#include "layer/programs/identity.h"

/* The application waits while the driver is queried for the binaries of what
 * was compiled: the queries must take less time than compiling for the others.
 * An unknown time counts as 0, and is known afterwards. */
static bool is_worth_while(const struct build *build)
{
    uint64_t compile_ns = 0;
    uint64_t query_ns = 0;
    size_t kernels = 1;
    for (size_t i = 0; i < build->count; i++) {
        const struct built_device *d = &build->devices[i];
        if (!d->is_kept) continue;
        compile_ns += d->facts.compile_ns / build->count;
        if (d->facts.kernel_count > 0) kernels = d->facts.kernel_count;
    }
    for (size_t i = 0; i < build->count; i++) {
        const struct built_device *d = &build->devices[i];
        /* A driver that must be idle cannot be queried here. */
        if (quirk_needs_idle(d->device)) return false;
        if (!d->is_kept) query_ns += answer_time_predict_ns(kernels);
    }
    return query_ns < compile_ns;
}

/* A build of what is missing. NULL: no memory. */
static struct build *new_rest(const struct build *build)
{
    cl_device_id devices[most_devices];
    size_t count = 0;
    for (size_t i = 0; i < build->count; i++)
        if (!build->devices[i].is_kept)
            devices[count++] = build->devices[i].device;
    return build_new_like(build, count, devices);
}

/* In a rebuilt program: the driver will know nothing of it in the
 * application's. What fails is compiled for all devices in the usual way, so
 * that the application hears of it what it always would. */
static bool make_rest(struct build_call *rest)
{
    if (!identify(rest) || !compile_unchanged(rest)) return false;
    capture_at_once(rest->build);
    return true;
}

static bool compile_and_load(struct build_call *call, struct build *build)
{
    cl_device_id devices[most_devices];
    struct build_call rest;
    build_call_init(&rest, call->program, build, devices);
    rest.build = build;
    const bool is_loaded = make_rest(&rest) && load(call);
    if (is_loaded)
        statistics_count_partial_hit(call->load_ns, build->compile_ns);
    build_call_fini(&rest);
    return is_loaded;
}

bool partial_load(struct build_call *call)
{
    /* An asynchronous call must not wait for a compiler. */
    if (call->notify != NULL || !is_worth_while(call->build)) return false;
    const enum layer_reason reason = call->reason;
    struct build *rest = new_rest(call->build);
    const bool is_loaded = rest != NULL && compile_and_load(call, rest);
    if (!is_loaded) call->reason = reason;
    return is_loaded;
}
