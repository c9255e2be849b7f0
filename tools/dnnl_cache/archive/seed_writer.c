/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/archive/seed_writer.h"

#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"
#include "tools/dnnl_cache/archive/keeping.h"

#include <dnnl_cache/store.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct seed_writer {
    struct tool *tool;
    dnnl_cache_store_handle_t *store; /* NULL once it is closed */
    char *path;
    char *folder;         /* beside it, of ours; "": gone */
    char file[path_size]; /* in the folder */
};

static enum tool_exit fail(struct seed_writer *w, const char *why)
{
    tool_error(w->tool, "%s: %s", w->path, why);
    return exit_io;
}

static void tell(dnnl_cache_log_level_t level, const char *text, void *user)
{
    if (level != dnnl_cache_log_info) tool_error(user, "%s", text);
}

/* A pack has files beside it while it is written, so it gets a folder. */
static enum tool_exit open_pack(struct seed_writer *w)
{
    struct dnnl_cache_store_options o = DNNL_CACHE_STORE_OPTIONS_INIT;
    if (asprintf(&w->folder, "%s.XXXXXX", w->path) < 0) {
        w->folder = NULL;
        return tool_no_memory(w->tool);
    }
    const int error = folder_make_temporary(w->folder);
    if (error != 0) {
        w->folder[0] = '\0';
        return fail(w, strerror(error));
    }
    const int n = snprintf(w->file, sizeof w->file, "%s/seed", w->folder);
    if (n < 0 || (size_t)n >= sizeof w->file)
        return fail(w, strerror(ENAMETOOLONG));
    o.path = w->file;
    o.capacity = DNNL_CACHE_STORE_UNLIMITED;
    o.max_blob_bytes = INT64_MAX;
    o.policy = dnnl_cache_store_policy_none;
    o.key_file = w->tool->options->sign_key;
    o.log = tell;
    o.log_user = w->tool;
    return dnnl_cache_store_open(&w->store, "pack", &o) == dnnl_success
                   ? exit_ok
                   : fail(w, "cannot be written");
}

enum tool_exit seed_writer_open(
        struct seed_writer **writer, struct tool *tool, const char *path)
{
    struct seed_writer *w = calloc(1, sizeof *w);
    if (w != NULL) w->path = strdup(path);
    if (w == NULL || w->path == NULL) {
        free(w);
        return tool_no_memory(tool);
    }
    w->tool = tool;
    const enum tool_exit code = open_pack(w);
    if (code == exit_ok)
        *writer = w;
    else
        seed_writer_close(w);
    return code;
}

enum tool_exit seed_writer_add(
        struct seed_writer *w, const struct archive_entry *entry)
{
    const char *why = "";
    return keep_entry(w->store, entry, &why) != kept_not
                   ? exit_ok
                   : fail(w, "cannot be written");
}

enum tool_exit seed_writer_finish(struct seed_writer *w, uint64_t *bytes)
{
    struct file_facts facts;
    int fd;
    dnnl_cache_store_close(w->store);
    w->store = NULL;
    int error = file_open_plain(&fd, &facts, file_here, w->file, 0, 0);
    if (error == 0) error = file_set_mode(fd, 0444);
    (void)file_close(fd);
    if (error == 0)
        error = file_rename(file_here, w->file, file_here, w->path, true);
    if (error != 0) return fail(w, strerror(error));
    *bytes = facts.size;
    return exit_ok;
}

void seed_writer_close(struct seed_writer *w)
{
    static const char *const files[] = {"", "-journal", "-totals", ".journal"};
    if (w == NULL) return;
    dnnl_cache_store_close(w->store);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[path_size + 16];
        (void)snprintf(path, sizeof path, "%s%s", w->file, files[i]);
        (void)file_remove(file_here, path);
    }
    if (w->folder != NULL && w->folder[0] != '\0')
        (void)folder_remove(file_here, w->folder);
    free(w->folder);
    free(w->path);
    free(w);
}
