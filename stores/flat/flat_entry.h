/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat_entry.h: one file of a flat store: the blob, its ID, and the tail that
 * store_trailer.h describes, which says how long either is.
 *
 * Reading needs no lock: files are never changed, only replaced or removed as a
 * whole. Functions return 0 or an errno value: ENOENT (nothing there), EBADMSG
 * (damaged: whatever is there is not an intact entry), ENOMEM, or a failure of
 * the file system.
 */
#ifndef DNNL_CACHE_STORES_FLAT_FLAT_ENTRY_H
#define DNNL_CACHE_STORES_FLAT_FLAT_ENTRY_H

#include "stores/directory/directory_store.h"

/* The file of a slot: a hash of 16 digits, and an extension that tells the API,
 * which is the slot's number. */
void flat_entry_path(
        char path[directory_path_size], const struct directory_slot *slot);

/* Does the name, not the path, say that it is an entry? */
bool flat_entry_parse_name(struct directory_slot *slot, const char *name);

/* Reads the blob of this ID, which the caller frees and which has room for what
 * follows it too. ENOMSG if the file is another ID's. */
int flat_entry_read_blob(uint8_t **blob, size_t *size,
        const struct directory_store *store, const struct directory_slot *slot,
        size_t id_size, const uint8_t *id, enum store_depth depth);

/* Reads the ID, which is item->id and the caller's to free, and what else is
 * known of the entry. Does not read the blob, so damage is not seen. ENOENT if
 * the entry is another API's than the store's. */
int flat_entry_read_item(struct dnnl_cache_store_entry *item, uint8_t **id,
        const struct directory_store *store, const struct directory_slot *slot);

/* Is the entry intact, whatever its ID? *size: its blob's. */
int flat_entry_check(size_t *size, const struct directory_store *store,
        const struct directory_slot *slot);

/* Never EBADMSG. */
int flat_entry_measure(struct directory_entry *entry,
        const struct directory_store *store, const struct directory_slot *slot);

#endif /* DNNL_CACHE_STORES_FLAT_FLAT_ENTRY_H */
