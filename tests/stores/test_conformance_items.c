/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items of the acceptance checklist that need the library and a store: what of
 * one is in memory, and what on disk (docs/reference/conformance.md).
 */
#include "dnnl_cache/store.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <stdio.h>

enum { path_size = 512 };

/* An engine of the fake driver with a tree store below the test's directory. */
struct cached {
    struct rig rig;
    dnnl_cache_store_handle_t *store;
};

static void cached_open(
        struct cached *x, struct dnnl_cache_store_options options)
{
    char path[path_size];
    *x = (struct cached){.store = NULL};
    snprintf(path, sizeof path, "%s/store", test_directory());
    options.path = path;
    rig_open(&x->rig, 0);
    EXPECT_OK(dnnl_cache_store_open(&x->store, "tree", &options));
    EXPECT_OK(dnnl_cache_engine_set_store(
            x->rig.engine, dnnl_cache_store_get_callbacks(x->store)));
}

static void cached_close(struct cached *x)
{
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, NULL));
    rig_close(&x->rig);
    dnnl_cache_store_close(x->store);
}

static struct dnnl_cache_store_statistics statistics(const struct cached *x)
{
    struct dnnl_cache_store_statistics now = DNNL_CACHE_STORE_STATISTICS_INIT;
    dnnl_cache_store_get_statistics(x->store, &now);
    return now;
}

/* The program, made and captured; where it came from. */
static dnnl_cache_origin_t make(struct cached *x, dnnl_cache_program_t *program)
{
    *program = build(x->rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_program_capture(*program));
    return info_of(*program).origin;
}

/* S1.23: memory, then disk, then the compiler. */
TEST_C(ConformanceItems, DiskIsAskedBehindMemory)
{
    struct cached x;
    dnnl_cache_program_t first;
    dnnl_cache_program_t second;
    const struct dnnl_cache_store_options of_type =
            DNNL_CACHE_STORE_OPTIONS_INIT;
    cached_open(&x, of_type);
    EXPECT_EQ(dnnl_cache_origin_compiled, make(&x, &first));
    EXPECT_EQ(1, statistics(&x).misses);
    EXPECT_EQ(1, statistics(&x).puts);
    EXPECT_EQ(dnnl_cache_origin_memory_hit, make(&x, &second));
    EXPECT_EQ(1, statistics(&x).misses);
    EXPECT_EQ(0, statistics(&x).hits);
    EXPECT_OK(dnnl_cache_program_destroy(first));
    EXPECT_OK(dnnl_cache_program_destroy(second));
    cached_close(&x); /* the program leaves memory with its engine */

    cached_open(&x, of_type);
    EXPECT_EQ(dnnl_cache_origin_store_hit, make(&x, &first));
    EXPECT_EQ(1, statistics(&x).hits);
    EXPECT_OK(dnnl_cache_program_destroy(first));
    cached_close(&x);
}

/* What the disk does not take is found in memory, and compiled again once it
 * is not there any more. */
static void expect_in_memory_alone(struct dnnl_cache_store_options options,
        uint64_t too_small, uint64_t too_large)
{
    struct cached x;
    dnnl_cache_program_t first;
    dnnl_cache_program_t second;
    for (int process = 0; process < 2; process++) {
        cached_open(&x, options);
        EXPECT_EQ(dnnl_cache_origin_compiled, make(&x, &first));
        EXPECT_EQ(dnnl_cache_origin_memory_hit, make(&x, &second));
        const struct dnnl_cache_store_statistics now = statistics(&x);
        EXPECT_EQ(0, now.puts);
        EXPECT_EQ(too_small, now.puts_too_small);
        EXPECT_EQ(too_large, now.puts_too_large);
        EXPECT_OK(dnnl_cache_program_destroy(first));
        EXPECT_OK(dnnl_cache_program_destroy(second));
        cached_close(&x);
    }
}

/* S1.61 */
TEST_C(ConformanceItems, TheMinimumIsThatOfTheDiskAlone)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.min_blob_bytes = 1 << 20;
    expect_in_memory_alone(options, 1, 0);
}

/* S1.64 */
TEST_C(ConformanceItems, TheMaximumIsThatOfTheDiskAlone)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.max_blob_bytes = 16;
    expect_in_memory_alone(options, 0, 1);
}
