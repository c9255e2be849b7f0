/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/compiled_again.h"

#include "layer/capture/keep.h"
#include "layer/compile/compile.h"
#include "layer/driver/target.h"
#include "layer/driver/watch.h"
#include "layer/programs/identity.h"
#include "layer/programs/kernel_names.h"
#include "layer/programs/launches.h"
#include "layer/programs/rebuilt.h"
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

/* The build that was loaded, compiled, with a reference of the caller's. NULL:
 * that failed, or it would be another. */
static struct build *compile_again(
        struct layer_program *program, const struct build *loaded)
{
    cl_device_id devices[most_devices];
    struct build_call call;
    struct build *build = NULL;
    build_call_init(&call, program, loaded, devices);
    call.build = build_new(
            loaded->kind, loaded->count, devices, build_options(loaded));
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
    struct build *build = compile_again(program, loaded);
    if (build == NULL) return NULL;
    cl_program rebuilt = build->substitute;
    target->clRetainProgram(rebuilt);
    build_release(build);
    return rebuilt;
}

cl_program compiled_for_questions(
        struct layer_program *program, struct build *loaded)
{
    struct build *kept = atomic_load(&loaded->compiled);
    if (kept != NULL) return kept->substitute;
    struct build *made = compile_again(program, loaded);
    if (made == NULL) return NULL;
    /* The entry becomes one that has the binary. */
    made->is_done = true;
    atomic_store(&made->is_binary_wanted, true);
    launches_watch(made);
    keep_now(made);
    if (atomic_compare_exchange_strong(&loaded->compiled, &kept, made))
        return made->substitute;
    build_release(made); /* another thread was faster */
    return kept->substitute;
}
