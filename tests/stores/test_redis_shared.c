/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts that hear messages on the connection of their commands, and what they
 * do not ask because they hear. */
#include "dnnl_cache/remote_store.h"
#include "lease_helpers.h"
#include "slow_proxy.h"
#include "store_helpers.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { count = 4 };

static long long connections(void)
{
    char info[8192];
    const char *text = "connected_clients:";
    (void)redis_text(&server, info, sizeof info, "INFO clients");
    const char *found = strstr(info, text);
    return found != NULL ? strtoll(found + strlen(text), NULL, 10) : 0;
}

/* One host leads, others wait for it and get what it puts. Returns how many
 * connections that took. */
static long long wait_together(void)
{
    struct waiter waiters[count];
    const struct wish holder = wish_of(60000);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    for (int i = 0; i < count; i++)
        begin_waiting(&waiters[i], 60000);
    await_hosts(1 + count);
    const long long open = connections() - 1; /* this one's */
    put(&holder);
    for (int i = 0; i < count; i++) {
        end_waiting(&waiters[i]);
        EXPECT_OK(waiters[i].status);
        EXPECT_LT(waiters[i].waited_ms, 20000);
        dnnl_cache_store_close(waiters[i].wish.store);
    }
    dnnl_cache_store_close(holder.store);
    return open;
}

TEST_REDIS(RedisShared, WhoWaitsHasOneConnection)
{
    EXPECT_EQ(1 + count, wait_together());
    EXPECT_EQ(1 + count, redis_calls(&server, "hello"));
}

/* Redis 5, and what stands in front of a server. */
TEST_C(RedisShared, WithoutHelloItHasTwo)
{
    static const char *const arguments[] = {
            "--rename-command", "HELLO", "", NULL};
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), arguments);
    EXPECT_EQ(2 * (1 + count), wait_together());
    redis_kill(&server);
}

/* With a password and a database of its own. */
TEST_C(RedisShared, GreetsBefore)
{
    static const char *const arguments[] = {"--requirepass", "secret", NULL};
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), arguments);
    EXPECT_EQ(0, setenv("DNNL_CACHE_REDIS_PASSWORD", "secret", 1));
    struct waiter waiter;
    const struct wish holder = wish_of(60000);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    begin_waiting(&waiter, 60000);
    (void)usleep(100000);
    put(&holder);
    end_waiting(&waiter);
    EXPECT_OK(waiter.status);
    EXPECT_LT(waiter.waited_ms, 20000);
    dnnl_cache_store_close(waiter.wish.store);
    dnnl_cache_store_close(holder.store);
    EXPECT_EQ(0, unsetenv("DNNL_CACHE_REDIS_PASSWORD"));
    redis_kill(&server);
}

/* The server ends a connection that hears messages when a long answer is due.
 */
TEST_REDIS(RedisShared, WhatIsTooLongForIt)
{
    enum { other = 2, size = 300000 };
    char text[64];
    struct waiter waiter;
    const struct wish holder = wish_of(60000);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    EXPECT_OK(put_number(holder.store, other, size));
    EXPECT_OK(dnnl_cache_store_remote_flush(holder.store, 10000));
    EXPECT_STR_EQ("OK", redis_text(&server, text, sizeof text,
                                "CONFIG SET client-output-buffer-limit %s",
                                "pubsub 2000 0 0"));
    begin_waiting(&waiter, 60000);
    await_hosts(2);
    /* Its connection hears, and is lost; the one that waits is told anew. */
    EXPECT_OK(get_number(waiter.wish.store, other, size));
    await_hosts(2);
    put(&holder);
    end_waiting(&waiter);
    EXPECT_OK(waiter.status);
    EXPECT_LT(waiter.waited_ms, 20000);
    EXPECT_OK(get_number(waiter.wish.store, other, size));
    struct dnnl_cache_store_remote_statistics statistics =
            DNNL_CACHE_STORE_REMOTE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_store_remote_get_statistics(
            waiter.wish.store, &statistics));
    EXPECT_EQ(0, statistics.gets_failed);
    dnnl_cache_store_close(waiter.wish.store);
    dnnl_cache_store_close(holder.store);
}

/* The entry that is waited for. */
TEST_REDIS(RedisShared, ABodyThatIsTooLongForItIsAskedForAgain)
{
    char text[64];
    struct waiter waiter;
    const struct wish holder = wish_of(60000);
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    begin_waiting(&waiter, 60000);
    await_hosts(2);
    EXPECT_STR_EQ("OK", redis_text(&server, text, sizeof text,
                                "CONFIG SET client-output-buffer-limit %s",
                                "pubsub 2000 0 0"));
    put(&holder);
    end_waiting(&waiter);
    EXPECT_OK(waiter.status);
    EXPECT_LT(waiter.waited_ms, 20000);
    dnnl_cache_store_close(waiter.wish.store);
    dnnl_cache_store_close(holder.store);
}

/* ---- What is not asked --------------------------------------------------- */

enum { delay_ms = 80, next = 2, there = 3 };

static dnnl_cache_store_handle_t *open_behind(const struct slow_proxy *proxy)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    char url[128];
    snprintf(url, sizeof url,
            "redis://127.0.0.1:%u?insecure=1&timeout_ms=10000&lease_ms=60000",
            proxy->port);
    options.url = url;
    EXPECT_OK(dnnl_cache_store_open_remote(&store, &options));
    return store;
}

static void *get_next(void *user)
{
    struct waiter *w = user;
    const uint64_t start = now_ms();
    w->status = get_number(w->wish.store, next, blob_size);
    w->waited_ms = now_ms() - start;
    return NULL;
}

/* Answers take so long that a host is told before it would ask. */
TEST_REDIS(RedisShared, WhoFollowsIsToldBeforeItAsks)
{
    struct slow_proxy proxy;
    slow_proxy_start(&proxy, server.socket, delay_ms);
    struct wish holder = wish_of(60000);
    struct waiter waiter = {.wish = {open_behind(&proxy), 1}};
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    EXPECT_OK(put_number(holder.store, there, blob_size));
    const long long looks = redis_calls(&server, "pttl");
    wait_in_thread(&waiter);
    /* It has seen whose the lease is. */
    while (redis_calls(&server, "pttl") == looks)
        (void)usleep(1000);
    (void)usleep(3 * delay_ms * 1000);
    put(&holder);
    end_waiting(&waiter);
    EXPECT_OK(waiter.status);

    holder.number = next;
    const long long gets = redis_calls(&server, "get");
    ASSERT_EQ(0, pthread_create(&waiter.thread, NULL, get_next, &waiter));
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(&holder));
    end_waiting(&waiter);
    EXPECT_STATUS(dnnl_cache_miss, waiter.status);
    /* Those of the holder: whose lease it is, how long it took last time, and
     * the entry. */
    EXPECT_EQ(gets + 3, redis_calls(&server, "get"));
    put(&holder);
    (void)dnnl_cache_store_remote_flush(holder.store, 10000);

    /* Whoever is told nothing asks, and then at once. */
    EXPECT_OK(get_number(waiter.wish.store, there, blob_size));
    EXPECT_OK(get_number(waiter.wish.store, next, blob_size));
    dnnl_cache_store_close(waiter.wish.store);
    dnnl_cache_store_close(holder.store);
    slow_proxy_stop(&proxy);
}
