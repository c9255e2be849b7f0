/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/refresh/refresh_prune.h"

#include "src/platform/file.h"
#include "tools/common/state/state_folder.h"
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/view/catalog.h"

#include <dnnl_cache/journal.h>
#include <dnnl_cache/store_types.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct names {
    char (*list)[catalog_name_size]; /* owned */
    size_t count;
};

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool has_name(const struct names *names, const char *name)
{
    return names->count > 0
           && bsearch(name, names->list, names->count, sizeof *names->list,
                      compare)
                      != NULL;
}

/* The IDs of entries and of builds that wait, by their names. */
static bool collect(struct names *names, const struct catalog *catalog,
        const struct dnnl_cache_store_journal_list *list)
{
    names->list = calloc(catalog->count + list->count + 1, sizeof *names->list);
    if (names->list == NULL) return false;
    for (size_t i = 0; i < catalog->count; i++)
        memcpy(names->list[names->count++], catalog->entries[i].name,
                catalog_name_size);
    for (size_t i = 0; i < list->count; i++) {
        const dnnl_cache_note_t *note = list->items[i]->note;
        if (note->kind == dnnl_cache_note_build)
            entry_name(names->list[names->count++], note->id_size, note->id);
    }
    qsort(names->list, names->count, sizeof *names->list, compare);
    return true;
}

static size_t find_keys(uint64_t *keys, const struct names *names,
        const struct dnnl_cache_store_journal_list *list)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const dnnl_cache_note_t *note = list->items[i]->note;
        char name[catalog_name_size];
        if (note->kind == dnnl_cache_note_build) continue;
        entry_name(name, note->id_size, note->id);
        if (!has_name(names, name)) keys[count++] = list->items[i]->key;
    }
    return count;
}

static enum tool_exit drop(struct tool *tool, const struct catalog *catalog,
        const struct dnnl_cache_store_journal_list *list)
{
    struct names names = {NULL, 0};
    enum tool_exit code = exit_ok;
    uint64_t *keys = calloc(list->count + 1, sizeof *keys);
    if (keys != NULL && collect(&names, catalog, list)) {
        const size_t count = find_keys(keys, &names, list);
        if (count > 0)
            code = tool_check(tool, "refresh",
                    dnnl_cache_store_journal_drop(tool->store, count, keys));
    } else {
        code = tool_no_memory(tool);
    }
    free(names.list);
    free(keys);
    return code;
}

enum tool_exit refresh_prune(struct tool *tool)
{
    struct catalog catalog = {.entries = NULL};
    struct dnnl_cache_store_journal_list *list = NULL;
    enum tool_exit code = tool_check(
            tool, "refresh", dnnl_cache_store_journal_load(&list, tool->store));
    if (code == exit_ok && list->count > 0) {
        code = catalog_load(&catalog, tool, catalog_keep_names);
        if (code == exit_ok) code = drop(tool, &catalog, list);
        catalog_fini(&catalog);
    }
    dnnl_cache_store_journal_free(list);
    return code;
}

bool refresh_record_path(
        char path[refresh_record_path_size], const struct tool *tool)
{
    char place[place_path_size];
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_find_type(tool->type);
    if (place_is_remote(tool->options) || type == NULL
            || !place_path(place, tool->options))
        return false;
    const int size = snprintf(path, refresh_record_path_size, "%s%s/record",
            place, state_folder_suffix(type->is_file));
    return size > 0 && size < refresh_record_path_size;
}

enum tool_exit refresh_forget(struct tool *tool)
{
    char record[refresh_record_path_size];
    struct dnnl_cache_store_journal_list *list = NULL;
    enum tool_exit code = tool_check(
            tool, "clear", dnnl_cache_store_journal_load(&list, tool->store));
    if (code == exit_ok && list->count > 0) {
        uint64_t *keys = calloc(list->count, sizeof *keys);
        for (size_t i = 0; keys != NULL && i < list->count; i++)
            keys[i] = list->items[i]->key;
        code = keys == NULL ? tool_no_memory(tool)
                            : tool_check(tool, "clear",
                                    dnnl_cache_store_journal_drop(
                                            tool->store, list->count, keys));
        free(keys);
    }
    dnnl_cache_store_journal_free(list);
    if (code != exit_ok || !refresh_record_path(record, tool)) return code;
    const int error = file_remove(file_here, record);
    if (error == 0 || error == ENOENT) return exit_ok;
    tool_error(tool, "%s: %s", record, strerror(error));
    return exit_io;
}
