/* SPDX-License-Identifier: Apache-2.0 */
#include "refresh_result.h"

#include "keeping.h"
#include "refresh_worker.h"
#include "subject.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static bool write_user_data(
        const struct refresh_slot *slot, size_t size, const uint8_t *data)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/" REFRESH_USER_DATA, slot->folder);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    const bool is_written = write(fd, data, size) == (ssize_t)size;
    return close(fd) == 0 && is_written;
}

/* The layer makes its own anew. */
static bool pass_user_data(struct tool *tool, const struct refresh_job *job,
        const struct refresh_slot *slot)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_callbacks(tool->store);
    const dnnl_cache_note_t *note = &job->build->note;
    dnnl_cache_blob_info_t info;
    const uint8_t *blob;
    size_t size;
    bool is_passed = true;
    if (note->origin != dnnl_cache_note_library
            || s->get(s->user, note->id_size, note->id, &size, &blob)
                       != dnnl_success)
        return true;
    if (subject_check_blob(tool, &info, note->id_size, note->id, size, blob)
                    == dnnl_success
            && info.user_data_size > 0)
        is_passed = write_user_data(slot, info.user_data_size, info.user_data);
    s->release(s->user, size, blob);
    return is_passed;
}

bool refresh_result_prepare(struct tool *tool, const struct refresh_jobs *jobs,
        const struct refresh_job *job, const struct refresh_slot *slot)
{
    struct dnnl_cache_store_handle *store =
            refresh_worker_open_store(slot->folder, REFRESH_JOB, false);
    if (store == NULL) return false;
    const bool is_written =
            refresh_jobs_write(jobs, job, store) == dnnl_success;
    dnnl_cache_store_close(store);
    return is_written && pass_user_data(tool, job, slot);
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
    const enum kept kept = keep_entry(tool->store, &entry, &why);
    if (tool->remote != NULL) (void)keep_entry(tool->remote, &entry, &why);
    return kept != kept_not ? refresh_taken : refresh_taken_not_kept;
}

enum refresh_taken refresh_result_take(struct tool *tool,
        const struct refresh_job *job, const struct refresh_slot *slot)
{
    const dnnl_cache_note_t *note = &job->build->note;
    struct dnnl_cache_store_handle *store =
            refresh_worker_open_store(slot->folder, REFRESH_RESULT, true);
    enum refresh_taken taken = refresh_taken_none;
    dnnl_cache_blob_info_t info;
    const uint8_t *blob;
    size_t size;
    if (store == NULL) return refresh_taken_damaged;
    const dnnl_cache_store_t *s = dnnl_cache_store_callbacks(store);
    if (s->get(s->user, note->id_size, note->id, &size, &blob)
            == dnnl_success) {
        taken = subject_check_blob(tool, &info, note->id_size, note->id, size,
                        blob) == dnnl_success
                                && info.kind == dnnl_cache_blob_kind_program
                        ? put(tool, note, size, blob)
                        : refresh_taken_damaged;
        s->release(s->user, size, blob);
    }
    dnnl_cache_store_close(store);
    return taken;
}
