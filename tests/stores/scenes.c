/* SPDX-License-Identifier: Apache-2.0 */
#include "scenes.h"

#include "bucket_store.h"
#include "store_helpers.h"
#include "test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { first = 15, last = 20, fresh = 23, probe = 200 };

size_t scene_size(unsigned number)
{
    return 500 + 311 * (size_t)number;
}

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool is_long_run(void)
{
    return getenv("DNNL_CACHE_TEST_LONG") != NULL;
}

/* ---- What a store is like before ----------------------------------------- */

/* Six entries, which fill it but for less than one more. */
static void fill(struct store *store)
{
    for (unsigned i = first; i <= last; i++)
        EXPECT_OK(put_number(store, i, scene_size(i)));
}

static void fill_and_replace(struct store *store)
{
    fill(store);
    EXPECT_OK(put_number(store, last, scene_other_size));
}

static void fill_and_lose_the_books(struct store *store)
{
    char path[path_size];
    fill(store);
    EXPECT_EQ(0, unlink(path_in_test(path, "store/index.bin")));
    EXPECT_EQ(0, unlink(path_in_test(path, "store/size.txt")));
}

static void fill_and_damage(struct store *store)
{
    char path[path_size];
    fill(store);
    EXPECT_EQ(0, truncate(entry_path(path, 17, "kernel.bin"), 100));
}

static void fill_and_leave_a_link(struct store *store)
{
    char path[path_size];
    char outside[path_size];
    fill(store);
    EXPECT_OK(remove_id(store, "id 15"));
    *strrchr(entry_path(path, fresh, ""), '/') = '\0';
    EXPECT_EQ(0, symlink(path_in_test(outside, "outside"), path));
}

static void remove_it(struct store *store)
{
    char path[path_size];
    (void)store;
    EXPECT_EQ(0, unlink(path_in_test(path, "store/index.bin")));
    EXPECT_EQ(0, unlink(path_in_test(path, "store/size.txt")));
    EXPECT_EQ(0, rmdir(path_in_test(path, "store")));
}

/* ---- Options ------------------------------------------------------------- */

static void sync_all(struct store_options *options)
{
    options->durability = store_durability_data_and_directory;
}

static void by_use(struct store_options *options)
{
    options->policy = store_policy_lru;
    options->low_water_percent = 60;
}

static void for_a_group(struct store_options *options)
{
    options->sharing = store_sharing_group;
}

static uint64_t one_bucket(const void *data, size_t size)
{
    (void)data;
    (void)size;
    return 7;
}

static void colliding(struct store_options *options)
{
    options->hash = one_bucket;
}

/* ---- Calls --------------------------------------------------------------- */

static dnnl_status_t put_fresh(struct store *store)
{
    return put_number(store, fresh, scene_size(fresh));
}

static dnnl_status_t put_again(struct store *store)
{
    return put_number(store, last, scene_size(last));
}

static dnnl_status_t put_other(struct store *store)
{
    return put_number(store, last, scene_other_size);
}

static dnnl_status_t get_one(struct store *store)
{
    return get_number(store, last - 1, scene_size(last - 1));
}

static dnnl_status_t remove_one(struct store *store)
{
    return remove_id(store, "id 18");
}

static dnnl_status_t trim_to_half(struct store *store)
{
    return store_trim(store, 20000, STORE_AGE_UNLIMITED, NULL);
}

static dnnl_status_t repair(struct store *store)
{
    struct store_check check;
    return store_verify(store, true, NULL, NULL, &check);
}

static bool see(void *user, const struct store_item *item)
{
    *(uint64_t *)user += item->blob_size;
    return true;
}

static dnnl_status_t look_at_all(struct store *store)
{
    uint64_t sum = 0;
    return store_iterate(store, see, &sum);
}

static dnnl_status_t open_it(struct store *unused)
{
    struct store *store = NULL;
    struct store_options options = test_options();
    (void)unused;
    options.capacity = store_limit_bytes(25000);
    options.log = NULL;
    dnnl_status_t st = bucket_store_open(&store, &options);
    if (st != dnnl_success && store != NULL)
        test_fail(__FILE__, __LINE__, "a failed open gave a store");
    store_close(store);
    return st;
}

/* ---- Promises ------------------------------------------------------------ */

static void fresh_is_there(struct store *store)
{
    EXPECT_OK(get_number(store, fresh, scene_size(fresh)));
}

static void fresh_is_not_there(struct store *store)
{
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, fresh, scene_size(fresh)));
}

static void last_is_usual(struct store *store)
{
    EXPECT_OK(get_number(store, last, scene_size(last)));
}

static void last_is_other(struct store *store)
{
    EXPECT_OK(get_number(store, last, scene_other_size));
}

static void one_is_gone(struct store *store)
{
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 18, scene_size(18)));
}

/* By use, an entry that could not be read goes first, whoever it is. */
static void half_is_used(struct store *store)
{
    (void)store;
    EXPECT_LE(tree_bytes(test_options().path), 20000);
}

static void half_is_left(struct store *store)
{
    half_is_used(store);
    EXPECT_OK(get_number(store, last, scene_size(last)));
}

static void all_are_there(struct store *store)
{
    for (unsigned i = first; i <= last; i++)
        EXPECT_OK(get_number(store, i, scene_size(i)));
}

const struct scene scenes[] = {
        {"put, evicting", NULL, fill, put_fresh, fresh_is_there,
                fresh_is_not_there, false},
        {"put, evicting and syncing", sync_all, fill, put_fresh, fresh_is_there,
                fresh_is_not_there, false},
        {"put, replacing", NULL, fill_and_replace, put_again, last_is_usual,
                last_is_other, false},
        {"put, replacing and syncing", sync_all, fill, put_other, last_is_other,
                last_is_usual, false},
        {"put, evicting by use", by_use, fill, put_fresh, fresh_is_there,
                fresh_is_not_there, false},
        {"put, counting again", NULL, fill_and_lose_the_books, put_fresh,
                fresh_is_there, fresh_is_not_there, false},
        {"put, healing a bucket", NULL, fill_and_leave_a_link, put_fresh,
                fresh_is_there, fresh_is_not_there, true},
        {"put, of a group", for_a_group, fill, put_fresh, fresh_is_there,
                fresh_is_not_there, false},
        {"put, colliding", colliding, fill, put_fresh, fresh_is_there,
                fresh_is_not_there, false},
        {"put, unchanged", NULL, fill, put_again, last_is_usual, last_is_usual,
                false},
        {"get", by_use, fill, get_one, all_are_there, all_are_there, false},
        {"get, colliding", colliding, fill, get_one, all_are_there,
                all_are_there, false},
        {"remove", NULL, fill, remove_one, one_is_gone, NULL, false},
        {"trim", NULL, fill, trim_to_half, half_is_left, NULL, false},
        {"trim by use", by_use, fill, trim_to_half, half_is_used, NULL, false},
        {"verify, repairing", NULL, fill_and_damage, repair, NULL, NULL, true},
        {"iterate", NULL, fill, look_at_all, all_are_there, all_are_there,
                false},
        {"open, evicting", NULL, fill, open_it, NULL, NULL, false},
        {"open, making it", NULL, remove_it, open_it, NULL, NULL, false},
};
const unsigned scene_count = sizeof scenes / sizeof scenes[0];

/* ---- After it ------------------------------------------------------------ */

static int remove_path(
        const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

struct store_options scene_begin(const struct scene *scene)
{
    struct store_options options = test_options();
    char outside[path_size];
    nftw(options.path, remove_path, 16, FTW_DEPTH | FTW_PHYS);
    (void)mkdir(path_in_test(outside, "outside"), 0700);
    options.capacity = store_limit_bytes(40000);
    options.lock_timeout_ms = 60000;
    options.log = NULL;
    if (scene->configure != NULL) scene->configure(&options);
    return options;
}

static bool is_number(const char *name)
{
    return name[0] != '\0' && strspn(name, "0123456789") == strlen(name);
}

/* nftw() has no argument for the caller's own. */
static char orphan[path_size];
static unsigned files_of_bucket;

static int look_for_orphan(
        const char *path, const struct stat *st, int type, struct FTW *at)
{
    const char *name = path + at->base;
    bool mine = false;
    (void)st;
    if (at->level == 0) mine = type == FTW_DP;
    if (at->level == 1)
        mine = type == FTW_F ? strcmp(name, "size.txt") == 0
                                       || strcmp(name, "index.bin") == 0
                             : is_number(name) && files_of_bucket > 0;
    if (at->level == 2) mine = type == FTW_DP && is_number(name);
    if (at->level == 3) {
        mine = type == FTW_F
               && (strcmp(name, "key.bin") == 0
                       || strcmp(name, "kernel.bin") == 0);
        files_of_bucket++;
    }
    if (at->level == 1) files_of_bucket = 0;
    if (mine || orphan[0] != '\0') return 0;
    snprintf(orphan, sizeof orphan, "%s", path);
    return 0;
}

void expect_no_orphans(const char *path)
{
    orphan[0] = '\0';
    files_of_bucket = 0;
    nftw(path, look_for_orphan, 16, FTW_DEPTH | FTW_PHYS);
    if (orphan[0] != '\0')
        test_fail(__FILE__, __LINE__, "an orphan: %s", orphan);
}

static void expect_no_wrong_blob(struct store *store)
{
    for (unsigned i = first; i <= fresh; i++) {
        int got = get_number_quietly(store, i, scene_size(i));
        if (got < 0) got = get_number_quietly(store, i, scene_other_size);
        EXPECT_TRUE(got == (int)dnnl_success || got == (int)dnnl_cache_miss);
    }
}

void scene_expect_usable(
        const struct scene *scene, const struct store_options *options)
{
    const uint64_t damage = scene->is_damaged ? 1 : 0;
    struct store_check check;
    EXPECT_LE(tree_bytes(options->path), options->capacity.bytes);
    const double began = seconds_now();
    struct store *store = open_store(options);
    EXPECT_TRUE(seconds_now() - began < 1);
    if (store == NULL) return;
    expect_no_wrong_blob(store);
    EXPECT_OK(store_verify(store, false, NULL, NULL, &check));
    EXPECT_LE(check.damaged, damage);
    EXPECT_OK(put_number(store, probe, 100));
    EXPECT_OK(get_number(store, probe, 100));
    /* What others planted goes with the next put into that bucket. */
    if (scene->is_damaged)
        EXPECT_OK(put_number(store, fresh, scene_size(fresh)));
    expect_no_orphans(options->path);
    /* Nobody told the books what others cut short. */
    EXPECT_LE(entry_bytes(options->path), recorded_bytes(options->path));
    if (!scene->is_damaged)
        EXPECT_EQ(entry_bytes(options->path), recorded_bytes(options->path));
    EXPECT_LE(tree_bytes(options->path), options->capacity.bytes);
    store_close(store);
}
