/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/capture_put.h"

#include "dnnl_cache/sys/layer.h"
#include "layer/capture/collect.h"
#include "layer/driver/answer_time.h"
#include "layer/driver/crash_markers.h"
#include "layer/driver/watch.h"
#include "layer/programs/form.h"
#include "layer/programs/identity.h"
#include "layer/programs/included.h"
#include "layer/programs/launches.h"
#include "layer/programs/lease.h"
#include "layer/programs/moved.h"
#include "layer/programs/notes.h"
#include "layer/settings/print.h"
#include "layer/settings/statistics.h"
#include "layer/storage/storage.h"
#include "layer/trace/trace.h"
#include "src/platform/clock.h"
#include "tools/common/id/missing_form.h"

#include <stdlib.h>

/* ---- What is worth asking for -------------------------------------------- */

void capture_not_kept(const struct built_device *d, enum layer_reason reason,
        uint64_t query_ns)
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

bool capture_driver_is_changed(cl_device_id device)
{
    const char *file = identity_changed_file(device);
    if (file != NULL && is_first_report(file))
        print_warning(
                "%s: this file of the OpenCL driver has changed while the "
                "process runs: what it compiles is not kept; restart it",
                file);
    return file != NULL;
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

/* Machine code alone is made of it when nobody waits, by dnnl-cache refresh;
 * not of one that ended processes. */
static bool awaits_form(const struct build *build, const struct built_device *d,
        size_t size, const uint8_t *blob)
{
    return build->kind == build_executable && form_is_safe(d)
           && form_awaits_all_launches(d->id_size, d->id, size, blob);
}

/* A worker of dnnl-cache refresh that links an object must have its note. */
static bool is_note_needed(const struct build *build,
        const struct built_device *d, size_t size, const uint8_t *blob)
{
    return build->kind == build_object || awaits_form(build, d, size, blob);
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
        notes_are_done(d, info.user_data, info.user_data_size,
                is_note_needed(build, d, entry->size, entry->blob));
    else if (is_known && is_noted && !replace)
        notes_add_facts(d, &facts);
    facts_free_lists(&facts);
    if (replace) return false;
    crash_markers_note_kept(d->id_size, d->id);
    statistics_count_kept_by_others();
    return true;
}

bool capture_should_ask(struct build *build, size_t device)
{
    const struct built_device *d = &build->devices[device];
    struct storage_entry entry;
    /* Drivers may compile when a kernel is launched, and when they are asked
     * for the binary. */
    if (identity_changed_variable() != NULL) {
        capture_not_kept(d, layer_reason_environment, 0);
        return false;
    }
    if (capture_driver_is_changed(d->device)) {
        capture_not_kept(d, layer_reason_driver_changed, 0);
        return false;
    }
    if (storage_get(&entry, d->id_size, d->id)) { /* another's was faster */
        const bool stays = !lacks_wanted_binary(&entry, build)
                           && handle_existing_entry(&entry, build, device);
        if (!stays) included_take(build, entry.size, entry.blob);
        storage_release(&entry);
        if (stays) return false;
    }
    if (!storage_can_keep()) {
        capture_not_kept(d, layer_reason_store, 0);
        return false;
    }
    return true;
}

/* ---- What is stored ------------------------------------------------------ */

uint8_t *capture_make_blob(const struct built_device *d,
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

void capture_put_entry(struct build *build, const struct built_device *d,
        const uint8_t *blob, size_t size, const struct bytes *record,
        uint64_t query_ns)
{
    if (moved_is_named_in(build, blob, size)) {
        print_failure("capture", "a binary names a folder of its includes");
        capture_not_kept(d, layer_reason_failed, query_ns);
        return;
    }
    switch (storage_put(d->id_size, d->id, size, blob, build->compile_ns)) {
    case storage_kept:
    case storage_unchanged:
        crash_markers_note_kept(d->id_size, d->id);
        statistics_count_kept(size, query_ns);
        trace_kept(d->id_size, d->id);
        if (atomic_load(&build->is_noted))
            notes_are_done(d, record->data, record->size,
                    is_note_needed(build, d, size, blob));
        if (form_is_missing(d->id_size, d->id, size, blob))
            build->lacks_form = true;
        break;
    case storage_too_small:
        capture_not_kept(d, layer_reason_too_small, query_ns);
        break;
    case storage_too_large:
        capture_not_kept(d, layer_reason_too_large, query_ns);
        break;
    case storage_not_kept:
        capture_not_kept(d, layer_reason_store, query_ns);
        break;
    }
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
    uint8_t *blob = capture_make_blob(d, captured, &size);
    watch_work_end();
    captured->query_ns += clock_ns() - start;
    /* Looked at again: the driver compiles while it is asked, too. */
    if (capture_driver_is_changed(d->device)) {
        capture_not_kept(d, layer_reason_driver_changed, captured->query_ns);
        free(blob);
        return;
    }
    if (blob == NULL) {
        print_failure("capture", "no entry could be made of a binary");
        capture_not_kept(d, layer_reason_failed, captured->query_ns);
        return;
    }
    answer_time_add(
            captured->query_ns, captured->kernels, collect_compile_ns(build));
    capture_put_entry(
            build, d, blob, size, &captured->record, captured->query_ns);
    free(blob);
}

void capture_put(struct build *build, struct captured *all)
{
    for (size_t i = 0; all != NULL && i < build->count; i++)
        if (all[i].adopted != NULL) put_device(build, i, &all[i]);
    lease_end(build);
}

bool capture_put_with_form(
        struct build *build, size_t device, struct captured *captured)
{
    const struct built_device *d = &build->devices[device];
    size_t size = 0;
    if (!form_is_safe(d) || capture_driver_is_changed(d->device)
            || identity_changed_variable() != NULL)
        return false;
    captured->form_waits = false;
    (void)dnnl_cache_program_set_finalised(captured->adopted, 1);
    watch_work_begin();
    uint8_t *blob = capture_make_blob(d, captured, &size);
    watch_work_end();
    const bool is_put =
            blob != NULL && !capture_driver_is_changed(d->device)
            && !form_is_missing(d->id_size, d->id, size, blob)
            && !moved_is_named_in(build, blob, size)
            && storage_put(d->id_size, d->id, size, blob, build->compile_ns)
                       <= storage_unchanged;
    free(blob);
    if (is_put)
        notes_are_done(d, captured->record.data, captured->record.size, false);
    return is_put;
}
