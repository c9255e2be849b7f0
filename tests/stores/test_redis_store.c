/* SPDX-License-Identifier: Apache-2.0 */
/* The store on a real redis-server: entries, who we are, and all that a server
 * can answer. */
#include "redis_server.h"
#include "remote_helpers.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct redis_process server;
static dnnl_cache_store_handle_t *open_with(const char *more)
{
    return remote_open("unix://%s?insecure=1&timeout_ms=5000%s%s",
            server.socket, more[0] != '\0' ? "&" : "", more);
}

/* ---- Entries ------------------------------------------------------------- */

TEST_REDIS(RedisStore, KeepsWhatIsPutForOtherHosts)
{
    dnnl_cache_store_handle_t *one = open_with("");
    dnnl_cache_store_handle_t *other = open_with("");
    EXPECT_STATUS(dnnl_cache_miss, get_number(one, 1, 3000));
    EXPECT_OK(put_number(one, 1, 3000));
    EXPECT_OK(put_number(one, 2, 3000000));
    remote_flush(one);
    EXPECT_OK(get_number(other, 1, 3000));
    EXPECT_OK(get_number(other, 2, 3000000));
    EXPECT_EQ(2, redis_number(&server, "DBSIZE"));
    EXPECT_OK(remove_id(other, "id 1"));
    EXPECT_STATUS(dnnl_cache_miss, get_number(one, 1, 3000));
    EXPECT_EQ(1, count_entries(one));
    EXPECT_EQ(0, remote_of(one).errors);
    dnnl_cache_store_close(one);
    dnnl_cache_store_close(other);
}

TEST_REDIS(RedisStore, LeavesDescriptorsOfTheApplicationAlone)
{
    char url[512];
    dnnl_cache_store_handle_t *store = open_with("");
    EXPECT_OK(put_number(store, 1, 3000));
    remote_flush(store);
    dnnl_cache_store_close(store);
    (void)snprintf(url, sizeof url, "unix://%s?insecure=1&timeout_ms=5000",
            server.socket);
    remote_expect_descriptors_alone(url);
}

TEST_REDIS(RedisStore, EntriesEndWithTheirTime)
{
    char key[256];
    dnnl_cache_store_handle_t *store = open_with("ttl_s=1000&prefix=a*b:");
    EXPECT_OK(put_number(store, 1, 100));
    remote_flush(store);
    (void)redis_text(&server, key, sizeof key, "RANDOMKEY");
    EXPECT_EQ(4 + 64, strlen(key));
    EXPECT_EQ(0, strncmp(key, "a*b:", 4));
    const long long left = redis_number(&server, "TTL %s", key);
    EXPECT_TRUE(left > 900 && left <= 1000);
    /* The prefix is no pattern. */
    (void)redis_number(&server, "APPEND aXb:c d");
    EXPECT_EQ(1, count_entries(store));
    EXPECT_OK(get_number(store, 1, 100));
    dnnl_cache_store_close(store);
}

TEST_REDIS(RedisStore, GetsManyInOneRoundTrip)
{
    enum { count = 50, size = 2000 };
    static char ids[count][16];
    size_t id_sizes[count];
    const uint8_t *list[count];
    size_t sizes[count] = {0};
    const uint8_t *blobs[count] = {NULL};
    dnnl_cache_store_handle_t *store = open_with("");
    for (unsigned i = 0; i < count; i++) {
        id_sizes[i] = (size_t)snprintf(ids[i], sizeof ids[i], "id %u", i);
        list[i] = (const uint8_t *)ids[i];
        if (i != 7) EXPECT_OK(put_number(store, i, size));
    }
    remote_flush(store);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 7, size)); /* connects */
    const long long before = redis_reads(&server);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    EXPECT_OK(s->get_many(s->user, count, id_sizes, list, sizes, blobs));
    /* All commands were there when the server read once, or the rest of them
     * when it read again; the other reads are those of the two INFOs. */
    EXPECT_LE(redis_reads(&server) - before, 4);
    EXPECT_EQ(1, redis_calls(&server, "get"));
    EXPECT_EQ(1, redis_calls(&server, "mget"));
    for (unsigned i = 0; i < count; i++) {
        EXPECT_EQ(i == 7 ? 0 : size, sizes[i]);
        if (blobs[i] != NULL) s->release(s->user, sizes[i], blobs[i]);
    }
    dnnl_cache_store_close(store);
}

/* ---- Who we are ---------------------------------------------------------- */

TEST_C(RedisStore, PasswordsComeFromFiles)
{
    static const char *const arguments[] = {"--requirepass", "first-secret",
            "--user", "host", "on", ">second", "~*", "&*", "+@all", NULL};
    char file[path_size];
    char more[path_size + 64];
    char url[2 * path_size];
    dnnl_cache_store_handle_t *store = NULL;
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), arguments);
    (void)path_in_test(file, "password");
    write_secret(file, "first-secret\n", 0600);
    snprintf(more, sizeof more, "password_file=%s", file);
    store = open_with(more);
    EXPECT_OK(put_number(store, 1, 100));
    remote_flush(store);
    EXPECT_OK(get_number(store, 1, 100));
    dnnl_cache_store_close(store);

    write_secret(file, "second", 0600);
    snprintf(more, sizeof more, "user=host&password_file=%s", file);
    store = open_with(more);
    EXPECT_OK(get_number(store, 1, 100));
    dnnl_cache_store_close(store);

    /* A wrong one, and none: misses, and no message with a secret. */
    store = open_with("");
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(1, remote_of(store).gets_failed);
    dnnl_cache_store_close(store);
    snprintf(more, sizeof more, "password_file=%s", file);
    store = open_with(more);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_TRUE(strstr(remote_messages(), "refused the password") != NULL);
    EXPECT_NULL(strstr(remote_messages(), "second"));
    dnnl_cache_store_close(store);

    snprintf(url, sizeof url, "unix://%s?insecure=1&password_file=%s",
            server.socket, file);
    write_secret(file, "first-secret", 0644);
    EXPECT_NE(dnnl_success, remote_try_open(&store, url));
    EXPECT_TRUE(strstr(remote_messages(), "other users may read it") != NULL);
    write_secret(file, "\nfirst-secret", 0600);
    EXPECT_NE(dnnl_success, remote_try_open(&store, url));
    EXPECT_NULL(strstr(remote_messages(), "secret"));
    if (geteuid() == 0) {
        EXPECT_EQ(0, chown(file, 65534, 65534));
        EXPECT_STATUS(dnnl_runtime_error, remote_try_open(&store, url));
        EXPECT_TRUE(strstr(remote_messages(), "another user") != NULL);
    }
    snprintf(url, sizeof url, "unix://%s?insecure=1&password_file=%s",
            server.socket, test_directory());
    EXPECT_STATUS(dnnl_runtime_error, remote_try_open(&store, url));
    EXPECT_TRUE(strstr(remote_messages(), "not a regular file") != NULL);
    redis_kill(&server);
}

TEST_C(RedisStore, PasswordsComeFromTheEnvironment)
{
    static const char *const arguments[] = {"--requirepass", "secret", NULL};
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), arguments);
    EXPECT_EQ(0, setenv("DNNL_CACHE_REDIS_PASSWORD", "secret", 1));
    dnnl_cache_store_handle_t *store = open_with("");
    EXPECT_OK(put_number(store, 1, 100));
    remote_flush(store);
    EXPECT_OK(get_number(store, 1, 100));
    dnnl_cache_store_close(store);
    EXPECT_EQ(0, unsetenv("DNNL_CACHE_REDIS_PASSWORD"));
    redis_kill(&server);
}

TEST_C(RedisStore, TlsIsRefusedWithAdvice)
{
    dnnl_cache_store_handle_t *store = NULL;
    EXPECT_STATUS(dnnl_invalid_arguments,
            remote_try_open(&store, "rediss://localhost?insecure=1"));
    EXPECT_TRUE(strstr(remote_messages(), "stunnel") != NULL);
}

/* ---- What a server can answer -------------------------------------------- */

TEST_REDIS(RedisStore, WhatIsNoTextIsReplaced)
{
    char key[256];
    dnnl_cache_store_handle_t *store = open_with("");
    EXPECT_OK(put_number(store, 1, 100));
    remote_flush(store);
    (void)redis_text(&server, key, sizeof key, "RANDOMKEY");
    EXPECT_EQ(1, redis_number(&server, "DEL %s", key));
    EXPECT_EQ(1, redis_number(&server, "LPUSH %s x", key));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(1, statistics_of(store).damaged);
    EXPECT_OK(put_number(store, 1, 100));
    remote_flush(store);
    EXPECT_OK(get_number(store, 1, 100));
    dnnl_cache_store_close(store);
}

/* By the size that the store takes, and by that which a reply may have. */
TEST_REDIS(RedisStore, WhatIsTooLargeIsNotFetched)
{
    dnnl_cache_store_handle_t *store = open_with("");
    dnnl_cache_store_handle_t *other = open_with("max_blob_bytes=20000");
    EXPECT_OK(put_number(store, 1, 100));
    EXPECT_OK(put_number(store, 2, 30000));
    EXPECT_OK(put_number(store, 3, 6000000));
    remote_flush(store);
    for (unsigned i = 2; i <= 3; i++) {
        EXPECT_STATUS(dnnl_cache_miss, get_number(other, i, 100));
        EXPECT_EQ(i - 1, remote_of(other).too_large);
        EXPECT_OK(get_number(other, 1, 100));
    }
    EXPECT_LT(remote_of(other).bytes_received, 2000);
    EXPECT_EQ(0, remote_of(other).errors);
    EXPECT_OK(get_number(store, 3, 6000000));
    dnnl_cache_store_close(store);
    dnnl_cache_store_close(other);
}

TEST_C(RedisStore, AFullServerIsReadOn)
{
    static const char *const arguments[] = {
            "--maxmemory", "3mb", "--maxmemory-policy", "noeviction", NULL};
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), arguments);
    dnnl_cache_store_handle_t *store = open_with("");
    EXPECT_OK(put_number(store, 1, 1000));
    remote_flush(store);
    EXPECT_OK(put_number(store, 2, 4000000));
    remote_flush(store);
    EXPECT_OK(put_number(store, 3, 1000));
    remote_flush(store);
    EXPECT_TRUE(remote_of(store).refusals > 0);
    EXPECT_OK(get_number(store, 1, 1000));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 3, 1000));
    EXPECT_EQ(0, remote_of(store).errors);
    dnnl_cache_store_close(store);
    redis_kill(&server);
}

TEST_REDIS(RedisStore, AServerThatRefusesWritesIsReadOn)
{
    dnnl_cache_store_handle_t *store = open_with("");
    EXPECT_OK(put_number(store, 1, 1000));
    remote_flush(store);
    char text[64];
    /* As a replica that has lost its master, and still answers. */
    (void)redis_text(&server, text, sizeof text, "REPLICAOF 127.0.0.1 1");
    EXPECT_STR_EQ("OK", text);
    EXPECT_OK(put_number(store, 2, 1000));
    remote_flush(store);
    EXPECT_TRUE(remote_of(store).refusals > 0);
    EXPECT_OK(get_number(store, 1, 1000));
    EXPECT_STATUS(dnnl_runtime_error, remove_id(store, "id 1"));
    dnnl_cache_store_close(store);
}

TEST_REDIS(RedisStore, APausedServerIsNotWaitedFor)
{
    char url[1024];
    dnnl_cache_store_handle_t *store = NULL;
    snprintf(url, sizeof url, "unix://%s?insecure=1&timeout_ms=100",
            server.socket);
    ASSERT_OK(remote_try_open(&store, url));
    remote_expect_no_wait_for_paused(store, server.pid);
}

/* ---- Servers that are none ----------------------------------------------- */

TEST_C(RedisStore, GarbageIsAMiss)
{
    static const struct {
        const char *text;
        size_t size;
    } answers[] = {
#define ANSWER(text) {(text), sizeof(text) - 1}
            ANSWER("HTTP/1.1 400 Bad Request\r\n\r\n"),
            ANSWER("$99999999999999\r\nabc"),
            ANSWER("$-7\r\n"),
            ANSWER("$99999999999999999999999999\r\n"),
            ANSWER("*2147483647\r\n"),
            ANSWER("*1000000\r\n$1\r\na\r\n"),
            ANSWER("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n"),
            ANSWER(":12\r\n"),
            ANSWER("+OK\r\n"),
            ANSWER("$5\r\nabcde"),
            ANSWER("$5\r\nabcdefgh"),
            ANSWER("$5\r\nabcde\r\n"),
            ANSWER("\0\0\0\0"),
            ANSWER("$"),
            ANSWER(""),
            ANSWER("$-1\r\n$-1\r\n$-1\r\n+OK\r\n"),
            ANSWER("-MOVED 1234 10.0.0.1:6379\r\n"),
            ANSWER("-MISDIRECTED\r\n"),
            ANSWER("-LOADING Redis is loading the dataset in memory\r\n"),
            ANSWER("-NOAUTH Authentication required.\r\n"),
            ANSWER("-\r\n"),
            /* Of RESP3, which later versions of hiredis read. */
            ANSWER(",3.25\r\n"),
            ANSWER("#t\r\n"),
            ANSWER("(123456789012345678901234567890\r\n"),
            ANSWER("=7\r\ntxt:abc\r\n"),
            ANSWER("%1\r\n$1\r\na\r\n$1\r\nb\r\n"),
            ANSWER("~1\r\n$1\r\na\r\n"),
            ANSWER(">1\r\n$1\r\na\r\n"),
            ANSWER("*2\r\n,1\r\n#f\r\n"),
#undef ANSWER
    };
    for (size_t i = 0; i < COUNT(answers); i++) {
        struct liar liar = {.answer = answers[i].text,
                .size = answers[i].size,
                .path = server.socket};
        snprintf(server.socket, sizeof server.socket, "%s/liar.sock",
                test_directory());
        liar_begin(&liar);
        dnnl_cache_store_handle_t *store = open_with("");
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
        EXPECT_EQ(0, statistics_of(store).hits);
        EXPECT_OK(put_number(store, 1, 100));
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
        dnnl_cache_store_close(store);
        liar_end(&liar);
    }
}

/* ---- A server that comes and goes ---------------------------------------- */

static void kill_server(void)
{
    redis_kill(&server);
}

static void start_again(void)
{
    redis_start(&server, test_directory(), NULL);
}

TEST_REDIS(RedisStore, AServerIsKilledAndRestartedUnderLoad)
{
    dnnl_cache_store_handle_t *store = open_with("");
    remote_load_over_restarts(store, kill_server, start_again);
    dnnl_cache_store_close(store);
}
