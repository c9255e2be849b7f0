/* SPDX-License-Identifier: Apache-2.0 */
/* A working set of a store that counts its round trips. */
#include "dnnl_cache/working_set.h"
#include "store_helpers.h"
#include "stores/working_set/working_set_list.h"

#include "test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A store that passes calls on to another, and counts them. */
struct counted {
    dnnl_cache_store_t callbacks;
    const dnnl_cache_store_t *inner;
    int gets, many, puts, removes, loans, waits, stops;
    bool fails;
    bool invents; /* programs: none is kept, and each is found */
};

static const uint8_t invented[1000] = {77};

static dnnl_status_t counted_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct counted *c = user;
    c->gets++;
    if (c->fails) return dnnl_runtime_error;
    const dnnl_status_t st =
            c->inner->get(c->inner->user, id_size, id, size, blob);
    c->loans += st == dnnl_success;
    return st;
}

static void counted_release(void *user, size_t size, const uint8_t *blob)
{
    struct counted *c = user;
    if (blob == invented) return;
    c->loans--;
    c->inner->release(c->inner->user, size, blob);
}

static dnnl_status_t counted_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct counted *c = user;
    c->puts++;
    if (c->invents && !dnnl_cache_store_working_set_is_list(id_size, id))
        return dnnl_success;
    return c->fails ? dnnl_runtime_error
                    : c->inner->put(
                            c->inner->user, id_size, id, size, blob, metadata);
}

static dnnl_status_t counted_remove(
        void *user, size_t id_size, const uint8_t *id)
{
    struct counted *c = user;
    c->removes++;
    return c->inner->remove(c->inner->user, id_size, id);
}

static dnnl_status_t counted_get_many(void *user, size_t count,
        const size_t *id_sizes, const uint8_t *const *ids, size_t *sizes,
        const uint8_t **blobs)
{
    struct counted *c = user;
    c->many++;
    if (c->fails) return dnnl_runtime_error;
    for (size_t i = 0; c->invents && i < count; i++) {
        blobs[i] = invented;
        sizes[i] = sizeof invented;
    }
    if (c->invents) return dnnl_success;
    /* One round trip, whatever is behind it. */
    dnnl_status_t st = dnnl_cache_miss;
    for (size_t i = 0; i < count; i++) {
        if (c->inner->get(
                    c->inner->user, id_sizes[i], ids[i], &sizes[i], &blobs[i])
                != dnnl_success)
            continue;
        c->loans++;
        st = dnnl_success;
    }
    return st;
}

struct scene {
    dnnl_cache_store_handle_t *store;
    struct counted counted;
    struct dnnl_cache_store_working_set_options options;
};

static void scene_open(struct scene *s)
{
    const struct dnnl_cache_store_options options = test_options();
    s->store = open_store(&options);
    s->counted = (struct counted){
            .callbacks = {.struct_size = sizeof(dnnl_cache_store_t),
                    .user = &s->counted,
                    .get = counted_get,
                    .release = counted_release,
                    .put = counted_put,
                    .remove = counted_remove,
                    .get_many = counted_get_many},
            .inner = dnnl_cache_store_get_callbacks(s->store)};
    s->options = (struct dnnl_cache_store_working_set_options)
            DNNL_CACHE_STORE_WORKING_SET_OPTIONS_INIT;
    s->options.store = &s->counted.callbacks;
    s->options.application = "app";
}

static void scene_close(struct scene *s)
{
    EXPECT_EQ(0, s->counted.loans);
    dnnl_cache_store_close(s->store);
}

#define TEST_SCENE(suite, name) \
    TEST_WITH(suite, name, struct scene, s, scene_open(s), scene_close(s))

static struct dnnl_cache_store_working_set *begin(struct scene *s)
{
    struct dnnl_cache_store_working_set *set = NULL;
    s->counted.gets = s->counted.many = s->counted.puts = 0;
    EXPECT_OK(dnnl_cache_store_working_set_open(&set, &s->options));
    EXPECT_NOT_NULL(set);
    return set;
}

static struct dnnl_cache_store_working_set_statistics told(
        struct dnnl_cache_store_working_set *set)
{
    struct dnnl_cache_store_working_set_statistics statistics =
            DNNL_CACHE_STORE_WORKING_SET_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_store_working_set_get_statistics(set, &statistics));
    return statistics;
}

enum { programs = 50, blob_size = 1000, most_id = 1200 };

/* IDs of programs of one device begin with the same kilobyte. */
static size_t make_id(uint8_t id[most_id], int number)
{
    memset(id, 'd', most_id);
    return 1100
           + (size_t)snprintf((char *)id + 1100, 100, "program %d", number);
}

static void put_program(
        const struct dnnl_cache_store_working_set *set, int number, int content)
{
    const dnnl_cache_store_t *c = dnnl_cache_store_working_set_callbacks(set);
    uint8_t id[most_id];
    uint8_t blob[blob_size];
    memset(blob, content, sizeof blob);
    EXPECT_OK(
            c->put(c->user, make_id(id, number), id, sizeof blob, blob, NULL));
}

/* The byte that the blob consists of, -1 for a miss. */
static int get_program(
        const struct dnnl_cache_store_working_set *set, int number)
{
    const dnnl_cache_store_t *c = dnnl_cache_store_working_set_callbacks(set);
    uint8_t id[most_id];
    const uint8_t *blob;
    size_t size;
    const dnnl_status_t st =
            c->get(c->user, make_id(id, number), id, &size, &blob);
    if (st != dnnl_success) return -1;
    EXPECT_EQ(blob_size, size);
    const int content = blob[0];
    EXPECT_EQ(content, blob[size - 1]);
    c->release(c->user, size, blob);
    return content;
}

/* The first start: everything is compiled and put. */
static void start_cold(struct scene *s)
{
    struct dnnl_cache_store_working_set *set = begin(s);
    for (int i = 0; i < programs; i++)
        put_program(set, i, i);
    EXPECT_OK(dnnl_cache_store_working_set_save(set));
    EXPECT_EQ(programs + 1, s->counted.puts);
    dnnl_cache_store_working_set_close(set);
}

TEST_SCENE(WorkingSet, BringsAllInOneRoundTripAfterTheList)
{
    start_cold(s);
    struct dnnl_cache_store_working_set *set = begin(s);
    EXPECT_EQ(1, s->counted.gets);
    EXPECT_EQ(1, s->counted.many);
    for (int i = 0; i < programs; i++)
        EXPECT_EQ(i, get_program(set, i));
    EXPECT_EQ(1, s->counted.gets); /* the list's */
    EXPECT_EQ(1, s->counted.many);
    const struct dnnl_cache_store_working_set_statistics t = told(set);
    EXPECT_EQ(programs, t.listed);
    EXPECT_EQ(programs, t.brought);
    EXPECT_EQ(programs, t.given);
    EXPECT_EQ(programs, t.asked);
    EXPECT_EQ(programs * blob_size, t.bytes);
    /* Nothing is new: the list is not put again. */
    EXPECT_OK(dnnl_cache_store_working_set_save(set));
    EXPECT_EQ(0, s->counted.puts);
    /* What was given once comes from the store. */
    EXPECT_EQ(7, get_program(set, 7));
    EXPECT_EQ(2, s->counted.gets);
    dnnl_cache_store_working_set_close(set);
}

TEST_SCENE(WorkingSet, SavesWhatChanged)
{
    start_cold(s);
    /* One more program: the next start has it, and what was asked for. */
    struct dnnl_cache_store_working_set *set = begin(s);
    for (int i = 0; i < 30; i++)
        EXPECT_EQ(i, get_program(set, i));
    EXPECT_OK(dnnl_cache_store_working_set_save(set));
    EXPECT_EQ(0, s->counted.puts); /* over half of the list is in use */
    put_program(set, 100, 100);
    EXPECT_OK(dnnl_cache_store_working_set_save(set));
    EXPECT_EQ(2, s->counted.puts);
    dnnl_cache_store_working_set_close(set);
    set = begin(s);
    EXPECT_EQ(31, told(set).listed);
    EXPECT_EQ(100, get_program(set, 100));
    EXPECT_EQ(1, s->counted.gets);
    /* Little of it: it is worth a new list. */
    EXPECT_OK(dnnl_cache_store_working_set_save(set));
    EXPECT_EQ(1, s->counted.puts);
    dnnl_cache_store_working_set_close(set);
    set = begin(s);
    EXPECT_EQ(1, told(set).listed);
    dnnl_cache_store_working_set_close(set);
}

TEST_SCENE(WorkingSet, NamesAndDevicesHaveTheirOwn)
{
    static const uint8_t device[] = {'x', 0, 'y'};
    start_cold(s);
    s->options.application = "ap";
    struct dnnl_cache_store_working_set *set = begin(s);
    EXPECT_EQ(0, told(set).listed);
    EXPECT_EQ(0, s->counted.many);
    dnnl_cache_store_working_set_close(set);
    s->options.application = "app";
    s->options.device_id = device;
    s->options.device_id_size = sizeof device;
    set = begin(s);
    EXPECT_EQ(0, told(set).listed);
    dnnl_cache_store_working_set_close(set);
}

TEST_SCENE(WorkingSet, NewerBlobsWin)
{
    start_cold(s);
    struct dnnl_cache_store_working_set *set = begin(s);
    put_program(set, 3, 200);
    EXPECT_EQ(200, get_program(set, 3));
    uint8_t id[most_id];
    const dnnl_cache_store_t *c = dnnl_cache_store_working_set_callbacks(set);
    EXPECT_OK(c->remove(c->user, make_id(id, 4), id));
    EXPECT_EQ(-1, get_program(set, 4));
    dnnl_cache_store_working_set_close(set);
}

TEST_SCENE(WorkingSet, KeepsWithinItsLimit)
{
    start_cold(s);
    s->options.max_bytes = 10 * blob_size + 1;
    struct dnnl_cache_store_working_set *set = begin(s);
    EXPECT_EQ(programs, told(set).brought);
    for (int i = 0; i < programs; i++)
        EXPECT_EQ(i, get_program(set, i));
    EXPECT_EQ(10, told(set).given);
    EXPECT_EQ(1 + programs - 10, s->counted.gets);
    dnnl_cache_store_working_set_close(set);
}

TEST_SCENE(WorkingSet, ManyComeFromMemoryAndFromTheStore)
{
    start_cold(s);
    struct dnnl_cache_store_working_set *set = begin(s);
    put_program(set, 1, 77); /* not in memory any more */
    uint8_t memory[3][most_id];
    const uint8_t *ids[3];
    const uint8_t *blobs[3] = {NULL, NULL, NULL};
    size_t id_sizes[3];
    size_t sizes[3] = {0, 0, 0};
    static const int numbers[3] = {0, 1, 1000};
    for (int i = 0; i < 3; i++) {
        id_sizes[i] = make_id(memory[i], numbers[i]);
        ids[i] = memory[i];
    }
    const dnnl_cache_store_t *c = dnnl_cache_store_working_set_callbacks(set);
    EXPECT_OK(c->get_many(c->user, 3, id_sizes, ids, sizes, blobs));
    ASSERT_TRUE(blobs[0] != NULL && blobs[1] != NULL);
    EXPECT_EQ(0, blobs[0][0]);
    EXPECT_EQ(77, blobs[1][0]);
    EXPECT_TRUE(blobs[2] == NULL);
    EXPECT_EQ(2, s->counted.many);
    c->release(c->user, sizes[0], blobs[0]);
    c->release(c->user, sizes[1], blobs[1]);
    EXPECT_EQ(dnnl_cache_miss, c->get_many(c->user, 1, &id_sizes[2], &ids[2],
                                       &sizes[2], &blobs[2]));
    dnnl_cache_store_working_set_close(set);
}

TEST_SCENE(WorkingSet, StoreThatFailsIsNoFailure)
{
    start_cold(s);
    s->counted.fails = true;
    struct dnnl_cache_store_working_set *set = begin(s);
    EXPECT_EQ(0, told(set).brought);
    EXPECT_EQ(-1, get_program(set, 0));
    EXPECT_OK(dnnl_cache_store_working_set_save(
            set)); /* there is nothing to save */
    s->counted.fails = false;
    EXPECT_EQ(0, get_program(set, 0));
    s->counted.fails = true;
    EXPECT_EQ(dnnl_runtime_error, dnnl_cache_store_working_set_save(set));
    dnnl_cache_store_working_set_close(set);
}

TEST_SCENE(WorkingSet, LongListsAreBroughtInParts)
{
    enum { many = 1300 };
    s->counted.invents = true;
    struct dnnl_cache_store_working_set *set = begin(s);
    for (int i = 0; i < many; i++)
        put_program(set, i, 1);
    EXPECT_OK(dnnl_cache_store_working_set_save(set));
    dnnl_cache_store_working_set_close(set);
    set = begin(s);
    EXPECT_EQ(many, told(set).brought);
    EXPECT_EQ(3, s->counted.many);
    EXPECT_EQ(1, s->counted.gets);
    uint8_t id[most_id];
    const uint8_t *blob = NULL;
    size_t size = 0;
    const dnnl_cache_store_t *c = dnnl_cache_store_working_set_callbacks(set);
    EXPECT_OK(c->get(c->user, make_id(id, many - 1), id, &size, &blob));
    ASSERT_NOT_NULL(blob);
    EXPECT_EQ(77, blob[0]);
    c->release(c->user, size, blob);
    dnnl_cache_store_working_set_close(set);
    /* Of a store that has nothing of the first part no more is asked. */
    s->counted.invents = false;
    set = begin(s);
    EXPECT_EQ(many, told(set).listed);
    EXPECT_EQ(0, told(set).brought);
    EXPECT_EQ(1, s->counted.many);
    dnnl_cache_store_working_set_close(set);
}

/* Another process may put it, from the journal. */
TEST_SCENE(WorkingSet, ListsWhatIsNotThereYet)
{
    struct dnnl_cache_store_working_set *set = begin(s);
    EXPECT_EQ(-1, get_program(set, 1));
    EXPECT_EQ(-1, get_program(set, 2));
    EXPECT_OK(dnnl_cache_store_working_set_save(set));
    dnnl_cache_store_working_set_close(set);
    uint8_t id[most_id];
    uint8_t blob[blob_size];
    const dnnl_cache_store_t *c = s->counted.inner;
    memset(blob, 2, sizeof blob);
    EXPECT_OK(c->put(c->user, make_id(id, 2), id, sizeof blob, blob, NULL));
    set = begin(s);
    EXPECT_EQ(2, told(set).listed);
    EXPECT_EQ(1, told(set).brought);
    EXPECT_EQ(2, get_program(set, 2));
    dnnl_cache_store_working_set_close(set);
}

/* ---- Without a device, near and far, saved by itself --------------------- */

TEST_SCENE(WorkingSet, IsNamedByTheFirstIdIfAskedTo)
{
    s->options.by_first_id = true;
    struct dnnl_cache_store_working_set *set = begin(s);
    EXPECT_OK(dnnl_cache_store_working_set_save(set)); /* it has no name yet */
    EXPECT_EQ(0, s->counted.gets + s->counted.puts);
    for (int i = 0; i < programs; i++) {
        EXPECT_EQ(-1, get_program(set, i));
        put_program(set, i, i);
    }
    EXPECT_OK(dnnl_cache_store_working_set_save(set));
    dnnl_cache_store_working_set_close(set);
    set = begin(s);
    for (int i = 0; i < programs; i++)
        EXPECT_EQ(i, get_program(set, i));
    EXPECT_EQ(1, s->counted.gets); /* the list */
    EXPECT_EQ(1, s->counted.many);
    dnnl_cache_store_working_set_close(set);
    /* Who asks for another one first has another list. */
    set = begin(s);
    EXPECT_EQ(1, get_program(set, 1));
    EXPECT_EQ(0, s->counted.many);
    dnnl_cache_store_working_set_close(set);
}

TEST_SCENE(WorkingSet, WithItsListNearBringsNothing)
{
    const struct dnnl_cache_store_options options = test_options();
    start_cold(s);
    s->options.near = s->counted.inner;
    struct dnnl_cache_store_working_set *set = begin(s);
    EXPECT_EQ(0, s->counted.many + s->counted.gets);
    EXPECT_EQ(programs, told(set).listed);
    EXPECT_EQ(0, told(set).brought);
    EXPECT_EQ(7, get_program(set, 7));
    dnnl_cache_store_working_set_close(set);
    /* Not there: all is brought. */
    char path[512];
    snprintf(path, sizeof path, "%s/near", test_directory());
    struct dnnl_cache_store_options other = options;
    other.path = path;
    dnnl_cache_store_handle_t *near = open_store(&other);
    s->options.near = dnnl_cache_store_get_callbacks(near);
    set = begin(s);
    EXPECT_EQ(programs, told(set).brought);
    dnnl_cache_store_working_set_close(set);
    dnnl_cache_store_close(near);
}

static void add_one(void *user, size_t id_size, const uint8_t *id)
{
    int *count = user;
    *count += id_size > 1100 && id[0] == 'd';
}

static int count_listed(struct dnnl_cache_store_working_set *set)
{
    int count = 0;
    dnnl_cache_store_working_set_for_each(set, add_one, &count);
    return count;
}

/* As of a process that is killed later. */
TEST_SCENE(WorkingSet, SavesByItselfWhatIsNew)
{
    s->options.save_every_ms = 1;
    struct dnnl_cache_store_working_set *set = begin(s);
    put_program(set, 1, 1);
    while (s->counted.puts == 1)
        EXPECT_EQ(1, get_program(set, 1));
    EXPECT_EQ(2, s->counted.puts);
    EXPECT_EQ(1, count_listed(set));
    /* Nothing new, no list. */
    const struct timespec pause = {.tv_nsec = 3000000};
    (void)nanosleep(&pause, NULL);
    EXPECT_EQ(1, get_program(set, 1));
    EXPECT_EQ(2, s->counted.puts);
    put_program(set, 2, 2);
    while (s->counted.puts == 3)
        EXPECT_EQ(2, get_program(set, 2));
    dnnl_cache_store_working_set_close(set);
    set = begin(s);
    EXPECT_EQ(2, told(set).brought);
    /* What was not asked for yet stays in the list until the end. */
    put_program(set, 3, 3);
    while (s->counted.puts == 1)
        EXPECT_EQ(3, get_program(set, 3));
    EXPECT_EQ(3, count_listed(set));
    EXPECT_OK(dnnl_cache_store_working_set_save(set));
    EXPECT_EQ(1, count_listed(set));
    dnnl_cache_store_working_set_close(set);
}

/* ---- One compilation for many hosts -------------------------------------- */

static const uint8_t built_elsewhere[] = "built elsewhere";

/* Another host builds program 0; who asks for another one leads. */
static dnnl_status_t counted_acquire_lease(void *user, size_t id_size,
        const uint8_t *id, size_t *size, const uint8_t **blob)
{
    struct counted *c = user;
    c->waits++;
    if (id[id_size - 1] != '0') return dnnl_cache_miss;
    *size = sizeof built_elsewhere;
    *blob = built_elsewhere;
    return dnnl_success;
}

static void counted_release_lease(void *user, size_t id_size, const uint8_t *id)
{
    struct counted *c = user;
    c->stops += id[id_size - 1] == '1';
}

/* Blobs of acquire_lease() are no loans of the store's get(). */
static void release_built(void *user, size_t size, const uint8_t *blob)
{
    struct counted *c = user;
    EXPECT_EQ(sizeof built_elsewhere, size);
    EXPECT_TRUE(blob == built_elsewhere);
    c->loans--;
}

TEST_SCENE(WorkingSet, PassesOnWhoBuilds)
{
    uint8_t id[most_id];
    const uint8_t *blob = NULL;
    size_t size = 0;
    struct dnnl_cache_store_working_set *set = begin(s);
    const dnnl_cache_store_t *c = dnnl_cache_store_working_set_callbacks(set);
    EXPECT_TRUE(c->acquire_lease == NULL && c->release_lease == NULL);
    dnnl_cache_store_working_set_close(set);
    s->counted.callbacks.acquire_lease = counted_acquire_lease;
    s->counted.callbacks.release_lease = counted_release_lease;
    s->counted.callbacks.release = release_built;
    set = begin(s);
    c = dnnl_cache_store_working_set_callbacks(set);
    ASSERT_TRUE(c->acquire_lease != NULL && c->release_lease != NULL);
    EXPECT_OK(c->acquire_lease(c->user, make_id(id, 0), id, &size, &blob));
    s->counted.loans++;
    c->release(c->user, size, blob);
    EXPECT_EQ(dnnl_cache_miss,
            c->acquire_lease(c->user, make_id(id, 1), id, &size, &blob));
    c->release_lease(c->user, make_id(id, 1), id);
    EXPECT_EQ(2, s->counted.waits);
    EXPECT_EQ(1, s->counted.stops);
    EXPECT_EQ(1, told(set).asked); /* what another host built is needed here */
    dnnl_cache_store_working_set_close(set);
}

/* ---- Lists of unknown origin --------------------------------------------- */

struct found_list {
    size_t id_size, size;
    uint8_t *id, *list;
};

static bool take_list(void *user, const struct dnnl_cache_store_entry *item)
{
    struct found_list *found = user;
    if (!dnnl_cache_store_working_set_is_list(item->id_size, item->id))
        return true;
    found->id_size = item->id_size;
    found->id = malloc(item->id_size);
    memcpy(found->id, item->id, item->id_size);
    return false;
}

static struct found_list read_list(struct scene *s)
{
    struct found_list found = {0, 0, NULL, NULL};
    const dnnl_cache_store_t *c = s->counted.inner;
    const uint8_t *blob;
    EXPECT_OK(dnnl_cache_store_iterate(s->store, take_list, &found));
    if (found.id == NULL) return found;
    EXPECT_OK(c->get(c->user, found.id_size, found.id, &found.size, &blob));
    found.list = malloc(found.size);
    memcpy(found.list, blob, found.size);
    c->release(c->user, found.size, blob);
    return found;
}

static void count_id(void *user, size_t id_size, const uint8_t *id)
{
    size_t *count = user;
    *count += id_size > 1100 && id[0] == 'd';
}

/* A short list stands for long IDs: each has all of the one before. */
TEST_C(WorkingSet, ListsThatStandForTooMuchAreNone)
{
    enum { most = 100 };
    static uint8_t text[working_set_most_id_bytes];
    struct working_set_id ids[most];
    const size_t fit = working_set_most_bytes / working_set_most_id_bytes;
    memset(text, 'e', sizeof text);
    for (size_t count = fit - 1; count <= most; count += most - fit + 1) {
        size_t size = 0;
        size_t read = 0;
        for (size_t i = 0; i < count; i++)
            ids[i] = (struct working_set_id){sizeof text - i, text};
        uint8_t *list = working_set_list_write(&size, count, ids);
        ASSERT_NOT_NULL(list);
        EXPECT_EQ(count < fit ? dnnl_success : dnnl_cache_blob_corrupt,
                dnnl_cache_store_working_set_read_list(
                        size, list, count_id, &read));
        free(list);
    }
}

TEST_SCENE(WorkingSet, DamagedListsAreNone)
{
    start_cold(s);
    struct found_list f = read_list(s);
    ASSERT_NOT_NULL(f.list);
    size_t count = 0;
    EXPECT_OK(dnnl_cache_store_working_set_read_list(
            f.size, f.list, count_id, &count));
    EXPECT_EQ(programs, count);
    /* What IDs have in common is there once. */
    EXPECT_TRUE(f.size < (size_t)2 * 1100 + programs * 32);
    for (size_t i = 0; i < f.size; i++) {
        uint8_t *cut = malloc(i + 1);
        memcpy(cut, f.list, i);
        EXPECT_EQ(
                dnnl_cache_blob_corrupt, dnnl_cache_store_working_set_read_list(
                                                 i, cut, count_id, &count));
        free(cut);
        f.list[i] ^= 0x40;
        EXPECT_EQ(
                i == 15 ? dnnl_cache_blob_unsupported : dnnl_cache_blob_corrupt,
                dnnl_cache_store_working_set_read_list(
                        f.size, f.list, count_id, &count));
        f.list[i] ^= 0x40;
    }
    /* In a store it is removed, and nothing is brought. */
    f.list[f.size / 2] ^= 1;
    const dnnl_cache_store_t *c = s->counted.inner;
    EXPECT_OK(c->put(c->user, f.id_size, f.id, f.size, f.list, NULL));
    struct dnnl_cache_store_working_set *set = begin(s);
    EXPECT_EQ(0, told(set).brought);
    EXPECT_EQ(1, s->counted.removes);
    EXPECT_EQ(5, get_program(set, 5));
    dnnl_cache_store_working_set_close(set);
    free(f.id);
    free(f.list);
}

TEST_SCENE(WorkingSet, RefusesWhatMakesNoSense)
{
    struct dnnl_cache_store_working_set *set = NULL;
    char name[257];
    memset(name, 'n', 256);
    name[256] = '\0';
    const dnnl_cache_store_t nothing = DNNL_CACHE_STORE_INIT;
    struct dnnl_cache_store_working_set_options wrong[5];
    for (int i = 0; i < 5; i++)
        wrong[i] = s->options;
    wrong[0].application = "";
    wrong[1].application = name;
    wrong[2].application = NULL;
    wrong[3].store = &nothing;
    wrong[4].device_id_size = 1;
    for (int i = 0; i < 5; i++)
        EXPECT_EQ(dnnl_invalid_arguments,
                dnnl_cache_store_working_set_open(&set, &wrong[i]));
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_store_working_set_open(&set, NULL));
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_store_working_set_open(NULL, &s->options));
    EXPECT_EQ(dnnl_invalid_arguments, dnnl_cache_store_working_set_save(NULL));
    EXPECT_TRUE(set == NULL);
    dnnl_cache_store_working_set_close(NULL);
}

/* ---- Threads ------------------------------------------------------------- */

struct worker {
    struct dnnl_cache_store_working_set *set;
    int hits;
};

static void *ask_for_all(void *user)
{
    struct worker *w = user;
    for (int i = 0; i < programs; i++)
        w->hits += get_program(w->set, i) == i;
    return NULL;
}

/* What other threads were doing is no matter of a child's. */
TEST_SCENE(WorkingSetThreads, MayFork)
{
    enum { threads = 2, children = 20 };
    start_cold(s);
    s->options.store = s->counted.inner;
    struct dnnl_cache_store_working_set *set = begin(s);
    struct worker workers[threads];
    pthread_t ids[threads];
    for (int i = 0; i < threads; i++) {
        workers[i] = (struct worker){set, 0};
        EXPECT_EQ(0, pthread_create(&ids[i], NULL, ask_for_all, &workers[i]));
    }
    for (int i = 0; i < children; i++) {
        int status = -1;
        const pid_t child = fork();
        if (child == 0) {
            (void)alarm(60);
            _exit(get_program(set, i) == i ? 0 : 1);
        }
        while (waitpid(child, &status, 0) < 0)
            ;
        EXPECT_EQ(0, status);
    }
    for (int i = 0; i < threads; i++) {
        EXPECT_EQ(0, pthread_join(ids[i], NULL));
        EXPECT_EQ(programs, workers[i].hits);
    }
    dnnl_cache_store_working_set_close(set);
}

TEST_SCENE(WorkingSetThreads, ShareASet)
{
    enum { threads = 4 };
    start_cold(s);
    s->options.store = s->counted.inner; /* the counts are for one thread */
    struct dnnl_cache_store_working_set *set = begin(s);
    struct worker workers[threads];
    pthread_t ids[threads];
    for (int i = 0; i < threads; i++) {
        workers[i] = (struct worker){set, 0};
        EXPECT_EQ(0, pthread_create(&ids[i], NULL, ask_for_all, &workers[i]));
    }
    for (int i = 0; i < threads; i++) {
        EXPECT_EQ(0, pthread_join(ids[i], NULL));
        EXPECT_EQ(programs, workers[i].hits);
    }
    EXPECT_EQ(programs, told(set).given);
    dnnl_cache_store_working_set_close(set);
}
