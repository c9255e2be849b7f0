/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/storage/blocks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <utlist.h>
#include <xxhash.h>

/* ---- Blocks -------------------------------------------------------------- */

struct storage_block *block_create(size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *bytes,
        void (*give_back)(size_t size, const uint8_t *bytes))
{
    const size_t own = give_back == NULL ? size : 0;
    struct storage_block *block = NULL;
    if (id_size <= UINT_MAX /* the width of uthash's lengths */
            && id_size <= SIZE_MAX - sizeof *block
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

static unsigned hash_of(size_t id_size, const uint8_t *id)
{
    return (unsigned)XXH3_64bits(id, id_size);
}

static struct storage_block *find(const struct blocks *blocks, unsigned hash,
        size_t id_size, const uint8_t *id)
{
    struct storage_block *block = NULL;
    HASH_FIND_BYHASHVALUE(
            hh, blocks->table, id, (unsigned)id_size, hash, block);
    return block;
}

static void take_out(struct blocks *blocks, struct storage_block *block,
        struct storage_block **left)
{
    HASH_DELETE(hh, blocks->table, block);
    DL_DELETE2(blocks->newest, block, newer, older);
    blocks->bytes -= block->size;
    LL_PREPEND(*left, block);
}

struct storage_block *blocks_find(
        struct blocks *blocks, size_t id_size, const uint8_t *id)
{
    struct storage_block *block =
            find(blocks, hash_of(id_size, id), id_size, id);
    if (block == NULL) return NULL;
    DL_DELETE2(blocks->newest, block, newer, older);
    DL_PREPEND2(blocks->newest, block, newer, older);
    atomic_fetch_add(&block->references, 1);
    return block;
}

void blocks_add(struct blocks *blocks, struct storage_block *block,
        struct storage_block **left)
{
    const unsigned hash = hash_of(block->id_size, block->id);
    struct storage_block *same = find(blocks, hash, block->id_size, block->id);
    if (same == block) return;
    if (same != NULL) take_out(blocks, same, left);
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, blocks->table, block->id,
            (unsigned)block->id_size, hash, block);
    if (block->hh.tbl == NULL) return;
    DL_PREPEND2(blocks->newest, block, newer, older);
    blocks->bytes += block->size;
    atomic_fetch_add(&block->references, 1);
    while (blocks->limit > 0 && blocks->bytes > blocks->limit)
        take_out(blocks, blocks->newest->newer, left);
}

void blocks_remove(struct blocks *blocks, size_t id_size, const uint8_t *id,
        struct storage_block **left)
{
    struct storage_block *block =
            find(blocks, hash_of(id_size, id), id_size, id);
    if (block != NULL) take_out(blocks, block, left);
}

void blocks_fini(struct blocks *blocks, struct storage_block **left)
{
    while (blocks->newest != NULL)
        take_out(blocks, blocks->newest->newer, left);
}
