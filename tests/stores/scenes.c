/* SPDX-License-Identifier: Apache-2.0 */
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
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

#define PREPARE(name) \
    static void name( \
            const struct store_kind *kind, dnnl_cache_store_handle_t *store)

/* Six entries, which fill it but for less than one more. */
PREPARE(fill)
{
    (void)kind;
    for (unsigned i = first; i <= last; i++)
        EXPECT_OK(put_number(store, i, scene_size(i)));
    EXPECT_EQ(0, statistics_of(store).evictions);
}

PREPARE(fill_and_replace)
{
    fill(kind, store);
    EXPECT_OK(put_number(store, last, scene_other_size));
}

PREPARE(fill_and_upset)
{
    fill(kind, store);
    kind->upset();
}

PREPARE(fill_and_damage)
{
    fill(kind, store);
    kind->damage(17, scene_size(17));
}

PREPARE(fill_and_leave_a_link)
{
    char path[path_size];
    char outside[path_size];
    fill(kind, store);
    EXPECT_OK(remove_id(store, "id 15"));
    kind->way_of(path, fresh);
    remove_path(path);
    EXPECT_EQ(0, symlink(path_in_test(outside, "outside"), path));
}

PREPARE(remove_it)
{
    char path[path_size];
    (void)kind;
    (void)store;
    remove_path(path_in_test(path, "store"));
}

/* ---- Options ------------------------------------------------------------- */

static void sync_all(struct dnnl_cache_store_options *options)
{
    options->durability = dnnl_cache_store_durability_data_and_directory;
}

static void by_use(struct dnnl_cache_store_options *options)
{
    options->policy = dnnl_cache_store_policy_lru;
    options->low_water_percent = 60;
}

static void for_a_group(struct dnnl_cache_store_options *options)
{
    options->sharing = dnnl_cache_store_sharing_group;
}

static uint64_t one_bucket(const void *data, size_t size)
{
    (void)data;
    (void)size;
    return 7;
}

static void colliding(struct dnnl_cache_store_options *options)
{
    options->hash = one_bucket;
}

/* ---- Calls --------------------------------------------------------------- */

#define ACT(name)              \
    static dnnl_status_t name( \
            const struct store_kind *kind, dnnl_cache_store_handle_t *store)

ACT(put_fresh)
{
    (void)kind;
    return put_number(store, fresh, scene_size(fresh));
}

ACT(put_again)
{
    (void)kind;
    return put_number(store, last, scene_size(last));
}

ACT(put_other)
{
    (void)kind;
    return put_number(store, last, scene_other_size);
}

ACT(get_one)
{
    (void)kind;
    return get_number(store, last - 1, scene_size(last - 1));
}

ACT(remove_one)
{
    (void)kind;
    return remove_id(store, "id 18");
}

ACT(trim_to_half)
{
    return dnnl_cache_store_trim(
            store, kind->scene_half, DNNL_CACHE_STORE_AGE_UNLIMITED, NULL);
}

ACT(repair)
{
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    (void)kind;
    return dnnl_cache_store_verify(store, true, NULL, NULL, &check);
}

static bool look(void *user, const struct dnnl_cache_store_entry *item)
{
    (void)user;
    return item->blob_size > 0;
}

ACT(look_at_all)
{
    (void)kind;
    return dnnl_cache_store_iterate(store, look, NULL);
}

/* Another handle. */
ACT(open_it)
{
    dnnl_cache_store_handle_t *other = NULL;
    struct dnnl_cache_store_options options = kind_options(kind);
    (void)store;
    options.capacity = kind->scene_small_capacity;
    options.log = NULL;
    const dnnl_status_t st =
            dnnl_cache_store_open(&other, kind->type, &options);
    if (st != dnnl_success && other != NULL)
        test_fail(__FILE__, __LINE__, "a failed open gave a store");
    dnnl_cache_store_close(other);
    return st;
}

/* ---- Promises ------------------------------------------------------------ */

static void fresh_is_there(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store)
{
    (void)kind;
    EXPECT_OK(get_number(store, fresh, scene_size(fresh)));
}

static void fresh_needed_room(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store)
{
    fresh_is_there(kind, store);
    EXPECT_GT(statistics_of(store).evictions, 0);
}

static void fresh_is_not_there(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store)
{
    (void)kind;
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, fresh, scene_size(fresh)));
}

static void last_is_usual(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store)
{
    (void)kind;
    EXPECT_OK(get_number(store, last, scene_size(last)));
}

static void last_is_other(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store)
{
    (void)kind;
    EXPECT_OK(get_number(store, last, scene_other_size));
}

static void one_is_gone(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store)
{
    (void)kind;
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 18, scene_size(18)));
}

/* By use, an entry that could not be read goes first, whoever it is. */
static void half_is_used(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store)
{
    EXPECT_LE(kind_bytes(), kind->scene_half);
    EXPECT_GT(count_entries(store), 0);
}

static void half_is_left(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store)
{
    half_is_used(kind, store);
    EXPECT_OK(get_number(store, last, scene_size(last)));
}

static void all_are_there(
        const struct store_kind *kind, dnnl_cache_store_handle_t *store)
{
    (void)kind;
    for (unsigned i = first; i <= last; i++)
        EXPECT_OK(get_number(store, i, scene_size(i)));
}

const struct scene scenes[] = {
        {"put, evicting", NULL, fill, put_fresh, fresh_needed_room,
                fresh_is_not_there, false, false},
        {"put, evicting and syncing", sync_all, fill, put_fresh,
                fresh_needed_room, fresh_is_not_there, false, false},
        {"put, replacing", NULL, fill_and_replace, put_again, last_is_usual,
                last_is_other, false, false},
        {"put, replacing and syncing", sync_all, fill, put_other, last_is_other,
                last_is_usual, false, false},
        {"put, evicting by use", by_use, fill, put_fresh, fresh_needed_room,
                fresh_is_not_there, false, false},
        {"put, after a death", NULL, fill_and_upset, put_fresh, fresh_is_there,
                fresh_is_not_there, false, false},
        {"put, with a link in the way", NULL, fill_and_leave_a_link, put_fresh,
                fresh_is_there, fresh_is_not_there, true, false},
        {"put, of a group", for_a_group, fill, put_fresh, fresh_is_there,
                fresh_is_not_there, false, false},
        {"put, colliding", colliding, fill, put_fresh, fresh_is_there,
                fresh_is_not_there, false, false},
        {"put, unchanged", NULL, fill, put_again, last_is_usual, last_is_usual,
                false, false},
        {"get", by_use, fill, get_one, all_are_there, all_are_there, false,
                false},
        {"get, colliding", colliding, fill, get_one, all_are_there,
                all_are_there, false, true},
        {"remove", NULL, fill, remove_one, one_is_gone, NULL, false, false},
        {"trim", NULL, fill, trim_to_half, half_is_left, NULL, false, false},
        {"trim by use", by_use, fill, trim_to_half, half_is_used, NULL, false,
                false},
        {"verify, repairing", NULL, fill_and_damage, repair, NULL, NULL, true,
                false},
        {"iterate", NULL, fill, look_at_all, all_are_there, all_are_there,
                false, false},
        {"open, evicting", NULL, fill, open_it, NULL, NULL, false, false},
        {"open, making it", NULL, remove_it, open_it, NULL, NULL, false, false},
};
const unsigned scene_count = sizeof scenes / sizeof scenes[0];

bool scene_is_for(const struct scene *scene, const struct store_kind *kind)
{
    return !(scene->collides && kind->one_id_of_a_hash);
}

/* ---- After it ------------------------------------------------------------ */

struct dnnl_cache_store_options scene_begin(
        const struct store_kind *kind, const struct scene *scene)
{
    struct dnnl_cache_store_options options = kind_options(kind);
    char path[path_size];
    remove_path(path_in_test(path, "store"));
    (void)mkdir(path_in_test(path, "outside"), 0700);
    options.capacity = kind->scene_capacity;
    options.lock_timeout_ms = 60000;
    options.log = NULL;
    if (scene->configure != NULL) scene->configure(&options);
    return options;
}

static void expect_no_wrong_blob(dnnl_cache_store_handle_t *store)
{
    for (unsigned i = first; i <= fresh; i++) {
        int got = get_number_quietly(store, i, scene_size(i));
        if (got < 0) got = get_number_quietly(store, i, scene_other_size);
        EXPECT_TRUE(got == (int)dnnl_success || got == (int)dnnl_cache_miss);
    }
}

void scene_expect_usable(const struct store_kind *kind,
        const struct scene *scene,
        const struct dnnl_cache_store_options *options)
{
    const uint64_t damage = scene->is_damaged ? 1 : 0;
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    EXPECT_LE(kind_bytes(), options->capacity);
    struct dnnl_cache_store_options patient =
            *options; /* but it has nothing to wait for */
    patient.lock_timeout_ms = 300000;
    const double began = seconds_now();
    dnnl_cache_store_handle_t *store = kind_open(kind, &patient);
    EXPECT_TRUE(seconds_now() - began < 120);
    if (store == NULL) return;
    expect_no_wrong_blob(store);
    EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    EXPECT_LE(check.damaged, damage);
    EXPECT_OK(put_number(store, probe, 100));
    EXPECT_OK(get_number(store, probe, 100));
    /* What others planted goes with the next put that it is in the way of. */
    if (scene->is_damaged) {
        EXPECT_OK(put_number(store, fresh, scene_size(fresh)));
        EXPECT_OK(put_number(store, 17, scene_size(17)));
    }
    kind_expect_no_orphans(kind, store);
    /* Nobody corrected the recorded sizes for what others cut short. */
    EXPECT_LE(kind_counted_bytes(kind), kind_recorded_bytes(kind, store));
    if (!scene->is_damaged) kind_expect_recorded(kind, store);
    EXPECT_LE(kind_bytes(), options->capacity);
    dnnl_cache_store_close(store);
}
