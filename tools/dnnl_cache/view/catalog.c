/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/view/catalog.h"

#include "src/common/array.h"
#include "tools/common/id/fields.h"
#include "tools/common/text/text.h"
#include "tools/dnnl_cache/base/id_file.h"

#include <dnnl_cache/working_set.h>

#include <dnnl_cache.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <xxhash.h>

/* ---- Names --------------------------------------------------------------- */

void entry_name(char name[catalog_name_size], size_t id_size, const void *id)
{
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits(id, id_size));
    text_hex(name, hash.digest, sizeof hash.digest);
}

bool entry_is_prefix(const char *text)
{
    const size_t length = strlen(text);
    return length > 0 && length < catalog_name_size
           && strspn(text, "0123456789abcdefABCDEF") == length;
}

static bool begins_with(const char *name, const char *prefix)
{
    return strncasecmp(name, prefix, strlen(prefix)) == 0;
}

const char *kind_name(dnnl_cache_blob_kind_t kind)
{
    switch (kind) {
    case dnnl_cache_blob_kind_engine:
        return "engine";
    case dnnl_cache_blob_kind_primitive:
        return "primitive";
    case dnnl_cache_blob_kind_program:
        return "program";
    default:
        return "unknown";
    }
}

const char working_set_kind_name[] = "working set";

const char *entry_kind_name(const struct entry *entry)
{
    return entry->is_working_set ? working_set_kind_name
                                 : kind_name(entry->item.kind);
}

/* Lists the open store, and notes how many damaged entries it met. */
static enum tool_exit list(struct tool *tool, const char *what,
        dnnl_cache_store_visit_callback_t visit, void *user)
{
    struct dnnl_cache_store_statistics before =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    struct dnnl_cache_store_statistics after = DNNL_CACHE_STORE_STATISTICS_INIT;
    (void)dnnl_cache_store_get_statistics(tool->store, &before);
    const dnnl_status_t st = dnnl_cache_store_iterate(tool->store, visit, user);
    (void)dnnl_cache_store_get_statistics(tool->store, &after);
    tool->damaged = after.damaged - before.damaged;
    return tool_check(tool, what, st);
}

/* ---- One entry ----------------------------------------------------------- */

static uint8_t *copy_id(const struct dnnl_cache_store_entry *item)
{
    uint8_t *id = malloc(item->id_size + 1);
    if (id != NULL) memcpy(id, item->id, item->id_size);
    return id;
}

/* False if memory ran out. */
static bool entry_init(struct entry *entry,
        const struct dnnl_cache_store_entry *item, enum catalog_keep keep)
{
    *entry = (struct entry){.item = *item,
            .is_working_set = dnnl_cache_store_working_set_is_list(
                    item->id_size, item->id)};
    entry->item.id = NULL;
    entry_name(entry->name, item->id_size, item->id);
    if (keep != catalog_keep_names) {
        entry->item.id = copy_id(item);
        if (entry->item.id == NULL) return false;
    }
    if (keep == catalog_keep_ids) return true;
    entry->device = fields_get_text(item->id_size, item->id, "device_name");
    entry->driver = fields_get_text(item->id_size, item->id, "driver_version");
    if (entry->device != NULL && entry->driver != NULL) return true;
    entry_fini(entry);
    return false;
}

void entry_fini(struct entry *entry)
{
    free((uint8_t *)(uintptr_t)entry->item.id); /* copy_id() */
    free(entry->device);
    free(entry->driver);
    *entry = (struct entry){0};
}

struct search {
    const char *prefix;
    struct entry *entry;
    uint64_t found;
    bool out_of_memory;
};

static bool compare_name(void *user, const struct dnnl_cache_store_entry *item)
{
    struct search *search = user;
    char name[catalog_name_size];
    entry_name(name, item->id_size, item->id);
    if (!begins_with(name, search->prefix)) return true;
    /* A store that others write to may show an entry twice. */
    if (search->found > 0 && strcmp(name, search->entry->name) == 0)
        return true;
    if (search->found++ > 0) return false;
    search->out_of_memory = !entry_init(search->entry, item, catalog_keep_ids);
    return !search->out_of_memory;
}

static enum tool_exit no_entry(
        struct tool *tool, const char *prefix, uint64_t found, bool quietly)
{
    if (quietly) return exit_no_entry;
    if (found == 0)
        tool_error(tool, "%s: no entry has this name (see dnnl-cache list)",
                prefix);
    else
        tool_error(tool,
                "%s: more than one entry has a name with this prefix: give "
                "more "
                "of it",
                prefix);
    return exit_no_entry;
}

enum tool_exit entry_find(struct entry *entry, struct tool *tool,
        const char *prefix, bool quietly)
{
    struct search search = {.prefix = prefix, .entry = entry};
    *entry = (struct entry){0};
    if (!entry_is_prefix(prefix)) return no_entry(tool, prefix, 0, quietly);
    enum tool_exit code = list(tool, "search", compare_name, &search);
    if (code == exit_ok && search.out_of_memory) code = tool_no_memory(tool);
    if (code == exit_ok && search.found != 1)
        code = no_entry(tool, prefix, search.found, quietly);
    if (code == exit_no_entry && search.found == 0 && !quietly)
        code = tool_report_damage(tool, code);
    if (code != exit_ok) entry_fini(entry);
    return code;
}

/* ---- All of them --------------------------------------------------------- */

static bool add_entry(void *user, const struct dnnl_cache_store_entry *item)
{
    struct catalog *catalog = user;
    catalog->out_of_memory = !array_grow(&catalog->entries, catalog->count,
                                     sizeof *catalog->entries)
                             || !entry_init(&catalog->entries[catalog->count],
                                     item, catalog->keep);
    catalog->count += !catalog->out_of_memory;
    return !catalog->out_of_memory;
}

/* ---- Those of a list ----------------------------------------------------- */

struct listing {
    struct tool *tool;
    struct catalog *catalog;
};

/* Of a damaged one the store tells. */
static enum tool_exit add_listed(void *user, size_t id_size, const uint8_t *id)
{
    const struct listing *l = user;
    const dnnl_cache_store_t *s =
            dnnl_cache_store_get_callbacks(l->tool->store);
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    const uint8_t *blob = NULL;
    size_t size = 0;
    bool is_damaged = false;
    const dnnl_status_t st = dnnl_cache_store_find(
            l->tool->store, id_size, id, &size, &blob, &is_damaged);
    if (is_damaged) l->tool->damaged++;
    if (st != dnnl_success)
        return st == dnnl_cache_miss ? exit_ok : tool_check(l->tool, "get", st);
    struct dnnl_cache_store_entry item = {.struct_size = sizeof item,
            .id_size = id_size,
            .id = id,
            .blob_size = size};
    if (dnnl_cache_blob_inspect(size, blob, &info) == dnnl_success)
        item.kind = info.kind;
    s->release(s->user, size, blob);
    return add_entry(l->catalog, &item) ? exit_ok : exit_io;
}

enum tool_exit catalog_load(
        struct catalog *catalog, struct tool *tool, enum catalog_keep keep)
{
    const char *id_list = tool->options->id_list;
    struct listing listing = {tool, catalog};
    *catalog = (struct catalog){.keep = keep};
    const enum tool_exit code =
            id_list != NULL ? id_file_read(tool, id_list, add_listed, &listing)
                            : list(tool, "list", add_entry, catalog);
    return catalog->out_of_memory ? tool_no_memory(tool) : code;
}

void catalog_fini(struct catalog *catalog)
{
    for (size_t i = 0; i < catalog->count; i++)
        entry_fini(&catalog->entries[i]);
    free(catalog->entries);
    *catalog = (struct catalog){0};
}

static int compare_names(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    return strcmp(a->name, b->name);
}

static int compare_creations(const void *left, const void *right)
{
    const uint64_t a = ((const struct entry *)left)->item.created_ns;
    const uint64_t b = ((const struct entry *)right)->item.created_ns;
    return a != b ? (a > b) - (a < b) : compare_names(left, right);
}

static int compare_ids(const void *left, const void *right)
{
    const struct dnnl_cache_store_entry *a =
            &((const struct entry *)left)->item;
    const struct dnnl_cache_store_entry *b =
            &((const struct entry *)right)->item;
    const size_t both = a->id_size < b->id_size ? a->id_size : b->id_size;
    const int order = memcmp(a->id, b->id, both);
    return order != 0 ? order
                      : (a->id_size > b->id_size) - (a->id_size < b->id_size);
}

static void sort(struct catalog *catalog,
        int (*compare)(const void *left, const void *right))
{
    if (catalog->count > 1)
        qsort(catalog->entries, catalog->count, sizeof *catalog->entries,
                compare);
}

void catalog_sort_by_creation(struct catalog *catalog)
{
    sort(catalog, compare_creations);
}

void catalog_sort_by_name(struct catalog *catalog)
{
    sort(catalog, compare_names);
}

void catalog_sort_by_id(struct catalog *catalog)
{
    size_t kept = 0;
    sort(catalog, compare_ids);
    for (size_t i = 0; i < catalog->count; i++) {
        struct entry *entry = &catalog->entries[i];
        if (kept > 0 && compare_ids(entry - (i - kept + 1), entry) == 0) {
            entry_fini(entry);
            continue;
        }
        catalog->entries[kept++] = *entry;
    }
    catalog->count = kept;
}

enum tool_exit catalog_find(const struct catalog *catalog,
        const struct entry **entry, struct tool *tool, const char *prefix)
{
    size_t low = 0;
    size_t high = entry_is_prefix(prefix) ? catalog->count : 0;
    const size_t end = high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strncasecmp(catalog->entries[middle].name, prefix, strlen(prefix))
                < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == end || !begins_with(catalog->entries[low].name, prefix))
        return no_entry(tool, prefix, 0, false);
    for (size_t next = low + 1;
            next < end && begins_with(catalog->entries[next].name, prefix);
            next++)
        if (strcmp(catalog->entries[low].name, catalog->entries[next].name)
                != 0)
            return no_entry(tool, prefix, 2, false);
    *entry = &catalog->entries[low];
    return exit_ok;
}

bool catalog_count_one(void *user, const struct dnnl_cache_store_entry *item)
{
    (void)item;
    ++*(uint64_t *)user;
    return true;
}

enum tool_exit catalog_count(struct tool *tool, uint64_t *count)
{
    *count = 0;
    return list(tool, "count", catalog_count_one, count);
}
