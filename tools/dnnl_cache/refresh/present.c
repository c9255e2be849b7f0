/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/refresh/present.h"

#include "src/binaries/pocl_layout.h"
#include "src/drivers/launch_class.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "tools/common/id/missing_form.h"
#include "tools/dnnl_cache/jobs/refresh_worker.h"
#include "tools/dnnl_cache/view/parts.h"
#include "tools/dnnl_cache/view/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

bool present_get(struct present *present, struct tool *tool,
        const dnnl_cache_note_t *note)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(tool->store);
    const bool was_hushed = tool->is_hushed;
    tool->is_hushed = was_hushed || tool->damage_is_told;
    const dnnl_status_t st = s->get(
            s->user, note->id_size, note->id, &present->size, &present->blob);
    tool->is_hushed = was_hushed;
    return st == dnnl_success;
}

void present_release(const struct present *present, struct tool *tool)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(tool->store);
    s->release(s->user, present->size, present->blob);
}

/* ---- What it lacks ------------------------------------------------------- */

static enum present_lack find_lack_of_pocl(
        const dnnl_cache_note_t *note, const struct present *present)
{
    if (form_awaits_all_launches(
                note->id_size, note->id, present->size, present->blob))
        return present_lacks_all_launches;
    return form_is_for_queries(
                   note->id_size, note->id, present->size, present->blob)
                   ? present_is_for_queries
                   : present_lacks_nothing;
}

enum present_lack present_find_lack(
        struct tool *tool, const struct refresh_job *job)
{
    const dnnl_cache_note_t *note = job->build->note;
    const bool is_pocl = note->origin == dnnl_cache_note_layer
                         && note->type == dnnl_cache_note_executable
                         && form_is_of_pocl(note->id_size, note->id);
    enum present_lack lack = present_lacks_nothing;
    struct present present;
    if ((!is_pocl && !form_may_be_missing(note->id_size, note->id))
            || !present_get(&present, tool, note))
        return lack;
    if (is_pocl)
        lack = find_lack_of_pocl(note, &present);
    else if (form_is_missing(
                     note->id_size, note->id, present.size, present.blob))
        lack = present_lacks_form;
    present_release(&present, tool);
    return lack;
}

/* ---- What is passed on --------------------------------------------------- */

static uint32_t dimensions_of(const struct launch_class *class)
{
    if (class->size[2] > 1) return 3;
    return class->size[1] > 1 ? 2 : 1;
}

/* Notes may have been lost: what an entry has, that in its place has, too. */
static dnnl_status_t add_launches(const dnnl_cache_note_t *build,
        const dnnl_cache_blob_part_t *kernel, dnnl_cache_store_handle_t *notes)
{
    const char *list = kernel->launches;
    struct launch_class class;
    dnnl_status_t st = dnnl_success;
    while (st == dnnl_success && list != NULL
            && launch_class_read_next(&class, &list)) {
        dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
        note.kind = dnnl_cache_note_launch;
        note.origin = build->origin;
        note.id_size = build->id_size;
        note.id = build->id;
        note.kernel = kernel->name;
        launch_class_put(&note, &class, dimensions_of(&class));
        st = dnnl_cache_store_journal_append(notes, &note);
    }
    return st;
}

static bool pass_launches(struct tool *tool, const dnnl_cache_note_t *build,
        const struct present *present, dnnl_cache_store_handle_t *notes)
{
    struct parts parts;
    dnnl_status_t st = dnnl_success;
    bool is_passed =
            parts_load(&parts, tool, present->size, present->blob) == exit_ok;
    for (size_t i = 0; is_passed && i < parts.count; i++) {
        if (parts.items[i].kind != dnnl_cache_blob_part_kernel) continue;
        st = add_launches(build, &parts.items[i], notes);
        is_passed = st == dnnl_success;
    }
    parts_fini(&parts);
    return is_passed;
}

/* A part of a file's name. */
static bool is_plain(const char *name, size_t size)
{
    return size > 0 && size < 256 && memchr(name, '/', size) == NULL
           && memchr(name, '\0', size) == NULL;
}

/* As refresh_stand_ins_put_back() looks for it. What cannot be written is
 * compiled. */
static void write_code(const char *folder, const struct pocl_kernel *kernel,
        const struct pocl_file *file)
{
    enum { around = 6 }; /* '/' NAME '/' CLASS '/' NAME ".so" */
    char path[path_size];
    const char *class = file->name + kernel->name_size + 2;
    const size_t class_size = file->name_size - 2 * kernel->name_size - around;
    const struct file_part part = {.data = file->data, .size = file->size};
    if (!is_plain(kernel->name, kernel->name_size)
            || !is_plain(class, class_size)
            || (size_t)snprintf(path, sizeof path, "%s/%.*s,%.*s", folder,
                       (int)kernel->name_size, kernel->name, (int)class_size,
                       class)
                       >= sizeof path)
        return;
    (void)file_write_new(
            file_here, path, &part, 1, 0700, false, file_durability_none);
}

static void write_all_code(const char *folder, const struct pocl_layout *layout)
{
    struct pocl_kernel kernel;
    struct pocl_file file;
    size_t at = 0;
    while (pocl_layout_kernel(layout, &at, &kernel)) {
        struct pocl_files files = kernel.files;
        bool is_generic = false;
        while (pocl_files_next(&files, &file))
            if (pocl_file_is_code(&file, &kernel, &is_generic) && !is_generic)
                write_code(folder, &kernel, &file);
    }
}

/* False: no memory. */
static bool pass_code(
        const struct refresh_slot *slot, const struct present *present)
{
    char folder[path_size + 32];
    struct pocl_layout layout;
    size_t size = 0;
    if (dnnl_cache_blob_get_program_binary(
                present->size, present->blob, 0, &size, NULL)
            != dnnl_success)
        return true;
    uint8_t *binary = malloc(size + 1);
    if (binary == NULL) return false;
    (void)snprintf(folder, sizeof folder, "%s/" REFRESH_MADE, slot->job_folder);
    if (dnnl_cache_blob_get_program_binary(
                present->size, present->blob, 0, &size, binary)
                    == dnnl_success
            && pocl_layout_read(&layout, binary, size)
            && folder_make_all(folder, 0700, false) == 0)
        write_all_code(folder, &layout);
    free(binary);
    return true;
}

static uint64_t key_of(const struct present *present)
{
    return XXH3_64bits(present->blob, present->size);
}

static bool is_intact(struct tool *tool, const dnnl_cache_note_t *note,
        const struct present *present)
{
    dnnl_cache_blob_info_t info;
    return subject_check_blob(tool, &info, note->id_size, note->id,
                   present->size, present->blob)
           == dnnl_success;
}

bool present_pass(struct tool *tool, struct refresh_job *job,
        const struct refresh_slot *slot, dnnl_cache_store_handle_t *notes)
{
    const dnnl_cache_note_t *note = job->build->note;
    struct present present;
    bool is_passed = true;
    job->entry_key = 0;
    if (!present_get(&present, tool, note)) return true;
    job->entry_key = key_of(&present);
    if (form_is_of_pocl(note->id_size, note->id)
            && is_intact(tool, note, &present))
        is_passed = pass_launches(tool, note, &present, notes)
                    && (tool->options->shared || pass_code(slot, &present));
    present_release(&present, tool);
    return is_passed;
}

bool present_is_same(
        bool *is_there, struct tool *tool, const struct refresh_job *job)
{
    struct present present;
    *is_there = present_get(&present, tool, job->build->note);
    if (!*is_there) return false;
    const bool is_same = key_of(&present) == job->entry_key;
    present_release(&present, tool);
    return is_same;
}
