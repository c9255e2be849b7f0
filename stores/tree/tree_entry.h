/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_entry.h: the files of one entry of a tree store, <n>.src, <n>.bin and
 * <n>_access_time.txt, in the directory open at fd.
 *
 * Reading needs no lock: files are never changed, only replaced or removed as a
 * whole, but for the time, which does not matter much. Functions return 0 or an
 * errno value: ENOENT (nothing there), EBADMSG (damaged: whatever is there is
 * not an intact entry), ENOMEM, or a failure of the file system.
 */
#ifndef DNNL_CACHE_STORES_TREE_TREE_ENTRY_H
#define DNNL_CACHE_STORES_TREE_TREE_ENTRY_H

#include "stores/directory/directory_store.h"

enum tree_file { tree_file_src, tree_file_bin, tree_file_time, tree_files };

enum {
    tree_name_size = 40,
    tree_time_size = 19 /* digits, from 2001 to 2286 */
};

void tree_entry_name(
        char name[tree_name_size], uint32_t number, enum tree_file file);

/* Is it the name of an entry's file? */
bool tree_entry_parse_name(
        uint32_t *number, enum tree_file *file, const char *name);

/* 0 if <n>.src holds this ID, ENOMSG if another one. */
int tree_entry_compare_id(
        int fd, uint32_t number, size_t id_size, const uint8_t *id);

/* Reads and checks the blob under this ID, which the caller knows to be the
 * entry's. The caller frees *blob, which has room for what follows it too. */
int tree_entry_read_blob(uint8_t **blob, size_t *size,
        const dnnl_cache_store_handle_t *store, int fd, uint32_t number,
        size_t id_size, const uint8_t *id, enum store_depth depth);

/* Reads the ID alone, which the caller frees. */
int tree_entry_read_id(uint8_t **id, size_t *id_size, int fd, uint32_t number);

/* Reads the ID, which is item->id and the caller's to free, and what else is
 * known of the entry. Does not read the blob, so damage is not seen. */
int tree_entry_read_item(struct dnnl_cache_store_entry *item, uint8_t **id,
        const dnnl_cache_store_handle_t *store, int fd, uint32_t number);

/* Is the entry intact, whatever its ID? *size (may be NULL): its blob's. */
int tree_entry_check(size_t *size, const dnnl_cache_store_handle_t *store,
        int fd, uint32_t number);

/* Fills in all but the slot. Never EBADMSG; ENOENT if there is no file. */
int tree_entry_measure(struct directory_entry *entry,
        const dnnl_cache_store_handle_t *store, int fd, uint32_t number);

/* Notes that the entry is used now: in its file of that purpose if it has one,
 * whose size stays as it is. */
void tree_entry_note_use(int fd, uint32_t number);
/* 0 or an errno value. */
int tree_entry_set_use(int fd, uint32_t number, uint64_t time_ns);

/* A time as it stands in that file. */
void tree_entry_format_time(char text[tree_time_size + 1], uint64_t ns);

#endif /* DNNL_CACHE_STORES_TREE_TREE_ENTRY_H */
