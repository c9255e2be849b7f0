/* SPDX-License-Identifier: Apache-2.0 */
#include "remote_proofs.h"

#include "stores/remote/remote_entry.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { small = 24 };

static void put_now(dnnl_cache_store_handle_t *store, unsigned number)
{
    EXPECT_OK(put_number(store, number, small));
    remote_flush(store);
}

/* The object of put_number()'s ID. */
static const char *name_of(char name[remote_name_size], unsigned number)
{
    char id[32];
    const int size = snprintf(id, sizeof id, "id %u", number);
    remote_entry_name(name, (size_t)size, (const uint8_t *)id);
    return name;
}

/* ---- Damage -------------------------------------------------------------- */

void remote_prove_damage(
        const struct remote_proof_server *server, const char *keys)
{
    char name[remote_name_size];
    size_t size = 0;
    if (!server->is_there()) return;
    server->start();
    dnnl_cache_store_handle_t *store = server->open(keys);
    put_now(store, 1);
    char *bytes = server->read(name_of(name, 1), &size);
    ASSERT_TRUE(bytes != NULL && size > small);
    for (size_t i = 0; i < size; i++) {
        const char good = bytes[i];
        bytes[i] = (char)(good ^ (1 << (i % 8)));
        server->write(name, bytes, size);
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, small));
        bytes[i] = good;
    }
    EXPECT_EQ(size, statistics_of(store).damaged);
    server->write(name, bytes, size);
    EXPECT_OK(get_number(store, 1, small));
    for (size_t i = 0; i < size; i++) {
        server->write(name, bytes, i);
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, small));
    }
    put_now(store, 1); /* heals */
    EXPECT_OK(get_number(store, 1, small));
    free(bytes);
    dnnl_cache_store_close(store);
    server->kill();
}

/* Under another's name, or by who has no key: as if it were not there. */
void remote_prove_others(const struct remote_proof_server *server)
{
    char option[path_size];
    char name[remote_name_size];
    size_t size = 0;
    if (!server->is_there()) return;
    server->start();
    dnnl_cache_store_handle_t *store = server->open(key_option(option, "key"));
    dnnl_cache_store_handle_t *other =
            server->open(key_option(option, "other_key"));
    dnnl_cache_store_handle_t *open = server->open("insecure=1");
    put_now(store, 1);
    EXPECT_STATUS(dnnl_cache_miss, get_number(other, 1, small));
    put_now(store, 2);
    char *bytes = server->read(name_of(name, 1), &size);
    ASSERT_TRUE(bytes != NULL);
    server->write(name_of(name, 2), bytes, size);
    free(bytes);
    EXPECT_OK(get_number(store, 1, small));
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
    server->kill();
}

/* ---- Many ---------------------------------------------------------------- */

enum { threads = 4, processes = 4, rounds = 100, numbers = 12 };

struct user {
    dnnl_cache_store_handle_t *store;
    uint64_t seed;
    atomic_uint *wrong;
};

static size_t size_of(unsigned number)
{
    return 1000 + 700 * (size_t)number;
}

/* All entries of a number have the same bytes: whoever put one, a get has those
 * or nothing. */
static void *use(void *user)
{
    struct user *u = user;
    for (int i = 0; i < rounds; i++) {
        const unsigned number = (unsigned)(next_random(&u->seed) % numbers);
        const size_t size = size_of(number);
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

static unsigned use_by_threads(dnnl_cache_store_handle_t *store, uint64_t seed)
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

/* Each is whole, or not there. */
static void expect_all_whole(dnnl_cache_store_handle_t *store,
        size_t (*size)(unsigned number), unsigned *found)
{
    for (unsigned i = 0; i < numbers; i++) {
        const dnnl_status_t st = get_number(store, i, size(i));
        *found += st == dnnl_success;
        EXPECT_TRUE(st == dnnl_success || st == dnnl_cache_miss);
    }
    EXPECT_EQ(0, statistics_of(store).damaged);
    EXPECT_EQ(0, remote_of(store).errors);
}

void remote_prove_many(const struct remote_proof_server *server)
{
    pid_t pids[processes];
    unsigned found = 0;
    const uint64_t seed = test_seed();
    if (!server->is_there()) return;
    server->start();
    dnnl_cache_store_handle_t *store = server->open("insecure=1");
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
        dnnl_cache_store_handle_t *own =
                i % 2 == 0 ? store : server->open("insecure=1");
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
    remote_flush(store);
    expect_all_whole(store, size_of, &found);
    EXPECT_TRUE(found > 0);
    dnnl_cache_store_close(store);
    server->kill();
}

static size_t large(unsigned number)
{
    (void)number;
    return 400000;
}

/* Killed in the middle of whatever it does: the others read whole entries. */
void remote_prove_death(const struct remote_proof_server *server)
{
    enum { deaths = 10 };
    unsigned found = 0;
    uint64_t seed = test_seed();
    if (!server->is_there()) return;
    server->start();
    for (int i = 0; i < deaths; i++) {
        const pid_t pid = fork();
        if (pid == 0) {
            dnnl_cache_store_handle_t *own = server->open("insecure=1");
            for (unsigned n = 0;; n++)
                (void)put_number(own, n % numbers, large(n));
        }
        (void)usleep((useconds_t)(next_random(&seed) % 20000));
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
    }
    dnnl_cache_store_handle_t *store = server->open("insecure=1");
    expect_all_whole(store, large, &found);
    dnnl_cache_store_close(store);
    server->kill();
}
