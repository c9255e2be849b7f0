/* SPDX-License-Identifier: Apache-2.0 */
/* One compilation for many hosts: each host is a store with connections of its
 * own on one real redis-server, and compiling is counting and sleeping. */
#include "dnnl_cache/remote_store.h"
#include "lease_helpers.h"
#include "store_helpers.h"
#include "stores/remote/remote_entry.h"
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    /* Of who waits for a holder that is killed at any moment. */
    crowd = 6,
    crowd_compile_ms = 30,
    crowd_lease_ms = 3000
};

/* ---- A fleet ------------------------------------------------------------- */

enum { hosts = 20, programs = 10 };

static void *start_host(void *user)
{
    struct host *host = user;
    struct wish wish = {open_host(host->fleet->lease_ms), 0};
    for (unsigned i = 0; i < programs; i++) {
        wish.number = (i + host->number) % programs;
        want(host->fleet, &wish);
    }
    dnnl_cache_store_close(wish.store);
    return NULL;
}

static void start_fleet(struct fleet *fleet)
{
    struct host all[hosts];
    for (unsigned i = 0; i < hosts; i++) {
        all[i] = (struct host){.fleet = fleet, .number = i};
        ASSERT_EQ(0, pthread_create(&all[i].thread, NULL, start_host, &all[i]));
    }
    for (unsigned i = 0; i < hosts; i++)
        (void)pthread_join(all[i].thread, NULL);
}

TEST_REDIS(RedisLease, AFleetCompilesEachProgramOnce)
{
    static struct fleet fleet = {.compile_ms = 50, .lease_ms = 60000};
    start_fleet(&fleet);
    for (unsigned i = 0; i < programs; i++)
        EXPECT_EQ(1, fleet.compiled[i]);
    EXPECT_EQ((hosts - 1) * programs, fleet.found);
    /* Entries and how long they took; no lease is left. */
    EXPECT_EQ(2 * programs, redis_number(&server, "DBSIZE"));
}

/* Closing sends what is still to be said of the last entry. */
TEST_REDIS(RedisLease, OfTheLastEntryIsEndedAndItsTimeIsRecorded)
{
    enum { rounds = 50 };
    for (unsigned i = 0; i < rounds; i++) {
        const struct wish wish = {open_host(60000), i};
        EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&wish));
        EXPECT_OK(put_number(wish.store, i, blob_size));
        dnnl_cache_store_close(wish.store);
    }
    EXPECT_EQ(2 * rounds, redis_number(&server, "DBSIZE"));
}

/* ---- Who may die where --------------------------------------------------- */

TEST_REDIS(RedisLease, ALeaderThatPutsWakesWhoWaits)
{
    struct waiter waiter;
    const struct wish holder = wish_of(60000);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    begin_waiting(&waiter, 60000);
    await_hosts(2);
    put(&holder);
    end_waiting(&waiter);
    EXPECT_OK(waiter.status);
    EXPECT_LT(waiter.waited_ms, 20000);
    dnnl_cache_store_close(holder.store);
    dnnl_cache_store_close(waiter.wish.store);
}

/* All of them at once, without a lease: what failed for one host fails for the
 * next one, too, and each has to try to know that. */
TEST_REDIS(RedisLease, ALeaderThatFailsMakesAllCompile)
{
    enum { count = 5 };
    struct waiter waiters[count];
    const struct wish holder = wish_of(60000);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    for (int i = 0; i < count; i++)
        begin_waiting(&waiters[i], 60000);
    await_hosts(count);
    (void)usleep(50000);
    const long long sets = redis_calls(&server, "set");
    release_lease(&holder);
    for (int i = 0; i < count; i++) {
        end_waiting(&waiters[i]);
        EXPECT_STATUS(dnnl_not_required, waiters[i].status);
        EXPECT_LT(waiters[i].waited_ms, 20000);
    }
    EXPECT_EQ(sets, redis_calls(&server, "set"));
    /* Who comes later tries as the first one did. */
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    /* What one of them has made after all is everybody's. */
    put(&waiters[0].wish);
    for (int i = 0; i < count; i++)
        dnnl_cache_store_close(waiters[i].wish.store);
    /* One that may not have heard yet that it is there. */
    await_entry(holder.store, 1, blob_size);
    release_lease(&holder);
    dnnl_cache_store_close(holder.store);
}

/* It was not said that it does not compile. */
TEST_REDIS(RedisLease, ALeaderThatGoesMakesAnotherOneLead)
{
    struct waiter waiter;
    const struct wish holder = wish_of(60000);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    begin_waiting(&waiter, 60000);
    await_hosts(1);
    dnnl_cache_store_close(holder.store);
    end_waiting(&waiter);
    EXPECT_STATUS(dnnl_cache_miss, waiter.status);
    EXPECT_LT(waiter.waited_ms, 20000);
    put(&waiter.wish);
    dnnl_cache_store_close(waiter.wish.store);
}

/* How far a holder gets before it waits to be killed. */
enum progress { progress_leads, progress_puts, progress_tells };

static void put_untold(unsigned lease_ms)
{
    const struct wish other = wish_of(lease_ms);
    EXPECT_OK(put_number(other.store, other.number, blob_size));
    (void)dnnl_cache_store_remote_flush(other.store, 10000);
}

static void lead_as_child(unsigned lease_ms, enum progress progress, int out)
{
    const struct wish holder = wish_of(lease_ms);
    const dnnl_status_t st = acquire_lease(&holder);
    /* By a store of its own: as if it died before it says that it has put. */
    if (progress == progress_puts) put_untold(lease_ms);
    (void)!write(out, st == dnnl_cache_miss ? "y" : "n", 1);
    if (progress == progress_tells) {
        (void)usleep(crowd_compile_ms * 1000);
        put(&holder);
        (void)dnnl_cache_store_remote_flush(holder.store, 10000);
    }
    for (;;)
        (void)pause();
}

/* In a process of its own. Returns when it leads. */
static pid_t lead_until_killed(unsigned lease_ms, enum progress progress)
{
    int ends[2];
    char answer = 0;
    EXPECT_EQ(0, pipe(ends));
    const pid_t pid = fork();
    if (pid == 0) lead_as_child(lease_ms, progress, ends[1]);
    (void)close(ends[1]); /* so that its death is an end of the pipe */
    EXPECT_EQ(1, read(ends[0], &answer, 1));
    EXPECT_EQ('y', answer);
    (void)close(ends[0]);
    return pid;
}

TEST_REDIS(RedisLease, ADeadLeaderCostsOneMoreCompilation)
{
    /* Long enough to be prolonged in time on a busy machine. */
    enum { count = 8, lease_ms = 3000 };
    struct waiter waiters[count];
    unsigned holders = 0;
    const pid_t holder = lead_until_killed(lease_ms, progress_leads);
    for (int i = 0; i < count; i++)
        begin_waiting(&waiters[i], lease_ms);
    await_hosts(1 + count);
    kill_it(holder);
    /* One of them leads; it puts, and the others have it. */
    while (holders == 0) {
        for (int i = 0; i < count && holders == 0; i++) {
            if (pthread_tryjoin_np(waiters[i].thread, NULL) != 0) continue;
            EXPECT_STATUS(dnnl_cache_miss, waiters[i].status);
            EXPECT_LE(waiters[i].waited_ms, lease_ms + 5000);
            waiters[i].thread = pthread_self();
            holders++;
            put(&waiters[i].wish);
        }
        (void)usleep(1000);
    }
    for (int i = 0; i < count; i++) {
        if (!pthread_equal(waiters[i].thread, pthread_self())) {
            end_waiting(&waiters[i]);
            EXPECT_OK(waiters[i].status);
        }
    }
    for (int i = 0; i < count; i++)
        dnnl_cache_store_close(waiters[i].wish.store);
}

TEST_REDIS(RedisLease, ALeaderThatDiesAfterItsPutCostsNone)
{
    struct waiter waiter;
    const pid_t holder = lead_until_killed(60000, progress_puts);
    kill_it(holder);
    begin_waiting(&waiter, 60000);
    end_waiting(&waiter);
    EXPECT_OK(waiter.status);
    EXPECT_LT(waiter.waited_ms, 20000);
    dnnl_cache_store_close(waiter.wish.store);
}

/* Longer than its lease, which it prolongs: nobody else compiles. Who waits is
 * told that it lives, and need not look. */
TEST_REDIS(RedisLease, AHolderThatLivesIsWaitedFor)
{
    enum { lease_ms = 1500, compile_ms = 3500 };
    struct waiter waiter;
    const struct wish holder = wish_of(lease_ms);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    begin_waiting(&waiter, lease_ms);
    await_hosts(2);
    const long long looks = redis_calls(&server, "pttl");
    (void)usleep(compile_ms * 1000);
    EXPECT_LE(redis_calls(&server, "pttl"), looks + 1);
    put(&holder);
    end_waiting(&waiter);
    EXPECT_OK(waiter.status);
    EXPECT_GE(waiter.waited_ms, compile_ms);
    dnnl_cache_store_close(holder.store);
    dnnl_cache_store_close(waiter.wish.store);
}

/* Ten times the length of its lease it prolongs that, and no longer. */
TEST_REDIS(RedisLease, ALeaderThatTakesTooLongIsDeposedOnce)
{
    enum { lease_ms = 100 };
    struct waiter first;
    struct waiter second;
    const struct wish holder = wish_of(lease_ms);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    begin_waiting(&first, lease_ms);
    end_waiting(&first);
    EXPECT_STATUS(dnnl_cache_miss, first.status);
    EXPECT_GE(first.waited_ms, 10 * lease_ms * 7 / 8);
    EXPECT_LE(first.waited_ms, 11 * lease_ms + 5000);
    begin_waiting(&second, 60000);
    await_hosts(3);
    /* Late, and as good as the other's. */
    put(&holder);
    dnnl_cache_store_close(holder.store);
    end_waiting(&second);
    EXPECT_OK(second.status);
    put(&first.wish);
    dnnl_cache_store_close(first.wish.store);
    dnnl_cache_store_close(second.wish.store);
}

/* Until the lease of program 1 ends within so long by itself. */
static void await_length(long long most_ms)
{
    const uint64_t end = now_ms() + 20000;
    char name[remote_name_size];
    remote_entry_name(name, 4, (const uint8_t *)"id 1");
    while (redis_number(&server, "PTTL dnnl_cache:%s:lease", name) > most_ms
            && now_ms() < end)
        (void)usleep(1000);
    EXPECT_LT(now_ms(), end);
}

/* Of a holder that died is known how long compiling takes. */
TEST_REDIS(RedisLease, WaitingIsLimitedByWhatCompilingTook)
{
    enum { took_ms = 200, least_ms = 1000 };
    struct waiter waiter;
    const struct wish holder = wish_of(60000);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    (void)usleep(took_ms * 1000);
    put(&holder);
    (void)dnnl_cache_store_remote_flush(holder.store, 60000);
    /* The entry is lost, its time is known. */
    EXPECT_OK(remove_id(holder.store, "id 1"));
    while (redis_number(&server, "DBSIZE") != 1)
        (void)usleep(1000);
    const pid_t dead = lead_until_killed(60000, progress_leads);
    await_length(2 * least_ms);
    kill_it(dead);
    begin_waiting(&waiter, 60000);
    end_waiting(&waiter);
    EXPECT_STATUS(dnnl_cache_miss, waiter.status);
    EXPECT_LT(waiter.waited_ms, 20000);
    release_lease(&waiter.wish);
    dnnl_cache_store_close(holder.store);
    dnnl_cache_store_close(waiter.wish.store);
}

TEST_C(RedisLease, AServerThatDiesIsNotWaitedFor)
{
    struct waiter waiter;
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    const struct wish holder = wish_of(60000);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    begin_waiting(&waiter, 60000);
    await_hosts(2);
    redis_kill(&server);
    end_waiting(&waiter);
    EXPECT_STATUS(dnnl_not_required, waiter.status);
    EXPECT_LT(waiter.waited_ms, 20000);
    put(&holder);
    dnnl_cache_store_close(holder.store);
    dnnl_cache_store_close(waiter.wish.store);
}

/* The server takes its command later, and gives it the lease. */
TEST_REDIS(RedisLease, AHostThatGaveUpHoldsUpNobody)
{
    struct waiter waiter;
    const struct wish gone = {open_impatient_host(60000, 100), 1};
    EXPECT_EQ(0, kill(server.pid, SIGSTOP));
    EXPECT_STATUS(dnnl_not_required, acquire_lease(&gone));
    EXPECT_EQ(0, kill(server.pid, SIGCONT));
    begin_waiting(&waiter, 60000);
    end_waiting(&waiter);
    EXPECT_STATUS(dnnl_cache_miss, waiter.status);
    EXPECT_LT(waiter.waited_ms, 20000);
    release_lease(&waiter.wish);
    dnnl_cache_store_close(gone.store);
    dnnl_cache_store_close(waiter.wish.store);
}

TEST_C(RedisLease, AStoreThatOnlyReadsNeverLeads)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    options.url = "unix:///nowhere?insecure=1&read_only=1";
    EXPECT_OK(dnnl_cache_store_open_remote(&store, &options));
    EXPECT_TRUE(dnnl_cache_store_get_callbacks(store)->acquire_lease == NULL);
    EXPECT_TRUE(dnnl_cache_store_get_callbacks(store)->release_lease == NULL);
    dnnl_cache_store_close(store);
}

/* ---- At any moment ------------------------------------------------------- */

struct member {
    struct fleet *fleet;
    struct wish wish;
    uint64_t took_ms;
    pthread_t thread;
};

static void *join_crowd(void *user)
{
    struct member *m = user;
    const uint64_t start = now_ms();
    want(m->fleet, &m->wish);
    m->took_ms = now_ms() - start;
    return NULL;
}

TEST_REDIS(RedisLease, ALeaderKilledAtAnyMomentCostsOneCompilationAtMost)
{
    enum { rounds = 5 };
    uint64_t seed = test_seed();
    for (int round = 0; round < rounds; round++) {
        struct fleet fleet = {.compile_ms = crowd_compile_ms};
        struct member members[crowd];
        (void)redis_number(&server, "FLUSHALL");
        const pid_t holder = lead_until_killed(crowd_lease_ms, progress_tells);
        for (int i = 0; i < crowd; i++) {
            members[i] = (struct member){.fleet = &fleet};
            members[i].wish = wish_of(crowd_lease_ms);
            ASSERT_EQ(0, pthread_create(&members[i].thread, NULL, join_crowd,
                                 &members[i]));
        }
        (void)usleep((useconds_t)(next_random(&seed) % 60000));
        kill_it(holder);
        for (int i = 0; i < crowd; i++) {
            (void)pthread_join(members[i].thread, NULL);
            /* The lease, the next one's compilation, and a busy machine. */
            EXPECT_LT(members[i].took_ms, crowd_lease_ms + 10000);
            dnnl_cache_store_close(members[i].wish.store);
        }
        EXPECT_LE(fleet.compiled[1], 1);
        EXPECT_EQ(crowd, fleet.compiled[1] + fleet.found);
    }
}

/* Each host has its programs; how often they are compiled is not promised. */
TEST_REDIS(RedisLease, AServerThatComesAndGoesFailsNoHost)
{
    static struct fleet fleet = {.compile_ms = 20, .lease_ms = 400};
    struct host all[hosts];
    for (unsigned i = 0; i < hosts; i++) {
        all[i] = (struct host){.fleet = &fleet, .number = i};
        ASSERT_EQ(0, pthread_create(&all[i].thread, NULL, start_host, &all[i]));
    }
    for (int i = 0; i < 3; i++) {
        (void)usleep(30000);
        redis_kill(&server);
        (void)usleep(10000);
        redis_start(&server, test_directory(), NULL);
    }
    for (unsigned i = 0; i < hosts; i++)
        (void)pthread_join(all[i].thread, NULL);
    unsigned compiled = 0;
    for (unsigned i = 0; i < programs; i++)
        compiled += fleet.compiled[i];
    EXPECT_EQ(hosts * programs, compiled + fleet.found);
}

/* ---- Leases that are no host's ------------------------------------------- */

static void keep_message(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    char *messages = user;
    (void)level;
    (void)strncat(messages, text, path_size - strlen(messages) - 1);
}

/* A key that has lost its expiry, or another client's: as long as a token, and
 * longer. It is waited for as long as a lease, once, and then taken over; the
 * longest wait for a holder would be eleven times that. */
TEST_REDIS(RedisLease, WithoutAnExpiryIsTakenOver)
{
    static const char *const values[] = {"0123456789abcdef0123456789abcdef",
            "the value of another client, which is longer than any token of a "
            "host of this library's"};
    enum { lease_ms = 1000 };
    for (unsigned i = 0; i < COUNT(values); i++) {
        char answer[64], name[remote_name_size], id[32], url[512];
        char messages[path_size] = "";
        struct wish wish = {NULL, i};
        struct dnnl_cache_store_remote_options options =
                DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
        (void)snprintf(url, sizeof url, "unix://%s?insecure=1&lease_ms=%d",
                server.socket, lease_ms);
        options.url = url;
        options.log = keep_message;
        options.log_user = messages;
        EXPECT_OK(dnnl_cache_store_open_remote(&wish.store, &options));
        (void)snprintf(id, sizeof id, "id %u", i);
        remote_entry_name(name, strlen(id), (const uint8_t *)id);
        (void)redis_text(&server, answer, sizeof answer,
                "SET dnnl_cache:%s:lease %s", name, values[i]);
        EXPECT_EQ(-1, redis_number(&server, "PTTL dnnl_cache:%s:lease", name));
        const uint64_t began = now_ms();
        EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&wish));
        EXPECT_LT(now_ms() - began, 10 * lease_ms);
        EXPECT_NOT_NULL(strstr(messages, "a lease there had no expiry"));
        /* It is this host's now, and ends. */
        EXPECT_GT(redis_number(&server, "PTTL dnnl_cache:%s:lease", name), 0);
        release_lease(&wish);
        dnnl_cache_store_close(wish.store);
    }
}
