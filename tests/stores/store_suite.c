/* SPDX-License-Identifier: Apache-2.0 */
#include "store_suite.h"

#include "bucket_store.h"
#include "pack_store.h"

#include <stdio.h>

/* ---- Kinds --------------------------------------------------------------- */

static uint64_t bucket_room(unsigned n)
{
    return n * (uint64_t)(suite_blob + 200) + 4000;
}

/* 20 and a quarter pages of 1024 bytes an entry, those of an empty store and
 * what a put reserves, the journal. */
static uint64_t pack_room(unsigned n)
{
    const uint64_t pages = 81 * (uint64_t)n / 4 + 17 + 64;
    return (pages + pages / 63 + 1) * 1032;
}

const struct store_kind bucket_kind = {bucket_store_open, "", bucket_room};
const struct store_kind pack_kind = {pack_store_open, "/blobs.pack", pack_room};

struct store_options kind_options(const struct store_kind *kind)
{
    static char path[path_size];
    struct store_options options = test_options();
    snprintf(path, sizeof path, "%s/store%s", test_directory(), kind->path);
    options.path = path;
    return options;
}

struct store *kind_open(
        const struct store_kind *kind, const struct store_options *options)
{
    struct store *store = NULL;
    EXPECT_OK(kind->open(&store, options));
    return store;
}

uint64_t kind_bytes(void)
{
    char path[path_size];
    return tree_bytes(path_in_test(path, "store"));
}

struct store_statistics statistics_of(const struct store *store)
{
    struct store_statistics statistics = {0};
    EXPECT_OK(store_get_statistics(store, &statistics));
    return statistics;
}
