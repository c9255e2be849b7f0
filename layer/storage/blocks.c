/* SPDX-License-Identifier: Apache-2.0 */
#include "blocks.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

/* ---- Blocks -------------------------------------------------------------- */

struct storage_block *block_create(size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *bytes,
        void (*give_back)(size_t size, const uint8_t *bytes))
{
    const size_t own = give_back == NULL ? size : 0;
    struct storage_block *block = NULL;
    if (id_size <= SIZE_MAX - sizeof *block
            && own <= SIZE_MAX - sizeof *block - id_size)
        block = malloc(sizeof *block + id_size + own);
    if (block == NULL) {
        if (give_back != NULL) give_back(size, bytes);
        return NULL;
    }
    memset(block, 0, sizeof *block);
    atomic_init(&block->references, 1);
    block->size = size;
    block->bytes = bytes;
    block->give_back = give_back;
    block->hash = XXH3_64bits(id, id_size);
    block->id_size = id_size;
    memcpy(block->id, id, id_size);
    if (own == 0) return block;
    memcpy(block->id + id_size, bytes, size);
    block->bytes = block->id + id_size;
    return block;
}

void block_release(struct storage_block *block)
{
    if (block == NULL || atomic_fetch_sub(&block->references, 1) != 1) return;
    if (block->give_back != NULL) block->give_back(block->size, block->bytes);
    free(block);
}

void block_release_all(struct storage_block *chain)
{
    while (chain != NULL) {
        struct storage_block *next = chain->next;
        block_release(chain);
        chain = next;
    }
}

/* ---- The table ----------------------------------------------------------- */

/* Where the pointer to the block of an ID is, or would be. */
static struct storage_block **find_place(const struct blocks *blocks,
        uint64_t hash, size_t id_size, const uint8_t *id)
{
    struct storage_block **place =
            &blocks->buckets[hash & (blocks->capacity - 1)];
    while (*place != NULL
            && ((*place)->hash != hash || (*place)->id_size != id_size
                    || memcmp((*place)->id, id, id_size) != 0))
        place = &(*place)->next;
    return place;
}

static void unlink_use(struct blocks *blocks, struct storage_block *block)
{
    *(block->newer != NULL ? &block->newer->older : &blocks->newest) =
            block->older;
    *(block->older != NULL ? &block->older->newer : &blocks->oldest) =
            block->newer;
}

static void link_newest(struct blocks *blocks, struct storage_block *block)
{
    block->newer = NULL;
    block->older = blocks->newest;
    *(blocks->newest != NULL ? &blocks->newest->newer : &blocks->oldest) =
            block;
    blocks->newest = block;
}

/* Doubles the buckets as the table fills up. Where memory is short chains grow
 * longer; false if there are no buckets at all. */
static bool make_room(struct blocks *blocks)
{
    if (blocks->count < blocks->capacity) return true;
    const size_t capacity = blocks->capacity > 0 ? 2 * blocks->capacity : 64;
    struct storage_block **buckets = calloc(capacity, sizeof(void *));
    if (buckets == NULL) return blocks->capacity > 0;
    for (struct storage_block *b = blocks->newest; b != NULL; b = b->older) {
        struct storage_block **place = &buckets[b->hash & (capacity - 1)];
        b->next = *place;
        *place = b;
    }
    free(blocks->buckets);
    blocks->buckets = buckets;
    blocks->capacity = capacity;
    return true;
}

static void take_out(struct blocks *blocks, struct storage_block **place,
        struct storage_block **left)
{
    struct storage_block *block = *place;
    *place = block->next;
    unlink_use(blocks, block);
    blocks->count--;
    blocks->bytes -= block->size;
    block->next = *left;
    *left = block;
}

struct storage_block *blocks_find(
        struct blocks *blocks, size_t id_size, const uint8_t *id)
{
    if (blocks->count == 0) return NULL;
    struct storage_block *block =
            *find_place(blocks, XXH3_64bits(id, id_size), id_size, id);
    if (block == NULL) return NULL;
    unlink_use(blocks, block);
    link_newest(blocks, block);
    atomic_fetch_add(&block->references, 1);
    return block;
}

void blocks_add(struct blocks *blocks, struct storage_block *block,
        struct storage_block **left)
{
    if (!make_room(blocks)) return;
    struct storage_block **place =
            find_place(blocks, block->hash, block->id_size, block->id);
    if (*place == block) return;
    if (*place != NULL) take_out(blocks, place, left);
    place = &blocks->buckets[block->hash & (blocks->capacity - 1)];
    block->next = *place;
    *place = block;
    link_newest(blocks, block);
    blocks->count++;
    blocks->bytes += block->size;
    atomic_fetch_add(&block->references, 1);
    while (blocks->limit > 0 && blocks->bytes > blocks->limit) {
        const struct storage_block *oldest = blocks->oldest;
        take_out(blocks,
                find_place(blocks, oldest->hash, oldest->id_size, oldest->id),
                left);
    }
}

void blocks_remove(struct blocks *blocks, size_t id_size, const uint8_t *id,
        struct storage_block **left)
{
    if (blocks->count == 0) return;
    struct storage_block **place =
            find_place(blocks, XXH3_64bits(id, id_size), id_size, id);
    if (*place != NULL) take_out(blocks, place, left);
}

void blocks_fini(struct blocks *blocks, struct storage_block **left)
{
    while (blocks->oldest != NULL)
        blocks_remove(
                blocks, blocks->oldest->id_size, blocks->oldest->id, left);
    free(blocks->buckets);
    *blocks = (struct blocks){.limit = blocks->limit};
}
