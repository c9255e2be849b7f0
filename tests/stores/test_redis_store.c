/* SPDX-License-Identifier: Apache-2.0 */
/* The store on a real redis-server: entries, who we are, and all that a server
 * can answer. */
#include "redis_server.h"
#include "remote_store.h"
#include "store_helpers.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { most_text = 4096 };

static struct redis_process server;
static char messages[most_text]; /* of the last store that was opened */

static void note_message(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)level;
    (void)user;
    printf("[   LOG    ] %s\n", text);
    const size_t used = strlen(messages);
    snprintf(messages + used, sizeof messages - used, "%s\n", text);
}

static dnnl_status_t try_open(
        struct dnnl_cache_store_handle **store, const char *url)
{
    struct dnnl_cache_store_remote_options options =
            dnnl_cache_store_remote_options_default();
    options.url = url;
    options.log = note_message;
    messages[0] = '\0';
    return dnnl_cache_store_open_remote(store, &options);
}

static struct dnnl_cache_store_handle *open_with(const char *more)
{
    struct dnnl_cache_store_handle *store = NULL;
    char url[1024];
    snprintf(url, sizeof url, "unix://%s?insecure=1&timeout_ms=5000%s%s",
            server.socket, more[0] != '\0' ? "&" : "", more);
    EXPECT_OK(try_open(&store, url));
    return store;
}

static void flush(struct dnnl_cache_store_handle *store)
{
    EXPECT_OK(dnnl_cache_store_remote_flush(store, 60000));
}

static struct dnnl_cache_store_remote_statistics remote_of(
        const struct dnnl_cache_store_handle *store)
{
    struct dnnl_cache_store_remote_statistics statistics = {0};
    EXPECT_OK(dnnl_cache_store_remote_get_statistics(store, &statistics));
    return statistics;
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- Entries ------------------------------------------------------------- */

TEST_C(RedisStore, KeepsWhatIsPutForOtherHosts)
{
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    struct dnnl_cache_store_handle *one = open_with("");
    struct dnnl_cache_store_handle *other = open_with("");
    EXPECT_STATUS(dnnl_cache_miss, get_number(one, 1, 3000));
    EXPECT_OK(put_number(one, 1, 3000));
    EXPECT_OK(put_number(one, 2, 3000000));
    flush(one);
    EXPECT_OK(get_number(other, 1, 3000));
    EXPECT_OK(get_number(other, 2, 3000000));
    EXPECT_EQ(2, redis_number(&server, "DBSIZE"));
    EXPECT_OK(remove_id(other, "id 1"));
    EXPECT_STATUS(dnnl_cache_miss, get_number(one, 1, 3000));
    EXPECT_EQ(1, count_entries(one));
    EXPECT_EQ(0, remote_of(one).errors);
    dnnl_cache_store_close(one);
    dnnl_cache_store_close(other);
    redis_kill(&server);
}

TEST_C(RedisStore, EntriesEndWithTheirTime)
{
    char key[256];
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    struct dnnl_cache_store_handle *store = open_with("ttl_s=1000&prefix=a*b:");
    EXPECT_OK(put_number(store, 1, 100));
    flush(store);
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
    redis_kill(&server);
}

TEST_C(RedisStore, GetsManyInOneRoundTrip)
{
    enum { count = 50, size = 2000 };
    static char ids[count][16];
    size_t id_sizes[count];
    const uint8_t *list[count];
    size_t sizes[count] = {0};
    const uint8_t *blobs[count] = {NULL};
    char info[16384];
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    struct dnnl_cache_store_handle *store = open_with("");
    for (unsigned i = 0; i < count; i++) {
        id_sizes[i] = (size_t)snprintf(ids[i], sizeof ids[i], "id %u", i);
        list[i] = (const uint8_t *)ids[i];
        if (i != 7) EXPECT_OK(put_number(store, i, size));
    }
    flush(store);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 7, size)); /* connects */
    const char reads_field[] = "total_reads_processed:";
    (void)redis_text(&server, info, sizeof info, "INFO stats");
    const char *at = strstr(info, reads_field);
    ASSERT_TRUE(at != NULL);
    const long before = strtol(at + sizeof reads_field - 1, NULL, 10);
    const dnnl_cache_store_t *s = dnnl_cache_store_callbacks(store);
    EXPECT_OK(s->get_many(s->user, count, id_sizes, list, sizes, blobs));
    (void)redis_text(&server, info, sizeof info, "INFO stats");
    at = strstr(info, reads_field);
    ASSERT_TRUE(at != NULL);
    /* All commands were there when the server read once, or the rest of them
     * when it read again; the other reads are those of the two INFOs. */
    EXPECT_LE(strtol(at + sizeof reads_field - 1, NULL, 10) - before, 4);
    EXPECT_EQ(count + 1, redis_calls(&server, "get"));
    for (unsigned i = 0; i < count; i++) {
        EXPECT_EQ(i == 7 ? 0 : size, sizes[i]);
        if (blobs[i] != NULL) s->release(s->user, sizes[i], blobs[i]);
    }
    dnnl_cache_store_close(store);
    redis_kill(&server);
}

/* ---- Who we are ---------------------------------------------------------- */

static void write_secret(const char *path, const char *text, mode_t mode)
{
    write_whole(path, text, strlen(text));
    EXPECT_EQ(0, chmod(path, mode));
}

TEST_C(RedisStore, PasswordsComeFromFiles)
{
    static const char *const arguments[] = {"--requirepass", "first-secret",
            "--user", "host", "on", ">second", "~*", "&*", "+@all", NULL};
    char file[path_size];
    char more[path_size + 64];
    char url[2 * path_size];
    struct dnnl_cache_store_handle *store = NULL;
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), arguments);
    (void)path_in_test(file, "password");
    write_secret(file, "first-secret\n", 0600);
    snprintf(more, sizeof more, "password_file=%s", file);
    store = open_with(more);
    EXPECT_OK(put_number(store, 1, 100));
    flush(store);
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
    EXPECT_TRUE(strstr(messages, "refused the password") != NULL);
    EXPECT_NULL(strstr(messages, "second"));
    dnnl_cache_store_close(store);

    snprintf(url, sizeof url, "unix://%s?insecure=1&password_file=%s",
            server.socket, file);
    write_secret(file, "first-secret", 0644);
    EXPECT_NE(dnnl_success, try_open(&store, url));
    EXPECT_TRUE(strstr(messages, "other users may read it") != NULL);
    write_secret(file, "\nfirst-secret", 0600);
    EXPECT_NE(dnnl_success, try_open(&store, url));
    EXPECT_NULL(strstr(messages, "secret"));
    redis_kill(&server);
}

TEST_C(RedisStore, PasswordsComeFromTheEnvironment)
{
    static const char *const arguments[] = {"--requirepass", "secret", NULL};
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), arguments);
    EXPECT_EQ(0, setenv("DNNL_CACHE_REDIS_PASSWORD", "secret", 1));
    struct dnnl_cache_store_handle *store = open_with("");
    EXPECT_OK(put_number(store, 1, 100));
    flush(store);
    EXPECT_OK(get_number(store, 1, 100));
    dnnl_cache_store_close(store);
    EXPECT_EQ(0, unsetenv("DNNL_CACHE_REDIS_PASSWORD"));
    redis_kill(&server);
}

TEST_C(RedisStore, TlsIsRefusedWithAdvice)
{
    struct dnnl_cache_store_handle *store = NULL;
    EXPECT_STATUS(dnnl_invalid_arguments,
            try_open(&store, "rediss://localhost?insecure=1"));
    EXPECT_TRUE(strstr(messages, "stunnel") != NULL);
}

/* ---- What a server can answer -------------------------------------------- */

TEST_C(RedisStore, WhatIsNoTextIsReplaced)
{
    char key[256];
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    struct dnnl_cache_store_handle *store = open_with("");
    EXPECT_OK(put_number(store, 1, 100));
    flush(store);
    (void)redis_text(&server, key, sizeof key, "RANDOMKEY");
    EXPECT_EQ(1, redis_number(&server, "DEL %s", key));
    EXPECT_EQ(1, redis_number(&server, "LPUSH %s x", key));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(1, statistics_of(store).damaged);
    EXPECT_OK(put_number(store, 1, 100));
    flush(store);
    EXPECT_OK(get_number(store, 1, 100));
    dnnl_cache_store_close(store);
    redis_kill(&server);
}

/* By the size that the store takes, and by that which a reply may have. */
TEST_C(RedisStore, WhatIsTooLargeIsNotFetched)
{
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    struct dnnl_cache_store_handle *store = open_with("");
    struct dnnl_cache_store_handle *other = open_with("max_blob_bytes=20000");
    EXPECT_OK(put_number(store, 1, 100));
    EXPECT_OK(put_number(store, 2, 30000));
    EXPECT_OK(put_number(store, 3, 6000000));
    flush(store);
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
    redis_kill(&server);
}

TEST_C(RedisStore, AFullServerIsReadOn)
{
    static const char *const arguments[] = {
            "--maxmemory", "3mb", "--maxmemory-policy", "noeviction", NULL};
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), arguments);
    struct dnnl_cache_store_handle *store = open_with("");
    EXPECT_OK(put_number(store, 1, 1000));
    flush(store);
    EXPECT_OK(put_number(store, 2, 4000000));
    flush(store);
    EXPECT_OK(put_number(store, 3, 1000));
    flush(store);
    EXPECT_TRUE(remote_of(store).refusals > 0);
    EXPECT_OK(get_number(store, 1, 1000));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 3, 1000));
    EXPECT_EQ(0, remote_of(store).errors);
    dnnl_cache_store_close(store);
    redis_kill(&server);
}

TEST_C(RedisStore, AServerThatRefusesWritesIsReadOn)
{
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    struct dnnl_cache_store_handle *store = open_with("");
    EXPECT_OK(put_number(store, 1, 1000));
    flush(store);
    char text[64];
    /* As a replica that has lost its master, and still answers. */
    (void)redis_text(&server, text, sizeof text, "REPLICAOF 127.0.0.1 1");
    EXPECT_STR_EQ("OK", text);
    EXPECT_OK(put_number(store, 2, 1000));
    flush(store);
    EXPECT_TRUE(remote_of(store).refusals > 0);
    EXPECT_OK(get_number(store, 1, 1000));
    EXPECT_STATUS(dnnl_runtime_error, remove_id(store, "id 1"));
    dnnl_cache_store_close(store);
    redis_kill(&server);
}

TEST_C(RedisStore, APausedServerIsNotWaitedFor)
{
    char url[1024];
    struct dnnl_cache_store_handle *store = NULL;
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    snprintf(url, sizeof url, "unix://%s?insecure=1&timeout_ms=100",
            server.socket);
    ASSERT_OK(try_open(&store, url));
    EXPECT_OK(put_number(store, 1, 1000));
    flush(store);
    EXPECT_OK(get_number(store, 1, 1000));
    EXPECT_EQ(0, kill(server.pid, SIGSTOP));
    const uint64_t start = now_ms();
    for (int i = 0; i < 1000; i++)
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 1000));
    /* The first waits; what all wait for together is limited, too. */
    EXPECT_LT(now_ms() - start, 5000);
    EXPECT_TRUE(remote_of(store).gets_skipped > 900);
    EXPECT_OK(put_number(store, 2, 1000));
    const uint64_t close_start = now_ms();
    dnnl_cache_store_close(store);
    EXPECT_LT(now_ms() - close_start, 10000);
    EXPECT_EQ(0, kill(server.pid, SIGCONT));
    redis_kill(&server);
}

/* ---- Servers that are none ----------------------------------------------- */

/* Sends the same to whoever says something, and closes if it ends with no
 * NUL. */
struct liar {
    int listener;
    const char *answer;
    size_t size;
    pthread_t thread;
};

static void *lie(void *user)
{
    struct liar *liar = user;
    for (;;) {
        char asked[65536];
        const int fd = accept(liar->listener, NULL, NULL);
        if (fd < 0) return NULL;
        if (recv(fd, asked, sizeof asked, 0) > 0)
            (void)!send(fd, liar->answer, liar->size, MSG_NOSIGNAL);
        (void)shutdown(fd, SHUT_WR);
        while (recv(fd, asked, sizeof asked, 0) > 0)
            ;
        (void)close(fd);
    }
}

static void begin_lying(struct liar *liar, const char *answer, size_t size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(server.socket, sizeof server.socket, "%s/liar.sock",
            test_directory());
    (void)unlink(server.socket);
    memcpy(address.sun_path, server.socket, sizeof server.socket);
    *liar = (struct liar){.answer = answer, .size = size};
    liar->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_TRUE(liar->listener >= 0);
    ASSERT_EQ(0,
            bind(liar->listener, (struct sockaddr *)&address, sizeof address));
    ASSERT_EQ(0, listen(liar->listener, 16));
    ASSERT_EQ(0, pthread_create(&liar->thread, NULL, lie, liar));
}

static void end_lying(struct liar *liar)
{
    (void)shutdown(liar->listener, SHUT_RDWR);
    (void)pthread_join(liar->thread, NULL);
    (void)close(liar->listener);
}

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
        struct liar liar;
        begin_lying(&liar, answers[i].text, answers[i].size);
        struct dnnl_cache_store_handle *store = open_with("");
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
        EXPECT_EQ(0, statistics_of(store).hits);
        EXPECT_OK(put_number(store, 1, 100));
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
        dnnl_cache_store_close(store);
        end_lying(&liar);
    }
}

/* ---- A server that comes and goes ---------------------------------------- */

struct load {
    struct dnnl_cache_store_handle *store;
    atomic_bool is_over;
    unsigned wrong;
    unsigned hits;
    uint64_t longest_ms;
};

static void *put_and_get(void *user)
{
    struct load *load = user;
    for (unsigned i = 0; !atomic_load(&load->is_over); i++) {
        const uint64_t start = now_ms();
        if (put_number(load->store, i % 20, 5000) != dnnl_success)
            load->wrong++;
        const int st = get_number_quietly(load->store, (i + 7) % 20, 5000);
        const uint64_t took = now_ms() - start;
        if (took > load->longest_ms) load->longest_ms = took;
        if (st == dnnl_success)
            load->hits++;
        else if (st != dnnl_cache_miss)
            load->wrong++;
    }
    return NULL;
}

TEST_C(RedisStore, AServerIsKilledAndRestartedUnderLoad)
{
    enum { threads = 4, rounds = 3 };
    struct load loads[threads];
    pthread_t ids[threads];
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    struct dnnl_cache_store_handle *store = open_with("");
    for (int i = 0; i < threads; i++) {
        loads[i] = (struct load){.store = store};
        ASSERT_EQ(0, pthread_create(&ids[i], NULL, put_and_get, &loads[i]));
    }
    for (int i = 0; i < rounds; i++) {
        (void)usleep(100000);
        redis_kill(&server);
        (void)usleep(50000);
        redis_start(&server, test_directory(), NULL);
    }
    (void)usleep(100000);
    for (int i = 0; i < threads; i++)
        atomic_store(&loads[i].is_over, true);
    for (int i = 0; i < threads; i++) {
        (void)pthread_join(ids[i], NULL);
        EXPECT_EQ(0, loads[i].wrong);
        EXPECT_TRUE(loads[i].hits > 0);
        /* The time-out, and what a busy machine adds. */
        EXPECT_LT(loads[i].longest_ms, 30000);
    }
    dnnl_cache_store_close(store);
    redis_kill(&server);
}
