/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/view/subject.h"

#include <dnnl_cache/working_set.h>

#include "src/common/byte_order.h"
#include "src/platform/file.h"
#include "tools/common/id/fields.h"
#include "tools/dnnl_cache/archive/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static dnnl_status_t inspect(struct tool *tool, dnnl_cache_blob_info_t *info,
        size_t size, const uint8_t *blob)
{
    *info = (dnnl_cache_blob_info_t)DNNL_CACHE_BLOB_INFO_INIT;
    tool->reason[0] = '\0';
    const dnnl_status_t st = dnnl_cache_blob_inspect(size, blob, info);
    if (st != dnnl_success && tool->reason[0] == '\0')
        snprintf(tool->reason, sizeof tool->reason, "%s", dnnl_status2str(st));
    return st;
}

static void ignore_id(void *user, size_t id_size, const uint8_t *id)
{
    (void)user;
    (void)id_size;
    (void)id;
}

dnnl_status_t subject_check_blob(struct tool *tool,
        dnnl_cache_blob_info_t *info, size_t id_size, const uint8_t *id,
        size_t blob_size, const uint8_t *blob)
{
    /* A list of an application's working set is a store's own. */
    if (dnnl_cache_store_working_set_is_list(id_size, id)) {
        *info = (dnnl_cache_blob_info_t)DNNL_CACHE_BLOB_INFO_INIT;
        snprintf(tool->reason, sizeof tool->reason, "a damaged working set");
        return dnnl_cache_store_working_set_read_list(
                blob_size, blob, ignore_id, NULL);
    }
    const dnnl_status_t st = inspect(tool, info, blob_size, blob);
    if (st != dnnl_success) return st;
    if (info->id_size == id_size && memcmp(info->id, id, id_size) == 0)
        return dnnl_success;
    snprintf(tool->reason, sizeof tool->reason, "a blob with another ID");
    return dnnl_cache_blob_stale;
}

/* ---- Files --------------------------------------------------------------- */

/* 0 or an errno value. */
static int read_file(uint8_t **data, size_t *size, const char *path)
{
    struct file_facts facts;
    int fd;
    int error = file_open_named(&fd, &facts, path);
    if (error != 0) return error;
    uint8_t *bytes = malloc((size_t)facts.size + 1);
    error = bytes != NULL ? file_read_at(fd, bytes, (size_t)facts.size, 0)
                          : ENOMEM;
    (void)file_close(fd);
    if (error != 0) {
        free(bytes);
        return error == EBADMSG ? EIO : error;
    }
    *data = bytes;
    *size = (size_t)facts.size;
    return 0;
}

/* Of the file of a store's entry: what follows the blob, as
 * stores/core/store_trailer.h has it; 0 of any other. */
static size_t tail_size_of(const uint8_t *file, size_t size)
{
    static const char magic[] = "dnnlcent";
    enum { trailer_size = 64, at_blob_size = 24 };
    if (size <= trailer_size) return 0;
    const uint8_t *trailer = file + size - trailer_size;
    if (memcmp(trailer, magic, sizeof magic - 1) != 0) return 0;
    const uint64_t blob_size = load_le64(trailer + at_blob_size);
    return blob_size <= size - trailer_size ? size - (size_t)blob_size : 0;
}

static enum tool_exit load_file(struct subject *subject, struct tool *tool)
{
    const int error = read_file(
            &subject->blob_memory, &subject->blob_size, subject->argument);
    if (error == ENOENT && strpbrk(subject->argument, "./") == NULL) {
        tool_error(tool,
                "%s: neither the name of an entry nor a file (see "
                "dnnl-cache list)",
                subject->argument);
        return exit_no_entry;
    }
    if (error != 0) {
        tool_error(tool, "%s: %s%s", subject->argument, strerror(error),
                error == EISDIR ? " (to name a store, use --store PLACE)" : "");
        return exit_io;
    }
    const uint8_t *bytes = subject->blob_memory;
    if (archive_begins(bytes, subject->blob_size)) {
        tool_error(tool,
                "%s: an archive, not a single entry: import it into a store "
                "and inspect that",
                subject->argument);
        return exit_usage;
    }
    if (fields_are_an_id(subject->blob_size, bytes)) {
        subject->id = bytes;
        subject->id_size = subject->blob_size;
    } else {
        subject->has_blob = true;
        subject->blob = bytes;
        subject->tail_size = tail_size_of(bytes, subject->blob_size);
        subject->blob_size -= subject->tail_size;
        subject->status =
                inspect(tool, &subject->info, subject->blob_size, bytes);
        memcpy(subject->reason, tool->reason, sizeof subject->reason);
        if (subject->status == dnnl_success) {
            subject->id = subject->info.id;
            subject->id_size = subject->info.id_size;
        }
    }
    if (subject->id != NULL)
        entry_name(subject->name, subject->id_size, subject->id);
    return exit_ok;
}

/* ---- Entries ------------------------------------------------------------- */

static enum tool_exit take_blob(struct subject *subject, struct tool *tool)
{
    const dnnl_cache_store_t *store =
            dnnl_cache_store_get_callbacks(tool->store);
    const uint8_t *blob;
    const dnnl_status_t st = store->get(store->user, subject->id_size,
            subject->id, &subject->blob_size, &blob);
    if (st == dnnl_cache_miss) {
        subject->status = dnnl_cache_blob_corrupt;
        snprintf(subject->reason, sizeof subject->reason,
                "changed after it was written");
        return exit_ok;
    }
    if (st != dnnl_success) return tool_check(tool, "get", st);
    subject->blob_memory = malloc(subject->blob_size + 1);
    if (subject->blob_memory != NULL)
        memcpy(subject->blob_memory, blob, subject->blob_size);
    store->release(store->user, subject->blob_size, blob);
    if (subject->blob_memory == NULL) return tool_no_memory(tool);
    subject->blob = subject->blob_memory;
    subject->status = subject_check_blob(tool, &subject->info, subject->id_size,
            subject->id, subject->blob_size, subject->blob);
    memcpy(subject->reason, tool->reason, sizeof subject->reason);
    return exit_ok;
}

static enum tool_exit load_entry(
        struct subject *subject, struct tool *tool, bool quietly)
{
    struct entry entry;
    const enum tool_exit code =
            entry_find(&entry, tool, subject->argument, quietly);
    if (code != exit_ok) return code;
    subject->is_entry = true;
    subject->has_blob = true;
    subject->item = entry.item;
    subject->item.id = NULL;
    subject->id_memory = (uint8_t *)(uintptr_t)entry.item.id; /* moved here */
    entry.item.id = NULL;
    subject->id = subject->id_memory;
    subject->id_size = subject->item.id_size;
    memcpy(subject->name, entry.name, sizeof subject->name);
    subject->is_working_set = entry.is_working_set;
    entry_fini(&entry);
    return take_blob(subject, tool);
}

/* ---- Either -------------------------------------------------------------- */

enum tool_exit subject_load(
        struct subject *subject, struct tool *tool, const char *argument)
{
    *subject = (struct subject){.argument = argument, .status = dnnl_success};
    if (!entry_is_prefix(argument)) return load_file(subject, tool);
    /* It looks like an entry's name, but a file may have it, too. */
    const bool may_be_file = file_is_there(argument);
    enum tool_exit code = exit_ok;
    if (tool->store == NULL) code = tool_open(tool, tool_access_read);
    if (code == exit_ok) code = load_entry(subject, tool, may_be_file);
    if (code == exit_no_entry && may_be_file) return load_file(subject, tool);
    return code;
}

void subject_fini(struct subject *subject)
{
    free(subject->id_memory);
    free(subject->blob_memory);
    *subject = (struct subject){0};
}

dnnl_cache_blob_kind_t subject_kind(const struct subject *subject)
{
    if (subject->is_entry) return subject->item.kind;
    if (subject->has_blob && subject->status == dnnl_success)
        return subject->info.kind;
    return dnnl_cache_blob_kind_undef;
}
