/* SPDX-License-Identifier: Apache-2.0 */
/* What hosts are told of leases, so that they need not ask. */
#include "dnnl_cache/remote_store.h"
#include "lease_helpers.h"
#include "store_helpers.h"
#include "stores/remote/remote_entry.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { heard = 2 /* the program of which hosts hear */ };

static const char channel[] = "dnnl_cache::built";

static struct wish other_wish(const struct wish *wish)
{
    const struct wish other = {wish->store, heard};
    return other;
}

/* A host that hears messages: it has waited for another one. */
static struct waiter begin_hearing(unsigned lease_ms)
{
    struct waiter waiter;
    const struct wish holder = wish_of(lease_ms);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    begin_waiting(&waiter, lease_ms);
    /* The holder hears them, too. */
    while (redis_number(&server, "PUBLISH %s nothing", channel) < 2)
        (void)usleep(1000);
    put(&holder);
    end_waiting(&waiter);
    EXPECT_OK(waiter.status);
    dnnl_cache_store_close(holder.store);
    waiter.wish.number = heard;
    return waiter;
}

/* Until it answers a get by itself. */
static void await_heard(const struct waiter *waiter)
{
    const uint64_t end = now_ms() + 20000;
    long long gets;
    do {
        gets = redis_calls(&server, "get");
        EXPECT_STATUS(dnnl_cache_miss,
                get_number(waiter->wish.store, heard, blob_size));
    } while (redis_calls(&server, "get") > gets && now_ms() < end);
    EXPECT_LT(now_ms(), end);
}

TEST_REDIS(RedisLease, WhoHearsOfAHolderAsksForTheEntryAlone)
{
    struct waiter waiter = begin_hearing(60000);
    const struct wish first = wish_of(60000);
    const struct wish holder = other_wish(&first);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    await_heard(&waiter);
    const long long gets = redis_calls(&server, "get");
    const long long sets = redis_calls(&server, "set");
    const long long looks = redis_calls(&server, "pttl");
    wait_in_thread(&waiter);
    (void)usleep(50000);
    put(&holder);
    end_waiting(&waiter);
    EXPECT_OK(waiter.status);
    EXPECT_LT(waiter.waited_ms, 20000);
    EXPECT_EQ(looks, redis_calls(&server, "pttl"));
    /* The entry, and what compiling took. */
    EXPECT_LE(redis_calls(&server, "set"), sets + 2);
    /* The entry, and what the holder asks when it lets go. */
    EXPECT_LE(redis_calls(&server, "get"), gets + 2);
    dnnl_cache_store_close(holder.store);
    dnnl_cache_store_close(waiter.wish.store);
}

TEST_REDIS(RedisLease, WhoHearsOfAHolderThatDiesLeadsWhenItsLeaseEnds)
{
    enum { lease_ms = 1500 };
    struct waiter waiter = begin_hearing(lease_ms);
    int ends[2];
    char answer = 0;
    ASSERT_EQ(0, pipe(ends));
    const pid_t pid = fork();
    if (pid == 0) {
        const struct wish first = wish_of(lease_ms);
        const struct wish holder = other_wish(&first);
        if (acquire_lease(&holder) != dnnl_cache_miss) _exit(1);
        (void)!write(ends[1], "y", 1);
        for (;;)
            (void)pause();
    }
    EXPECT_EQ(1, read(ends[0], &answer, 1));
    (void)close(ends[0]);
    (void)close(ends[1]);
    await_heard(&waiter);
    const long long looks = redis_calls(&server, "pttl");
    wait_in_thread(&waiter);
    kill_it(pid);
    end_waiting(&waiter);
    EXPECT_STATUS(dnnl_cache_miss, waiter.status);
    EXPECT_LE(waiter.waited_ms, lease_ms + 5000);
    EXPECT_LE(redis_calls(&server, "pttl"), looks + 2);
    put(&waiter.wish);
    dnnl_cache_store_close(waiter.wish.store);
}

/* Its request for a lease rests meanwhile: no thread has seen it yet. */
TEST_REDIS(RedisLease, WhoHearsOfAHolderThatFailsCompiles)
{
    struct waiter waiter = begin_hearing(60000);
    const struct wish first = wish_of(60000);
    const struct wish holder = other_wish(&first);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    await_heard(&waiter);
    const long long sets = redis_calls(&server, "set");
    wait_in_thread(&waiter);
    (void)usleep(50000);
    release_lease(&holder);
    end_waiting(&waiter);
    EXPECT_STATUS(dnnl_not_required, waiter.status);
    EXPECT_LT(waiter.waited_ms, 20000);
    EXPECT_EQ(sets, redis_calls(&server, "set"));
    dnnl_cache_store_close(holder.store);
    dnnl_cache_store_close(waiter.wish.store);
}

/* Nobody has said what became of it. */
TEST_REDIS(RedisLease, WhatWasHeardIsForgottenWithTheConnection)
{
    struct waiter waiter = begin_hearing(60000);
    const struct wish first = wish_of(60000);
    const struct wish holder = other_wish(&first);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    await_heard(&waiter);
    const struct wish other = wish_of(60000);
    EXPECT_OK(put_number(other.store, heard, blob_size));
    (void)dnnl_cache_store_remote_flush(other.store, 10000);
    EXPECT_STATUS(
            dnnl_cache_miss, get_number(waiter.wish.store, heard, blob_size));
    EXPECT_LE(1, redis_number(&server, "CLIENT KILL TYPE pubsub"));
    await_entry(waiter.wish.store, heard, blob_size);
    dnnl_cache_store_close(other.store);
    dnnl_cache_store_close(holder.store);
    dnnl_cache_store_close(waiter.wish.store);
}

/* What a server says that has gone mad: it costs a wait at most. */
TEST_REDIS(RedisLease, MessagesThatAreNoneDoNoHarm)
{
    enum { lease_ms = 600, long_size = 70000 };
    static char text[long_size + 1];
    char name[remote_name_size];
    char id[32];
    struct waiter waiter = begin_hearing(lease_ms);
    snprintf(id, sizeof id, "id %u", (unsigned)heard);
    remote_entry_name(name, strlen(id), (const uint8_t *)id);
    memset(text, 'x', long_size);
    EXPECT_EQ(1, redis_number(&server, "PUBLISH %s %s", channel, text));
    EXPECT_EQ(1, redis_number(&server, "PUBLISH %s %s", channel, ""));
    static const char *const behind[] = {" ", "  ", " a", " a ", " a b",
            " a 1x", " a -1", " a 99999999999999999999", " a 1 2"};
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        char message[256];
        snprintf(message, sizeof message, "%s%s", name, behind[i]);
        EXPECT_EQ(1, redis_number(&server, "PUBLISH %s %s", channel, message));
    }
    /* A token that is too long. */
    snprintf(text, sizeof text, "%s %070d 1000", name, 0);
    EXPECT_EQ(1, redis_number(&server, "PUBLISH %s %s", channel, text));
    const struct wish first = wish_of(lease_ms);
    const struct wish holder = other_wish(&first);
    EXPECT_OK(put_number(holder.store, heard, blob_size));
    (void)dnnl_cache_store_remote_flush(holder.store, 10000);
    EXPECT_OK(get_number(waiter.wish.store, heard, blob_size));
    /* A holder that there is not, for longer than any lease. */
    EXPECT_OK(remove_id(holder.store, id));
    snprintf(text, sizeof text, "%s ghost 999999999999", name);
    EXPECT_EQ(1, redis_number(&server, "PUBLISH %s %s", channel, text));
    await_heard(&waiter);
    wait_in_thread(&waiter);
    end_waiting(&waiter);
    EXPECT_STATUS(dnnl_cache_miss, waiter.status);
    EXPECT_LT(waiter.waited_ms, lease_ms + 5000);
    dnnl_cache_store_close(holder.store);
    dnnl_cache_store_close(waiter.wish.store);
}

/* A user of the server who may not subscribe. */
TEST_REDIS(RedisLease, WhoIsToldNothingLooksLessAndLessOften)
{
    enum { compile_ms = 800 };
    struct waiter waiter;
    char text[64];
    EXPECT_STR_EQ("OK", redis_text(&server, text, sizeof text,
                                "ACL SETUSER default -subscribe"));
    const struct wish holder = wish_of(60000);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    const long long before = redis_calls(&server, "pttl");
    begin_waiting(&waiter, 60000);
    (void)usleep(compile_ms * 1000);
    put(&holder);
    end_waiting(&waiter);
    EXPECT_OK(waiter.status);
    const long long looks = redis_calls(&server, "pttl") - before;
    EXPECT_GE(looks, 2);
    /* Each 15 ms would be more than fifty. */
    EXPECT_LE(looks, 8 + (long long)waiter.waited_ms / 200);
    dnnl_cache_store_close(holder.store);
    dnnl_cache_store_close(waiter.wish.store);
}

/* The same user, and a connection that ends while nothing is asked: it is not
 * used any more, and nothing fails. */
TEST_REDIS(RedisLease, WhoMayNotHearSeesThatItsConnectionHasEnded)
{
    bool has = false;
    struct waiter waiter;
    char text[64];
    EXPECT_STR_EQ("OK", redis_text(&server, text, sizeof text,
                                "ACL SETUSER default -subscribe"));
    const struct wish holder = wish_of(60000);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    const long long refused = redis_calls(&server, "hello");
    begin_waiting(&waiter, 60000);
    while (redis_calls(&server, "hello") == refused)
        (void)usleep(1000);
    put(&holder);
    end_waiting(&waiter);
    EXPECT_OK(waiter.status);
    /* Its thread sleeps, and does not see what becomes of the connection. */
    EXPECT_OK(get_number(waiter.wish.store, 1, blob_size));
    EXPECT_LE(1, redis_number(&server, "CLIENT KILL TYPE normal"));
    EXPECT_OK(dnnl_cache_store_remote_has(
            waiter.wish.store, 4, (const uint8_t *)"id 1", &has));
    EXPECT_TRUE(has);
    dnnl_cache_store_close(holder.store);
    dnnl_cache_store_close(waiter.wish.store);
}

/* ---- A fleet ------------------------------------------------------------- */

enum { many_hosts = 40, in_order = 20 /* programs */ };

/* All in the same order, as applications do. */
static void *start_in_order(void *user)
{
    struct host *host = user;
    struct wish wish = {open_host(host->fleet->lease_ms), 0};
    for (wish.number = 0; wish.number < in_order; wish.number++)
        want(host->fleet, &wish);
    dnnl_cache_store_close(wish.store);
    return NULL;
}

static long long commands_processed(void)
{
    char info[8192];
    const char *text = "total_commands_processed:";
    (void)redis_text(&server, info, sizeof info, "INFO stats");
    const char *found = strstr(info, text);
    return found != NULL ? strtoll(found + strlen(text), NULL, 10) : 0;
}

/* At most two commands for each program of a host, all included: the host that
 * compiles asks for a dozen, the first program of any host for eight, each
 * other one for one. If who follows asked before it is told it would be more.
 */
TEST_REDIS(RedisLease, AFleetAsksLittle)
{
    static struct fleet fleet = {.compile_ms = 100, .lease_ms = 60000};
    struct host all[many_hosts];
    const long long before = commands_processed();
    for (unsigned i = 0; i < many_hosts; i++) {
        all[i] = (struct host){.fleet = &fleet};
        ASSERT_EQ(0,
                pthread_create(&all[i].thread, NULL, start_in_order, &all[i]));
    }
    for (unsigned i = 0; i < many_hosts; i++)
        (void)pthread_join(all[i].thread, NULL);
    for (unsigned i = 0; i < in_order; i++)
        EXPECT_EQ(1, fleet.compiled[i]);
    EXPECT_LE(commands_processed() - before, 2 * many_hosts * in_order);
}
