/* SPDX-License-Identifier: Apache-2.0 */
#include "partial.h"

#include "clock.h"
#include "compile.h"
#include "driver/quirks.h"
#include "driver/target.h"
#include "driver/watch.h"
#include "harvest/keep.h"
#include "identity.h"
#include "load.h"
#include "rebuilt.h"

/* The application waits while the driver is asked for the binaries of what was
 * compiled: that has to take less time than compiling for the others. Where it
 * is not known yet it will be. */
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
        /* Who must be idle cannot be asked here at all. */
        if (quirk_needs_idle(d->device)) return false;
        if (!d->is_kept) query_ns += keep_predict_ns(kernels);
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
    return build_new(build->kind, count, devices, build->options);
}

/* In a rebuilt program: the driver will know nothing of it in the
 * application's. */
static bool compile_rest(struct build_call *rest)
{
    struct build *build = rest->build;
    build->substitute = rebuilt_create(rest->program);
    if (build->substitute == NULL) return false;
    const uint64_t start = clock_now_ns();
    watch_work_begin();
    const cl_int err = compile_in(build->substitute, rest, NULL, NULL);
    watch_work_end();
    build->compile_ns = clock_now_ns() - start;
    return err == CL_SUCCESS;
}

/* What fails is compiled for all devices in the usual way, so that the
 * application hears of it what it always would. */
static bool make_rest(struct build_call *rest)
{
    if (!identify(rest)) return false;
    identity_watch_includes(rest);
    if (!rest->is_watched || !compile_rest(rest)
            || !identity_includes_unchanged(rest))
        return false;
    keep_now(rest->build);
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
    /* Who wants to be called back does not want to wait for a compiler. */
    if (call->notify != NULL || !is_worth_while(call->build)) return false;
    const enum layer_reason reason = call->reason;
    struct build *rest = new_rest(call->build);
    const bool is_loaded = rest != NULL && compile_and_load(call, rest);
    if (!is_loaded) call->reason = reason;
    return is_loaded;
}
