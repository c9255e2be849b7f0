/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a bucket store asks of the file system does not depend on how many
 * entries it has. The linker sends readdir(), pread(), pwrite() and unlinkat()
 * through this file (--wrap), which counts; and clock_gettime(), as a store
 * writes its totals once a second.
 */
#include "dnnl_cache/store.h"
#include "store_helpers.h"
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* ---- Counting ------------------------------------------------------------ */

static struct work {
    uint64_t names; /* of directories, read */
    uint64_t read;  /* bytes */
    uint64_t written;
    uint64_t kept; /* names that were to be removed, but were not */
} work;

/* The linker's names are no prototypes of any header. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

struct dirent *__real_readdir(DIR *dir);
struct dirent *__wrap_readdir(DIR *dir);
struct dirent *__wrap_readdir(DIR *dir)
{
    work.names++;
    return __real_readdir(dir);
}

ssize_t __real_pread(int fd, void *data, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *data, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *data, size_t size, off_t offset)
{
    const ssize_t n = __real_pread(fd, data, size, offset);
    if (n > 0) work.read += (uint64_t)n;
    return n;
}

ssize_t __real_pwrite(int fd, const void *data, size_t size, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t offset)
{
    const ssize_t n = __real_pwrite(fd, data, size, offset);
    if (n > 0) work.written += (uint64_t)n;
    return n;
}

int __real_unlinkat(int dirfd, const char *name, int flags);
int __wrap_unlinkat(int dirfd, const char *name, int flags);
int __wrap_unlinkat(int dirfd, const char *name, int flags)
{
    const int result = __real_unlinkat(dirfd, name, flags);
    if (result != 0) work.kept++;
    return result;
}

/* The clock that tells when totals are due stands still: however slow the
 * machine, they are written when the store is closed. */
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    const int result = __real_clock_gettime(clock, now);
    if (clock == CLOCK_MONOTONIC_COARSE) *now = (struct timespec){.tv_sec = 1};
    return result;
}

/* ---- Stores -------------------------------------------------------------- */

enum {
    blob_size = 100,
    few = 100,
    many = 1000,
    /* So many that the index of the larger store is cleaned up once, too. */
    put_count = many + few
};

static uint64_t evictions(const dnnl_cache_store_handle_t *store)
{
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_store_get_statistics(store, &statistics));
    return statistics.evictions;
}

/* A store with about so many entries in which each put evicts; *next is the
 * number to be put next. */
static dnnl_cache_store_handle_t *open_full(
        const char *name, unsigned entries, unsigned *next)
{
    char path[path_size];
    struct dnnl_cache_store_options options = test_options();
    options.path = path_in_test(path, name);
    dnnl_cache_store_handle_t *store = open_store(&options);
    for (*next = 0; *next < entries; ++*next)
        EXPECT_OK(put_number(store, *next, blob_size));
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_store_get_statistics(store, &statistics));
    dnnl_cache_store_close(store);
    options.capacity = statistics.bytes + 40 * entries;
    store = open_store(&options);
    while (evictions(store) == 0)
        EXPECT_OK(put_number(store, (*next)++, blob_size));
    EXPECT_TRUE(count_entries(store) > entries - entries / 10);
    return store;
}

/* The put that read most names, and the sum of the rest. */
static struct work work_of_puts(
        dnnl_cache_store_handle_t *store, unsigned *next)
{
    struct work sum = {0};
    const uint64_t before = evictions(store);
    for (unsigned i = 0; i < put_count; i++) {
        work = (struct work){0};
        EXPECT_OK(put_number(store, (*next)++, blob_size));
        if (work.names > sum.names) sum.names = work.names;
        sum.read += work.read;
        sum.written += work.written;
    }
    EXPECT_TRUE(evictions(store) - before >= put_count - few);
    return sum;
}

static void print(const char *what, struct work w)
{
    printf("%s: at most %llu names, %llu bytes read, %llu written\n", what,
            (unsigned long long)w.names, (unsigned long long)w.read,
            (unsigned long long)w.written);
}

/* ---- Tests --------------------------------------------------------------- */

TEST_C(BucketScale, PutReadsNoMoreOfAFullerDirectory)
{
    unsigned next[2];
    dnnl_cache_store_handle_t *small = open_full("small", few, &next[0]);
    dnnl_cache_store_handle_t *large = open_full("large", many, &next[1]);
    const struct work a = work_of_puts(small, &next[0]);
    const struct work b = work_of_puts(large, &next[1]);
    print("few", a);
    print("many", b);
    EXPECT_EQ(a.names, b.names);
    EXPECT_TRUE(b.names < few);
    /* Cleaning up the index reads and writes it once in as many puts as it has
     * entries: the same for each put. Numbers of more digits have some bytes
     * more. */
    EXPECT_TRUE(b.read < a.read + a.read / 5);
    EXPECT_TRUE(b.written < a.written + a.written / 5);
    dnnl_cache_store_close(large);
    dnnl_cache_store_close(small);
}

TEST_C(BucketScale, PutReadsAllOnlyForALostIndex)
{
    char path[path_size];
    char index[path_size + 16];
    unsigned next;
    dnnl_cache_store_handle_t *store = open_full("store", few, &next);
    snprintf(index, sizeof index, "%s/index.bin", path_in_test(path, "store"));
    EXPECT_EQ(0, unlink(index));
    work = (struct work){0};
    EXPECT_OK(put_number(store, next++, blob_size));
    EXPECT_TRUE(work.names > few / 2); /* it is counted here, then */
    EXPECT_TRUE(work.kept < few / 2);  /* but no full bucket is to go */
    work = (struct work){0};
    EXPECT_OK(put_number(store, next++, blob_size));
    EXPECT_TRUE(work.names < few / 2);
    dnnl_cache_store_close(store);
}

TEST_C(BucketScale, GetReadsItsEntryOnly)
{
    struct work got[2];
    const unsigned entries[2] = {few, many};
    const char *const names[2] = {"small", "large"};
    for (int i = 0; i < 2; i++) {
        unsigned next;
        dnnl_cache_store_handle_t *store =
                open_full(names[i], entries[i], &next);
        work = (struct work){0};
        EXPECT_OK(get_number(store, next - 1, blob_size));
        got[i] = work;
        dnnl_cache_store_close(store);
    }
    EXPECT_EQ(0u, got[0].names);
    EXPECT_EQ(0u, got[1].names);
    EXPECT_TRUE(got[0].read > blob_size);
    EXPECT_EQ(got[0].read, got[1].read);
    EXPECT_EQ(0u, got[1].written);
}
