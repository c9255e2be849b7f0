/* SPDX-License-Identifier: Apache-2.0 */
/* Stores without an index: limits to the byte, who goes when, what is done by
 * hand. */
#include "unindexed_suite.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { trailer_size = 64, id_size = 5, blob_size = 3000 };

struct dnnl_cache_store_options unindexed_options(
        const struct unindexed_kind *kind)
{
    (void)kind;
    const struct dnnl_cache_store_options place = test_options();
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = place.path;
    options.log = place.log;
    return options;
}

dnnl_cache_store_handle_t *unindexed_open(const struct unindexed_kind *kind,
        const struct dnnl_cache_store_options *options)
{
    dnnl_cache_store_handle_t *store = NULL;
    EXPECT_OK(dnnl_cache_store_open(&store, kind->type, options));
    return store;
}

static uint64_t file_bytes(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size
                                                        : 0;
}

uint64_t bytes_of_entries(const struct unindexed_kind *kind, const char *path)
{
    char size_file[2 * path_size];
    char totals[2 * path_size];
    snprintf(size_file, sizeof size_file, "%s/%s", path, kind->size_file);
    snprintf(totals, sizeof totals, "%s/dnnl_cache_totals", path);
    return tree_bytes(path) - file_bytes(size_file) - file_bytes(totals);
}

uint64_t unindexed_room(
        const struct unindexed_kind *kind, unsigned n, size_t size)
{
    return n * (size + id_size + trailer_size + kind->extra)
           + kind->size_file_bytes;
}

uint64_t time_ago(unsigned seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec - seconds) * 1000000000u
           + (uint64_t)now.tv_nsec;
}

void unindexed_expect_order(const struct unindexed_kind *kind,
        dnnl_cache_store_handle_t *store,
        const struct dnnl_cache_store_options *options)
{
    char path[path_size];
    EXPECT_EQ(
            bytes_of_entries(kind, options->path), statistics_of(store).bytes);
    if (options->capacity != 0
            && options->capacity != DNNL_CACHE_STORE_UNLIMITED)
        EXPECT_LE(tree_bytes(options->path), options->capacity);
    snprintf(path, sizeof path, "%s/.tmp", options->path);
    EXPECT_NE(0, access(path, F_OK));
}

/* Open, with room for so many blobs of the usual size. */
static dnnl_cache_store_handle_t *open_with_room(
        const struct unindexed_kind *kind,
        struct dnnl_cache_store_options *options, unsigned blobs)
{
    *options = unindexed_options(kind);
    options->capacity = unindexed_room(kind, blobs, blob_size);
    return unindexed_open(kind, options);
}

static void put_numbers(
        dnnl_cache_store_handle_t *store, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        EXPECT_OK(put_number(store, i, blob_size));
}

/* ---- Capacity and order -------------------------------------------------- */

void unindexed_KeepsWithinItsCapacity(const struct unindexed_kind *kind)
{
    struct dnnl_cache_store_options options;
    dnnl_cache_store_handle_t *store = open_with_room(kind, &options, 9);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 90 && !test_has_failed(); i++) {
        EXPECT_OK(put_number(store, i, blob_size));
        EXPECT_OK(get_number(store, i, blob_size));
        unindexed_expect_order(kind, store, &options);
    }
    EXPECT_GT(statistics_of(store).evictions, 60);
    EXPECT_EQ(0, statistics_of(store).recounts);
    dnnl_cache_store_close(store);
}

void unindexed_KeepsEntriesUntilRoomIsNeeded(const struct unindexed_kind *kind)
{
    struct dnnl_cache_store_options options;
    dnnl_cache_store_handle_t *store = open_with_room(kind, &options, 12);
    ASSERT_NOT_NULL(store);
    put_numbers(store, 10, 22);
    EXPECT_EQ(options.capacity - kind->size_file_bytes,
            statistics_of(store).bytes);
    EXPECT_EQ(0, statistics_of(store).evictions);
    dnnl_cache_store_close(store);
    store = unindexed_open(kind, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 22; i++)
        EXPECT_OK(get_number(store, i, blob_size));
    EXPECT_OK(put_number(store, 22, blob_size));
    EXPECT_GT(statistics_of(store).evictions, 0);
    dnnl_cache_store_close(store);
}

/* Exactly the oldest ones, as many as it takes. */
void unindexed_EvictsTheLeastRecentlyUsed(const struct unindexed_kind *kind)
{
    struct dnnl_cache_store_options options;
    dnnl_cache_store_handle_t *store = open_with_room(kind, &options, 12);
    ASSERT_NOT_NULL(store);
    put_numbers(store, 10, 22);
    for (unsigned i = 10; i < 22; i++) /* 21 was used before all others */
        kind->set_used(i, time_ago(100 + i));
    EXPECT_OK(put_number(store, 22, blob_size));
    const uint64_t evictions = statistics_of(store).evictions;
    const uint64_t most = options.capacity * kind->low_water_percent / 100;
    EXPECT_LE(tree_bytes(options.path), most);
    EXPECT_GT(tree_bytes(options.path) + blob_size + 200, most);
    EXPECT_EQ(13, evictions + count_entries(store));
    for (unsigned i = 10; i < 22; i++)
        EXPECT_STATUS(i < 22 - evictions ? dnnl_success : dnnl_cache_miss,
                get_number(store, i, blob_size));
    EXPECT_OK(get_number(store, 22, blob_size));
    unindexed_expect_order(kind, store, &options);
    dnnl_cache_store_close(store);
}

void unindexed_ReadingAndWritingCountAsUse(const struct unindexed_kind *kind)
{
    struct dnnl_cache_store_options options;
    dnnl_cache_store_handle_t *store = open_with_room(kind, &options, 12);
    ASSERT_NOT_NULL(store);
    put_numbers(store, 10, 22);
    for (unsigned i = 10; i < 22; i++) /* the later ones later */
        kind->set_used(i, time_ago(300 - i));
    EXPECT_OK(get_number(store, 10, blob_size));
    EXPECT_OK(put_number(store, 11, blob_size - 1)); /* evicts 12 and others */
    EXPECT_GT(statistics_of(store).evictions, 2);
    EXPECT_OK(get_number(store, 10, blob_size));
    EXPECT_OK(get_number(store, 11, blob_size - 1));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 12, blob_size));
    EXPECT_OK(get_number(store, 21, blob_size));
    unindexed_expect_order(kind, store, &options);
    dnnl_cache_store_close(store);
}

/* An entry used in the future was not used since the clock is right: it goes
 * first, and the order of the others stays. */
void unindexed_ClocksThatWerePutBack(const struct unindexed_kind *kind)
{
    struct dnnl_cache_store_options options;
    dnnl_cache_store_handle_t *store = open_with_room(kind, &options, 12);
    ASSERT_NOT_NULL(store);
    put_numbers(store, 10, 22);
    for (unsigned i = 10; i < 22; i++) /* the later ones later */
        kind->set_used(i, time_ago(300 - i));
    kind->set_used(20, time_ago(0) + (uint64_t)3600 * 24 * 3650 * 1000000000u);
    EXPECT_OK(put_number(store, 22, blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 20, blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, blob_size));
    EXPECT_OK(get_number(store, 19, blob_size));
    for (unsigned i = 23; i < 60; i++) {
        EXPECT_OK(put_number(store, i, blob_size));
        EXPECT_OK(get_number(store, 21, blob_size));
        if (i == 23) await_file_tick();
    }
    EXPECT_OK(get_number(store, 21, blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 19, blob_size));
    dnnl_cache_store_close(store);
}

void unindexed_UnlimitedEvictsNothing(const struct unindexed_kind *kind)
{
    struct dnnl_cache_store_options options = unindexed_options(kind);
    options.capacity = DNNL_CACHE_STORE_UNLIMITED;
    options.max_age_seconds = DNNL_CACHE_STORE_AGE_UNLIMITED;
    dnnl_cache_store_handle_t *store = unindexed_open(kind, &options);
    ASSERT_NOT_NULL(store);
    put_numbers(store, 10, 60);
    kind->set_used(10, time_ago(3600 * 24 * 1000));
    dnnl_cache_store_close(store);
    store = unindexed_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_EQ(50, count_entries(store));
    EXPECT_OK(get_number(store, 10, blob_size));
    EXPECT_EQ(0, statistics_of(store).expired);
    dnnl_cache_store_close(store);
}

void unindexed_LimitsOfOneBlob(const struct unindexed_kind *kind)
{
    struct dnnl_cache_store_options options = unindexed_options(kind);
    options.capacity = unindexed_room(kind, 4, blob_size);
    options.min_blob_bytes = 100;
    options.max_blob_bytes = 3 * blob_size;
    dnnl_cache_store_handle_t *store = unindexed_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 10, 99));
    EXPECT_OK(put_number(store, 11, 100));
    EXPECT_OK(put_number(store, 12, 3 * blob_size));
    EXPECT_OK(put_number(store, 13, 3 * blob_size + 1));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, 99));
    /* Above the low-water mark, but not above the capacity. */
    EXPECT_OK(get_number(store, 12, 3 * blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 13, 3 * blob_size + 1));
    EXPECT_EQ(1, statistics_of(store).puts_too_small);
    EXPECT_EQ(1, statistics_of(store).puts_too_large);
    EXPECT_EQ(2, statistics_of(store).puts);
    dnnl_cache_store_close(store);

    options.capacity = unindexed_room(kind, 1, blob_size);
    options.min_blob_bytes = 0;
    store = unindexed_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 14, 2 * blob_size));
    EXPECT_OK(put_number(store, 15, blob_size + 1));
    EXPECT_EQ(2, statistics_of(store).puts_too_large);
    EXPECT_OK(put_number(store, 16, blob_size));
    EXPECT_OK(get_number(store, 16, blob_size));
    unindexed_expect_order(kind, store, &options);
    dnnl_cache_store_close(store);
}

/* ---- Age, trimming, verification ----------------------------------------- */

void unindexed_OldEntriesGoAtOpen(const struct unindexed_kind *kind)
{
    struct dnnl_cache_store_options options = unindexed_options(kind);
    options.max_age_seconds = 3600;
    dnnl_cache_store_handle_t *store = unindexed_open(kind, &options);
    ASSERT_NOT_NULL(store);
    put_numbers(store, 10, 15);
    kind->set_used(11, time_ago(3000));
    kind->set_used(12, time_ago(3610));
    kind->set_used(13, time_ago(1000000));
    dnnl_cache_store_close(store);
    store = unindexed_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_EQ(2, statistics_of(store).expired);
    EXPECT_EQ(3, count_entries(store));
    EXPECT_OK(get_number(store, 11, blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 12, blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 13, blob_size));
    unindexed_expect_order(kind, store, &options);
    dnnl_cache_store_close(store);
}

void unindexed_TrimsAsToldAndAtOpen(const struct unindexed_kind *kind)
{
    struct dnnl_cache_store_options options = unindexed_options(kind);
    dnnl_cache_store_handle_t *store = unindexed_open(kind, &options);
    ASSERT_NOT_NULL(store);
    /* Minutes apart: in emulation the loop and a trim take seconds. */
    for (unsigned i = 10; i < 30; i++) {
        EXPECT_OK(put_number(store, i, blob_size));
        kind->set_used(i, time_ago(100000 - 1000 * i));
    }
    uint64_t removed = 77;
    EXPECT_OK(dnnl_cache_store_trim(
            store, UINT64_MAX, DNNL_CACHE_STORE_AGE_UNLIMITED, &removed));
    EXPECT_EQ(0, removed);
    EXPECT_OK(dnnl_cache_store_trim(store, UINT64_MAX, 85500, &removed));
    EXPECT_EQ(5, removed);
    EXPECT_OK(dnnl_cache_store_trim(store, unindexed_room(kind, 10, blob_size),
            DNNL_CACHE_STORE_AGE_UNLIMITED, &removed));
    EXPECT_EQ(5, removed);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 19, blob_size));
    EXPECT_OK(get_number(store, 20, blob_size));
    unindexed_expect_order(kind, store, &options);
    dnnl_cache_store_close(store);

    options.capacity = unindexed_room(kind, 4, blob_size);
    store = unindexed_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_LE(count_entries(store), 4);
    EXPECT_GT(count_entries(store), 0);
    EXPECT_OK(get_number(store, 20, blob_size)); /* used last */
    unindexed_expect_order(kind, store, &options);
    EXPECT_OK(dnnl_cache_store_trim(
            store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    EXPECT_EQ(0, count_entries(store));
    EXPECT_EQ(0, bytes_of_entries(kind, options.path));
    dnnl_cache_store_close(store);
}

/* ---- By hand ------------------------------------------------------------- */

/* Of everything, and of all but the size file: it says too much, until a walk.
 */
void unindexed_DeletionOfAnything(const struct unindexed_kind *kind)
{
    const struct dnnl_cache_store_options options = unindexed_options(kind);
    dnnl_cache_store_handle_t *store = unindexed_open(kind, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 10, blob_size));
    run_shell("rm -r '%s'/*", options.path);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, blob_size));
    EXPECT_OK(put_number(store, 10, blob_size));
    EXPECT_OK(get_number(store, 10, blob_size));
    unindexed_expect_order(kind, store, &options);
    EXPECT_OK(put_number(store, 11, blob_size));
    await_file_tick();
    run_shell("find '%s' -mindepth 1 ! -name %s -delete", options.path,
            kind->size_file);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, blob_size));
    EXPECT_OK(put_number(store, 10, blob_size));
    EXPECT_OK(get_number(store, 10, blob_size));
    EXPECT_LE(bytes_of_entries(kind, options.path), statistics_of(store).bytes);
    EXPECT_OK(dnnl_cache_store_trim(
            store, UINT64_MAX, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    unindexed_expect_order(kind, store, &options);
    dnnl_cache_store_close(store);
}

/* ---- Uses that cannot be noted ------------------------------------------- */

/* From here on the system call fails in this process. */
static bool fail_call(long call, int error)
{
    struct sock_filter filter[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                    offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
            BPF_STMT(BPF_RET | BPF_K,
                    SECCOMP_RET_ERRNO | ((unsigned)error & SECCOMP_RET_DATA)),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
           && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

struct child {
    const struct unindexed_kind *kind;
    struct dnnl_cache_store_options options;
};

/* Entries 10 to 21, the later ones used longer ago; what is read is used. */
static int evict_without_noting(void *user)
{
    const struct child *child = user;
    /* Where a store has files of its own for it, it needs no such call. */
    const bool is_noted = child->kind->extra > 0;
    dnnl_cache_store_handle_t *store =
            unindexed_open(child->kind, &child->options);
    if (store == NULL) return 1;
    for (unsigned i = 10; i < 22; i++) {
        EXPECT_OK(put_number(store, i, blob_size));
        child->kind->set_used(i, time_ago(200 + i));
    }
    if (!fail_call(SYS_utimensat, EPERM)) return 77;
    EXPECT_OK(get_number(store, 21, blob_size));
    EXPECT_OK(put_number(store, 22, blob_size));
    EXPECT_STATUS(is_noted ? dnnl_success : dnnl_cache_miss,
            get_number(store, 21, blob_size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 20, blob_size));
    EXPECT_OK(get_number(store, 10, blob_size));
    EXPECT_OK(get_number(store, 22, blob_size));
    EXPECT_GE(statistics_of(store).evictions, 4);
    dnnl_cache_store_close(store);
    return test_has_failed();
}

void unindexed_UseThatCannotBeNoted(const struct unindexed_kind *kind)
{
    struct child child = {.kind = kind, .options = unindexed_options(kind)};
    child.options.capacity = unindexed_room(kind, 12, blob_size);
    const int result = in_child(evict_without_noting, &child);
    if (result == 77) SKIP_TEST("system call filters are not allowed here");
    EXPECT_EQ(0, result);
}
