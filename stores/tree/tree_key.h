/* SPDX-License-Identifier: Apache-2.0 */
/* tree_key.h: which directory of a tree store an ID belongs into. */
#ifndef DNNL_CACHE_STORES_TREE_TREE_KEY_H
#define DNNL_CACHE_STORES_TREE_TREE_KEY_H

#include <stddef.h>
#include <stdint.h>

enum tree_group {
    tree_group_device,
    tree_group_image,
    tree_group_constants,
    tree_group_options,
    tree_groups
};

/* The hashes of the four groups of an ID's ingredients. 0 or ENOMEM. */
int tree_key_hash(uint64_t group[tree_groups], size_t id_size,
        const uint8_t *id, uint64_t (*hash)(const void *data, size_t size));

#endif /* DNNL_CACHE_STORES_TREE_TREE_KEY_H */
