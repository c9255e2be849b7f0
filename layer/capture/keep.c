/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/keep.h"

#include "dnnl_cache/sys/layer.h"
#include "layer/capture/collect.h"
#include "layer/capture/made_files.h"
#include "layer/capture/stand_ins.h"
#include "layer/driver/answer_time.h"
#include "layer/driver/crash_markers.h"
#include "layer/driver/watch.h"
#include "layer/programs/form.h"
#include "layer/programs/identity.h"
#include "layer/programs/launches.h"
#include "layer/programs/lead.h"
#include "layer/programs/notes.h"
#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "layer/settings/statistics.h"
#include "layer/storage/storage.h"
#include "layer/trace/trace.h"
#include "src/platform/clock.h"
#include "tools/common/id/missing_form.h"

#include <stdlib.h>

static bool query_takes_too_long(size_t kernel_count)
{
    const uint64_t limit = layer_settings()->harvest_limit_ms;
    return limit != 0
           && answer_time_predict_ns(kernel_count) / 1000000u > limit;
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

/* What the driver was asked for one device's program. */
struct captured {
    dnnl_cache_program_t adopted;
    struct bytes record;
    size_t kernels;
    uint64_t query_ns; /* of the driver, and of the form later */
    bool form_waits;   /* it is made after the entry was put without */
};

static void captured_fini(struct captured *captured)
{
    dnnl_cache_program_destroy(captured->adopted);
    free(captured->record.data);
    *captured = (struct captured){.adopted = NULL};
}

/* dnnl_cache_program_set_finalised(): none if one ended processes. A form that
 * replaces the binary is for programs whose binary the application does not
 * want itself, and which it cannot link. */
static int finalised_wanted(
        const struct build *build, const struct built_device *d)
{
    enum { no_form, form_beside, form_alone };
    if (!form_is_safe(d)) return no_form;
    return build->kind == build_executable
                           && !atomic_load(&build->is_binary_wanted)
                   ? form_alone
                   : form_beside;
}

/* All that is asked of the program; the blob is then made without it. */
static bool ask_program(cl_program handle, struct build *build, size_t device,
        int finalised, struct captured *captured)
{
    const struct built_device *d = &build->devices[device];
    struct bytes *record = &captured->record;
    if (!collect_facts(handle, build, device, record)) return false;
    dnnl_status_t st =
            dnnl_cache_program_adopt(&captured->adopted, d->desc, handle);
    if (st == dnnl_success)
        st = dnnl_cache_program_set_user_data(
                captured->adopted, record->size, record->data);
    if (st == dnnl_success)
        st = dnnl_cache_program_set_finalised(captured->adopted, finalised);
    if (st == dnnl_success)
        st = dnnl_cache_program_read_binary(captured->adopted);
    return st == dnnl_success;
}

/* Of a link the journal has no note that could be worked on alone, and workers
 * put one entry. */
static bool form_can_wait(
        const struct build *build, const struct built_device *d)
{
    return build->kind != build_linked && !layer_settings()->harvest_now
           && form_may_be_missing(d->id_size, d->id) && form_is_safe(d);
}

/* The blob, malloc'ed; NULL: the driver or memory failed. */
static uint8_t *make_blob(const struct built_device *d,
        const struct captured *captured, size_t *size)
{
    uint8_t *blob = NULL;
    const int slot =
            !captured->form_waits && form_is_safe(d) ? form_mark_making(d) : -1;
    dnnl_status_t st =
            dnnl_cache_program_get_cache_blob(captured->adopted, size, NULL);
    crash_markers_end(slot);
    if (st == dnnl_success && *size > 0) blob = malloc(*size);
    if (blob != NULL
            && dnnl_cache_program_get_cache_blob(captured->adopted, size, blob)
                       != dnnl_success) {
        free(blob);
        blob = NULL;
    }
    return blob;
}

static void count_not_kept(const struct built_device *d,
        enum layer_reason reason, uint64_t query_ns)
{
    statistics_count_not_kept(reason, query_ns);
    trace_not_kept(reason, NULL, d->id_size, d->id);
}

/* Once a driver, whose first changed file stays the same. */
static bool is_first_report(const char *file)
{
    enum { most_drivers = 8 };
    static _Atomic(const char *) told[most_drivers];
    for (int i = 0; i < most_drivers; i++) {
        const char *before = NULL;
        if (atomic_compare_exchange_strong(&told[i], &before, file))
            return true;
        if (before == file) return false;
    }
    return false;
}

/* Whether what the driver has compiled by now may be of another driver than the
 * one in the ID. */
static bool is_driver_changed(cl_device_id device)
{
    const char *file = identity_changed_file(device);
    if (file != NULL && is_first_report(file))
        print_warning(
                "%s: this file of the OpenCL driver has changed while the "
                "process runs: what it compiles is not kept; restart it",
                file);
    return file != NULL;
}

static void put_entry(struct build *build, const struct built_device *d,
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
        if (form_is_missing(d->id_size, d->id, size, blob))
            build->lacks_form = true;
        break;
    case storage_too_small:
        count_not_kept(d, layer_reason_too_small, query_ns);
        break;
    case storage_too_large:
        count_not_kept(d, layer_reason_too_large, query_ns);
        break;
    case storage_not_kept:
        count_not_kept(d, layer_reason_store, query_ns);
        break;
    }
}

/* The application asks for the binary, and the entry has its form alone. */
static bool lacks_wanted_binary(
        const struct storage_entry *entry, const struct build *build)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    return atomic_load(&build->is_binary_wanted)
           && dnnl_cache_blob_inspect(entry->size, entry->blob, &info)
                      == dnnl_success
           && form_is_entry(&info);
}

/* The entry is of another process, or of another build of the same program.
 * True: it stays. If it has all that was launched here, nothing is left to do;
 * if each has what the other lacks, the journal has what the entry lacks, and
 * gets the rest. One that lacks launches, and has nothing more, is replaced. */
static bool handle_existing_entry(
        const struct storage_entry *entry, struct build *build, size_t device)
{
    const struct built_device *d = &build->devices[device];
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    struct facts facts = {.has_classes = false};
    const bool is_known =
            dnnl_cache_blob_inspect(entry->size, entry->blob, &info)
                    == dnnl_success
            && facts_decode(&facts, info.user_data, info.user_data_size)
            && facts_read_classes(&facts, entry->size, entry->blob);
    const bool is_noted = atomic_load(&build->is_noted);
    const bool has_all = is_known && launches_are_in(build, device, &facts);
    const bool replace =
            is_known && !has_all && launches_have(build, device, &facts);
    if (has_all && is_noted)
        notes_are_done(d, info.user_data, info.user_data_size);
    else if (is_known && is_noted && !replace)
        notes_add_facts(d, &facts);
    facts_free_lists(&facts);
    if (replace) return false;
    crash_markers_note_kept(d->id_size, d->id);
    statistics_count_kept_by_others();
    return true;
}

/* False: what the driver would answer cannot be kept, or is there already. */
static bool should_ask(struct build *build, size_t device)
{
    const struct built_device *d = &build->devices[device];
    struct storage_entry entry;
    /* Drivers may compile when a kernel is launched, and when they are asked
     * for the binary. */
    if (identity_changed_variable() != NULL) {
        count_not_kept(d, layer_reason_environment, 0);
        return false;
    }
    if (is_driver_changed(d->device)) {
        count_not_kept(d, layer_reason_driver_changed, 0);
        return false;
    }
    if (storage_get(&entry, d->id_size, d->id)) { /* another's was faster */
        const bool stays = !lacks_wanted_binary(&entry, build)
                           && handle_existing_entry(&entry, build, device);
        storage_release(&entry);
        if (stays) return false;
    }
    if (!storage_can_keep()) {
        count_not_kept(d, layer_reason_store, 0);
        return false;
    }
    return true;
}

/* False: there is nothing to be made of the answer, or no answer. */
static bool ask_device(cl_program handle, struct build *build, size_t device,
        bool can_leave, struct captured *captured)
{
    const struct built_device *d = &build->devices[device];
    if (!should_ask(build, device)) return false;
    captured->kernels = count_kernels(handle);
    if (query_takes_too_long(captured->kernels)) {
        count_not_kept(d, layer_reason_slow_query, 0);
        return false;
    }
    const uint64_t start = clock_ns();
    watch_work_begin();
    const bool is_asked = ask_program(
            handle, build, device, finalised_wanted(build, d), captured);
    watch_work_end();
    captured->query_ns = clock_ns() - start;
    captured->form_waits = can_leave && form_can_wait(build, d);
    if (is_asked) return true;
    print_failure("harvest", "the driver returned no binary");
    count_not_kept(d, layer_reason_failed, captured->query_ns);
    return false;
}

static void put_device(
        struct build *build, size_t device, struct captured *captured)
{
    const struct built_device *d = &build->devices[device];
    const uint64_t start = clock_ns();
    size_t size = 0;
    if (captured->form_waits)
        (void)dnnl_cache_program_set_finalised(captured->adopted, 0);
    watch_work_begin();
    uint8_t *blob = make_blob(d, captured, &size);
    watch_work_end();
    captured->query_ns += clock_ns() - start;
    /* Looked at again: the driver compiles while it is asked, too. */
    if (is_driver_changed(d->device)) {
        count_not_kept(d, layer_reason_driver_changed, captured->query_ns);
        free(blob);
        return;
    }
    if (blob == NULL) {
        print_failure("harvest", "no entry could be made of a binary");
        count_not_kept(d, layer_reason_failed, captured->query_ns);
        return;
    }
    answer_time_add(
            captured->query_ns, captured->kernels, collect_compile_ns(build));
    put_entry(build, d, blob, size, &captured->record, captured->query_ns);
    free(blob);
}

/* Puts the entry again, with its form. False: a worker is to make that. What
 * the driver refuses a worker cannot make either. */
static bool put_with_form(
        struct build *build, size_t device, struct captured *captured)
{
    const struct built_device *d = &build->devices[device];
    size_t size = 0;
    if (!form_is_safe(d) || is_driver_changed(d->device)
            || identity_changed_variable() != NULL)
        return false;
    captured->form_waits = false;
    (void)dnnl_cache_program_set_finalised(captured->adopted, 1);
    watch_work_begin();
    uint8_t *blob = make_blob(d, captured, &size);
    watch_work_end();
    const bool is_put =
            blob != NULL && !is_driver_changed(d->device)
            && !form_is_missing(d->id_size, d->id, size, blob)
            && storage_put(d->id_size, d->id, size, blob, build->compile_ns)
                       <= storage_unchanged;
    free(blob);
    if (is_put) notes_are_done(d, captured->record.data, captured->record.size);
    return is_put;
}

/* How many programs a harvest has of the build's working handle; guarded by the
 * program's harvest lock. */
static unsigned *adoptions_of(
        struct layer_program *program, struct build *build)
{
    return build->substitute == NULL ? &program->adoptions : &build->adoptions;
}

/* With the harvest lock, but for a build that no other thread knows. Returns
 * what was read of each device, malloc'ed; NULL: of none. can_leave: the caller
 * sees to forms that are left out. */
static struct captured *ask_devices(
        cl_program handle, struct build *build, bool can_leave)
{
    bool is_any = false;
    struct captured *all = calloc(build->count, sizeof *all);
    for (size_t i = 0; all != NULL && i < build->count; i++) {
        if (build->devices[i].is_kept) continue;
        if (ask_device(handle, build, i, can_leave, &all[i]))
            is_any = true;
        else
            captured_fini(&all[i]);
    }
    if (is_any) return all;
    free(all);
    return NULL;
}

static unsigned count_adopted(
        const struct build *build, const struct captured *all)
{
    unsigned count = 0;
    for (size_t i = 0; all != NULL && i < build->count; i++)
        if (all[i].adopted != NULL) count++;
    return count;
}

static void put_devices(struct build *build, struct captured *all)
{
    for (size_t i = 0; all != NULL && i < build->count; i++)
        if (all[i].adopted != NULL) put_device(build, i, &all[i]);
    lead_end(build);
}

/* With the harvest lock again: the application's references are counted. */
static void free_devices(const struct build *build, struct captured *all)
{
    for (size_t i = 0; all != NULL && i < build->count; i++)
        captured_fini(&all[i]);
    free(all);
}

void capture_at_once(struct build *build)
{
    struct captured *all = ask_devices(build->substitute, build, false);
    put_devices(build, all);
    free_devices(build, all);
}

/* ---- Builds that wait ---------------------------------------------------- */

void capture_queue_end_handle(struct layer_program *program)
{
    pthread_mutex_lock(&program->lock);
    program->handle_builders--;
    pthread_mutex_unlock(&program->lock);
}

/* What was linked is alone in its program. */
static bool is_in_program_locked(
        const struct layer_program *program, const struct build *build)
{
    if (build->substitute != NULL) return build->lendings == 0;
    return build->kind == build_linked
           || (build->generation != 0
                   && build->generation == program->handle_generation);
}

bool capture_queue_add(struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->lock);
    const bool is_in_program = is_in_program_locked(program, build);
    if (is_in_program) {
        build_hold(build);
        build->is_harvesting = false;
        build->is_asked = false;
        build->next = program->waiting;
        program->waiting = build;
    }
    pthread_mutex_unlock(&program->lock);
    if (!is_in_program) statistics_count_not_kept(layer_reason_unused, 0);
    return is_in_program;
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

/* With the reference that the list had; NULL: it does not wait, or needs
 * nothing more of the driver's program. */
static struct build *take_unasked_locked(
        struct layer_program *program, const struct build *build)
{
    struct build **place = find_locked(program, build);
    struct build *found = *place;
    if (found == NULL || found->is_asked) return NULL;
    *place = found->next;
    return found;
}

static void drop_unused(struct build *build)
{
    if (build != NULL) statistics_count_not_kept(layer_reason_unused, 0);
    build_release(build);
}

/* True if the build waits; from now on it is being asked for. What is lent just
 * now may be another one already: it waits no more. */
static bool begin_asking(struct layer_program *program, struct build *build)
{
    struct build *lent = NULL;
    pthread_mutex_lock(&program->lock);
    if (build->lendings > 0 && !build->is_harvesting)
        lent = take_unasked_locked(program, build);
    const bool waits =
            *find_locked(program, build) != NULL && !build->is_harvesting;
    if (waits) build->is_harvesting = true;
    pthread_mutex_unlock(&program->lock);
    drop_unused(lent);
    return waits;
}

/* Waits no more; returns it with the reference that the list had. */
static struct build *take_build(
        struct layer_program *program, const struct build *build)
{
    pthread_mutex_lock(&program->lock);
    struct build **place = find_locked(program, build);
    struct build *found = *place;
    if (found != NULL) *place = found->next;
    pthread_mutex_unlock(&program->lock);
    return found;
}

/* As before begin_asking(). */
static void stop_asking(struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->lock);
    build->is_harvesting = false;
    pthread_mutex_unlock(&program->lock);
}

/* From now on the application's program may be built again: the driver's part
 * is over. */
static void end_asking(struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->lock);
    build->is_asked = true;
    pthread_mutex_unlock(&program->lock);
}

/* What makes it is dnnl-cache refresh. Of a link the objects are not at hand.
 */
static void note_form(struct layer_program *program, struct build *build)
{
    if (build->lacks_form && build->kind != build_linked
            && !layer_settings()->harvest_now)
        notes_add_build(program, build, NULL);
}

static void put_with_forms(struct build *build, struct captured *all)
{
    for (size_t i = 0; all != NULL && i < build->count; i++)
        if (all[i].adopted != NULL && all[i].form_waits)
            (void)put_with_form(build, i, &all[i]);
}

/* NULL: there is nothing to be done later, as without memory, or without a
 * journal for what this process does not come to. */
static struct missing_forms *leave_missing_forms(struct layer_program *program,
        struct build *build, struct captured *all, unsigned count)
{
    bool is_any = false;
    for (size_t i = 0; all != NULL && i < build->count; i++)
        is_any = is_any || (all[i].adopted != NULL && all[i].form_waits);
    if (!is_any) return NULL;
    struct missing_forms *forms = malloc(sizeof *forms);
    if (!atomic_load(&build->is_noted)) notes_add_build(program, build, NULL);
    if (forms == NULL || !atomic_load(&build->is_noted)) {
        free(forms);
        put_with_forms(build, all);
        return NULL;
    }
    *forms = (struct missing_forms){
            .program = program, .build = build, .devices = all, .count = count};
    build_hold(build);
    objects_hold_program(program);
    return forms;
}

/* The build waits no more. */
static void end_build(struct layer_program *program, struct build *build,
        struct captured *all, unsigned count)
{
    pthread_mutex_lock(&program->harvest_lock);
    free_devices(build, all);
    *adoptions_of(program, build) -= count;
    struct build *done = take_build(program, build);
    pthread_mutex_unlock(&program->harvest_lock);
    build_release(done);
}

void missing_forms_end(struct missing_forms *forms, bool make)
{
    if (make) put_with_forms(forms->build, forms->devices);
    end_build(forms->program, forms->build, forms->devices, forms->count);
    build_release(forms->build);
    objects_put_program(forms->program);
    free(forms);
}

/* The finalised form is made, and the entry written, with no lock held. */
struct missing_forms *capture_build(
        struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->harvest_lock);
    const bool waits = begin_asking(program, build);
    struct captured *all =
            waits ? ask_devices(
                    objects_working_handle(program, build), build, true)
                  : NULL;
    const unsigned count = count_adopted(build, all);
    *adoptions_of(program, build) += count;
    if (waits) end_asking(program, build);
    pthread_mutex_unlock(&program->harvest_lock);
    if (!waits) return NULL;

    put_devices(build, all);
    note_form(program, build);
    struct missing_forms *forms =
            leave_missing_forms(program, build, all, count);
    if (forms == NULL) end_build(program, build, all, count);
    return forms;
}

/* ---- What is compiled already -------------------------------------------- */

/* Asks the driver, in whose folder are stand-ins, and makes the entry's blob of
 * the answer; NULL: that failed. What the application will get is kept. */
static uint8_t *ask_with_stand_ins(struct stand_ins *stand_ins,
        cl_program handle, struct build *build, struct captured *captured,
        size_t *size)
{
    const struct built_device *d = &build->devices[0];
    bool is_of = false;
    uint8_t *blob = NULL;
    const bool is_asked = ask_program(handle, build, 0, 0, captured);
    stand_ins_remove(stand_ins);
    if (is_asked) blob = make_blob(d, captured, size);
    if (blob != NULL)
        build->given = stand_ins_read_binary(
                stand_ins, *size, blob, &build->given_size, &is_of);
    if (is_of && !is_driver_changed(d->device)) return blob;
    free(blob);
    return NULL;
}

/* False: the driver was not asked. With the program's harvest lock. */
static bool ask_compiled(struct layer_program *program, struct build *build,
        struct captured *captured, uint8_t **blob, size_t *size)
{
    const cl_program handle = objects_working_handle(program, build);
    const uint64_t start = clock_ns();
    struct stand_ins stand_ins;
    *blob = NULL;
    /* Who asks for the binary at the same time sees one, or is seen. */
    atomic_store(&build->has_stand_ins, true);
    if (!objects_are_idle(program, build)
            || !stand_ins_put(&stand_ins, build, handle)) {
        atomic_store(&build->has_stand_ins, false);
        return false;
    }
    launches_freeze(build);
    watch_work_begin();
    *blob = ask_with_stand_ins(&stand_ins, handle, build, captured, size);
    watch_work_end();
    captured->query_ns = clock_ns() - start;
    return true;
}

bool capture_is_ready(struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->harvest_lock);
    const bool is_ready = objects_are_idle(program, build);
    pthread_mutex_unlock(&program->harvest_lock);
    return is_ready;
}

bool capture_compiled(
        struct layer_program *program, struct build *build, bool else_leave)
{
    struct captured captured = {.adopted = NULL};
    uint8_t *blob = NULL;
    size_t size = 0;
    pthread_mutex_lock(&program->harvest_lock);
    const bool waits = begin_asking(program, build);
    const bool is_wanted = waits && should_ask(build, 0);
    const bool is_made = is_wanted && made_files_suit(build);
    const bool is_asked =
            is_wanted && !is_made
            && ask_compiled(program, build, &captured, &blob, &size);
    const bool is_left_waiting =
            is_wanted && !is_made && !is_asked && !else_leave;
    /* The application's references are counted. */
    dnnl_cache_program_destroy(captured.adopted);
    captured.adopted = NULL;
    if (is_left_waiting)
        stop_asking(program, build);
    else if (waits)
        end_asking(program, build);
    pthread_mutex_unlock(&program->harvest_lock);
    if (!waits || is_left_waiting) return !is_left_waiting;

    if (is_made) made_files_note(build);
    if (blob != NULL)
        put_entry(build, &build->devices[0], blob, size, &captured.record,
                captured.query_ns);
    else if (is_wanted)
        statistics_count_deferred();
    free(blob);
    captured_fini(&captured);
    lead_end(build);
    build_release(take_build(program, build));
    return true;
}

/* As one that is asked for, and never is. */
void capture_queue_give_up(struct layer_program *program, struct build *build)
{
    if (begin_asking(program, build)) drop_unused(take_build(program, build));
}

size_t capture_kernel_count(
        const struct layer_program *program, const struct build *build)
{
    return count_kernels(objects_working_handle(program, build));
}

void capture_leave_to_journal(
        struct layer_program *program, struct build *build)
{
    struct build *found =
            begin_asking(program, build) ? take_build(program, build) : NULL;
    if (found != NULL && atomic_load(&found->is_noted)) {
        made_files_note(found);
        statistics_count_deferred();
    } else if (found != NULL) {
        statistics_count_not_kept(layer_reason_slow_query, 0);
    }
    build_release(found);
}

/* In one step: a build of another thread that begins to wait here would be kept
 * with what is made now. */
struct build *capture_queue_begin_handle(
        struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->harvest_lock);
    pthread_mutex_lock(&program->lock);
    struct build **place = find_locked(program, NULL);
    struct build *waited = *place;
    struct build *asked = NULL;
    if (waited != NULL) *place = waited->next;
    if (waited != NULL && waited->is_asked) {
        asked = waited;
        waited = NULL;
    }
    if (build == NULL) build = waited;
    program->is_used = true;
    program->handle_generation++;
    if (build != NULL)
        build->generation =
                program->handle_builders == 0 ? program->handle_generation : 0;
    program->handle_builders++;
    pthread_mutex_unlock(&program->lock);
    pthread_mutex_unlock(&program->harvest_lock);
    build_release(asked);
    return waited;
}

static struct build *substitute_owner(struct build *build)
{
    return build->lender != NULL ? build->lender : build;
}

/* In one step: a build that another thread has not ended would else wait here
 * for what is made in its substitute now. */
bool capture_queue_lend(struct layer_program *program, struct build *build)
{
    struct build *owner = substitute_owner(build);
    pthread_mutex_lock(&program->lock);
    const bool is_free = *find_locked(program, owner) == NULL;
    if (is_free) owner->lendings++;
    pthread_mutex_unlock(&program->lock);
    return is_free;
}

void capture_queue_lend_begin(
        struct layer_program *program, struct build *build)
{
    pthread_mutex_lock(&program->harvest_lock); /* the driver is not asked */
    pthread_mutex_lock(&program->lock);
    substitute_owner(build)->lendings++;
    pthread_mutex_unlock(&program->lock);
    pthread_mutex_unlock(&program->harvest_lock);
}

void capture_queue_lend_end(
        struct layer_program *program, struct build *build, bool is_spoilt)
{
    struct build *owner = substitute_owner(build);
    struct build *waited = NULL;
    pthread_mutex_lock(&program->lock);
    if (is_spoilt)
        waited = take_unasked_locked(program, owner);
    else
        owner->lendings--;
    pthread_mutex_unlock(&program->lock);
    drop_unused(waited);
}

bool capture_queue_holds_handle(struct layer_program *program)
{
    pthread_mutex_lock(&program->lock);
    const bool waits = *find_locked(program, NULL) != NULL;
    pthread_mutex_unlock(&program->lock);
    return waits;
}

struct build *capture_queue_find_same(
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
