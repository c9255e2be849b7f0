/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_suite.h: what every sample store has to do, run over all of them.
 *
 * STORE_TEST(Name) defines a test of each kind, <Kind>Suite.Name, whose body
 * gets the kind. A new store is one more kind here and one more line in the
 * macro.
 */
#ifndef DNNL_CACHE_TESTS_STORE_SUITE_H
#define DNNL_CACHE_TESTS_STORE_SUITE_H

#include "store_helpers.h"
#include "test.h"

struct store_kind {
    dnnl_status_t (*open)(
            struct store **store, const struct store_options *options);
    /* Below the test's "store" directory; "": that itself. */
    const char *path;
    /* A capacity in which n blobs of suite_blob bytes find room, not n + 1. */
    uint64_t (*room_for)(unsigned n);
};

enum { suite_blob = 20000 };

extern const struct store_kind bucket_kind;
extern const struct store_kind pack_kind;

/* As test_options(), open_store() and tree_bytes() for a kind. */
struct store_options kind_options(const struct store_kind *kind);
struct store *kind_open(
        const struct store_kind *kind, const struct store_options *options);
uint64_t kind_bytes(void);
struct store_statistics statistics_of(const struct store *store);

#define STORE_TEST(name)                                 \
    static void suite_##name(const struct store_kind *); \
    TEST_C(BucketSuite, name)                            \
    {                                                    \
        suite_##name(&bucket_kind);                      \
    }                                                    \
    TEST_C(PackSuite, name)                              \
    {                                                    \
        suite_##name(&pack_kind);                        \
    }                                                    \
    static void suite_##name(const struct store_kind *kind)

/* For what tests of the bucket store do already, and what takes long. */
#define LATER_STORE_TEST(name)                           \
    static void suite_##name(const struct store_kind *); \
    TEST_C(PackSuite, name)                              \
    {                                                    \
        suite_##name(&pack_kind);                        \
    }                                                    \
    static void suite_##name(const struct store_kind *kind)

#endif /* DNNL_CACHE_TESTS_STORE_SUITE_H */
