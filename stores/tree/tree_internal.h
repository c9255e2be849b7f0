/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_internal.h: what the parts of the tree store know of each other.
 *
 * tree_store.c looks up and walks without a lock, tree_writer.c changes things
 * with it. Functions that return an int give 0 or an errno value.
 */
#ifndef DNNL_CACHE_STORES_TREE_TREE_INTERNAL_H
#define DNNL_CACHE_STORES_TREE_TREE_INTERNAL_H

#include "stores/tree/tree_entry.h"
#include "stores/tree/tree_key.h"

enum {
    tree_hash_digits = 16,
    tree_path_size = tree_groups * (tree_hash_digits + 1)
};

/* "<device>/<image>/<constants>/<options>" */
void tree_directory_path(
        char path[tree_path_size], const struct directory_slot *slot);

/* ENOENT also for one that is none, or that we may not read. */
int tree_open_directory(int *fd, const struct directory_store *store,
        const struct directory_slot *slot);

/* Number 0 in the directory an ID belongs into. */
int tree_hash_id(struct directory_slot *slot,
        const struct directory_store *store, size_t id_size, const uint8_t *id);

/* Visits the numbers of the entries in a directory, each once, complete or
 * not, until visit returns another value than 0, which is returned. */
int tree_for_each_number(
        int fd, int (*visit)(void *user, uint32_t number), void *user);

/* Does this errno value of removing a directory, 0 for none, mean that it may
 * be there still, and empty? */
bool tree_is_directory_left(int error);

/* Functions of struct directory_layout. */
int tree_measure(struct directory_entry *entry,
        const struct directory_store *store, const struct directory_slot *slot);
int tree_choose_place(
        struct directory_transaction *t, struct directory_place *place);
int tree_publish(
        struct directory_transaction *t, const struct directory_place *place);
int tree_discard(
        struct directory_transaction *t, const struct directory_slot *slot);

#endif /* DNNL_CACHE_STORES_TREE_TREE_INTERNAL_H */
