/* SPDX-License-Identifier: Apache-2.0 */
#include "keep.h"

#include "build/form.h"
#include "build/identity.h"
#include "build/lead.h"
#include "clock.h"
#include "collect.h"
#include "driver/watch.h"
#include "health/crash_markers.h"
#include "health/print.h"
#include "health/statistics.h"
#include "health/trace.h"
#include "launch/launches.h"
#include "launch/notes.h"
#include "storage/settings.h"
#include "storage/storage.h"

#include <stdlib.h>

/* What asking for a kernel's binary took, on average: drivers that compile for
 * it take that long for each kernel. */
static atomic_uint_least64_t asked_ns;
static atomic_uint_least64_t asked_kernels;
static atomic_uint_least64_t asked_compile_ns; /* of what was asked for */

bool keep_is_slow(void)
{
    enum { share = 10 };
    /* Less is no burden, however slow a busy machine makes the driver seem. */
    static const uint64_t least_ns = 500000000;
    const uint64_t ns = atomic_load(&asked_ns);
    return ns > least_ns && ns > atomic_load(&asked_compile_ns) / share;
}

uint64_t keep_predict_ns(size_t kernel_count)
{
    const uint64_t kernels = atomic_load(&asked_kernels);
    return kernels > 0 ? atomic_load(&asked_ns) / kernels * kernel_count : 0;
}

static bool takes_too_long(size_t kernel_count)
{
    const uint64_t limit = layer_settings()->harvest_limit_ms;
    return limit != 0 && keep_predict_ns(kernel_count) / 1000000u > limit;
}

/* 0 if it has none, as an object that is not linked, or the driver does not
 * tell. */
static size_t count_kernels(cl_program handle)
{
    size_t count = 0;
    const cl_int err = clGetProgramInfo(
            handle, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL);
    return err == CL_SUCCESS ? count : 0;
}

/* The blob of the program, malloc'ed; NULL: the driver or memory failed. The
 * caller frees record->data. */
static uint8_t *make_blob(cl_program handle, struct build *build, size_t device,
        size_t *size, struct bytes *record)
{
    const struct built_device *d = &build->devices[device];
    dnnl_cache_program_t adopted = NULL;
    uint8_t *blob = NULL;
    if (!collect_facts(handle, build, device, record)) return NULL;
    dnnl_status_t st = dnnl_cache_program_adopt(&adopted, d->desc, handle);
    if (st == dnnl_success)
        st = dnnl_cache_program_set_user_data(
                adopted, record->size, record->data);
    /* What ended processes is not tried again: the entry goes without it. */
    const bool is_safe = form_is_safe(d);
    if (st == dnnl_success)
        st = dnnl_cache_program_set_finalised(adopted, is_safe);
    const int slot = is_safe ? form_mark_making(d) : -1;
    if (st == dnnl_success)
        st = dnnl_cache_program_get_cache_blob(adopted, size, NULL);
    crash_markers_end(slot);
    if (st == dnnl_success && *size > 0) blob = malloc(*size);
    if (blob != NULL
            && dnnl_cache_program_get_cache_blob(adopted, size, blob)
                       != dnnl_success) {
        free(blob);
        blob = NULL;
    }
    dnnl_cache_program_destroy(adopted);
    return blob;
}

static void not_kept(const struct built_device *d, enum layer_reason reason,
        uint64_t query_ns)
{
    statistics_count_not_kept(reason, query_ns);
    trace_not_kept(reason, NULL, d->id_size, d->id);
}

static void put(const struct build *build, const struct built_device *d,
        const uint8_t *blob, size_t size, const struct bytes *record,
        uint64_t query_ns)
{
    switch (storage_put(d->id_size, d->id, size, blob, build->compile_ns)) {
    case storage_kept:
    case storage_unchanged:
        crash_markers_note_kept(d->id_size, d->id);
        statistics_count_kept(size, query_ns);
        trace_kept(d->id_size, d->id);
        if (atomic_load(&build->is_noted))
            notes_are_done(d, record->data, record->size);
        break;
    case storage_too_small:
        not_kept(d, layer_reason_too_small, query_ns);
        break;
    case storage_too_large:
        not_kept(d, layer_reason_too_large, query_ns);
        break;
    case storage_not_kept:
        not_kept(d, layer_reason_store, query_ns);
        break;
    }
}

/* Another's entry is there: it stays if it has all that was launched here. Else
 * the journal has what it lacks, and gets the rest. */
static void meet_entry(
        const struct storage_entry *entry, struct build *build, size_t device)
{
    const struct built_device *d = &build->devices[device];
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    struct facts facts = {.has_classes = false};
    const bool is_known =
            dnnl_cache_blob_inspect(entry->size, entry->blob, &info)
                    == dnnl_success
            && facts_decode(&facts, info.user_data, info.user_data_size);
    const bool is_noted = atomic_load(&build->is_noted);
    if (is_known && is_noted && launches_are_in(build, device, &facts))
        notes_are_done(d, info.user_data, info.user_data_size);
    else if (is_known && is_noted)
        notes_add_facts(d, &facts);
    facts_free_lists(&facts);
    crash_markers_note_kept(d->id_size, d->id);
    statistics_count_kept_by_others();
}

static void keep_device(cl_program handle, struct build *build, size_t device)
{
    const struct built_device *d = &build->devices[device];
    struct storage_entry entry;
    struct bytes record = {.data = NULL};
    size_t size = 0;
    /* Drivers may compile when a kernel is launched, and when they are asked
     * for the binary. */
    if (identity_changed_variable() != NULL) {
        not_kept(d, layer_reason_environment, 0);
        return;
    }
    if (storage_get(&entry, d->id_size, d->id)) { /* another's was faster */
        meet_entry(&entry, build, device);
        storage_release(&entry);
        return;
    }
    if (!storage_can_keep()) {
        not_kept(d, layer_reason_store, 0);
        return;
    }
    const size_t kernels = count_kernels(handle);
    if (takes_too_long(kernels)) {
        not_kept(d, layer_reason_slow_query, 0);
        return;
    }
    const uint64_t start = clock_now_ns();
    watch_work_begin();
    uint8_t *blob = make_blob(handle, build, device, &size, &record);
    watch_work_end();
    const uint64_t query_ns = clock_now_ns() - start;
    if (blob == NULL) {
        print_failure("harvest", "the driver returned no binary");
        not_kept(d, layer_reason_failed, query_ns);
        free(record.data);
        return;
    }
    atomic_fetch_add(&asked_compile_ns, build->compile_ns);
    atomic_fetch_add(&asked_ns, query_ns);
    atomic_fetch_add(&asked_kernels, kernels > 0 ? kernels : 1);
    put(build, d, blob, size, &record, query_ns);
    free(record.data);
    free(blob);
}

static void keep_devices(cl_program handle, struct build *build)
{
    for (size_t i = 0; i < build->count; i++)
        if (!build->devices[i].is_kept) keep_device(handle, build, i);
    lead_end(build);
}

void keep_now(struct build *build)
{
    keep_devices(build->substitute, build);
}

/* ---- Builds that wait ---------------------------------------------------- */

void keep_end_handle(struct layer_program *program)
{
    pthread_mutex_lock(&program->lock);
    program->handle_builders--;
    pthread_mutex_unlock(&program->lock);
}

/* What was linked is alone in its program. */
static bool is_there_locked(
        const struct layer_program *program, const struct build *build)
{
    return build->substitute != NULL || build->kind == build_linked
           || (build->generation != 0
                   && build->generation == program->handle_generation);
}

bool keep_expect(struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->lock);
    const bool is_there = is_there_locked(program, build);
    if (is_there) {
        build_hold(build);
        build->is_harvesting = false;
        build->next = program->waiting;
        program->waiting = build;
    }
    pthread_mutex_unlock(&program->lock);
    if (!is_there) statistics_count_not_kept(layer_reason_unused, 0);
    return is_there;
}

/* Where it is in the list; NULL: the one in the application's program. */
static struct build **find_locked(
        struct layer_program *program, const struct build *build)
{
    struct build **place = &program->waiting;
    while (*place != NULL
            && (build != NULL ? *place != build : (*place)->substitute != NULL))
        place = &(*place)->next;
    return place;
}

/* True if the build waits; from now on it is being asked for. */
static bool begin(struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->lock);
    const bool waits =
            *find_locked(program, build) != NULL && !build->is_harvesting;
    if (waits) build->is_harvesting = true;
    pthread_mutex_unlock(&program->lock);
    return waits;
}

/* Waits no more; returns it with the reference that the list had. */
static struct build *take_out(
        struct layer_program *program, const struct build *build)
{
    pthread_mutex_lock(&program->lock);
    struct build **place = find_locked(program, build);
    struct build *found = *place;
    if (found != NULL) *place = found->next;
    pthread_mutex_unlock(&program->lock);
    return found;
}

void keep_build(struct layer_program *program, struct build *build)
{
    struct build *done = NULL;
    pthread_mutex_lock(&program->harvest_lock);
    if (begin(program, build)) {
        keep_devices(objects_working_handle(program, build), build);
        done = take_out(program, build);
    }
    pthread_mutex_unlock(&program->harvest_lock);
    build_release(done);
}

/* As one that is asked for, and never is. */
void keep_give_up(struct layer_program *program, struct build *build)
{
    struct build *found =
            begin(program, build) ? take_out(program, build) : NULL;
    if (found != NULL) statistics_count_not_kept(layer_reason_unused, 0);
    build_release(found);
}

size_t keep_kernel_count(
        const struct layer_program *program, const struct build *build)
{
    return count_kernels(objects_working_handle(program, build));
}

void keep_leave(struct layer_program *program, struct build *build)
{
    struct build *found =
            begin(program, build) ? take_out(program, build) : NULL;
    if (found != NULL && atomic_load(&found->is_noted))
        statistics_count_deferred();
    else if (found != NULL)
        statistics_count_not_kept(layer_reason_slow_query, 0);
    build_release(found);
}

/* In one step: a build of another thread that begins to wait here would be kept
 * with what is made now. */
struct build *keep_begin_handle(
        struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->harvest_lock);
    pthread_mutex_lock(&program->lock);
    struct build **place = find_locked(program, NULL);
    struct build *waited = *place;
    if (waited != NULL) *place = waited->next;
    if (build == NULL) build = waited;
    program->is_used = true;
    program->handle_generation++;
    if (build != NULL)
        build->generation =
                program->handle_builders == 0 ? program->handle_generation : 0;
    program->handle_builders++;
    pthread_mutex_unlock(&program->lock);
    pthread_mutex_unlock(&program->harvest_lock);
    return waited;
}

bool keep_waits_for_handle(struct layer_program *program)
{
    pthread_mutex_lock(&program->lock);
    const bool waits = *find_locked(program, NULL) != NULL;
    pthread_mutex_unlock(&program->lock);
    return waits;
}

struct build *keep_find_same(
        struct layer_program *program, const struct build *build)
{
    pthread_mutex_lock(&program->lock);
    struct build *found = program->waiting;
    while (found != NULL && !build_is_same(found, build))
        found = found->next;
    if (found != NULL) build_hold(found);
    pthread_mutex_unlock(&program->lock);
    return found;
}
