/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/lazy.h"

#include "layer/compile/compiled_again.h"
#include "layer/compile/failed.h"
#include "layer/compile/load.h"
#include "layer/compile/previous.h"
#include "layer/driver/loaded.h"
#include "layer/programs/form.h"
#include "layer/settings/settings.h"
#include "layer/settings/statistics.h"
#include "src/platform/main_end.h"

#include <stdlib.h>
#include <string.h>

static atomic_bool is_ended;

bool lazy_is_allowed(const struct build_call *call)
{
    const struct build *build = call->build;
    /* In other modes what comes of the load is to be known at once. */
    if (!layer_settings()->lazy || layer_settings()->capture_now
            || layer_settings()->mode != settings_mode_normal
            || atomic_load(&is_ended) || call->program == NULL
            || build->kind != build_executable || call->includes.count > 0)
        return false;
    for (size_t i = 0; i < build->count; i++)
        if (!loaded_before(build->devices[i].loaded)) return false;
    return true;
}

/* ---- A late load --------------------------------------------------------- */

/* The driver rejected what was found: it was no hit. What is compiled instead,
 * or was for questions (compiled_again.h), becomes what the program is, unless
 * that is another build by now. */
static void compile_instead(struct layer_program *program, struct build *build,
        const struct build_call *refused)
{
    if (!build->late.is_refused)
        statistics_count_late_refusal(build->late.from_memory);
    build->late.is_refused = true;
    struct build *compiled = atomic_load(&build->compiled);
    if (compiled == NULL) {
        struct build *made = compiled_in_place_of(program, build, refused);
        if (made == NULL) return;
        if (atomic_compare_exchange_strong(&build->compiled, &compiled, made))
            compiled = made;
        else
            build_release(made); /* another thread was faster */
    }
    build_hold(compiled);
    if (!previous_restore(program, build, compiled)) build_release(compiled);
}

/* With the program's load_lock. may_compile: and store. */
static void load_locked(
        struct layer_program *program, struct build *build, bool may_compile)
{
    cl_device_id devices[most_devices];
    struct build_call call;
    build_call_init(&call, program, build, devices);
    call.build = build;
    call.reason = layer_reason_refused;
    if ((build->late.is_refused || !load_late(&call, may_compile))
            && may_compile)
        compile_instead(program, build, &call);
}

/* What to go on with; takes over the reference. With the program's load_lock.
 */
static struct build *settle_locked(
        struct layer_program *program, struct build *build)
{
    struct build *compiled = NULL;
    const bool is_replaced =
            build->late.is_refused && atomic_load(&build->compiled) != NULL;
    if (build_is_lazy(build) && !is_replaced) load_locked(program, build, true);
    if (build->late.is_refused) compiled = atomic_load(&build->compiled);
    if (compiled == NULL) return build;
    build_hold(compiled);
    build_release(build);
    return compiled;
}

struct build *lazy_load(struct layer_program *program, struct build *build)
{
    failed_undo(program, build);
    if (!build_is_lazy(build)) return build;
    lazy_call_begin();
    pthread_mutex_lock(&program->load_lock);
    build = settle_locked(program, build);
    pthread_mutex_unlock(&program->load_lock);
    lazy_call_end();
    return build;
}

void lazy_load_program(struct layer_program *program)
{
    build_release(lazy_load(program, objects_hold_build(program)));
}

void lazy_load_handle(cl_program handle)
{
    struct layer_program *program = objects_get_program(handle);
    if (program == NULL) return;
    lazy_load_program(program);
    objects_put_program(program);
}

/* What a record answers for stays so: the driver builds it again at any time.
 */
static void load_found_program(struct layer_program *program)
{
    struct build *build = objects_hold_build(program);
    if (build_is_lazy(build)) build = lazy_load(program, build);
    build_release(build);
}

void lazy_load_all(void)
{
    objects_for_each_program(load_found_program);
}

void lazy_end(void)
{
    atomic_store(&is_ended, true);
    failed_end();
    lazy_load_all();
}

/* ---- fork() -------------------------------------------------------------- */

/* A child has the driver as it was, and may be able to use what is loaded, and
 * not to load. So it is loaded before the process forks, in the thread that
 * does. Not in a call of the driver: that would wait for itself. */
static _Thread_local unsigned depth;
static _Thread_local bool is_applications; /* not one of the driver's */

void lazy_call_begin(void)
{
    depth++;
    is_applications = true;
}

void lazy_call_end(void)
{
    depth--;
}

/* Handlers of stores may have run before, and have their locks: nothing is
 * stored or removed here, and what is rejected is compiled when it must. */
static void load_before_fork(struct layer_program *program)
{
    struct build *build = objects_hold_build(program);
    if (build_is_lazy(build)) {
        pthread_mutex_lock(&program->load_lock);
        if (build_is_lazy(build)) load_locked(program, build, false);
        pthread_mutex_unlock(&program->load_lock);
    }
    build_release(build);
}

static void before_fork(void)
{
    if (depth > 0 || (!is_applications && !main_end_is_here())) return;
    lazy_call_begin();
    objects_for_each_program(load_before_fork);
    lazy_call_end();
}

/* At the first such hit, since handlers that were registered later run earlier:
 * those of the layer, which have its locks, were before. */
static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, NULL, NULL);
}

void lazy_begin(const struct build_call *call)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    call->build->late.from_memory = call->from_memory;
    call->build->late.found_ns = call->load_ns;
    statistics_count_unloaded();
    (void)pthread_once(&once, watch_forks);
}

/* ---- Queries ------------------------------------------------------------- */

/* Drivers differ in what they do with too little room, and without kernels. */
bool lazy_answers(const struct build *build, cl_program_info what,
        size_t capacity, const void *value)
{
    if (!build_is_lazy(build)) return true;
    const struct facts *facts = &build->devices[0].facts;
    const size_t room = value != NULL ? capacity : SIZE_MAX;
    switch (what) {
    case CL_PROGRAM_NUM_KERNELS:
        return facts->number_status == CL_SUCCESS && room >= sizeof(size_t);
    case CL_PROGRAM_KERNEL_NAMES:
        return facts->names_status == CL_SUCCESS
               && facts->kernel_names[0] != '\0'
               && room > strlen(facts->kernel_names);
    /* Who is told a size makes room for it: the driver must not be able to
     * refuse the entry after that. */
    case CL_PROGRAM_BINARY_SIZES:
    case CL_PROGRAM_BINARIES:
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return false;
    default:
        return true;
    }
}
