/* SPDX-License-Identifier: Apache-2.0 */
#include "partial.h"

#include "clock.h"
#include "driver/quirks.h"
#include "driver/target.h"
#include "driver/watch.h"
#include "harvest/keep.h"
#include "includes/include_watch.h"
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

/* Beside the application's program, which the driver will know nothing of. */
static bool compile_rest(const struct request *r, struct build *rest)
{
    cl_device_id devices[most_devices];
    const struct request request = {.kind = r->kind,
            .program = r->program,
            .device_count = (cl_uint)rest->count,
            .devices = devices,
            .options = r->options};
    for (size_t i = 0; i < rest->count; i++)
        devices[i] = rest->devices[i].device;
    rest->substitute = rebuilt_create(r->program);
    if (rest->substitute == NULL) return false;
    const uint64_t start = clock_now_ns();
    watch_work_begin();
    const cl_int err = compile_in(rest->substitute, &request, NULL, NULL);
    watch_work_end();
    rest->compile_ns = clock_now_ns() - start;
    return err == CL_SUCCESS;
}

static bool identify_rest(const struct request *r, struct build *rest)
{
    struct includes includes;
    struct identity_doubt doubt;
    pthread_mutex_lock(&r->program->lock);
    const bool ok =
            identify_build(rest, r->program, r->options, &includes, &doubt);
    pthread_mutex_unlock(&r->program->lock);
    return ok;
}

/* What fails is compiled for all devices in the usual way, so that the
 * application hears of it what it always would. */
static bool make_rest(
        const struct request *r, struct attempt *attempt, struct build *rest)
{
    struct include_watch *watch = NULL;
    const bool is_certain = identify_rest(r, rest)
                            && identity_watch_includes(r->program,
                                    rest->options, &attempt->includes, &watch);
    if (!is_certain || !compile_rest(r, rest)) {
        (void)include_watch_end(watch);
        return false;
    }
    if (!identity_includes_unchanged(
                r->program, rest->options, &attempt->includes, watch))
        return false;
    keep_now(rest);
    return true;
}

bool partial_load(const struct request *r, struct attempt *attempt)
{
    struct build *build = attempt->build;
    struct load_result result;
    /* Who wants to be called back does not want to wait for a compiler. */
    if (r->notify != NULL || !is_worth_while(build)) return false;
    struct build *rest = new_rest(build);
    const bool is_loaded =
            rest != NULL && make_rest(r, attempt, rest)
            && load_program(build, r->program->context, r->options, &result);
    if (is_loaded)
        statistics_count_partial_hit(result.load_ns, rest->compile_ns);
    build_release(rest);
    return is_loaded;
}
