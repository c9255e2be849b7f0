/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/refresh/refresh_result.h"

#include "src/drivers/launch_class.h"
#include "src/platform/file.h"
#include "src/platform/library.h"
#include "tools/common/id/facts.h"
#include "tools/common/id/missing_form.h"
#include "tools/dnnl_cache/archive/keeping.h"
#include "tools/dnnl_cache/jobs/refresh_id.h"
#include "tools/dnnl_cache/jobs/refresh_stand_in.h"
#include "tools/dnnl_cache/jobs/refresh_worker.h"
#include "tools/dnnl_cache/refresh/gone.h"
#include "tools/dnnl_cache/refresh/present.h"
#include "tools/dnnl_cache/view/parts.h"
#include "tools/dnnl_cache/view/subject.h"

#include <stdio.h>
#include <string.h>

static bool write_file(const struct refresh_slot *slot, const char *name,
        size_t size, const uint8_t *data)
{
    char path[path_size + 32];
    snprintf(path, sizeof path, "%s/%s", slot->job_folder, name);
    return file_write_whole(file_here, path, file_must_be_new, 0600, data, size)
           == 0;
}

/* The layer makes its own anew. */
static bool pass_user_data(struct tool *tool, const struct refresh_job *job,
        const struct refresh_slot *slot)
{
    const dnnl_cache_note_t *note = job->build->note;
    dnnl_cache_blob_info_t info;
    struct present present;
    bool is_passed = true;
    if (note->origin != dnnl_cache_note_library
            || !present_get(&present, tool, note))
        return true;
    if (subject_check_blob(tool, &info, note->id_size, note->id, present.size,
                present.blob)
                    == dnnl_success
            && info.user_data_size > 0)
        is_passed = write_file(
                slot, REFRESH_USER_DATA, info.user_data_size, info.user_data);
    present_release(&present, tool);
    return is_passed;
}

/* Objects to be linked, which another worker may have made: without them the
 * worker compiles them again. */
static void pass_inputs(struct tool *tool, const dnnl_cache_note_t *note,
        dnnl_cache_store_handle_t *result)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(tool->store);
    const dnnl_cache_store_t *to = dnnl_cache_store_get_callbacks(result);
    for (size_t i = 0; i < note->input_count; i++) {
        const uint8_t *id = note->input_ids[i];
        const size_t id_size = note->input_id_sizes[i];
        dnnl_cache_blob_info_t info;
        const uint8_t *blob;
        size_t size;
        if (s->get(s->user, id_size, id, &size, &blob) != dnnl_success)
            continue;
        if (subject_check_blob(tool, &info, id_size, id, size, blob)
                == dnnl_success)
            (void)to->put(to->user, id_size, id, size, blob, NULL);
        s->release(s->user, size, blob);
    }
}

/* The worker looks at all that is left for each job. */
void refresh_result_begin(struct tool *tool, const struct refresh_job *job,
        const struct refresh_slot *slot)
{
    const dnnl_cache_note_t *note = job->build->note;
    uint64_t removed;
    if (!worker_is_there(&slot->worker) && note->input_count == 0) return;
    dnnl_cache_store_handle_t *result =
            refresh_worker_open_store(slot->folder, REFRESH_RESULT, false);
    if (result == NULL) return;
    if (worker_is_there(&slot->worker))
        (void)dnnl_cache_store_trim(
                result, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, &removed);
    pass_inputs(tool, note, result);
    dnnl_cache_store_close(result);
}

bool refresh_result_prepare(struct tool *tool, const struct refresh_jobs *jobs,
        struct refresh_job *job, const struct refresh_slot *slot)
{
    dnnl_cache_store_handle_t *store =
            refresh_worker_open_store(slot->job_folder, REFRESH_JOB, false);
    if (store == NULL) return false;
    const bool is_written =
            refresh_jobs_write(jobs, job, store) == dnnl_success
            && (!job->is_form || present_pass(tool, job, slot, store));
    dnnl_cache_store_close(store);
    return is_written && pass_user_data(tool, job, slot)
           && (!job->is_for_queries
                   || write_file(
                           slot, REFRESH_ALL_LAUNCHES, 0, (const uint8_t *)""));
}

/* About what the store needs for it. */
static uint64_t entry_room(const struct archive_entry *entry)
{
    enum { more = 4096 };
    return (uint64_t)entry->id_size + entry->blob_size + more;
}

/* The server's answer is not waited for: it is a copy. */
static enum refresh_taken put(struct tool *tool, const dnnl_cache_note_t *note,
        size_t size, const uint8_t *blob)
{
    const char *why = "";
    const struct archive_entry entry = {.kind = dnnl_cache_blob_kind_program,
            .compile_ns = note->compile_ns,
            .id_size = note->id_size,
            .id = note->id,
            .blob_size = size,
            .blob = blob};
    gone_make_way(tool, entry_room(&entry));
    if (tool->remote != NULL) (void)keep_entry(tool->remote, &entry, &why);
    switch (keep_entry(tool->store, &entry, &why)) {
    case kept_new:
    case kept_unchanged:
        return refresh_taken;
    case kept_not_full:
        return refresh_taken_full;
    case kept_not_too_large:
        return refresh_taken_too_large;
    case kept_not:
        break;
    }
    return refresh_taken_not_kept;
}

bool refresh_result_fetch(struct refresh_made *made,
        const struct refresh_job *job, const struct refresh_slot *slot)
{
    const dnnl_cache_note_t *note = job->build->note;
    *made = (struct refresh_made){.store = refresh_worker_open_store(
                                          slot->folder, REFRESH_RESULT, false)};
    if (made->store == NULL) return false;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(made->store);
    if (s->get(s->user, note->id_size, note->id, &made->size, &made->blob)
            != dnnl_success) {
        made->blob = NULL;
        return false;
    }
    /* Of a primitive, its engine; and what was linked. */
    return note->origin != dnnl_cache_note_primitive && note->input_count == 0
           && s->remove(s->user, note->id_size, note->id) == dnnl_success;
}

static bool is_wanted(struct tool *tool, const dnnl_cache_note_t *note,
        const struct refresh_made *made)
{
    dnnl_cache_blob_info_t info;
    return subject_check_blob(
                   tool, &info, note->id_size, note->id, made->size, made->blob)
                   == dnnl_success
           && info.kind == dnnl_cache_blob_kind_program
           && !refresh_stand_ins_are_in(made->size, made->blob);
}

/* The form is of the entry that was looked at: what came in its place meanwhile
 * has more, and what was removed stays so. */
static enum refresh_taken put_in_place(struct tool *tool,
        const struct refresh_job *job, const struct refresh_made *made)
{
    bool is_there = true;
    if (job->is_form && !present_is_same(&is_there, tool, job))
        return is_there ? refresh_taken_replaced : refresh_taken_removed;
    return put(tool, job->build->note, made->size, made->blob);
}

enum refresh_taken refresh_result_take(struct tool *tool,
        const struct refresh_job *job, struct refresh_made *made)
{
    const dnnl_cache_note_t *note = job->build->note;
    enum refresh_taken taken = refresh_taken_damaged;
    if (made->store != NULL && made->blob == NULL) {
        taken = refresh_taken_none;
    } else if (made->store != NULL) {
        const dnnl_cache_store_t *s =
                dnnl_cache_store_get_callbacks(made->store);
        if (is_wanted(tool, note, made)) taken = put_in_place(tool, job, made);
        s->release(s->user, made->size, made->blob);
    }
    dnnl_cache_store_close(made->store);
    *made = (struct refresh_made){.store = NULL};
    return taken;
}

void refresh_result_take_engine(struct tool *tool,
        const struct refresh_slot *slot, size_t id_size, const uint8_t *id)
{
    dnnl_cache_store_handle_t *store =
            refresh_worker_open_store(slot->folder, REFRESH_RESULT, true);
    const char *why = "";
    dnnl_cache_blob_info_t info;
    const uint8_t *blob;
    size_t size;
    if (store == NULL) return;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    if (s->get(s->user, id_size, id, &size, &blob) == dnnl_success) {
        const struct archive_entry entry = {.kind = dnnl_cache_blob_kind_engine,
                .id_size = id_size,
                .id = id,
                .blob_size = size,
                .blob = blob};
        if (subject_check_blob(tool, &info, id_size, id, size, blob)
                        == dnnl_success
                && info.kind == dnnl_cache_blob_kind_engine)
            (void)keep_entry(tool->store, &entry, &why);
        s->release(s->user, size, blob);
    }
    dnnl_cache_store_close(store);
}

/* ---- Entries that need not be made --------------------------------------- */

static bool is_of_pocl(const dnnl_cache_note_t *note)
{
    static const char name[] = "Portable Computing Language";
    dnnl_cache_id_field_t field;
    size_t at = 0;
    return refresh_id_find(
                   &field, &at, note->id_size, note->id, "platform_name")
           && field.size == sizeof name - 1
           && memcmp(field.value, name, field.size) == 0;
}

/* What cannot be told from an entry counts as there: nothing, which local size
 * the driver chose, or also which of two classes that differ in the size of the
 * grid alone. */
enum strictness { strict, lenient_of_choice, lenient };

static bool is_same(const struct launch_class *class,
        const struct launch_class *wanted, enum strictness how)
{
    struct launch_class copy = *wanted;
    if (how == lenient) copy.is_small = class->is_small;
    return launch_class_is_same(class, &copy)
           || (how != strict && wanted->is_auto);
}

/* Is it one of the classes of that kernel? Of a kernel that the program does
 * not have nothing can be compiled, however often. */
static bool has_launch(const struct parts *parts,
        const dnnl_cache_note_t *launch, enum strictness how)
{
    struct launch_class wanted;
    bool has_kernels = false;
    bool has_kernel = false;
    if (!launch_class_of_note(&wanted, launch)) return how != strict;
    for (size_t i = 0; i < parts->count; i++) {
        const dnnl_cache_blob_part_t *part = &parts->items[i];
        const char *list = part->launches;
        if (part->kind != dnnl_cache_blob_part_kernel) continue;
        has_kernels = true;
        if (strcmp(part->name, launch->kernel) != 0) continue;
        has_kernel = true;
        if (list == NULL) continue;
        for (struct launch_class class; launch_class_read_next(&class, &list);)
            if (is_same(&class, &wanted, how)) return true;
    }
    return how != strict && has_kernels && !has_kernel;
}

/* Does the entry count as complete for every launch? What the layer says is in
 * its record. */
static bool is_full(const struct parts *parts, const dnnl_cache_note_t *note,
        const dnnl_cache_blob_info_t *info)
{
    size_t count = 0;
    struct launch_class class;
    struct facts facts = {.is_full = false};
    for (size_t i = 0; i < parts->count; i++) {
        const char *list = parts->items[i].launches;
        if (parts->items[i].kind != dnnl_cache_blob_part_kernel) continue;
        while (list != NULL && launch_class_read_next(&class, &list))
            count++;
    }
    if (launch_classes_are_full(count, info->binary_bytes)) return true;
    const bool is_known =
            note->origin == dnnl_cache_note_layer && info->user_data_size > 0
            && facts_decode(&facts, info->user_data, info->user_data_size);
    const bool is_said = is_known && facts.is_full;
    facts_free_lists(&facts);
    return is_said;
}

static bool has_launches(struct tool *tool, const struct refresh_jobs *jobs,
        const struct refresh_job *job, const dnnl_cache_blob_info_t *info,
        size_t size, const uint8_t *blob, enum strictness how)
{
    const struct refresh_note *launch = NULL;
    struct parts parts;
    bool has_all = parts_load(&parts, tool, size, blob) == exit_ok;
    const bool is_any = has_all && is_full(&parts, job->build->note, info);
    while (has_all && !is_any && refresh_jobs_next_launch(&launch, jobs, job))
        has_all = has_launch(&parts, launch->item->note, how);
    parts_fini(&parts);
    return has_all;
}

static bool has_entry(struct tool *tool, const struct refresh_jobs *jobs,
        const struct refresh_job *job, bool looks_at_launches,
        enum strictness how)
{
    const dnnl_cache_note_t *note = job->build->note;
    dnnl_cache_blob_info_t info;
    struct present present;
    if (!present_get(&present, tool, note)) return false;
    const bool is_there = subject_check_blob(tool, &info, note->id_size,
                                  note->id, present.size, present.blob)
                                  == dnnl_success
                          && (!looks_at_launches
                                  || has_launches(tool, jobs, job, &info,
                                          present.size, present.blob, how));
    present_release(&present, tool);
    return is_there;
}

enum form_state { form_is_not_told, form_is_not_there, form_is_made };

/* Of the note's entry: not told if there is none, or if its driver has no such
 * forms. */
static enum form_state look_at_form(
        struct tool *tool, const dnnl_cache_note_t *note)
{
    dnnl_cache_blob_info_t info;
    struct present present;
    if (!form_may_be_missing(note->id_size, note->id)
            || !present_get(&present, tool, note))
        return form_is_not_told;
    enum form_state state = form_is_not_told;
    if (subject_check_blob(tool, &info, note->id_size, note->id, present.size,
                present.blob)
            == dnnl_success)
        state = form_is_there(present.size, present.blob) ? form_is_made
                                                          : form_is_not_there;
    present_release(&present, tool);
    return state;
}

bool refresh_result_awaits_form(
        struct tool *tool, const struct refresh_job *job)
{
    return look_at_form(tool, job->build->note) == form_is_not_there;
}

bool refresh_result_is_there(struct tool *tool, const struct refresh_jobs *jobs,
        const struct refresh_job *job)
{
    /* A process notes what it puts without a form, and may have made that
     * since.
     */
    if (look_at_form(tool, job->build->note) == form_is_made) return true;
    return is_of_pocl(job->build->note)
           && has_entry(tool, jobs, job, true, strict);
}

bool refresh_result_has_all(struct tool *tool, const struct refresh_jobs *jobs,
        const struct refresh_job *job, bool has_classes)
{
    /* The layer's entries say whether they have all that the driver makes. */
    return has_entry(tool, jobs, job, has_classes,
            job->build->note->origin == dnnl_cache_note_layer
                    ? lenient_of_choice
                    : lenient);
}
