/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucket_entry.h: one entry of a bucket store, <bucket>/<entry>/key.bin and
 * kernel.bin: reading and checking it.
 *
 * Reading needs no lock: files of an entry are never changed, only replaced
 * or removed as a whole, and the checksum ties them together. Functions
 * return 0 or an errno value: ENOENT (nothing there), EBADMSG (damaged:
 * whatever is there is not an intact entry, or the disk cannot read it),
 * ENOMEM, or a failure of the file system.
 */
#ifndef DNNL_CACHE_STORES_BUCKET_BUCKET_ENTRY_H
#define DNNL_CACHE_STORES_BUCKET_BUCKET_ENTRY_H

#include "stores/directory/directory_store.h"

extern const char bucket_key_file[];
extern const char bucket_blob_file[];

/* "<bucket>/<entry>" and, if file is not NULL, "/<file>". */
void bucket_entry_path(char path[directory_path_size],
        const struct directory_slot *slot, const char *file);

/* 0 if the slot's key is this ID, ENOMSG if it is another, EIO if the disk does
 * not tell. */
int bucket_entry_compare_key(int root_fd, const struct directory_slot *slot,
        size_t id_size, const uint8_t *id);

/* Reads and checks the blob, by the store's limits and key. EBADMSG also if it
 * is another ID's. The caller frees *blob, which has room for what follows it
 * too. */
int bucket_entry_read_blob(uint8_t **blob, size_t *size,
        const struct directory_store *store, const struct directory_slot *slot,
        size_t id_size, const uint8_t *id, enum store_depth depth);

/* Are both files intact, whatever the key? *size: of the blob. */
int bucket_entry_check_files(size_t *size, const struct directory_store *store,
        const struct directory_slot *slot);

/* ---- Functions of struct directory_layout -------------------------------- */

/* ENOENT: the whole entry is gone, or somebody else's. */
int bucket_entry_read_item(struct dnnl_cache_store_entry *item, uint8_t **id,
        const struct directory_store *store, const struct directory_slot *slot);
int bucket_entry_read_times(struct dnnl_cache_store_entry *item,
        const struct directory_store *store, const struct directory_slot *slot);
int bucket_entry_read_key(uint8_t **id, size_t *id_size,
        const struct directory_store *store, const struct directory_slot *slot);
int bucket_entry_check(size_t *size, const struct directory_store *store,
        const struct directory_slot *slot);
int bucket_entry_set_use(const struct directory_store *store,
        const struct directory_slot *slot, uint64_t used_ns);
void bucket_entry_note_use(
        const struct directory_store *store, const struct directory_slot *slot);

/* A damaged entry has the creation time 0. */
int bucket_entry_measure(struct directory_entry *entry,
        const struct directory_store *store, const struct directory_slot *slot);

#endif /* DNNL_CACHE_STORES_BUCKET_BUCKET_ENTRY_H */
