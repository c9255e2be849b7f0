/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unindexed_suite.h: what holds for every store without an index (flat, tree),
 * but not for all stores, as what is in store_suite.h does.
 *
 * A test file describes its store and names it once:
 *
 *     static const struct unindexed_kind flat = {...};
 *     UNINDEXED_SUITE(Flat, flat)
 *
 * which makes the tests FlatStore.*, ... of it.
 */
#ifndef DNNL_CACHE_TESTS_UNINDEXED_SUITE_H
#define DNNL_CACHE_TESTS_UNINDEXED_SUITE_H

#include "store_helpers.h"
#include "test.h"

enum { totals_bytes = 168 }; /* store_totals.h */

struct unindexed_kind {
    const char *type;
    unsigned low_water_percent; /* the store's default */
    const char *size_file;      /* "config.file" */
    size_t size_file_bytes;     /* at most, with the totals */
    size_t extra; /* bytes of an entry besides ID, blob and trailer */
    /* Makes the entry look as if last used at that time. */
    void (*set_used)(unsigned number, uint64_t ns);
};

/* The kind's defaults with the test's directory and log. */
struct dnnl_cache_store_options unindexed_options(
        const struct unindexed_kind *kind);
dnnl_cache_store_handle_t *unindexed_open(const struct unindexed_kind *kind,
        const struct dnnl_cache_store_options *options);
/* Bytes of all entries: of all files but the size file and
 * the totals. */
uint64_t bytes_of_entries(const struct unindexed_kind *kind, const char *path);
/* Room for n entries of so many bytes with IDs of put_number(10) to (99). */
uint64_t unindexed_room(
        const struct unindexed_kind *kind, unsigned n, size_t size);
uint64_t time_ago(unsigned seconds);
/* The recorded size is the real one, the capacity is kept, nothing is left of
 * anybody's work. */
void unindexed_expect_order(const struct unindexed_kind *kind,
        dnnl_cache_store_handle_t *store,
        const struct dnnl_cache_store_options *options);

#define UNINDEXED_SUITE_TESTS_(X, name, kind)           \
    X(name##Store, KeepsWithinItsCapacity, kind)        \
    X(name##Store, KeepsEntriesUntilRoomIsNeeded, kind) \
    X(name##Store, EvictsTheLeastRecentlyUsed, kind)    \
    X(name##Store, ReadingAndWritingCountAsUse, kind)   \
    X(name##Store, ClocksThatWerePutBack, kind)         \
    X(name##Store, UnlimitedEvictsNothing, kind)        \
    X(name##Store, LimitsOfOneBlob, kind)               \
    X(name##Store, OldEntriesGoAtOpen, kind)            \
    X(name##Store, TrimsAsToldAndAtOpen, kind)          \
    X(name##Damage, DeletionOfAnything, kind)           \
    X(name##Failure, UseThatCannotBeNoted, kind)

#define UNINDEXED_SUITE_DEFINE_(suite, test, kind) \
    TEST_C(suite, test)                            \
    {                                              \
        unindexed_##test(&kind);                   \
    }
#define UNINDEXED_SUITE(name, kind) \
    UNINDEXED_SUITE_TESTS_(UNINDEXED_SUITE_DEFINE_, name, kind)

#define UNINDEXED_SUITE_DECLARE_(suite, test, kind) \
    void unindexed_##test(const struct unindexed_kind *kind);
UNINDEXED_SUITE_TESTS_(UNINDEXED_SUITE_DECLARE_, , )

#endif /* DNNL_CACHE_TESTS_UNINDEXED_SUITE_H */
