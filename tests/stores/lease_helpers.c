/* SPDX-License-Identifier: Apache-2.0 */
#include "lease_helpers.h"

#include "dnnl_cache/remote_store.h"
#include "store_helpers.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct redis_process server;

dnnl_cache_store_handle_t *open_impatient_host(
        unsigned lease_ms, unsigned timeout_ms)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    char url[512];
    snprintf(url, sizeof url, "unix://%s?insecure=1&timeout_ms=%u&lease_ms=%u",
            server.socket, timeout_ms, lease_ms);
    options.url = url;
    EXPECT_OK(dnnl_cache_store_open_remote(&store, &options));
    return store;
}

dnnl_cache_store_handle_t *open_host(unsigned lease_ms)
{
    return open_impatient_host(lease_ms, 10000);
}

dnnl_status_t acquire_lease(const struct wish *wish)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(wish->store);
    char id[32];
    size_t size = 0;
    const uint8_t *blob = NULL;
    snprintf(id, sizeof id, "id %u", wish->number);
    const dnnl_status_t st = s->acquire_lease(
            s->user, strlen(id), (const uint8_t *)id, &size, &blob);
    if (st == dnnl_success) {
        EXPECT_EQ(blob_size, size);
        s->release(s->user, size, blob);
    }
    return st;
}

void release_lease(const struct wish *wish)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(wish->store);
    char id[32];
    snprintf(id, sizeof id, "id %u", wish->number);
    s->release_lease(s->user, strlen(id), (const uint8_t *)id);
}

void put(const struct wish *wish)
{
    EXPECT_OK(put_number(wish->store, wish->number, blob_size));
    release_lease(wish);
}

void want(struct fleet *fleet, const struct wish *wish)
{
    if (get_number(wish->store, wish->number, blob_size) == dnnl_success
            || acquire_lease(wish) == dnnl_success) {
        atomic_fetch_add(&fleet->found, 1);
        return;
    }
    atomic_fetch_add(&fleet->compiled[wish->number], 1);
    (void)usleep(fleet->compile_ms * 1000);
    put(wish);
}

struct wish wish_of(unsigned lease_ms)
{
    const struct wish wish = {open_host(lease_ms), 1};
    return wish;
}

static void *wait_for_it(void *user)
{
    struct waiter *w = user;
    const uint64_t start = now_ms();
    w->status = acquire_lease(&w->wish);
    w->waited_ms = now_ms() - start;
    return NULL;
}

void wait_in_thread(struct waiter *w)
{
    ASSERT_EQ(0, pthread_create(&w->thread, NULL, wait_for_it, w));
}

void begin_waiting(struct waiter *w, unsigned lease_ms)
{
    w->wish = wish_of(lease_ms);
    wait_in_thread(w);
}

void end_waiting(struct waiter *w)
{
    (void)pthread_join(w->thread, NULL);
}

void await_hosts(long long count)
{
    const uint64_t end = now_ms() + 20000;
    while (redis_number(&server, "PUBLISH dnnl_cache::built nothing") < count
            && now_ms() < end)
        (void)usleep(1000);
    EXPECT_LT(now_ms(), end);
}

void await_entry(dnnl_cache_store_handle_t *store, unsigned number, size_t size)
{
    const uint64_t end = now_ms() + 20000;
    dnnl_status_t st;
    while ((st = get_number(store, number, size)) != dnnl_success
            && now_ms() < end)
        (void)usleep(1000);
    EXPECT_OK(st);
}

void kill_it(pid_t pid)
{
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
}
