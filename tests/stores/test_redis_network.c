/* SPDX-License-Identifier: Apache-2.0 */
/* Redis over TCP: names, databases, and a way there that is slow. */
#include "dnnl_cache/remote_store.h"
#include "redis_server.h"
#include "slow_proxy.h"
#include "store_helpers.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

enum { size = 1000 };

static struct redis_process server;

static dnnl_cache_store_handle_t *open_url(
        const char *host, unsigned port, const char *rest)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    char url[256];
    snprintf(url, sizeof url, "redis://%s:%u%s", host, port, rest);
    options.url = url;
    EXPECT_OK(dnnl_cache_store_open_remote(&store, &options));
    return store;
}

static void flush(dnnl_cache_store_handle_t *store)
{
    EXPECT_OK(dnnl_cache_store_remote_flush(store, 60000));
}

static struct dnnl_cache_store_remote_statistics remote_of(
        const dnnl_cache_store_handle_t *store)
{
    struct dnnl_cache_store_remote_statistics statistics =
            DNNL_CACHE_STORE_REMOTE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_store_remote_get_statistics(store, &statistics));
    return statistics;
}

/* Another process may take the port before the server does. */
static unsigned start_on_tcp(void)
{
    char port[16];
    const unsigned number = free_port();
    snprintf(port, sizeof port, "%u", number);
    const char *const arguments[] = {
            "--bind", "127.0.0.1", "--port", port, NULL};
    redis_start(&server, test_directory(), arguments);
    return number;
}

TEST_C(RedisNetwork, DatabasesOfOneServerAreStoresOfTheirOwn)
{
    char keys[1024];
    if (!redis_is_there()) return;
    const unsigned port = start_on_tcp();
    dnnl_cache_store_handle_t *first =
            open_url("127.0.0.1", port, "?insecure=1&timeout_ms=5000");
    dnnl_cache_store_handle_t *third =
            open_url("127.0.0.1", port, "/3?insecure=1&timeout_ms=5000");
    EXPECT_OK(put_number(third, 1, size));
    flush(third);
    EXPECT_OK(get_number(third, 1, size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(first, 1, size));
    (void)redis_text(&server, keys, sizeof keys, "INFO keyspace");
    EXPECT_NOT_NULL(strstr(keys, "db3:keys=1,"));
    EXPECT_NULL(strstr(keys, "db0:"));
    /* Others than the server has are its error, not ours. */
    dnnl_cache_store_handle_t *none =
            open_url("127.0.0.1", port, "/99?insecure=1&timeout_ms=5000");
    EXPECT_STATUS(dnnl_cache_miss, get_number(none, 1, size));
    EXPECT_OK(put_number(none, 1, size));
    EXPECT_GT(remote_of(none).errors + remote_of(none).refusals, 0);
    (void)redis_text(&server, keys, sizeof keys, "INFO keyspace");
    EXPECT_NULL(strstr(keys, "db0:"));
    dnnl_cache_store_close(none);
    dnnl_cache_store_close(third);
    dnnl_cache_store_close(first);
    redis_kill(&server);
}

TEST_C(RedisNetwork, HostsAreFoundByName)
{
    if (!redis_is_there()) return;
    const unsigned port = start_on_tcp();
    dnnl_cache_store_handle_t *store =
            open_url("localhost", port, "?insecure=1&timeout_ms=10000");
    EXPECT_OK(put_number(store, 1, size));
    flush(store);
    EXPECT_OK(get_number(store, 1, size));
    dnnl_cache_store_close(store);
    /* Nobody listens there any more. */
    redis_kill(&server);
    store = open_url("localhost", port, "?insecure=1&timeout_ms=10000");
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, size));
    EXPECT_EQ(1, remote_of(store).errors);
    EXPECT_TRUE(remote_of(store).is_left_alone);
    dnnl_cache_store_close(store);
}

TEST_REDIS(RedisNetwork, AServerSlowByASecondIsNotWaitedFor)
{
    enum { gets = 300 };
    struct slow_proxy proxy;
    slow_proxy_start(&proxy, server.socket, 0);
    dnnl_cache_store_handle_t *store =
            open_url("127.0.0.1", proxy.port, "?insecure=1&timeout_ms=60000");
    for (unsigned i = 0; i < 10; i++)
        EXPECT_OK(put_number(store, i, size));
    flush(store);
    dnnl_cache_store_close(store);
    store = open_url("127.0.0.1", proxy.port, "?insecure=1&timeout_ms=100");
    atomic_store(&proxy.delay_ms, 1000);
    const uint64_t start = now_ms();
    /* A late answer to one question is none to the next: get_number() compares
     * the bytes. */
    for (unsigned i = 0; i < gets; i++)
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, i % 10, size));
    /* The first waits 100 ms; what all wait for nothing is limited, too. */
    EXPECT_LT(now_ms() - start, 2000);
    EXPECT_GT(remote_of(store).timeouts, 0);
    EXPECT_GT(remote_of(store).gets_skipped, gets / 2);
    dnnl_cache_store_close(store);
    EXPECT_LT(now_ms() - start, 5000);
    /* Who says that it may take so long gets what is there. */
    store = open_url("127.0.0.1", proxy.port, "?insecure=1&timeout_ms=60000");
    EXPECT_OK(get_number(store, 3, size));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 11, size));
    EXPECT_EQ(0, remote_of(store).errors);
    dnnl_cache_store_close(store);
    slow_proxy_stop(&proxy);
}
