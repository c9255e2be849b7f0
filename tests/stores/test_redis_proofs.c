/* SPDX-License-Identifier: Apache-2.0 */
/* What the stores on disk have to prove, on Redis: damage to every byte and of
 * every length, entries of others, many threads and processes. */
#include "redis_server.h"
#include "remote_helpers.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { small = 24 };

static struct redis_process server;

static struct dnnl_cache_store_handle *open_with(const char *keys)
{
    struct dnnl_cache_store_handle *store = NULL;
    struct dnnl_cache_store_remote_options options =
            dnnl_cache_store_remote_options_default();
    char url[1024];
    snprintf(url, sizeof url, "unix://%s?timeout_ms=20000&%s", server.socket,
            keys);
    options.url = url;
    EXPECT_OK(dnnl_cache_store_open_remote(&store, &options));
    return store;
}

static void put_now(struct dnnl_cache_store_handle *store, unsigned number)
{
    EXPECT_OK(put_number(store, number, small));
    EXPECT_OK(dnnl_cache_store_remote_flush(store, 60000));
}

/* ---- Damage -------------------------------------------------------------- */

static void damage_every_byte(const char *keys)
{
    char key[256];
    size_t size = 0;
    redis_start(&server, test_directory(), NULL);
    struct dnnl_cache_store_handle *store = open_with(keys);
    put_now(store, 1);
    (void)redis_text(&server, key, sizeof key, "RANDOMKEY");
    char *good = redis_bytes(&server, &size, "GET %s", key);
    ASSERT_TRUE(good != NULL && size > small);
    for (size_t i = 0; i < size; i++) {
        const char bad = (char)(good[i] ^ (1 << (i % 8)));
        EXPECT_EQ(size, redis_number(&server, "SETRANGE %s %d %b", key, (int)i,
                                &bad, (size_t)1));
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, small));
        EXPECT_EQ(size, redis_number(&server, "SETRANGE %s %d %b", key, (int)i,
                                &good[i], (size_t)1));
    }
    EXPECT_EQ(size, statistics_of(store).damaged);
    EXPECT_OK(get_number(store, 1, small));
    for (size_t i = 0; i < size; i++) {
        char text[16];
        (void)redis_text(&server, text, sizeof text, "SET %s %b", key, good, i);
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, small));
    }
    put_now(store, 1); /* heals */
    EXPECT_OK(get_number(store, 1, small));
    free(good);
    dnnl_cache_store_close(store);
    redis_kill(&server);
}

TEST_C(RedisProof, EveryByteAndLengthOfAnEntry)
{
    if (redis_is_there()) damage_every_byte("insecure=1");
}

TEST_C(RedisProof, EveryByteAndLengthOfASignedEntry)
{
    char option[path_size];
    if (redis_is_there()) damage_every_byte(key_option(option, "key"));
}

/* Under another's name, or by who has no key: as if it were not there. */
TEST_C(RedisProof, EntriesOfOthersAreNotTaken)
{
    char option[path_size];
    char first[256];
    char second[256];
    char text[16];
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    struct dnnl_cache_store_handle *store =
            open_with(key_option(option, "key"));
    struct dnnl_cache_store_handle *other =
            open_with(key_option(option, "other_key"));
    struct dnnl_cache_store_handle *open = open_with("insecure=1");
    put_now(store, 1);
    (void)redis_text(&server, first, sizeof first, "RANDOMKEY");
    EXPECT_STATUS(dnnl_cache_miss, get_number(other, 1, small));
    put_now(store, 2);
    do
        (void)redis_text(&server, second, sizeof second, "RANDOMKEY");
    while (strcmp(first, second) == 0);
    (void)redis_text(&server, text, sizeof text, "RENAME %s %s", first, second);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, small));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, small));
    EXPECT_EQ(1, statistics_of(store).damaged);
    put_now(other, 2);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, small));
    put_now(open, 2);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 2, small));
    EXPECT_EQ(3, statistics_of(store).damaged);
    dnnl_cache_store_close(store);
    dnnl_cache_store_close(other);
    dnnl_cache_store_close(open);
    redis_kill(&server);
}

/* ---- Many ---------------------------------------------------------------- */

enum { threads = 4, processes = 4, rounds = 100, numbers = 12 };

struct user {
    struct dnnl_cache_store_handle *store;
    uint64_t seed;
    atomic_uint *wrong;
};

/* All entries of a number have the same bytes: whoever put one, a get has those
 * or nothing. */
static void *use(void *user)
{
    struct user *u = user;
    for (int i = 0; i < rounds; i++) {
        const unsigned number = (unsigned)(next_random(&u->seed) % numbers);
        const size_t size = 1000 + 700 * (size_t)number;
        dnnl_status_t st = dnnl_success;
        switch (next_random(&u->seed) % 4) {
        case 0:
            st = put_number(u->store, number, size);
            break;
        case 1:
            if (i % 16 == 1) {
                char id[32];
                snprintf(id, sizeof id, "id %u", number);
                st = remove_id(u->store, id);
                break;
            }
            /* fall through */
        default: {
            const int got = get_number_quietly(u->store, number, size);
            if (got != dnnl_success && got != dnnl_cache_miss)
                st = dnnl_runtime_error;
        }
        }
        if (st != dnnl_success) atomic_fetch_add(u->wrong, 1);
    }
    return NULL;
}

static unsigned use_by_threads(
        struct dnnl_cache_store_handle *store, uint64_t seed)
{
    pthread_t ids[threads];
    struct user users[threads];
    atomic_uint wrong = 0;
    for (int i = 0; i < threads; i++) {
        users[i] = (struct user){store, seed + (uint64_t)i, &wrong};
        if (pthread_create(&ids[i], NULL, use, &users[i]) != 0) abort();
    }
    for (int i = 0; i < threads; i++)
        (void)pthread_join(ids[i], NULL);
    return atomic_load(&wrong);
}

TEST_C(RedisProof, ManyProcessesOfManyThreads)
{
    pid_t pids[processes];
    const uint64_t seed = test_seed();
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    struct dnnl_cache_store_handle *store = open_with("insecure=1");
#ifndef __SANITIZE_THREAD__
    /* The store has threads from now on. ThreadSanitizer takes those of a child
     * for its parent's. */
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 1));
#endif
    for (int i = 0; i < processes; i++) {
        pids[i] = fork();
        if (pids[i] != 0) continue;
        /* Some with the parent's store, of which the child has its own
         * connections. */
        struct dnnl_cache_store_handle *own =
                i % 2 == 0 ? store : open_with("insecure=1");
        const unsigned wrong = use_by_threads(own, seed + 100 * (uint64_t)i);
        dnnl_cache_store_close(own);
        _exit(wrong > 0);
    }
    EXPECT_EQ(0, use_by_threads(store, seed + 1000));
    for (int i = 0; i < processes; i++) {
        int status = -1;
        while (waitpid(pids[i], &status, 0) < 0 && errno == EINTR)
            ;
        EXPECT_EQ(0, status);
    }
    struct dnnl_cache_store_check check = {0};
    EXPECT_OK(dnnl_cache_store_remote_flush(store, 60000));
    EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    EXPECT_EQ(0, check.damaged);
    EXPECT_TRUE(check.intact > 0);
    dnnl_cache_store_close(store);
    redis_kill(&server);
}

/* Killed in the middle of whatever it does: the others read whole entries. */
TEST_C(RedisProof, DeathAtARandomMoment)
{
    enum { deaths = 10 };
    uint64_t seed = test_seed();
    struct dnnl_cache_store_check check = {0};
    if (!redis_is_there()) return;
    redis_start(&server, test_directory(), NULL);
    for (int i = 0; i < deaths; i++) {
        const pid_t pid = fork();
        if (pid == 0) {
            struct dnnl_cache_store_handle *own = open_with("insecure=1");
            for (unsigned n = 0;; n++)
                (void)put_number(own, n % numbers, 400000);
        }
        (void)usleep((useconds_t)(next_random(&seed) % 20000));
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
    }
    struct dnnl_cache_store_handle *store = open_with("insecure=1");
    EXPECT_OK(dnnl_cache_store_verify(store, false, NULL, NULL, &check));
    EXPECT_EQ(0, check.damaged);
    dnnl_cache_store_close(store);
    redis_kill(&server);
}
