/* SPDX-License-Identifier: Apache-2.0 */
/* Many gets in one command, on a real redis-server. */
#include "redis_server.h"
#include "remote_helpers.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 150, at_once = 64, lacking = 7 };

static struct redis_process server;

static dnnl_cache_store_handle_t *open_with(const char *more)
{
    return remote_open("unix://%s?insecure=1&timeout_ms=20000%s%s",
            server.socket, more[0] != '\0' ? "&" : "", more);
}

/* From below what is received where it stays to above it. */
static size_t size_of(unsigned number)
{
    return 100 + (size_t)number * 500;
}

/* All but one. */
static void put_all(dnnl_cache_store_handle_t *store)
{
    for (unsigned i = 0; i < count; i++)
        if (i != lacking) EXPECT_OK(put_number(store, i, size_of(i)));
    remote_flush(store);
}

/* Asks for all at once; returns how many are found, each as it was put. */
static unsigned get_all(dnnl_cache_store_handle_t *store)
{
    static char ids[count][16];
    size_t id_sizes[count];
    const uint8_t *list[count];
    size_t sizes[count] = {0};
    const uint8_t *blobs[count] = {NULL};
    unsigned found = 0;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    for (unsigned i = 0; i < count; i++) {
        id_sizes[i] = (size_t)snprintf(ids[i], sizeof ids[i], "id %u", i);
        list[i] = (const uint8_t *)ids[i];
    }
    EXPECT_OK(s->get_many(s->user, count, id_sizes, list, sizes, blobs));
    for (unsigned i = 0; i < count; i++) {
        if (blobs[i] == NULL) continue;
        const uint8_t *blob = NULL;
        size_t size = 0;
        found++;
        EXPECT_EQ(size_of(i), sizes[i]);
        /* The same as alone. */
        EXPECT_OK(s->get(s->user, id_sizes[i], list[i], &size, &blob));
        EXPECT_EQ(sizes[i], size);
        EXPECT_EQ(0, memcmp(blobs[i], blob, size));
        s->release(s->user, size, blob);
        s->release(s->user, sizes[i], blobs[i]);
    }
    return found;
}

TEST_REDIS(RedisMany, AreAskedForWithFewCommands)
{
    dnnl_cache_store_handle_t *store = open_with("");
    put_all(store);
    const long long gets = redis_calls(&server, "get");
    EXPECT_EQ(count - 1, get_all(store));
    EXPECT_EQ((count + at_once - 1) / at_once, redis_calls(&server, "mget"));
    EXPECT_EQ(gets + count - 1, redis_calls(&server, "get"));
    EXPECT_EQ(1, statistics_of(store).misses);
    EXPECT_EQ(0, remote_of(store).errors);
    dnnl_cache_store_close(store);
}

/* A user who may not, and servers and proxies that do not know it. */
TEST_REDIS(RedisMany, AreAskedForOneByOneIfTheServerRefuses)
{
    char text[64];
    dnnl_cache_store_handle_t *store = open_with("");
    put_all(store);
    EXPECT_STR_EQ("OK", redis_text(&server, text, sizeof text,
                                "ACL SETUSER default -mget"));
    const long long gets = redis_calls(&server, "get");
    for (unsigned i = 1; i <= 2; i++) {
        EXPECT_EQ(count - 1, get_all(store));
        EXPECT_EQ(gets + i * (2 * count - 1), redis_calls(&server, "get"));
    }
    EXPECT_EQ(0, redis_calls(&server, "mget"));
    EXPECT_EQ(0, remote_of(store).gets_failed);
    dnnl_cache_store_close(store);
}

/* Each has the limit of one. */
TEST_REDIS(RedisMany, ThatAreTooLargeAreMissedAlone)
{
    dnnl_cache_store_handle_t *store = open_with("");
    dnnl_cache_store_handle_t *other = open_with("max_blob_bytes=70000");
    unsigned fit = 0;
    put_all(store);
    for (unsigned i = 0; i < count; i++)
        fit += i != lacking && size_of(i) <= 70000;
    EXPECT_EQ(fit, get_all(other));
    EXPECT_EQ(count - 1 - fit, remote_of(other).too_large);
    EXPECT_EQ(0, remote_of(other).errors);
    dnnl_cache_store_close(store);
    dnnl_cache_store_close(other);
}

TEST_REDIS(RedisMany, WhatIsNoTextIsMissedAlone)
{
    char key[256];
    dnnl_cache_store_handle_t *store = open_with("");
    put_all(store);
    (void)redis_text(&server, key, sizeof key, "RANDOMKEY");
    EXPECT_EQ(1, redis_number(&server, "DEL %s", key));
    EXPECT_EQ(1, redis_number(&server, "LPUSH %s x", key));
    EXPECT_EQ(count - 2, get_all(store));
    EXPECT_EQ(0, remote_of(store).gets_failed);
    dnnl_cache_store_close(store);
}

/* The server is killed while it answers: nobody waits, and the next ones are
 * found. */
TEST_REDIS(RedisMany, OfAServerThatIsKilledAreMissed)
{
    dnnl_cache_store_handle_t *store = open_with("");
    put_all(store);
    EXPECT_EQ(count - 1, get_all(store));
    redis_kill(&server);
    redis_start(&server, test_directory(), NULL);
    put_all(store);
    EXPECT_EQ(count - 1, get_all(store));
    dnnl_cache_store_close(store);
}
