/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks.h: blobs in memory, found by their IDs, the least recently used
 * leaving first.
 *
 * A block has references: one for each that it is lent to, one for the table
 * while it is in there. The table itself has no lock: whoever owns it has one,
 * and frees what left the table after unlocking.
 */
#ifndef DNNL_CACHE_LAYER_BLOCKS_H
#define DNNL_CACHE_LAYER_BLOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A table that cannot grow refuses the entry instead of ending the process. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct storage_block {
    atomic_uint references;
    size_t size;
    const uint8_t *bytes;
    /* Gives bytes back that somebody else allocated; NULL: they are part of the
     * block. */
    void (*give_back)(size_t size, const uint8_t *bytes);
    UT_hash_handle hh;           /* the table's, as the next two */
    struct storage_block *newer; /* of the newest: the oldest */
    struct storage_block *older;
    struct storage_block *next; /* of those that left the table */
    size_t id_size;
    uint8_t id[];
};

/* A block with one reference. give_back as above: the block takes the bytes;
 * NULL: it copies them. NULL if memory ran out: the bytes are given back. */
struct storage_block *block_create(size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *bytes,
        void (*give_back)(size_t size, const uint8_t *bytes));

/* Gives one reference back; the last frees the block. NULL is fine. */
void block_release(struct storage_block *block);

/* Gives back one reference of each block of a chain. */
void block_release_all(struct storage_block *chain);

struct blocks {
    uint64_t limit; /* bytes of blobs; 0: none */
    uint64_t bytes;
    struct storage_block *table;
    struct storage_block *newest;
};

/* The block of an ID, with one reference more, and the newest from now on; NULL
 * if there is none. */
struct storage_block *blocks_find(
        struct blocks *blocks, size_t id_size, const uint8_t *id);

/* Adds a block, with a reference of the table's own, in the place of one of the
 * same ID. What leaves the table is chained to *left. Where memory runs out the
 * block is not added. */
void blocks_add(struct blocks *blocks, struct storage_block *block,
        struct storage_block **left);

/* Takes the block of an ID out. */
void blocks_remove(struct blocks *blocks, size_t id_size, const uint8_t *id,
        struct storage_block **left);

/* Takes all out, and gives the table's own memory back. */
void blocks_fini(struct blocks *blocks, struct storage_block **left);

#endif /* DNNL_CACHE_LAYER_BLOCKS_H */
