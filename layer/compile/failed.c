/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/failed.h"

#include "layer/capture/collect.h"
#include "layer/compile/failed_facts.h"
#include "layer/compile/lazy.h"
#include "layer/compile/previous.h"
#include "layer/compile/verify.h"
#include "layer/driver/quirks.h"
#include "layer/programs/identity.h"
#include "layer/programs/notes.h"
#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "layer/storage/failed_store.h"
#include "layer/trace/trace.h"
#include "src/platform/clock.h"
#include "src/platform/random.h"

#include <stdlib.h>
#include <string.h>

static atomic_bool is_ended;

static uint64_t now_s(void)
{
    return clock_epoch_ns() / 1000000000u;
}

/* ---- What may be kept, and answered -------------------------------------- */

/* Of drivers whose answers after a failure depend on nothing but the build. */
static bool is_of_this_kind(const struct build_call *call)
{
    const struct build *build = call->build;
    /* Workers are to see what the driver does. */
    return layer_settings()->failed_builds && !layer_settings()->capture_now
           && call->is_named && call->kind == build_executable
           && call->program->input.source != NULL && !build->is_part
           && build->headers == NULL
           && !quirk_never_recovers(build->devices[0].device);
}

/* With a callback drivers may return CL_SUCCESS, whatever comes of the build.
 */
static bool is_of_failure(cl_int returned, bool has_callback)
{
    return returned == CL_BUILD_PROGRAM_FAILURE
           || (has_callback && returned == CL_SUCCESS);
}

bool failed_may_be_kept(const struct build_call *call, cl_int err)
{
    return is_of_this_kind(call) && is_of_failure(err, call->notify != NULL)
           && layer_settings()->mode != settings_mode_cached_only
           && identity_changed_variable() == NULL;
}

/* Nothing was ever built there: after another build drivers differ in what a
 * failure leaves. */
static bool is_fresh(struct layer_program *program)
{
    pthread_mutex_lock(&program->lock);
    const bool is = program->build == NULL && !program->is_used;
    pthread_mutex_unlock(&program->lock);
    return is;
}

/* A callback may have built something else. */
static bool is_still(struct layer_program *program, const struct build *build)
{
    pthread_mutex_lock(&program->lock);
    const bool is = program->build == build;
    pthread_mutex_unlock(&program->lock);
    return is;
}

/* ---- Records ------------------------------------------------------------- */

static bool make_key(
        struct bytes *key, const struct build *build, bool has_callback)
{
    struct failure_id ids[most_devices];
    for (size_t i = 0; i < build->count; i++) {
        ids[i].size = build->devices[i].id_size;
        ids[i].bytes = build->devices[i].id;
    }
    return failure_key_make(
            key, build_options(build), has_callback, build->count, ids);
}

static bool make_key_of_call(struct bytes *key, const struct build_call *call)
{
    return make_key(key, call->build, call->notify != NULL);
}

/* NULL: there is none that can be understood. *f points into it. */
static uint8_t *get(struct failure *f, const struct bytes *key,
        const struct build_call *call)
{
    size_t size = 0;
    uint8_t *record = failed_store_get(&size, key->size, key->data);
    if (record == NULL) return NULL;
    const bool good = failure_decode(f, record, size);
    if (good && f->device_count == call->build->count
            && is_of_failure(f->returned, call->notify != NULL))
        return record;
    if (good) failure_fini(f);
    free(record);
    return NULL;
}

/* Whether it came to its state within so many seconds; never, if the clock was
 * set back since. */
static bool is_within(const struct failure *f, uint64_t seconds)
{
    const uint64_t now = now_s();
    return f->when_s <= now && now - f->when_s <= seconds;
}

static bool is_valid(const struct failure *f)
{
    return f->state == failure_kept && is_within(f, failure_most_seconds);
}

/* ---- Finding ------------------------------------------------------------- */

static bool find(const struct build_call *call, const struct bytes *key)
{
    struct failure f;
    uint8_t *record = get(&f, key, call);
    if (record == NULL) return false;
    const bool is_good = is_valid(&f);
    struct kept_failure *kept = is_good ? calloc(1, sizeof *kept) : NULL;
    if (kept == NULL) {
        if (f.state == failure_kept && !is_good)
            failed_store_remove(key->size, key->data);
        failure_fini(&f);
        free(record);
        return false;
    }
    kept->record = record;
    kept->answers = f;
    kept->has_callback = call->notify != NULL;
    atomic_init(&kept->is_undone, false);
    call->build->failure = kept;
    return true;
}

bool failed_find(struct build_call *call)
{
    struct bytes key;
    if (!is_of_this_kind(call) || call->reason != layer_reason_missing
            || layer_settings()->mode != settings_mode_normal
            || atomic_load(&is_ended) || !is_fresh(call->program)
            || !failed_store_is_on() || !make_key_of_call(&key, call))
        return false;
    const bool is_found = find(call, &key);
    free(key.data);
    return is_found;
}

void failed_count(const struct build_call *call, uint64_t start_ns)
{
    struct kept_failure *kept = call->build->failure;
    const struct built_device *d = &call->build->devices[0];
    kept->answer_ns = clock_ns() - start_ns;
    trace_failed(d->id_size, d->id, "answered");
    statistics_count_failed_answered(kept->answer_ns, kept->answers.compile_ns);
}

/* ---- Keeping ------------------------------------------------------------- */

/* A random number of this process. A child of fork() has it, too, and so counts
 * as the same. */
static uint64_t token[2];

static void make_token(void)
{
    token[0] = random_number();
    token[1] = random_number();
}

static void sign(struct failure *f)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, make_token);
    memcpy(f->process, token, sizeof f->process);
}

/* What a failure comes to, with the record that the store has of it. */
enum outcome {
    outcome_nothing, /* the record stays as it is */
    outcome_see,     /* it is the first of its kind */
    outcome_keep
};

static enum outcome judge(const struct failure *f, const struct failure *before)
{
    const bool is_again = layer_settings()->mode == settings_mode_recompile;
    if (!is_within(before, failure_most_seconds) || !failure_is_same(f, before))
        return outcome_see;
    if (before->state == failure_kept)
        return is_again ? outcome_keep : outcome_nothing;
    if (memcmp(before->process, f->process, sizeof f->process) == 0
            || is_within(before, failure_least_seconds - 1))
        return outcome_nothing;
    return outcome_keep;
}

static bool take_note(const dnnl_cache_note_t *note, const struct build *build)
{
    for (size_t i = 0; i < build->count; i++) {
        const struct built_device *d = &build->devices[i];
        if (d->has_failed && d->id_size == note->id_size
                && memcmp(d->id, note->id, d->id_size) == 0)
            return failed_store_note(note);
    }
    return true;
}

/* dnnl-cache refresh builds it again for the devices that failed. */
static void note_failed_devices(
        const struct build_call *call, const struct failure *f)
{
    struct build *build = call->build;
    for (size_t i = 0; i < build->count; i++)
        build->devices[i].has_failed = failed_facts_has_failed(f, i);
    (void)notes_give_build(call->program, build, NULL, take_note);
}

static void put(const struct build_call *call, const struct bytes *key,
        struct failure *f, enum failure_state state)
{
    const struct built_device *d = &call->build->devices[0];
    struct bytes record;
    f->state = state;
    f->when_s = now_s();
    if (!failure_encode(f, &record)) return;
    const bool is_kept = failed_store_put(
            key->size, key->data, record.size, record.data, f->compile_ns);
    free(record.data);
    if (!is_kept || state != failure_kept) return;
    statistics_count_failed_kept();
    trace_failed(d->id_size, d->id, "kept");
    note_failed_devices(call, f);
}

/* Compared with what was kept, in that mode. */
static void verify_kept(const struct bytes *key, const struct failure *f,
        const struct failure *before)
{
    if (layer_settings()->mode != settings_mode_verify || !is_valid(before))
        return;
    const bool differs = !failure_is_same(f, before);
    verify_count_failure(differs ? "the driver fails in another way" : NULL);
    if (differs) failed_store_remove(key->size, key->data);
}

static void keep(const struct build_call *call, const struct bytes *key,
        struct failure *f)
{
    struct failure before;
    uint8_t *record = get(&before, key, call);
    enum outcome outcome = outcome_see;
    if (record != NULL) {
        outcome = judge(f, &before);
        verify_kept(key, f, &before);
        failure_fini(&before);
    }
    free(record);
    if (outcome != outcome_nothing)
        put(call, key, f,
                outcome == outcome_keep ? failure_kept : failure_seen);
}

/* A record that could not be read again would be written at each start. */
static bool can_be_read(const struct failure *f)
{
    struct bytes record;
    struct failure again;
    if (!failure_encode(f, &record)) return false;
    const bool can = failure_decode(&again, record.data, record.size);
    if (can) failure_fini(&again);
    free(record.data);
    return can;
}

static bool are_drivers_unchanged(const struct build *build)
{
    for (size_t i = 0; i < build->count; i++)
        if (identity_changed_file(build->devices[i].device) != NULL)
            return false;
    return true;
}

void failed_keep(const struct build_call *call, cl_int err, uint64_t compile_ns)
{
    struct build *build = call->build;
    struct bytes key;
    struct failure f;
    if (compile_ns < layer_settings()->min_compile_ns
            || !is_still(call->program, build) || !failed_store_is_on()
            || !build_call_knows_all_places(call)
            || !failed_facts_collect(
                    &f, objects_working_handle(call->program, build), build))
        return;
    f.state = failure_seen;
    pthread_mutex_lock(&call->program->lock);
    build->compile_ns = compile_ns;
    pthread_mutex_unlock(&call->program->lock);
    f.compile_ns = collect_compile_ns(build);
    f.returned = err;
    sign(&f);
    if (failed_facts_blame_source(&f) && can_be_read(&f)
            && are_drivers_unchanged(build) && make_key_of_call(&key, call)) {
        keep(call, &key, &f);
        free(key.data);
    }
    failed_facts_fini(&f);
}

/* In other modes a failure that is kept is answered, and one that is too old
 * counts for nothing. */
void failed_forget(const struct build_call *call)
{
    const enum settings_mode mode = layer_settings()->mode;
    struct bytes key;
    struct failure f;
    if ((mode != settings_mode_recompile && mode != settings_mode_verify)
            || !is_of_this_kind(call) || !make_key_of_call(&key, call))
        return;
    uint8_t *record = get(&f, &key, call);
    if (record != NULL) {
        if (mode == settings_mode_verify && is_valid(&f))
            verify_count_failure("its program compiles now");
        failed_store_remove(key.size, key.data);
        failure_fini(&f);
    }
    free(record);
    free(key.data);
}

/* ---- Answers ------------------------------------------------------------- */

bool failed_is_answered(const struct build *build)
{
    return build != NULL && build->failure != NULL
           && !atomic_load(&build->failure->is_undone);
}

/* It was kept wrongly, or the machine has changed: never worse than that. */
static void forget_what_compiles(const struct build *build)
{
    struct bytes key;
    print_failure("failed builds", "a program that was kept as one that fails "
                                   "compiles now: it is forgotten");
    if (!make_key(&key, build, build->failure->has_callback)) return;
    failed_store_remove(key.size, key.data);
    free(key.data);
}

/* With the program's load_lock. */
static void undo_locked(struct layer_program *program, struct build *build)
{
    struct kept_failure *kept = build->failure;
    const struct built_device *d = &build->devices[0];
    const uint64_t start = clock_ns();
    const cl_int err = previous_build_in_handle(program, build);
    const uint64_t compile_ns = clock_ns() - start;
    statistics_count_failed_undone(kept->answer_ns, kept->answers.compile_ns);
    statistics_count_miss(layer_reason_missing, compile_ns, 0);
    statistics_count_nothing_to_keep();
    trace_miss(layer_reason_missing, "the driver is needed for a failed build",
            d->id_size, d->id, NULL);
    atomic_store(&kept->is_undone, true);
    if (err == CL_SUCCESS) forget_what_compiles(build);
}

void failed_undo(struct layer_program *program, struct build *build)
{
    if (!failed_is_answered(build)) return;
    lazy_call_begin();
    pthread_mutex_lock(&program->load_lock);
    if (failed_is_answered(build) && is_still(program, build))
        undo_locked(program, build);
    pthread_mutex_unlock(&program->load_lock);
    lazy_call_end();
}

static void undo_of(struct layer_program *program)
{
    struct build *build = objects_hold_build(program);
    failed_undo(program, build);
    build_release(build);
}

void failed_end(void)
{
    atomic_store(&is_ended, true);
    objects_for_each_program(undo_of);
}
