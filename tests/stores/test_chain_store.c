/* SPDX-License-Identifier: Apache-2.0 */
/* Several stores, asked one after the other: fakes that fail, lie and dawdle,
 * and real ones. */
#include "dnnl_cache/chain_store.h"

#include "store_suite.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- A member that can be told to misbehave ------------------------------ */

enum { fake_entries = 64, fake_blob = 40 };

struct fake {
    dnnl_cache_store_t callbacks;
    pthread_mutex_t lock;
    unsigned numbers[fake_entries]; /* the IDs' numbers + 1, 0: free */
    unsigned versions[fake_entries];
    dnnl_status_t answer; /* to everything, unless it is dnnl_success */
    bool lies;            /* "found", without bytes */
    uint64_t delay_ns;    /* of the fake clock */
    atomic_int gets, puts, removes, releases, many_calls, many_asked;
    int handed_out;
    uint64_t last_compile_ns;
};

static atomic_uint_fast64_t clock_ns;

static uint64_t read_clock(void *unused)
{
    (void)unused;
    return atomic_load(&clock_ns);
}

static unsigned number_of(size_t id_size, const uint8_t *id)
{
    char text[32];
    unsigned number = 0;
    snprintf(text, sizeof text, "%.*s", (int)id_size, (const char *)id);
    if (sscanf(text, "id %u", &number) != 1) abort();
    return number;
}

static void dawdle(const struct fake *f)
{
    atomic_fetch_add(&clock_ns, f->delay_ns);
}

static int find_locked(const struct fake *f, unsigned number)
{
    for (int i = 0; i < fake_entries; i++)
        if (f->numbers[i] == number + 1) return i;
    return -1;
}

static dnnl_status_t fake_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct fake *f = user;
    f->gets++;
    dawdle(f);
    if (f->answer != dnnl_success) return f->answer;
    if (f->lies) return dnnl_success;
    const unsigned number = number_of(id_size, id);
    pthread_mutex_lock(&f->lock);
    const int at = find_locked(f, number);
    uint8_t *bytes = NULL;
    if (at >= 0) {
        bytes = malloc(fake_blob);
        memset(bytes, (int)number, fake_blob);
        bytes[0] = (uint8_t)f->versions[at];
        f->handed_out++;
    }
    pthread_mutex_unlock(&f->lock);
    if (bytes == NULL) return dnnl_cache_miss;
    *size = fake_blob;
    *blob = bytes;
    return dnnl_success;
}

static void fake_release(void *user, size_t size, const uint8_t *blob)
{
    struct fake *f = user;
    EXPECT_EQ(fake_blob, size);
    pthread_mutex_lock(&f->lock);
    f->handed_out--;
    pthread_mutex_unlock(&f->lock);
    f->releases++;
    free((uint8_t *)(uintptr_t)blob);
}

static dnnl_status_t fake_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct fake *f = user;
    f->puts++;
    dawdle(f);
    if (f->answer != dnnl_success) return f->answer;
    const unsigned number = number_of(id_size, id);
    EXPECT_EQ(fake_blob, size);
    EXPECT_EQ(number & 0xff, blob[size - 1]);
    pthread_mutex_lock(&f->lock);
    int at = find_locked(f, number);
    for (int i = 0; i < fake_entries && at < 0; i++)
        if (f->numbers[i] == 0) at = i;
    if (at >= 0) {
        f->numbers[at] = number + 1;
        f->versions[at] = blob[0];
    }
    f->last_compile_ns = metadata != NULL ? metadata->compile_ns : 0;
    pthread_mutex_unlock(&f->lock);
    return dnnl_success;
}

static dnnl_status_t fake_remove(void *user, size_t id_size, const uint8_t *id)
{
    struct fake *f = user;
    f->removes++;
    dawdle(f);
    if (f->answer != dnnl_success) return f->answer;
    pthread_mutex_lock(&f->lock);
    const int at = find_locked(f, number_of(id_size, id));
    if (at >= 0) f->numbers[at] = 0;
    pthread_mutex_unlock(&f->lock);
    return dnnl_success;
}

static dnnl_status_t fake_get_many(void *user, size_t count,
        const size_t *id_sizes, const uint8_t *const *ids, size_t *sizes,
        const uint8_t **blobs)
{
    struct fake *f = user;
    bool any = false;
    f->many_calls++;
    f->many_asked += (int)count;
    for (size_t i = 0; i < count; i++) {
        EXPECT_EQ(0, sizes[i]);
        EXPECT_NULL(blobs[i]);
        const dnnl_status_t st =
                fake_get(user, id_sizes[i], ids[i], &sizes[i], &blobs[i]);
        f->gets--;
        if (st != dnnl_success && st != dnnl_cache_miss) return st;
        any = any || st == dnnl_success;
    }
    return any ? dnnl_success : dnnl_cache_miss;
}

static void fake_init(struct fake *f)
{
    memset(f, 0, sizeof *f);
    pthread_mutex_init(&f->lock, NULL);
    f->callbacks = (dnnl_cache_store_t){
            .struct_size = sizeof f->callbacks,
            .user = f,
            .get = fake_get,
            .release = fake_release,
            .put = fake_put,
            .remove = fake_remove,
            .get_many = fake_get_many,
    };
}

/* ---- A chain of three ---------------------------------------------------- */

enum { seed, local, far, fakes };

static const enum dnnl_cache_store_chain_role usual_roles[fakes] = {
        dnnl_cache_store_chain_role_read, dnnl_cache_store_chain_role_write,
        dnnl_cache_store_chain_role_write};

static struct dnnl_cache_store_chain_options test_chain_options(void)
{
    struct dnnl_cache_store_chain_options options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    options.retry_after_ns = 1000;
    options.now_ns = read_clock;
    return options;
}

static dnnl_cache_store_handle_t *open_chain(struct fake f[fakes],
        const enum dnnl_cache_store_chain_role roles[fakes],
        const struct dnnl_cache_store_chain_options *options)
{
    static const char *const names[fakes] = {"seed", "local", "far"};
    struct dnnl_cache_store_chain_member members[fakes];
    dnnl_cache_store_handle_t *store = NULL;
    atomic_store(&clock_ns, 1);
    for (int i = 0; i < fakes; i++) {
        fake_init(&f[i]);
        members[i] = (struct dnnl_cache_store_chain_member){
                .struct_size = sizeof(struct dnnl_cache_store_chain_member),
                .name = names[i],
                .callbacks = &f[i].callbacks,
                .role = roles[i]};
    }
    EXPECT_OK(dnnl_cache_store_open_chain(&store, members, fakes, options));
    return store;
}

static void close_chain(dnnl_cache_store_handle_t *store, struct fake f[fakes])
{
    dnnl_cache_store_close(store);
    for (int i = 0; i < fakes; i++)
        EXPECT_EQ(0, f[i].handed_out);
}

/* A test with a chain of the usual roles. */
#define TEST_CHAIN(suite, name)                                       \
    static void suite##_##name##_of(                                  \
            dnnl_cache_store_handle_t *store, struct fake *f);        \
    TEST_C(suite, name)                                               \
    {                                                                 \
        struct fake f[fakes];                                         \
        const struct dnnl_cache_store_chain_options options =         \
                test_chain_options();                                 \
        dnnl_cache_store_handle_t *store =                            \
                open_chain(f, usual_roles, &options);                 \
        suite##_##name##_of(store, f);                                \
        close_chain(store, f);                                        \
    }                                                                 \
    static void suite##_##name##_of(dnnl_cache_store_handle_t *store, \
            struct fake *f __attribute__((unused)))

static size_t make_id(char id[32], unsigned number)
{
    return (size_t)snprintf(id, 32, "id %u", number);
}

static dnnl_status_t put_version(
        const dnnl_cache_store_t *s, unsigned number, unsigned version)
{
    char id[32];
    uint8_t blob[fake_blob];
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    metadata.compile_ns = 5000;
    const size_t size = make_id(id, number);
    memset(blob, (int)number, sizeof blob);
    blob[0] = (uint8_t)version;
    return s->put(
            s->user, size, (const uint8_t *)id, sizeof blob, blob, &metadata);
}

/* The version that is found, -1 for a miss, -2 for a failure. */
static int get_version(dnnl_cache_store_handle_t *store, unsigned number)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    char id[32];
    const uint8_t *blob;
    size_t size;
    const size_t id_size = make_id(id, number);
    const dnnl_status_t st =
            s->get(s->user, id_size, (const uint8_t *)id, &size, &blob);
    if (st == dnnl_cache_miss) return -1;
    if (st != dnnl_success) return -2;
    const int version = blob[0];
    EXPECT_EQ(fake_blob, size);
    EXPECT_EQ(number & 0xff, blob[size - 1]);
    s->release(s->user, size, blob);
    return version;
}

static bool has(const struct fake *f, unsigned number)
{
    return find_locked(f, number) >= 0;
}

static struct dnnl_cache_store_chain_member_statistics member_statistics(
        dnnl_cache_store_handle_t *store, size_t member)
{
    struct dnnl_cache_store_chain_member_statistics statistics =
            DNNL_CACHE_STORE_CHAIN_MEMBER_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_store_chain_get_member_statistics(
            store, member, &statistics));
    return statistics;
}

/* ---- Looking up ---------------------------------------------------------- */

TEST_CHAIN(ChainStore, AsksTheNearestFirst)
{
    ASSERT_NOT_NULL(store);
    for (int i = 0; i < fakes; i++)
        for (unsigned n = (unsigned)i; n < fakes; n++)
            EXPECT_OK(put_version(&f[i].callbacks, n, (unsigned)i + 10));
    EXPECT_EQ(10, get_version(store, 0));
    EXPECT_EQ(10, get_version(store, 2));
    EXPECT_EQ(2, f[seed].gets);
    EXPECT_EQ(0, f[local].gets);
    EXPECT_EQ(2, f[seed].releases); /* whose they were */
    EXPECT_EQ(-1, get_version(store, 9));
    EXPECT_EQ(1, f[far].gets);
    EXPECT_EQ(2, statistics_of(store).hits);
    EXPECT_EQ(1, statistics_of(store).misses);
    EXPECT_EQ(2, member_statistics(store, seed).hits);
    EXPECT_EQ(1, member_statistics(store, far).misses);
}

TEST_CHAIN(ChainStore, FillsBackWhatIsFoundFurtherOut)
{
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_version(&f[far].callbacks, 5, 77));
    EXPECT_EQ(77, get_version(store, 5));
    EXPECT_EQ(1, f[far].releases);
    EXPECT_FALSE(has(&f[seed], 5));
    EXPECT_TRUE(has(&f[local], 5));
    EXPECT_EQ(0, f[seed].puts);
    EXPECT_EQ(1, member_statistics(store, local).fills);
    EXPECT_EQ(0, member_statistics(store, local).puts);
    EXPECT_EQ(77, get_version(store, 5)); /* from the nearer one */
    EXPECT_EQ(1, f[far].gets);
    EXPECT_EQ(1, f[local].releases);
    /* That it cannot be filled is no failure of the get. */
    EXPECT_OK(put_version(&f[far].callbacks, 6, 78));
    f[local].callbacks.put = NULL; /* copied: not looked at */
    f[local].answer = dnnl_runtime_error;
    EXPECT_EQ(78, get_version(store, 6));
    EXPECT_EQ(2, member_statistics(store, local).failures); /* get, put */
}

TEST_C(ChainStore, PutsWhereItMay)
{
    static const enum dnnl_cache_store_chain_role roles[fakes] = {
            dnnl_cache_store_chain_role_read, dnnl_cache_store_chain_role_fill,
            dnnl_cache_store_chain_role_write};
    struct fake f[fakes];
    const struct dnnl_cache_store_chain_options options = test_chain_options();
    dnnl_cache_store_handle_t *store = open_chain(f, roles, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_version(dnnl_cache_store_get_callbacks(store), 1, 20));
    EXPECT_FALSE(has(&f[seed], 1));
    EXPECT_FALSE(has(&f[local], 1));
    EXPECT_TRUE(has(&f[far], 1));
    EXPECT_EQ(5000, f[far].last_compile_ns);
    EXPECT_EQ(20, get_version(store, 1));
    EXPECT_TRUE(has(&f[local], 1));
    EXPECT_EQ(0, f[local].last_compile_ns);
    /* A new blob is not hidden by the copy of the old one. */
    EXPECT_OK(put_version(dnnl_cache_store_get_callbacks(store), 1, 21));
    EXPECT_FALSE(has(&f[local], 1));
    EXPECT_EQ(21, get_version(store, 1));
    EXPECT_EQ(2, statistics_of(store).puts);
    EXPECT_EQ(2, member_statistics(store, far).puts);
    EXPECT_OK(remove_id(store, "id 1"));
    EXPECT_EQ(0, f[seed].removes);
    EXPECT_FALSE(has(&f[local], 1));
    EXPECT_FALSE(has(&f[far], 1));
    EXPECT_EQ(1, statistics_of(store).removes);
    close_chain(store, f);
}

/* A seed with a bad blob does not win against what was put because of it. */
TEST_CHAIN(ChainStore, FindsWhatWasPutBeforeTheSeeds)
{
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_version(&f[seed].callbacks, 1, 10));
    EXPECT_EQ(10, get_version(store, 1));
    EXPECT_OK(put_version(dnnl_cache_store_get_callbacks(store), 1, 20));
    EXPECT_EQ(20, get_version(store, 1));
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    char id[32];
    const size_t id_size = make_id(id, 1);
    const uint8_t *ids[] = {(const uint8_t *)id};
    const uint8_t *blobs[] = {NULL};
    size_t sizes[] = {0};
    EXPECT_OK(s->get_many(s->user, 1, &id_size, ids, sizes, blobs));
    ASSERT_NOT_NULL(blobs[0]);
    EXPECT_EQ(20, blobs[0][0]);
    s->release(s->user, sizes[0], blobs[0]);
    /* Once it is gone from there, the seed's is better than none. */
    EXPECT_OK(remove_id(store, "id 1"));
    EXPECT_EQ(10, get_version(store, 1));
}

static dnnl_status_t can_put(dnnl_cache_store_handle_t *store)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    return s->can_put(s->user);
}

TEST_C(ChainStore, WithoutWritersNothingIsKept)
{
    static const enum dnnl_cache_store_chain_role roles[fakes] = {
            dnnl_cache_store_chain_role_read, dnnl_cache_store_chain_role_fill,
            dnnl_cache_store_chain_role_read};
    struct fake f[fakes];
    const struct dnnl_cache_store_chain_options options = test_chain_options();
    dnnl_cache_store_handle_t *store = open_chain(f, roles, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_version(dnnl_cache_store_get_callbacks(store), 1, 20));
    EXPECT_EQ(0, f[seed].puts + f[local].puts + f[far].puts);
    EXPECT_EQ(1, statistics_of(store).puts_read_only);
    EXPECT_EQ(0, statistics_of(store).puts);
    EXPECT_EQ(-1, get_version(store, 1));
    EXPECT_STATUS(dnnl_unimplemented, can_put(store));
    close_chain(store, f);
}

TEST_CHAIN(ChainStore, CanKeepWhatOneOfItsWritersCan)
{
    ASSERT_NOT_NULL(store);
    EXPECT_OK(can_put(store));
}

/* ---- Many at once -------------------------------------------------------- */

TEST_C(ChainStore, AsksTheNextOneForWhatIsMissing)
{
    enum { count = 12 };
    for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
        struct fake f[fakes];
        const struct dnnl_cache_store_chain_options options =
                test_chain_options();
        dnnl_cache_store_handle_t *store = open_chain(f, usual_roles, &options);
        ASSERT_NOT_NULL(store);
        if (one_by_one != 0) {
            struct dnnl_cache_store_chain_member members[fakes];
            dnnl_cache_store_close(store);
            for (int i = 0; i < fakes; i++) {
                if (i == local) f[i].callbacks.get_many = NULL;
                members[i] = (struct dnnl_cache_store_chain_member){
                        .struct_size =
                                sizeof(struct dnnl_cache_store_chain_member),
                        .callbacks = &f[i].callbacks,
                        .role = usual_roles[i]};
            }
            ASSERT_OK(dnnl_cache_store_open_chain(
                    &store, members, fakes, &options));
        }
        for (unsigned n = 0; n < count - 1; n++)
            EXPECT_OK(put_version(&f[n % fakes].callbacks, n, n + 100));
        const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
        char texts[count][32];
        size_t id_sizes[count];
        const uint8_t *ids[count];
        size_t sizes[count] = {0};
        const uint8_t *blobs[count] = {NULL};
        for (unsigned n = 0; n < count; n++) {
            id_sizes[n] = make_id(texts[n], n);
            ids[n] = (const uint8_t *)texts[n];
        }
        EXPECT_OK(s->get_many(s->user, count, id_sizes, ids, sizes, blobs));
        for (unsigned n = 0; n < count - 1; n++) {
            ASSERT_NOT_NULL(blobs[n]);
            EXPECT_EQ(fake_blob, sizes[n]);
            EXPECT_EQ(n + 100, blobs[n][0]);
            s->release(s->user, sizes[n], blobs[n]);
        }
        EXPECT_NULL(blobs[count - 1]);
        EXPECT_EQ(0, sizes[count - 1]);
        EXPECT_EQ(1, f[seed].many_calls);
        EXPECT_EQ(count, f[seed].many_asked);
        EXPECT_EQ(one_by_one != 0 ? 0 : count - 4, f[local].many_asked);
        EXPECT_EQ(one_by_one != 0 ? count - 4 : 0, f[local].gets);
        EXPECT_EQ(count - 8, f[far].many_asked);
        EXPECT_EQ(4, f[seed].releases);
        EXPECT_EQ(4, f[local].releases);
        EXPECT_EQ(3, f[far].releases);
        EXPECT_EQ(3, member_statistics(store, local).fills);
        EXPECT_EQ(count - 1, statistics_of(store).hits);
        EXPECT_EQ(1, statistics_of(store).misses);
        EXPECT_EQ(1, member_statistics(store, far).misses);
        close_chain(store, f);
    }
}

TEST_CHAIN(ChainStore, ManyOfAFailingMemberComeFromTheOthers)
{
    ASSERT_NOT_NULL(store);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    char id[32];
    const size_t id_size = make_id(id, 3);
    const uint8_t *ids[] = {(const uint8_t *)id};
    const uint8_t *blobs[] = {NULL};
    size_t sizes[] = {0};
    EXPECT_OK(put_version(&f[far].callbacks, 3, 9));
    f[seed].answer = dnnl_runtime_error;
    f[local].lies = true;
    EXPECT_OK(s->get_many(s->user, 1, &id_size, ids, sizes, blobs));
    ASSERT_NOT_NULL(blobs[0]);
    EXPECT_EQ(9, blobs[0][0]);
    s->release(s->user, sizes[0], blobs[0]);
    EXPECT_EQ(1, member_statistics(store, seed).failures);
    blobs[0] = NULL;
    sizes[0] = 0;
    f[local].lies = false;
    f[local].answer = f[far].answer = dnnl_unimplemented;
    EXPECT_STATUS(dnnl_runtime_error,
            s->get_many(s->user, 1, &id_size, ids, sizes, blobs));
    EXPECT_NULL(blobs[0]);
}

/* ---- Failing members ----------------------------------------------------- */

TEST_CHAIN(ChainStore, SkipsAFailingMemberAndTriesItAgain)
{
    ASSERT_NOT_NULL(store);
    f[local].answer = dnnl_runtime_error;
    EXPECT_EQ(-1, get_version(store, 1)); /* the others have answered */
    EXPECT_EQ(-1, get_version(store, 1));
    EXPECT_FALSE(member_statistics(store, local).is_skipped);
    EXPECT_EQ(-1, get_version(store, 1));
    EXPECT_TRUE(member_statistics(store, local).is_skipped);
    EXPECT_EQ(3, f[local].gets);
    for (int i = 0; i < 5; i++)
        EXPECT_EQ(-1, get_version(store, 1));
    EXPECT_OK(put_version(
            dnnl_cache_store_get_callbacks(store), 1, 20)); /* into far */
    EXPECT_EQ(3, f[local].gets);
    EXPECT_EQ(0, f[local].puts);
    EXPECT_EQ(6, member_statistics(store, local).skipped);
    EXPECT_STATUS(dnnl_runtime_error, remove_id(store, "id 1"));
    EXPECT_EQ(1, f[local].removes); /* tried all the same */

    /* One call after the time, then none again. */
    atomic_fetch_add(&clock_ns, 1000);
    EXPECT_EQ(-1, get_version(store, 1));
    EXPECT_EQ(-1, get_version(store, 1));
    EXPECT_EQ(4, f[local].gets);
    atomic_fetch_add(&clock_ns, 999);
    EXPECT_EQ(-1, get_version(store, 1));
    EXPECT_EQ(4, f[local].gets);
    /* Well again, it is back at once. */
    f[local].answer = dnnl_success;
    atomic_fetch_add(&clock_ns, 1);
    EXPECT_EQ(-1, get_version(store, 1));
    EXPECT_EQ(-1, get_version(store, 1));
    EXPECT_EQ(6, f[local].gets);
    EXPECT_FALSE(member_statistics(store, local).is_skipped);
    EXPECT_EQ(5, member_statistics(store, local).failures);
}

TEST_CHAIN(ChainStore, FailuresHaveToBeInARow)
{
    ASSERT_NOT_NULL(store);
    for (int i = 0; i < 12; i++) {
        f[local].answer = i % 3 != 2 ? dnnl_runtime_error : dnnl_success;
        EXPECT_EQ(-1, get_version(store, 1));
    }
    EXPECT_EQ(12, f[local].gets);
    EXPECT_EQ(8, member_statistics(store, local).failures);
    /* Nor is it the member's fault if memory runs out. */
    f[local].answer = dnnl_out_of_memory;
    for (int i = 0; i < 12; i++)
        EXPECT_EQ(-1, get_version(store, 1));
    EXPECT_EQ(24, f[local].gets);
    EXPECT_EQ(8, member_statistics(store, local).failures);
}

TEST_CHAIN(ChainStore, LiesAreFailures)
{
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_version(&f[far].callbacks, 1, 30));
    f[seed].lies = true; /* found, without bytes */
    f[local].answer = (dnnl_status_t)4711;
    for (int i = 0; i < 5; i++)
        EXPECT_EQ(30, get_version(store, 1));
    EXPECT_EQ(3, f[seed].gets);
    EXPECT_TRUE(member_statistics(store, seed).is_skipped);
    EXPECT_TRUE(member_statistics(store, local).is_skipped);
    /* put cannot miss. */
    f[far].answer = dnnl_cache_miss;
    EXPECT_STATUS(dnnl_runtime_error,
            put_version(dnnl_cache_store_get_callbacks(store), 2, 1));
    EXPECT_EQ(1, member_statistics(store, far).failures);
}

TEST_C(ChainStore, SlowCallsAreFailures)
{
    struct fake f[fakes];
    struct dnnl_cache_store_chain_options options = test_chain_options();
    options.slow_ns = 50;
    dnnl_cache_store_handle_t *store = open_chain(f, usual_roles, &options);
    ASSERT_NOT_NULL(store);
    EXPECT_OK(put_version(&f[seed].callbacks, 1, 30));
    EXPECT_OK(put_version(&f[far].callbacks, 1, 31));
    f[seed].delay_ns = 50; /* not yet */
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(30, get_version(store, 1));
    EXPECT_EQ(0, member_statistics(store, seed).slow);
    f[seed].delay_ns = 51;
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(30, get_version(store, 1)); /* late is better than never */
    EXPECT_EQ(3, member_statistics(store, seed).slow);
    EXPECT_EQ(3, member_statistics(store, seed).failures);
    EXPECT_TRUE(member_statistics(store, seed).is_skipped);
    EXPECT_EQ(31, get_version(store, 1));
    EXPECT_EQ(7, f[seed].gets);
    close_chain(store, f);
}

TEST_CHAIN(ChainStore, FailsIfAllFail)
{
    ASSERT_NOT_NULL(store);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    const uint8_t *blob = NULL;
    size_t size = 7;
    f[seed].answer = dnnl_runtime_error;
    f[local].answer = dnnl_unimplemented;
    f[far].answer = dnnl_unimplemented;
    EXPECT_STATUS(dnnl_runtime_error,
            s->get(s->user, 4, (const uint8_t *)"id 1", &size, &blob));
    EXPECT_EQ(7, size);
    EXPECT_NULL(blob);
    EXPECT_STATUS(dnnl_unimplemented, put_version(s, 1, 1));
    EXPECT_EQ(1, statistics_of(store).puts_failed);
    EXPECT_STATUS(dnnl_unimplemented, remove_id(store, "id 1"));
    /* All skipped: nobody knows of anything. */
    EXPECT_EQ(-2, get_version(store, 1));
    EXPECT_EQ(-2, get_version(store, 1));
    EXPECT_EQ(-1, get_version(store, 1));
    EXPECT_OK(put_version(s, 1, 1));
}

TEST_C(ChainStore, RefusesWhatMakesNoSense)
{
    dnnl_cache_store_handle_t *store =
            (dnnl_cache_store_handle_t *)&store; /* must stay untouched */
    dnnl_cache_store_handle_t *const untouched = store;
    const struct dnnl_cache_store_chain_options options = test_chain_options();
    struct fake f;
    fake_init(&f);
    struct dnnl_cache_store_chain_member member = {
            .struct_size = sizeof(struct dnnl_cache_store_chain_member),
            .callbacks = &f.callbacks,
            .role = dnnl_cache_store_chain_role_write};
    const dnnl_status_t bad = dnnl_invalid_arguments;
    EXPECT_STATUS(bad, dnnl_cache_store_open_chain(NULL, &member, 1, &options));
    EXPECT_STATUS(bad, dnnl_cache_store_open_chain(&store, NULL, 1, &options));
    EXPECT_STATUS(
            bad, dnnl_cache_store_open_chain(&store, &member, 0, &options));
    EXPECT_STATUS(bad, dnnl_cache_store_open_chain(&store, &member, 1, NULL));
    member.role = (enum dnnl_cache_store_chain_role)3;
    EXPECT_STATUS(
            bad, dnnl_cache_store_open_chain(&store, &member, 1, &options));
    member.role = dnnl_cache_store_chain_role_read;
    member.store = untouched;
    EXPECT_STATUS(
            bad, dnnl_cache_store_open_chain(&store, &member, 1, &options));
    member.store = NULL;
    f.callbacks.release = NULL;
    EXPECT_STATUS(
            bad, dnnl_cache_store_open_chain(&store, &member, 1, &options));
    f.callbacks.release = fake_release;
    f.callbacks.struct_size = 16;
    EXPECT_STATUS(
            bad, dnnl_cache_store_open_chain(&store, &member, 1, &options));
    EXPECT_PTR_EQ(untouched, store);
    /* A struct of before get_many. */
    f.callbacks.struct_size = offsetof(dnnl_cache_store_t, get_many);
    ASSERT_OK(dnnl_cache_store_open_chain(&store, &member, 1, &options));
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    const uint8_t *blob;
    size_t size;
    EXPECT_STATUS(bad, s->get(s->user, 0, s->user, &size, &blob));
    EXPECT_STATUS(bad, s->put(s->user, 1, s->user, 0, s->user, NULL));
    EXPECT_STATUS(bad, s->remove(s->user, 1, NULL));
    EXPECT_STATUS(bad, s->get_many(s->user, 0, NULL, NULL, NULL, NULL));
    struct dnnl_cache_store_chain_member_statistics statistics =
            DNNL_CACHE_STORE_CHAIN_MEMBER_STATISTICS_INIT;
    EXPECT_STATUS(bad, dnnl_cache_store_chain_get_member_statistics(
                               store, 1, &statistics));
    EXPECT_STATUS(
            bad, dnnl_cache_store_chain_get_member_statistics(store, 0, NULL));
    s->release(s->user, 1, s->user); /* nobody's: nothing happens */
    EXPECT_EQ(0, f.releases);
    const size_t id_size = 4;
    const uint8_t *ids[] = {(const uint8_t *)"id 1"};
    const uint8_t *blobs[] = {NULL};
    size_t sizes[] = {0};
    EXPECT_STATUS(dnnl_cache_miss,
            s->get_many(s->user, 1, &id_size, ids, sizes, blobs));
    EXPECT_EQ(0, f.many_calls);
    EXPECT_EQ(1, f.gets);
    dnnl_cache_store_close(store);
}

/* ---- Threads ------------------------------------------------------------- */

struct worker {
    pthread_t thread;
    dnnl_cache_store_handle_t *store;
    uint64_t seed;
    int wrong;
};

static void *work(void *user)
{
    struct worker *w = user;
    for (int i = 0; i < 2000; i++) {
        const unsigned number = (unsigned)(next_random(&w->seed) % 20);
        char id[32];
        make_id(id, number);
        switch (next_random(&w->seed) % 8) {
        case 0:
            (void)remove_id(w->store, id);
            break;
        case 1:
        case 2:
            w->wrong += put_version(dnnl_cache_store_get_callbacks(w->store),
                                number, 1)
                        != dnnl_success;
            break;
        case 3:
            atomic_fetch_add(&clock_ns, 100);
            break;
        default: {
            const int version = get_version(w->store, number);
            w->wrong += version != 1 && version != -1;
            break;
        }
        }
    }
    return NULL;
}

static dnnl_status_t flaky_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct fake *f = user;
    if (f->gets % 7 < 4) {
        f->gets++;
        return dnnl_runtime_error;
    }
    return fake_get(user, id_size, id, size, blob);
}

TEST_C(ChainThreads, ShareAChain)
{
    enum { threads = 6 };
    struct fake f[fakes];
    struct dnnl_cache_store_chain_member members[fakes];
    struct worker workers[threads];
    const struct dnnl_cache_store_chain_options options = test_chain_options();
    const uint64_t first = test_seed();
    dnnl_cache_store_handle_t *store = NULL;
    for (int i = 0; i < fakes; i++) {
        fake_init(&f[i]);
        if (i == local) f[i].callbacks.get = flaky_get;
        members[i] = (struct dnnl_cache_store_chain_member){
                .struct_size = sizeof(struct dnnl_cache_store_chain_member),
                .callbacks = &f[i].callbacks,
                .role = i == seed ? dnnl_cache_store_chain_role_fill
                                  : dnnl_cache_store_chain_role_write};
    }
    ASSERT_OK(dnnl_cache_store_open_chain(&store, members, fakes, &options));
    for (int i = 0; i < threads; i++) {
        workers[i] =
                (struct worker){.store = store, .seed = first + (uint64_t)i};
        ASSERT_EQ(
                0, pthread_create(&workers[i].thread, NULL, work, &workers[i]));
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        EXPECT_EQ(0, workers[i].wrong);
    }
    uint64_t hits = 0;
    for (size_t i = 0; i < fakes; i++)
        hits += member_statistics(store, i).hits;
    EXPECT_EQ(hits, statistics_of(store).hits);
    EXPECT_GT(hits, 1000);
    EXPECT_GT(member_statistics(store, local).failures, 10);
    close_chain(store, f);
}

/* ---- Real stores --------------------------------------------------------- */

static dnnl_cache_store_handle_t *open_real(
        const struct store_kind *kind, const char *name, bool read_only)
{
    char path[path_size];
    struct dnnl_cache_store_options options = test_options();
    options.path = path_in_test(path, name);
    options.read_only = read_only;
    return kind_open(kind, &options);
}

static bool count_item(void *user, const struct dnnl_cache_store_entry *item)
{
    (void)item;
    return --*(int *)user > 0;
}

TEST_C(ChainReal, SeedLocalAndFar)
{
    dnnl_cache_store_handle_t *maker =
            open_real(&pack_kind, "s/seed.pack", false);
    ASSERT_NOT_NULL(maker);
    for (unsigned i = 0; i < 10; i++)
        EXPECT_OK(put_number(maker, i, 1000));
    dnnl_cache_store_close(maker);
    dnnl_cache_store_handle_t *stores[] = {
            open_real(&pack_kind, "s/seed.pack", true),
            open_real(&bucket_kind, "local", false),
            open_real(&pack_kind, "f/far.pack", false)};
    for (unsigned i = 5; i < 20; i++)
        EXPECT_OK(put_number(stores[2], i, 1000));
    const struct dnnl_cache_store_chain_member members[] = {
            {.struct_size = sizeof(struct dnnl_cache_store_chain_member),
                    .store = stores[0],
                    .role = dnnl_cache_store_chain_role_read},
            {.struct_size = sizeof(struct dnnl_cache_store_chain_member),
                    .store = stores[1],
                    .role = dnnl_cache_store_chain_role_fill},
            {.struct_size = sizeof(struct dnnl_cache_store_chain_member),
                    .store = stores[2],
                    .role = dnnl_cache_store_chain_role_write},
    };
    const struct dnnl_cache_store_chain_options options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    ASSERT_OK(dnnl_cache_store_open_chain(&store, members, 3, &options));
    for (unsigned i = 0; i < 20; i++)
        EXPECT_OK(get_number(store, i, 1000));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 20, 1000));
    EXPECT_EQ(10, count_entries(stores[1]));
    EXPECT_EQ(20, count_entries(store)); /* each once */
    for (int stop = 1; stop <= 20; stop += 6) {
        int left = stop;
        EXPECT_OK(dnnl_cache_store_iterate(store, count_item, &left));
        EXPECT_EQ(0, left);
    }
    EXPECT_EQ(statistics_of(stores[0]).bytes + statistics_of(stores[1]).bytes
                      + statistics_of(stores[2]).bytes,
            statistics_of(store).bytes);
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    EXPECT_OK(dnnl_cache_store_verify(store, true, NULL, NULL, &check));
    EXPECT_EQ(10 + 10 + 15, check.intact);
    EXPECT_EQ(0, check.damaged);
    EXPECT_EQ(35000, check.bytes);
    uint64_t removed = 0;
    EXPECT_OK(dnnl_cache_store_trim(
            store, 0, DNNL_CACHE_STORE_AGE_UNLIMITED, &removed));
    EXPECT_EQ(25, removed);
    EXPECT_EQ(10, count_entries(store));

    /* A chain is a member like any other. */
    dnnl_cache_store_handle_t *outer = NULL;
    const struct dnnl_cache_store_chain_member nested = {
            .struct_size = sizeof(struct dnnl_cache_store_chain_member),
            .store = store,
            .role = dnnl_cache_store_chain_role_write};
    ASSERT_OK(dnnl_cache_store_open_chain(&outer, &nested, 1, &options));
    EXPECT_OK(put_number(outer, 30, 1000));
    EXPECT_OK(get_number(outer, 30, 1000));
    EXPECT_OK(get_number(stores[2], 30, 1000));
    dnnl_cache_store_close(outer);
    dnnl_cache_store_close(store);
    for (int i = 0; i < 3; i++)
        dnnl_cache_store_close(stores[i]);
}

TEST_C(ChainReal, TellsOfDamageInAMember)
{
    dnnl_cache_store_handle_t *member = open_real(&bucket_kind, "store", false);
    const struct dnnl_cache_store_chain_member members[] = {
            {.struct_size = sizeof(struct dnnl_cache_store_chain_member),
                    .store = member,
                    .role = dnnl_cache_store_chain_role_write}};
    const struct dnnl_cache_store_chain_options options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    const uint8_t *blob;
    size_t size;
    bool damaged = false;
    ASSERT_OK(dnnl_cache_store_open_chain(&store, members, 1, &options));
    EXPECT_OK(put_number(store, 1, 1000));
    bucket_kind.damage(1, 1000);
    EXPECT_STATUS(dnnl_cache_miss,
            dnnl_cache_store_find(
                    store, 4, (const uint8_t *)"id 1", &size, &blob, &damaged));
    EXPECT_TRUE(damaged);
    EXPECT_STATUS(dnnl_cache_miss,
            dnnl_cache_store_find(
                    store, 4, (const uint8_t *)"id 2", &size, &blob, &damaged));
    EXPECT_FALSE(damaged);
    dnnl_cache_store_close(store);
    dnnl_cache_store_close(member);
}

/* ---- fork() -------------------------------------------------------------- */

/* The malloc() of AddressSanitizer waits in the child for threads that are not
 * there. */
#ifndef __SANITIZE_ADDRESS__

/* Takes no time and no lock, so that the threads are in the chain's. */
static dnnl_status_t get_at_once(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    static const uint8_t bytes[1] = {0};
    (void)user;
    (void)id_size;
    (void)id;
    *size = sizeof bytes;
    *blob = bytes;
    return dnnl_success;
}

static void release_nothing(void *user, size_t size, const uint8_t *blob)
{
    (void)user;
    (void)size;
    (void)blob;
}

static dnnl_status_t get_and_release(dnnl_cache_store_handle_t *store)
{
    static const uint8_t id[4] = {1, 2, 3, 4};
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    size_t size;
    const uint8_t *blob;
    const dnnl_status_t st = s->get(s->user, sizeof id, id, &size, &blob);
    if (st == dnnl_success) s->release(s->user, size, blob);
    return st;
}

struct getter {
    dnnl_cache_store_handle_t *store;
    atomic_bool *stop;
    pthread_t thread;
};

static void *get_on(void *argument)
{
    struct getter *getter = argument;
    while (!atomic_load(getter->stop))
        (void)get_and_release(getter->store);
    return NULL;
}

static int get_in_child(void *user)
{
    (void)alarm(60); /* ends a child that waits for a lock that nobody frees */
    return get_and_release(user) == dnnl_success ? 0 : 1;
}

TEST_C(ChainStore, ForksAmidThreads)
{
    enum { threads = 3, forks = 100 };
    const dnnl_cache_store_t callbacks = {.struct_size = sizeof callbacks,
            .get = get_at_once,
            .release = release_nothing,
            .put = put_nothing,
            .remove = remove_nothing};
    const struct dnnl_cache_store_chain_member member = {
            .struct_size = sizeof(struct dnnl_cache_store_chain_member),
            .callbacks = &callbacks,
            .role = dnnl_cache_store_chain_role_write};
    const struct dnnl_cache_store_chain_options options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    struct getter getters[threads];
    atomic_bool stop = false;
    int ended = 0;
    ASSERT_OK(dnnl_cache_store_open_chain(&store, &member, 1, &options));
    for (int i = 0; i < threads; i++) {
        getters[i] = (struct getter){.store = store, .stop = &stop};
        EXPECT_EQ(0,
                pthread_create(&getters[i].thread, NULL, get_on, &getters[i]));
    }
    while (ended < forks && in_child(get_in_child, store) == 0)
        ended++;
    EXPECT_EQ(forks, ended);
    atomic_store(&stop, true);
    for (int i = 0; i < threads; i++)
        EXPECT_EQ(0, pthread_join(getters[i].thread, NULL));
    dnnl_cache_store_close(store);
}

#endif /* __SANITIZE_ADDRESS__ */
