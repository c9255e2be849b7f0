/* SPDX-License-Identifier: Apache-2.0 */
/* Directories of stores that an earlier version wrote: tests/data/stores. */
#include "dnnl_cache/store_types.h"

#include "store_helpers.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const old_types[] = {"bucket", "flat", "tree"};
enum { old_count = sizeof old_types / sizeof *old_types };

/* Opens a copy of the store; the path is the caller's. */
static dnnl_cache_store_handle_t *open_copy(
        char path[path_size], const char *type, bool read_only)
{
    char command[2 * path_size];
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    path_in_test(path, type);
    snprintf(command, sizeof command, "cp -r '%s/stores/%s' '%s'",
            DNNL_CACHE_TEST_DATA_DIR, type, path);
    EXPECT_EQ(0, system(command));
    options.path = path;
    options.read_only = read_only;
    EXPECT_OK(dnnl_cache_store_open(&store, type, &options));
    return store;
}

static size_t blob_of(char blob[64], int number)
{
    return (size_t)snprintf(
            blob, 64, "blob of entry %d, kept before the engine", number);
}

static void expect_entries(dnnl_cache_store_handle_t *store)
{
    char id[32];
    char blob[64];
    char found[64];
    for (int i = 1; i <= 3; i++) {
        snprintf(id, sizeof id, "ID of entry %d", i);
        blob_of(blob, i);
        EXPECT_STATUS(i == 2 ? dnnl_cache_miss : dnnl_success,
                get_text(store, id, found, sizeof found));
        if (i != 2) EXPECT_STR_EQ(blob, found);
    }
}

static bool sum_up(void *user, const struct dnnl_cache_store_entry *item)
{
    uint64_t *sum = user;
    EXPECT_EQ(strlen("ID of entry 1"), item->id_size);
    EXPECT_EQ(dnnl_cache_blob_kind_program, item->kind);
    EXPECT_TRUE(item->created_ns > 0);
    *sum += item->compile_ns;
    return true;
}

TEST_C(OldStores, AreReadAsTheyAre)
{
    for (size_t t = 0; t < old_count; t++) {
        char path[path_size];
        uint64_t compile_ns = 0;
        struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
        dnnl_cache_store_handle_t *store = open_copy(path, old_types[t], true);
        ASSERT_NOT_NULL(store);
        expect_entries(store);
        EXPECT_OK(dnnl_cache_store_iterate(store, sum_up, &compile_ns));
        EXPECT_EQ(4000000, compile_ns);
        EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
        EXPECT_EQ(2, check.intact);
        EXPECT_EQ(0, check.damaged);
        dnnl_cache_store_close(store);
    }
}

TEST_C(OldStores, GoOnWithoutBeingCounted)
{
    for (size_t t = 0; t < old_count; t++) {
        char path[path_size];
        char blob[64];
        uint64_t removed = 0;
        dnnl_cache_store_handle_t *store = open_copy(path, old_types[t], false);
        ASSERT_NOT_NULL(store);
        size_t size = blob_of(blob, 1);
        EXPECT_OK(put_bytes(store, "ID of entry 1", blob, size));
        EXPECT_EQ(1, statistics_of(store).puts_unchanged);
        size = blob_of(blob, 2);
        EXPECT_OK(put_bytes(store, "ID of entry 2", blob, size));
        EXPECT_EQ(1, statistics_of(store).puts);
        EXPECT_EQ(3, count_entries(store));
        /* A flat store's directory has another time once it was copied. */
        const bool knows_the_time = strcmp(old_types[t], "flat") == 0;
        EXPECT_EQ(knows_the_time ? 1 : 0, statistics_of(store).recounts);
        EXPECT_OK(dnnl_cache_store_trim(store, 0, UINT64_MAX, &removed));
        EXPECT_EQ(3, removed);
        EXPECT_EQ(0, count_entries(store));
        dnnl_cache_store_close(store);
    }
}
