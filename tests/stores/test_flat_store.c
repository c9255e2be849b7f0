/* SPDX-License-Identifier: Apache-2.0 */
/* The flat store: its files, its size_file, and what all stores of its kind do.
 */
#include "dnnl_cache/flat_store.h"

#include "put_trace.h"
#include "unindexed_suite.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { trailer_size = 64, size_file_bytes = 40 };

static bool flat_file(char path[path_size], unsigned number, unsigned i)
{
    char id[32];
    if (i > 0) return false;
    const int n = snprintf(id, sizeof id, "id %u", number);
    snprintf(path, path_size, "%s/store/%016" PRIx64 ".cl_cache",
            test_directory(), (uint64_t)XXH3_64bits(id, (size_t)n));
    return true;
}

static void flat_set_used(unsigned number, uint64_t ns)
{
    char path[path_size];
    const struct timespec used = {
            (time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    const struct timespec times[2] = {used, used};
    flat_file(path, number, 0);
    EXPECT_EQ(0, utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW));
}

static const struct unindexed_kind flat = {
        .type = "flat",
        .low_water_percent = 66,
        .size_file = "config.file",
        .size_file_bytes = size_file_bytes + totals_bytes,
        .extra = 0,
        .set_used = flat_set_used,
};

UNINDEXED_SUITE(Flat, flat)

/* ---- Names --------------------------------------------------------------- */

static uint64_t hash_seven(const void *data, size_t size)
{
    (void)data;
    (void)size;
    return 7;
}

TEST_C(FlatStore, EntriesAreNamedByTheirHash)
{
    const struct dnnl_cache_store_options options = unindexed_options(&flat);
    dnnl_cache_store_handle_t *store = unindexed_open(&flat, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 10, 100));
    EXPECT_OK(put_bytes(store, "abc", "blob", 4));
    run_shell("cd '%s' && test \"$(ls -A | grep -vxE "
              "'config.file|dnnl_cache_totals|[0-9a-f]{16}[.]cl_cache' | wc "
              "-l)\" = 0 && "
              "test \"$(ls -A | wc -l)\" = 4",
            options.path);
    /* XXH3-64 of "abc". */
    run_shell("test -f '%s/78af5f94892f3950.cl_cache'", options.path);
    dnnl_cache_store_close(store);
}

/* The ID is compared: of two with one hash the one put last is there. */
TEST_C(FlatStore, OfOneHashTheLastIdIsKept)
{
    struct dnnl_cache_store_options options = unindexed_options(&flat);
    options.hash = hash_seven;
    dnnl_cache_store_handle_t *store = unindexed_open(&flat, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 10, 100));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 11, 100));
    EXPECT_OK(remove_id(store, "id 11")); /* not its own */
    EXPECT_OK(get_number(store, 10, 100));
    EXPECT_OK(put_number(store, 11, 100));
    EXPECT_OK(get_number(store, 11, 100));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, 100));
    EXPECT_EQ(0, statistics_of(store).damaged);
    EXPECT_EQ(1, count_entries(store));
    run_shell("test -f '%s/0000000000000007.cl_cache'", options.path);
    unindexed_expect_order(&flat, store, &options);

    /* Prefixes, NUL bytes, a difference past the first page. */
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    uint8_t id[5000] = {0};
    const uint8_t *blob;
    size_t size;
    EXPECT_OK(s->put(s->user, 5000, id, 1, (const uint8_t *)"a", NULL));
    EXPECT_STATUS(dnnl_cache_miss, s->get(s->user, 4999, id, &size, &blob));
    id[4999] = 1;
    EXPECT_STATUS(dnnl_cache_miss, s->get(s->user, 5000, id, &size, &blob));
    id[4999] = 0;
    ASSERT_OK(s->get(s->user, 5000, id, &size, &blob));
    EXPECT_BYTES_EQ("a", 1, blob, size);
    s->release(s->user, size, blob);
    dnnl_cache_store_close(store);
}

TEST_C(FlatStore, LevelZeroHasAnExtensionOfItsOwn)
{
    struct dnnl_cache_store_options options = unindexed_options(&flat);
    dnnl_cache_store_handle_t *level_zero = NULL;
    char path[path_size];
    options.capacity = unindexed_room(&flat, 6, 3000);
    dnnl_cache_store_handle_t *opencl = unindexed_open(&flat, &options);
    ASSERT_NOT_NULL(opencl);
    EXPECT_OK(dnnl_cache_store_open_flat_for(
            &level_zero, &options, dnnl_cache_store_flat_level_zero));
    ASSERT_NOT_NULL(level_zero);
    EXPECT_OK(put_number(level_zero, 10, 3000));
    EXPECT_STATUS(dnnl_cache_miss, get_number(opencl, 10, 3000));
    EXPECT_EQ(0, count_entries(opencl));
    EXPECT_EQ(1, count_entries(level_zero));
    flat_file(path, 10, 0);
    EXPECT_NE(0, access(path, F_OK));
    memcpy(strrchr(path, '.'), ".l0_cache", 10);
    EXPECT_EQ(0, access(path, F_OK));
    EXPECT_OK(put_number(opencl, 10, 3001));
    EXPECT_OK(get_number(opencl, 10, 3001));
    EXPECT_OK(get_number(level_zero, 10, 3000));
    /* One capacity for both. */
    await_file_tick();
    for (unsigned i = 20; i < 40; i++) {
        EXPECT_OK(put_number(opencl, i, 3000));
        unindexed_expect_order(&flat, opencl, &options);
    }
    EXPECT_STATUS(dnnl_cache_miss, get_number(level_zero, 10, 3000));
    dnnl_cache_store_close(opencl);
    dnnl_cache_store_close(level_zero);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_store_open_flat_for(
                    &opencl, &options, (enum dnnl_cache_store_flat_api)2));
}

/* A directory whose own name looks like an entry's. */
TEST_C(FlatStore, NamesOfDirectoriesDoNotMatter)
{
    struct dnnl_cache_store_options options = unindexed_options(&flat);
    char path[path_size];
    char size_file[2 * path_size];
    struct stat before;
    struct stat after;
    options.path = path_in_test(path, "0123456789abcdef.cl_cache");
    options.capacity = unindexed_room(&flat, 3, 3000);
    dnnl_cache_store_handle_t *store = unindexed_open(&flat, &options);
    ASSERT_NOT_NULL(store);
    snprintf(size_file, sizeof size_file, "%s/config.file", path);
    EXPECT_EQ(0, stat(size_file, &before));
    for (unsigned i = 10; i < 30; i++)
        EXPECT_OK(put_number(store, i, 3000));
    EXPECT_OK(dnnl_cache_store_trim(
            store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL));
    EXPECT_EQ(0, stat(size_file, &after));
    EXPECT_EQ(before.st_ino, after.st_ino);
    unindexed_expect_order(&flat, store, &options);
    dnnl_cache_store_close(store);
}

/* ---- Limits -------------------------------------------------------------- */

/* Options of which only struct_size is set mean what the header says. */
TEST_C(FlatStore, DefaultsAreIntels)
{
    struct dnnl_cache_store_totals totals = DNNL_CACHE_STORE_TOTALS_INIT;
    struct dnnl_cache_store_options options = {.struct_size = sizeof options};
    char path[path_size];
    options.path = path_in_test(path, "store");
    dnnl_cache_store_handle_t *store = NULL;
    ASSERT_OK(dnnl_cache_store_open(&store, "flat", &options));
    EXPECT_OK(put_number(store, 1, 100));
    EXPECT_OK(dnnl_cache_store_get_totals(store, &totals));
    dnnl_cache_store_close(store);
    ASSERT_OK(dnnl_cache_store_open(&store, "flat", &options));
    EXPECT_OK(dnnl_cache_store_get_totals(store, &totals));
    EXPECT_TRUE(totals.capacity_bytes == dnnl_cache_store_megabytes(1024));
    EXPECT_EQ(dnnl_cache_store_policy_lru, totals.policy);
    dnnl_cache_store_close(store);
}

TEST_C(FlatStore, FreesAThird)
{
    enum { entry = 3000 + 5 + trailer_size };
    struct dnnl_cache_store_options options = unindexed_options(&flat);
    options.capacity = 30 * entry + size_file_bytes + totals_bytes;
    dnnl_cache_store_handle_t *store = unindexed_open(&flat, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 40; i++) {
        EXPECT_OK(put_number(store, i, 3000));
        flat_set_used(i, time_ago(1000 - i));
    }
    EXPECT_EQ(30 * entry, statistics_of(store).bytes);
    EXPECT_OK(put_number(store, 40, 3000));
    /* A third of 30, one for the new entry, and one for the odd percent. */
    EXPECT_GE(statistics_of(store).evictions, 11);
    EXPECT_LE(statistics_of(store).evictions, 12);
    EXPECT_LE(statistics_of(store).bytes, options.capacity * 2 / 3);
    for (unsigned i = 10; i < 21; i++)
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, i, 3000));
    for (unsigned i = 22; i < 41; i++)
        EXPECT_OK(get_number(store, i, 3000));
    dnnl_cache_store_close(store);
}

/* The file system's access times may be anything: all of them in the future
 * here, and the wrong way round. */
TEST_C(FlatStore, AccessTimesOfTheFileSystemDoNotMatter)
{
    struct dnnl_cache_store_options options = unindexed_options(&flat);
    char path[path_size];
    options.capacity = unindexed_room(&flat, 12, 3000);
    dnnl_cache_store_handle_t *store = unindexed_open(&flat, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 22; i++) {
        const time_t now = (time_t)(time_ago(0) / 1000000000u);
        const struct timespec times[2] = {
                {now + 1000 - (time_t)i, 0}, {now - 1000 + (time_t)i, 0}};
        EXPECT_OK(put_number(store, i, 3000));
        flat_file(path, i, 0);
        EXPECT_EQ(0, utimensat(AT_FDCWD, path, times, 0));
    }
    EXPECT_OK(put_number(store, 22, 3000));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 10, 3000));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 13, 3000));
    EXPECT_OK(get_number(store, 16, 3000));
    EXPECT_OK(get_number(store, 21, 3000));
    dnnl_cache_store_close(store);
}

/* As where no use can be noted, and all were created at once. */
TEST_C(FlatStore, OfOneTimeTheLargestGoesFirst)
{
    struct dnnl_cache_store_options options = unindexed_options(&flat);
    options.capacity = unindexed_room(&flat, 12, 3000);
    dnnl_cache_store_handle_t *store = unindexed_open(&flat, &options);
    ASSERT_NOT_NULL(store);
    const uint64_t once = time_ago(100);
    for (unsigned i = 10; i < 22; i++) {
        EXPECT_OK(put_number(store, i, 3000 - 10 * (i % 4)));
        flat_set_used(i, once);
    }
    EXPECT_OK(put_number(store, 22, 3000));
    EXPECT_EQ(6, statistics_of(store).evictions);
    for (unsigned i = 10; i < 22; i++)
        EXPECT_STATUS(i % 4 <= 1 ? dnnl_cache_miss : dnnl_success,
                get_number(store, i, 3000 - 10 * (i % 4)));
    dnnl_cache_store_close(store);
}

/* ---- The size file
 * ------------------------------------------------------------ */

static uint64_t number_at(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static void expect_size_file(
        const struct dnnl_cache_store_options *options, uint64_t bytes)
{
    char path[path_size];
    size_t size;
    struct stat st;
    uint8_t *file = read_whole(path_in_test(path, "store/config.file"), &size);
    EXPECT_EQ(0, stat(options->path, &st));
    EXPECT_EQ(size_file_bytes, size);
    if (size == size_file_bytes) {
        EXPECT_BYTES_EQ("dnnlccfg", 8, file, 8);
        EXPECT_EQ(1, number_at(file + 8, 4));
        EXPECT_EQ(0, number_at(file + 12, 4));
        EXPECT_EQ(bytes, number_at(file + 16, 8));
        EXPECT_EQ((uint64_t)st.st_mtim.tv_sec * 1000000000u
                          + (uint64_t)st.st_mtim.tv_nsec,
                number_at(file + 24, 8));
        EXPECT_TRUE(XXH3_64bits(file, 32) == number_at(file + 32, 8));
    }
    free(file);
}

TEST_C(FlatStore, TheSizeFileHasTheSizeAtAllTimes)
{
    enum { entry = 3000 + 5 + trailer_size };
    struct dnnl_cache_store_options options = unindexed_options(&flat);
    options.capacity = unindexed_room(&flat, 6, 3000);
    dnnl_cache_store_handle_t *store = unindexed_open(&flat, &options);
    ASSERT_NOT_NULL(store);
    expect_size_file(&options, 0); /* made by the first use */
    EXPECT_OK(put_number(store, 10, 3000));
    expect_size_file(&options, entry);
    EXPECT_OK(put_number(store, 11, 3000));
    expect_size_file(&options, 2 * entry);
    EXPECT_OK(put_number(store, 11, 2000));
    expect_size_file(&options, 2 * entry - 1000);
    EXPECT_OK(remove_id(store, "id 10"));
    expect_size_file(&options, entry - 1000);
    for (unsigned i = 20; i < 40; i++) {
        EXPECT_OK(put_number(store, i, 3000));
        expect_size_file(&options, bytes_of_entries(&flat, options.path));
    }
    dnnl_cache_store_close(store);
    expect_size_file(&options, bytes_of_entries(&flat, options.path));
}

TEST_C(FlatStore, CountsWhatWasDoneByHand)
{
    struct dnnl_cache_store_options options = unindexed_options(&flat);
    char path[path_size];
    options.capacity = unindexed_room(&flat, 6, 3000);
    dnnl_cache_store_handle_t *store = unindexed_open(&flat, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 16; i++)
        EXPECT_OK(put_number(store, i, 3000));
    await_file_tick();
    flat_file(path, 10, 0);
    EXPECT_EQ(0, unlink(path));
    EXPECT_OK(put_number(store, 16, 3000)); /* there is room for it now */
    EXPECT_EQ(1, statistics_of(store).recounts);
    EXPECT_EQ(0, statistics_of(store).evictions);
    unindexed_expect_order(&flat, store, &options);
    await_file_tick();
    run_shell("head -c 3000 /dev/zero >'%s/78af5f94892f3950.cl_cache'",
            options.path);
    EXPECT_OK(put_number(store, 17, 3000)); /* and none for this */
    EXPECT_EQ(2, statistics_of(store).recounts);
    EXPECT_GT(statistics_of(store).evictions, 0);
    unindexed_expect_order(&flat, store, &options);
    dnnl_cache_store_close(store);
}

struct told {
    unsigned count;
    char last[512];
};

static void tell(dnnl_cache_log_level_t level, const char *text, void *user)
{
    struct told *told = user;
    (void)level;
    told->count++;
    snprintf(told->last, sizeof told->last, "%s", text);
}

/* An application's own file of that name is not written over. */
TEST_C(FlatStore, AConfigFileOfSomebodyElseIsLeftAlone)
{
    static const char text[] = "an application's settings\n";
    struct dnnl_cache_store_options options = unindexed_options(&flat);
    struct told told = {0, ""};
    dnnl_cache_store_handle_t *store = NULL;
    char path[path_size];
    size_t size;
    ASSERT_EQ(0, mkdir(options.path, 0700));
    path_in_test(path, "store/config.file");
    write_whole(path, text, sizeof text - 1);
    options.log = tell;
    options.log_user = &told;
    for (int i = 0; i < 2; i++) {
        options.read_only = i > 0;
        EXPECT_STATUS(dnnl_runtime_error,
                dnnl_cache_store_open(&store, "flat", &options));
        EXPECT_NULL(store);
        EXPECT_NOT_NULL(strstr(told.last, "refused as a store: "));
        EXPECT_NOT_NULL(strstr(told.last, "config.file"));
    }
    uint8_t *found = read_whole(path, &size);
    EXPECT_BYTES_EQ(text, sizeof text - 1, found, size);
    free(found);
}

/* A new one, one of our size, one that begins as ours, one beside entries. */
TEST_C(FlatStore, ADamagedSizeFileIsMadeAnew)
{
    struct dnnl_cache_store_options options = unindexed_options(&flat);
    char path[path_size];
    char ours[size_file_bytes] = "";
    ASSERT_EQ(0, mkdir(options.path, 0700));
    path_in_test(path, "store/config.file");
    for (int i = 0; i < 4; i++) {
        if (i == 0) write_whole(path, "", 0);
        if (i == 1) write_whole(path, ours, sizeof ours);
        if (i == 2) write_whole(path, "dnnlccfg", 8);
        if (i == 3) write_whole(path, "damaged", 7);
        dnnl_cache_store_handle_t *store = unindexed_open(&flat, &options);
        ASSERT_NOT_NULL(store);
        if (i == 3) EXPECT_OK(get_number(store, 10, 100));
        EXPECT_OK(put_number(store, 10, 100));
        unindexed_expect_order(&flat, store, &options);
        expect_size_file(&options, bytes_of_entries(&flat, options.path));
        if (i < 2) EXPECT_OK(remove_id(store, "id 10"));
        dnnl_cache_store_close(store);
    }
}

/* A bit of any byte: the size is counted, and not believed. */
TEST_C(FlatStore, ASizeFileWithAFlippedBitIsMadeAnew)
{
    struct dnnl_cache_store_options options = unindexed_options(&flat);
    char path[path_size];
    size_t size;
    dnnl_cache_store_handle_t *store = unindexed_open(&flat, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 10, 3000));
    EXPECT_OK(put_number(store, 11, 2000));
    dnnl_cache_store_close(store);
    path_in_test(path, "store/config.file");
    for (size_t i = 0; i < size_file_bytes && !test_has_failed(); i++) {
        uint8_t *file = read_whole(path, &size);
        ASSERT_EQ(size_file_bytes, size);
        file[i] ^= (uint8_t)(1u << i % 8);
        write_whole(path, file, size);
        free(file);
        store = unindexed_open(&flat, &options);
        ASSERT_NOT_NULL(store);
        EXPECT_EQ(1, statistics_of(store).recounts);
        unindexed_expect_order(&flat, store, &options);
        expect_size_file(&options, bytes_of_entries(&flat, options.path));
        EXPECT_OK(get_number(store, 10, 3000));
        EXPECT_OK(get_number(store, 11, 2000));
        dnnl_cache_store_close(store);
        if (test_has_failed()) printf("byte %zu\n", i);
    }
}

/* As a user who may not open the size file. */
static int put_without_size_file(void *user)
{
    struct dnnl_cache_store_options options =
            *(const struct dnnl_cache_store_options *)user;
    struct told told = {0, ""};
    dnnl_cache_store_handle_t *store = NULL;
    char path[path_size];
    if (!test_drop_capabilities()) return 77;
    options.log = tell;
    options.log_user = &told;
    if (dnnl_cache_store_open(&store, "flat", &options) != dnnl_success)
        return 1;
    const unsigned told_at_open = told.count;
    if (put_number(store, 11, 100) != dnnl_runtime_error) return 2;
    if (get_number(store, 11, 100) != dnnl_cache_miss) return 3;
    if (told_at_open == 0 || told.count != told_at_open + 1) return 4;
    if (strstr(told.last, "not kept: Permission denied") == NULL) return 5;
    if (remove_id(store, "id 10") != dnnl_runtime_error) return 6;
    if (get_number(store, 10, 100) != dnnl_success) return 7;
    dnnl_cache_store_close(store);

    /* Nobody listens: nothing is said, to nobody. */
    const int silent = open(path_in_test(path, "said"),
            O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (silent < 0 || dup2(silent, 1) < 0 || dup2(silent, 2) < 0) return 8;
    options.log = NULL;
    if (dnnl_cache_store_open(&store, "flat", &options) != dnnl_success)
        return 9;
    if (put_number(store, 11, 100) != dnnl_runtime_error) return 10;
    dnnl_cache_store_close(store);
    return lseek(silent, 0, SEEK_END) == 0 ? 0 : 11;
}

TEST_C(FlatStore, WithoutItsBookNothingIsPutAndThatIsSaid)
{
    const struct dnnl_cache_store_options options = unindexed_options(&flat);
    dnnl_cache_store_handle_t *store = unindexed_open(&flat, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_number(store, 10, 100));
    dnnl_cache_store_close(store);
    run_shell("chmod 000 '%s/config.file'", options.path);
    EXPECT_EQ(0, in_child(put_without_size_file, (void *)(uintptr_t)&options));
}

/* ---- Steps --------------------------------------------------------------- */

TEST_C(FlatStore, StepsOfAPut)
{
    const struct dnnl_cache_store_options options = unindexed_options(&flat);
    char steps[put_trace_size];
    dnnl_cache_store_handle_t *store = unindexed_open(&flat, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 30; i++)
        EXPECT_OK(put_number(store, i, 3000));
    if (!trace_put(steps, &flat, store, 30, 3000))
        SKIP_TEST("tracing is not allowed here");
    /* Lock, mark, create, write, rename, size, unlock; no directory read. */
    EXPECT_STR_EQ("LSCWRSU", steps);
    trace_put(steps, &flat, store, 10, 2000);
    EXPECT_STR_EQ("LSCWRSU", steps);
    trace_put(steps, &flat, store, 10, 2000); /* there already */
    EXPECT_STR_EQ("", steps);
    EXPECT_OK(get_number(store, 10, 2000));
    EXPECT_OK(get_number(store, 30, 3000));
    dnnl_cache_store_close(store);
}

TEST_C(FlatStore, StepsOfAnEviction)
{
    struct dnnl_cache_store_options options = unindexed_options(&flat);
    char steps[put_trace_size];
    options.capacity = unindexed_room(&flat, 6, 3000);
    dnnl_cache_store_handle_t *store = unindexed_open(&flat, &options);
    ASSERT_NOT_NULL(store);
    for (unsigned i = 10; i < 16; i++)
        EXPECT_OK(put_number(store, i, 3000));
    if (!trace_put(steps, &flat, store, 30, 3000))
        SKIP_TEST("tracing is not allowed here");
    /* Lock, mark, gather, remove; create, write, rename; size, unlock. */
    EXPECT_STR_EQ("LSGECWRSU", steps);
    unindexed_expect_order(&flat, store, &options);
    dnnl_cache_store_close(store);
}
