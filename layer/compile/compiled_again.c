/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/compiled_again.h"

#include "layer/capture/capture_build.h"
#include "layer/compile/compile.h"
#include "layer/compile/load.h"
#include "layer/compile/withhold.h"
#include "layer/driver/next_layer.h"
#include "layer/driver/watch.h"
#include "layer/programs/identity.h"
#include "layer/programs/kernel_names.h"
#include "layer/programs/launches.h"
#include "layer/programs/rebuilt.h"
#include "layer/trace/trace.h"
#include "src/platform/clock.h"

static bool compile_rebuilt(const struct build_call *call)
{
    struct build *build = call->build;
    build->substitute = rebuilt_create(call->program);
    if (build->substitute == NULL) return false;
    const uint64_t start = clock_ns();
    watch_work_begin();
    kernel_names_miss();
    const cl_int err = compile_in(build->substitute, call, NULL, NULL);
    watch_work_end();
    build->compile_ns = clock_ns() - start;
    return err == CL_SUCCESS;
}

bool compile_unchanged(struct build_call *call)
{
    identity_watch_includes(call);
    return call->is_watched && compile_rebuilt(call)
           && identity_constants_unchanged(call)
           && identity_includes_unchanged(call);
}

struct build *compiled_build_again(
        struct layer_program *program, const struct build *loaded)
{
    cl_device_id devices[most_devices];
    struct build_call call;
    struct build *build = NULL;
    if (withhold_is_on()) return NULL;
    build_call_init(&call, program, loaded, devices);
    call.build = build_new_like(loaded, loaded->count, devices);
    if (call.build != NULL && identify(&call)
            && build_is_same(call.build, loaded) && compile_unchanged(&call)) {
        build = call.build;
        build_hold(build);
    }
    build_call_fini(&call);
    return build;
}

cl_program compiled_again(
        struct layer_program *program, const struct build *loaded)
{
    struct build *build = compiled_build_again(program, loaded);
    if (build == NULL) return NULL;
    cl_program rebuilt = build->substitute;
    next_layer->clRetainProgram(rebuilt);
    build_release(build);
    return rebuilt;
}

/* It includes nothing. If it has another ID by now, or none, it is compiled all
 * the same, and not kept. */
static bool compile_anew(struct build_call *call, const struct build *found,
        const struct build_call *refused)
{
    call->is_named = identify(call) && build_is_same(call->build, found)
                     && !load_is_given_up(refused);
    call->is_watched = true;
    if (!compile_rebuilt(call)) return false;
    if (!identity_constants_unchanged(call)) call->is_named = false;
    call->build->is_done = true;
    return true;
}

struct build *compiled_in_place_of(struct layer_program *program,
        const struct build *found, const struct build_call *refused)
{
    cl_device_id devices[most_devices];
    struct build_call call;
    build_call_init(&call, program, found, devices);
    const struct built_device *d = &found->devices[0];
    trace_miss(refused->reason, NULL, d->id_size, d->id,
            build_moved_options(found));
    call.build = build_new_like(found, found->count, devices);
    const bool is_made =
            call.build != NULL && compile_anew(&call, found, refused);
    struct build *build = is_made ? call.build : NULL;
    statistics_count_miss(refused->reason, is_made ? build->compile_ns : 0, 0);
    if (is_made && call.is_named && compile_is_worth_keeping(build))
        compile_keep_later(&call);
    else
        statistics_count_nothing_to_keep();
    if (is_made) build_hold(build);
    build_call_fini(&call);
    return build;
}

cl_program compiled_for_questions(
        struct layer_program *program, struct build *loaded)
{
    struct build *kept = atomic_load(&loaded->compiled);
    if (kept != NULL) return kept->substitute;
    struct build *made = compiled_build_again(program, loaded);
    if (made == NULL) return NULL;
    /* The entry becomes one that has the binary. */
    made->is_done = true;
    atomic_store(&made->is_binary_wanted, true);
    launches_watch(made);
    capture_at_once(made);
    if (atomic_compare_exchange_strong(&loaded->compiled, &kept, made))
        return made->substitute;
    build_release(made); /* another thread was faster */
    return kept->substitute;
}
