/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_suite.h: what every sample store has to do, run over all of them.
 *
 * STORE_TEST(Suite, Name) defines a test of each kind, <Kind><Suite>.<Name>,
 * whose body gets the kind. What is different from kind to kind, and may be,
 * is a field of struct store_kind. A new store is one more kind here and one
 * more line in the macro.
 */
#ifndef DNNL_CACHE_TESTS_STORE_SUITE_H
#define DNNL_CACHE_TESTS_STORE_SUITE_H

#include "store_helpers.h"
#include "test.h"

#include <sys/types.h>

struct store_kind {
    const char *type;
    /* Below the test's "store" directory; "": that itself. */
    const char *path;

    /* Regular expressions for names below "store": all files a store may have,
     * and those that the recorded size does not count. */
    const char *files;
    const char *own_files;
    /* The recorded size; NULL: as the statistics have it. */
    uint64_t (*recorded)(void);
    /* The files that each entry has of its own, and how many; NULL: they share
     * one. */
    const char *entry_files;
    unsigned files_of_entry;
    /* Those of them without which a get finds nothing: all it reads. */
    const char *read_files;

    /* A capacity in which n blobs of suite_blob bytes find room, not n + 1. */
    uint64_t (*room_for)(unsigned n);
    /* Of the stores of scenes.h: one in which six entries find room and not
     * seven, one in which some of them do, and what trimming leaves of half of
     * them. A pack counts pages, and keeps some for its journal. */
    uint64_t scene_capacity, scene_small_capacity, scene_half;
    /* About what an entry takes besides its blob, and the store besides its
     * entries, with a capacity below 4 MiB. */
    uint64_t stress_extra, stress_fixed;
    /* Bytes of an empty store: a pack has pages of its own. */
    uint64_t empty_bytes;

    /* Two IDs of one hash: the one put last is there (S0). */
    bool one_id_of_a_hash;
    /* A page has more than one entry's bytes, and if the database itself is
     * damaged all of it starts anew: any byte may cost any entry. */
    bool damage_spreads;
    /* The file in whose place nothing but a plain file is accepted: whoever
     * puts a link there means something by it. Other stores heal. */
    const char *refused;
    /* Pages that SQLite has read may be seen by a put and not by the get after
     * it: it takes a second put then (pack_store.h, "Damage"). */
    bool may_heal_late;

    /* If all that comes after the last write of a commit fails, the store
     * cannot find out any more that the commit is in the file, and says that
     * the put has failed. */
    bool may_not_know;
    /* Who is oldest is what the clock said when it was created: there is no
     * index that has the order. */
    bool orders_by_clock;
    /* Connections come and go, and with them descriptors. */
    bool keeps_connections;

    /* Starts a process that holds the writers' lock until release_lock(). The
     * store is open and has entries. */
    pid_t (*hold_lock)(void);
    /* Makes the next writer count again, or undo what was begun, as if one had
     * died. The store is open and has entries. */
    void (*upset)(void);
    /* Damages the blob of put_number(number). */
    void (*damage)(unsigned number, size_t size);
    /* Where a link keeps entry `number`, which is not there, from being put
     * simply; below "store". The store has other entries. */
    void (*way_of)(char path[path_size], unsigned number);
};

enum { suite_blob = 20000 };

extern const struct store_kind bucket_kind;
extern const struct store_kind tree_kind;
extern const struct store_kind flat_kind;
extern const struct store_kind pack_kind;

/* As test_options(), open_store() and tree_bytes() for a kind. The policy is
 * FIFO, down to 100 %, whatever the kind's own is. */
struct dnnl_cache_store_options kind_options(const struct store_kind *kind);
dnnl_cache_store_handle_t *kind_open(const struct store_kind *kind,
        const struct dnnl_cache_store_options *options);
uint64_t kind_bytes(void);

/* Every file is one that this kind has, no directory is empty, every entry has
 * all its files; what is recorded is what there is. */
void kind_expect_no_orphans(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store);
void kind_expect_recorded(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store);
/* Both. */
void kind_expect_order(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store);
/* What the recorded size is, and what it should be. */
uint64_t kind_recorded_bytes(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store);
uint64_t kind_counted_bytes(const struct store_kind *kind);

/* As pack_kind.hold_lock(), with a transaction that begins as the text says. */
pid_t hold_transaction(const char *begin);
/* Kills the process that holds a lock: the kernel frees it at once. */
void release_lock(pid_t holder);

/* Names below "store" of its files, in order; at most so many. */
enum { most_names = 64 };
unsigned kind_list(char names[most_names][path_size]);
bool name_matches(const char *expression, const char *name);
/* The path of a name below "store". */
const char *path_in_store(char path[path_size], const char *name);
/* Removes whatever is there. */
void remove_path(const char *path);

#define STORE_TEST_OF_(Kind, kind, suite, name) \
    TEST_C(Kind##suite, name)                   \
    {                                           \
        suite##_##name(&kind);                  \
    }
/* Of the kinds whose entries have files of their own. */
#define STORE_TEST_OF_FILES(suite, name)                   \
    static void suite##_##name(const struct store_kind *); \
    STORE_TEST_OF_(Bucket, bucket_kind, suite, name)       \
    STORE_TEST_OF_(Tree, tree_kind, suite, name)           \
    STORE_TEST_OF_(Flat, flat_kind, suite, name)           \
    static void suite##_##name(const struct store_kind *kind)
/* Of all kinds. */
#define STORE_TEST(suite, name)                            \
    static void suite##_##name(const struct store_kind *); \
    STORE_TEST_OF_(Bucket, bucket_kind, suite, name)       \
    STORE_TEST_OF_(Tree, tree_kind, suite, name)           \
    STORE_TEST_OF_(Flat, flat_kind, suite, name)           \
    STORE_TEST_OF_(Pack, pack_kind, suite, name)           \
    static void suite##_##name(const struct store_kind *kind)

#endif /* DNNL_CACHE_TESTS_STORE_SUITE_H */
