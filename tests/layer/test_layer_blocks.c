/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/storage/blocks.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static unsigned given_back;

static void note_given_back(size_t size, const uint8_t *bytes)
{
    (void)size;
    (void)bytes;
    given_back++;
}

/* A block whose ID is a number and whose bytes are so many. */
static struct storage_block *make(unsigned id, size_t size)
{
    static const uint8_t bytes[1000];
    return block_create(sizeof id, (const uint8_t *)&id, size, bytes, NULL);
}

static void add(struct blocks *blocks, unsigned id, size_t size)
{
    struct storage_block *left = NULL;
    struct storage_block *block = make(id, size);
    ASSERT_NOT_NULL(block);
    blocks_add(blocks, block, &left);
    block_release(block);
    block_release_all(left);
}

/* Its size; 0: it is not there. */
static size_t size_of(struct blocks *blocks, unsigned id)
{
    struct storage_block *block =
            blocks_find(blocks, sizeof id, (const uint8_t *)&id);
    const size_t size = block != NULL ? block->size : 0;
    block_release(block);
    return size;
}

static void fini(struct blocks *blocks)
{
    struct storage_block *left = NULL;
    blocks_fini(blocks, &left);
    block_release_all(left);
    EXPECT_EQ(HASH_COUNT(blocks->table), 0);
    EXPECT_EQ(blocks->bytes, 0);
}

TEST_C(LayerBlocks, AreFoundByTheirIds)
{
    struct blocks blocks = {.limit = 0};
    EXPECT_EQ(size_of(&blocks, 1), 0);
    for (unsigned i = 0; i < 1000; i++)
        add(&blocks, i, i % 100 + 1);
    EXPECT_EQ(HASH_COUNT(blocks.table), 1000);
    EXPECT_EQ(blocks.bytes, 50500);
    for (unsigned i = 0; i < 1000; i++)
        EXPECT_EQ(size_of(&blocks, i), i % 100 + 1);
    EXPECT_EQ(size_of(&blocks, 1000), 0);
    fini(&blocks);
}

TEST_C(LayerBlocks, NewOnesTakeThePlaceOfOldOnes)
{
    struct blocks blocks = {.limit = 0};
    add(&blocks, 7, 10);
    add(&blocks, 7, 20);
    EXPECT_EQ(HASH_COUNT(blocks.table), 1);
    EXPECT_EQ(blocks.bytes, 20);
    EXPECT_EQ(size_of(&blocks, 7), 20);
    fini(&blocks);
}

TEST_C(LayerBlocks, LeastRecentlyUsedLeaveFirst)
{
    struct blocks blocks = {.limit = 30};
    add(&blocks, 1, 10);
    add(&blocks, 2, 10);
    add(&blocks, 3, 10); /* the limit is not exceeded */
    EXPECT_EQ(HASH_COUNT(blocks.table), 3);
    EXPECT_EQ(size_of(&blocks, 1), 10);
    add(&blocks, 4, 10);
    EXPECT_EQ(size_of(&blocks, 2), 0);
    EXPECT_EQ(size_of(&blocks, 1), 10);
    EXPECT_EQ(size_of(&blocks, 3), 10);
    add(&blocks, 5, 25);
    EXPECT_EQ(HASH_COUNT(blocks.table), 1);
    EXPECT_EQ(size_of(&blocks, 5), 25);
    add(&blocks, 6, 31); /* larger than all there may be */
    EXPECT_EQ(HASH_COUNT(blocks.table), 0);
    fini(&blocks);
}

TEST_C(LayerBlocks, ThatAreLentStayUntilTheyAreReleased)
{
    static const uint8_t bytes[4] = {1, 2, 3, 4};
    struct blocks blocks = {.limit = 0};
    struct storage_block *left = NULL;
    const uint8_t id = 9;
    given_back = 0;
    struct storage_block *block =
            block_create(1, &id, sizeof bytes, bytes, note_given_back);
    ASSERT_NOT_NULL(block);
    EXPECT_PTR_EQ(block->bytes, bytes); /* not copied */
    blocks_add(&blocks, block, &left);
    EXPECT_NULL(left);
    block_release(block);
    EXPECT_EQ(given_back, 0);
    block = blocks_find(&blocks, 1, &id);
    blocks_remove(&blocks, 1, &id, &left);
    EXPECT_PTR_EQ(left, block);
    block_release_all(left);
    EXPECT_EQ(given_back, 0);
    EXPECT_EQ(block->bytes[3], 4);
    block_release(block);
    EXPECT_EQ(given_back, 1);
    fini(&blocks);
}

TEST_C(LayerBlocks, SizesThatCannotBeAreRefused)
{
    static const uint8_t bytes[1];
    given_back = 0;
    EXPECT_NULL(block_create(1, bytes, SIZE_MAX - 8, bytes, NULL));
    EXPECT_NULL(block_create(SIZE_MAX, bytes, 1, bytes, note_given_back));
    EXPECT_EQ(given_back, 1);
}

/* The same steps on a table and on an array. */
TEST_C(LayerBlocks, DoAsAnArrayDoes)
{
    enum { ids = 40, steps = 20000 };
    unsigned seed = (unsigned)test_seed();
    struct blocks blocks = {.limit = 600};
    struct {
        size_t size;
        unsigned used;
    } model[ids] = {{0, 0}};
    for (unsigned step = 1; step <= steps && !test_has_failed(); step++) {
        const unsigned id = (unsigned)rand_r(&seed) % ids;
        const size_t size = (size_t)rand_r(&seed) % 100 + 1;
        struct storage_block *left = NULL;
        size_t bytes = 0;
        switch (rand_r(&seed) % 4) {
        case 0:
            add(&blocks, id, size);
            model[id].size = size;
            model[id].used = step;
            break;
        case 1:
            blocks_remove(&blocks, sizeof id, (const uint8_t *)&id, &left);
            block_release_all(left);
            model[id].size = 0;
            break;
        default:
            EXPECT_EQ(size_of(&blocks, id), model[id].size);
            model[id].used = step;
            break;
        }
        for (unsigned i = 0; i < ids; i++)
            bytes += model[i].size;
        while (bytes > blocks.limit) {
            unsigned oldest = ids;
            for (unsigned i = 0; i < ids; i++)
                if (model[i].size > 0
                        && (oldest == ids
                                || model[i].used < model[oldest].used))
                    oldest = i;
            bytes -= model[oldest].size;
            model[oldest].size = 0;
        }
        EXPECT_EQ(blocks.bytes, bytes);
    }
    fini(&blocks);
}
