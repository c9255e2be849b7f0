/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalog.h: the entries of a store, and their names.
 *
 * An entry's name is a hash of its ID as 32 hexadecimal digits; people see and
 * give the beginning of it. What is kept of each entry is what a command asks
 * for: IDs have kilobytes, and stores many entries.
 */
#ifndef DNNL_CACHE_TOOLS_VIEW_CATALOG_H
#define DNNL_CACHE_TOOLS_VIEW_CATALOG_H

#include "tools/dnnl_cache/base/tool.h"

enum {
    catalog_name_size = 33,   /* with the NUL */
    catalog_short_digits = 12 /* as list shows it */
};

struct entry {
    char name[catalog_name_size];
    struct dnnl_cache_store_entry
            item;        /* its id: the entry's own copy, or NULL */
    bool is_working_set; /* the list of one: of no kind and no device */
    /* Names from the ID, "" where it has none; NULL if not asked for. */
    char *device;
    char *driver;
};

enum catalog_keep { catalog_keep_ids, catalog_keep_names, catalog_keep_all };

struct catalog {
    struct entry *entries;
    size_t count;
    enum catalog_keep keep;
    bool out_of_memory;
};

/* Reads the open store's entries, in no order; else a message and exit_io. */
enum tool_exit catalog_load(
        struct catalog *catalog, struct tool *tool, enum catalog_keep keep);
void catalog_fini(struct catalog *catalog);

/* Sorts: by creation and name; by name; by ID, of equal ones one is left. */
void catalog_sort_by_creation(struct catalog *catalog);
void catalog_sort_by_name(struct catalog *catalog);
void catalog_sort_by_id(struct catalog *catalog);

/* The entry with a name that begins so, in a catalog sorted by name. Else a
 * message and exit_no_entry. */
enum tool_exit catalog_find(const struct catalog *catalog,
        const struct entry **entry, struct tool *tool, const char *prefix);

/* Copies the one entry of the open store whose name begins so, with its ID,
 * without reading the others into memory; entry_fini() frees it. As above;
 * quietly: without the message. */
enum tool_exit entry_find(struct entry *entry, struct tool *tool,
        const char *prefix, bool quietly);
void entry_fini(struct entry *entry);

/* The name of an ID. */
void entry_name(char name[catalog_name_size], size_t id_size, const void *id);

/* Could it be the beginning of a name? */
bool entry_is_prefix(const char *text);

/* For dnnl_cache_store_iterate(): user is a uint64_t that is counted up. */
bool catalog_count_one(void *user, const struct dnnl_cache_store_entry *item);

/* Number of entries of the open store. */
enum tool_exit catalog_count(struct tool *tool, uint64_t *count);

const char *kind_name(dnnl_cache_blob_kind_t kind);
/* The same of an entry, or "working set". */
const char *entry_kind_name(const struct entry *entry);
extern const char working_set_kind_name[];

#endif /* DNNL_CACHE_TOOLS_VIEW_CATALOG_H */
