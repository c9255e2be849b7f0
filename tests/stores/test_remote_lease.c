/* SPDX-License-Identifier: Apache-2.0 */
/* Leases that a transport gets too late for who asked: one in memory, which is
 * held up by a gate. */
#include "store_helpers.h"
#include "stores/remote/remote_internal.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { slow_ms = 40, budget_ms = 400 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_open;    /* lock */
static unsigned stores; /* lock: that were opened */
static bool is_asked;   /* lock: the last one's request for a lease came here */
static unsigned leading; /* lock: leases that were given and not ended */
static unsigned ended;   /* lock */
static enum remote_verb last_end;     /* lock */
static enum remote_result put_result; /* lock: what puts come to; 0: done */
static bool has_entry; /* lock: a lease brings an entry, after a slow get */

struct remote_transport {
    const struct remote_host *host;
    unsigned store; /* the last one, when this was made */
};

static int check(const struct remote_url *url, char why[remote_why_size])
{
    (void)url;
    (void)why;
    return 0;
}

static int create(struct remote_transport **transport,
        const struct remote_url *url, const struct remote_host *host)
{
    (void)url;
    *transport = malloc(sizeof **transport);
    if (*transport == NULL) return ENOMEM;
    (*transport)->host = host;
    pthread_mutex_lock(&lock);
    (*transport)->store = stores;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void destroy(struct remote_transport *transport)
{
    free(transport);
}

/* The entry of "id", that does not say how long compiling it took. */
static void give_entry(
        struct remote_transport *transport, struct remote_request *request)
{
    enum remote_result result = remote_result_done;
    const struct remote_key_files no_files = {.insecure = true};
    char why[remote_why_size];
    struct remote_keys *keys = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    const struct remote_entry entry = {
            .item = {.id_size = 2, .id = (const uint8_t *)"id", .blob_size = 4},
            .blob = (const uint8_t *)"blob"};
    EXPECT_EQ(0, remote_keys_open(&keys, &no_files, why));
    EXPECT_EQ(0, remote_entry_encode(&bytes, &size, &entry, keys));
    EXPECT_TRUE(transport->host->receive(request, bytes, size, &result));
    free(bytes);
    remote_keys_close(keys);
}

static void submit(
        struct remote_transport *transport, struct remote_request *request)
{
    enum remote_result result = remote_result_done;
    pthread_mutex_lock(&lock);
    if (request->verb == remote_verb_get) {
        (void)usleep(slow_ms * 1000);
        result = remote_result_absent;
    } else if (request->verb == remote_verb_put) {
        if (put_result != remote_result_none) result = put_result;
    } else if (request->verb == remote_verb_lease && has_entry) {
        give_entry(transport, request);
    } else if (request->verb == remote_verb_lease) {
        if (transport->store == stores) is_asked = true;
        while (!is_open)
            pthread_cond_wait(&changed, &lock);
        result = remote_result_absent;
        if (transport->store == stores) {
            request->holds_lease = true;
            leading++;
        }
    } else if (request->verb == remote_verb_stop
               || request->verb == remote_verb_fail
               || request->verb == remote_verb_built) {
        leading--;
        ended++;
        last_end = request->verb;
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    transport->host->done(request, result);
}

static void drive(struct remote_transport *transport, uint64_t until_ns)
{
    (void)transport;
    (void)until_ns;
}

static void wake(struct remote_transport *transport)
{
    (void)transport;
}

static const struct remote_transport_calls gated_store_calls = {
        .name = "gated",
        .check = check,
        .create = create,
        .destroy = destroy,
        .submit = submit,
        .drive = drive,
        .wake = wake,
        .has_leases = true,
};

static dnnl_cache_store_handle_t *open_gated(const char *text)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    struct remote_url url = {0};
    char why[remote_why_size];
    pthread_mutex_lock(&lock);
    stores++;
    is_asked = false;
    pthread_mutex_unlock(&lock);
    EXPECT_EQ(0, remote_url_parse(&url, text, why));
    EXPECT_OK(remote_store_open(&store, &options, &url, &gated_store_calls));
    return store;
}

static dnnl_status_t acquire_lease(dnnl_cache_store_handle_t *store)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    size_t size = 0;
    const uint8_t *blob = NULL;
    const dnnl_status_t st =
            s->acquire_lease(s->user, 2, (const uint8_t *)"id", &size, &blob);
    if (st == dnnl_success) s->release(s->user, size, blob);
    return st;
}

static void set_gate(bool open)
{
    pthread_mutex_lock(&lock);
    is_open = open;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void await_end(unsigned count)
{
    pthread_mutex_lock(&lock);
    while (ended < count)
        pthread_cond_wait(&changed, &lock);
    EXPECT_EQ(0, leading);
    pthread_mutex_unlock(&lock);
}

static bool has_asked(void)
{
    pthread_mutex_lock(&lock);
    const bool has = is_asked;
    pthread_mutex_unlock(&lock);
    return has;
}

TEST_C(RemoteLead, OfWhoHasGoneIsEnded)
{
    dnnl_cache_store_handle_t *store = NULL;
    char text[64];
    unsigned ms = 10;
    set_gate(false);
    ended = 0;
    /* On a busy machine the time may be up before the request comes here, which
     * it then does not. */
    do {
        ms *= 2;
        if (store != NULL) dnnl_cache_store_close(store);
        snprintf(text, sizeof text, "redis://nowhere?insecure=1&timeout_ms=%u",
                ms);
        store = open_gated(text);
        EXPECT_STATUS(dnnl_not_required, acquire_lease(store));
    } while (!has_asked());
    set_gate(true);
    await_end(1);
    /* The next one may do better. */
    EXPECT_EQ(remote_verb_stop, last_end);
    dnnl_cache_store_close(store);
}

TEST_C(RemoteLead, OfWhoIsThereIsEndedByThatOne)
{
    const uint8_t *id = (const uint8_t *)"id";
    dnnl_cache_store_handle_t *store =
            open_gated("redis://nowhere?insecure=1&timeout_ms=60000");
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    set_gate(true);
    ended = 0;
    EXPECT_STATUS(dnnl_cache_miss, acquire_lease(store));
    EXPECT_EQ(1, leading);
    s->release_lease(s->user, 2, id);
    await_end(1);
    EXPECT_EQ(remote_verb_fail, last_end);
    s->release_lease(s->user, 2, id); /* of none */
    dnnl_cache_store_close(store);
    EXPECT_EQ(1, ended);
}

/* Of a put without an answer who waits is told to look, and one of them leads.
 * Only what the server takes from nobody each of them compiles. */
TEST_C(RemoteLead, EndsAsThePutDoes)
{
    static const struct {
        enum remote_result put;
        enum remote_verb end;
    } of[] = {{remote_result_done, remote_verb_built},
            {remote_result_timed_out, remote_verb_stop},
            {remote_result_failed, remote_verb_stop},
            {remote_result_out_of_memory, remote_verb_stop},
            {remote_result_refused, remote_verb_fail},
            {remote_result_too_large, remote_verb_fail}};
    set_gate(true);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        dnnl_cache_store_handle_t *store =
                open_gated("redis://nowhere?insecure=1&timeout_ms=60000");
        const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
        ended = 0;
        put_result = of[i].put;
        EXPECT_STATUS(dnnl_cache_miss, acquire_lease(store));
        EXPECT_OK(s->put(s->user, 2, (const uint8_t *)"id", 4,
                (const uint8_t *)"blob", NULL));
        await_end(1);
        EXPECT_EQ(of[i].end, last_end);
        dnnl_cache_store_close(store);
        EXPECT_EQ(1, ended);
    }
    put_result = remote_result_none;
}

/* A get that found nothing was not in vain if the lease that is asked for then
 * brings what another host has compiled: or a host that follows others is out
 * of patience after a few, and compiles by itself. */
TEST_C(RemoteLead, ThatBringsAnEntryCostsNoPatience)
{
    enum { many = budget_ms / slow_ms + 2 };
    char text[80];
    size_t size = 0;
    const uint8_t *blob = NULL;
    snprintf(text, sizeof text, "redis://nowhere?insecure=1&timeout_ms=%d",
            (int)budget_ms);
    dnnl_cache_store_handle_t *store = open_gated(text);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    has_entry = true;
    for (int i = 0; i < many; i++) {
        EXPECT_STATUS(dnnl_cache_miss,
                s->get(s->user, 2, (const uint8_t *)"id", &size, &blob));
        EXPECT_OK(acquire_lease(store));
    }
    /* In vain, to the end. */
    has_entry = false;
    set_gate(true);
    ended = 0;
    for (int i = 0; i < many; i++)
        (void)s->get(s->user, 2, (const uint8_t *)"id", &size, &blob);
    EXPECT_STATUS(dnnl_not_required, acquire_lease(store));
    dnnl_cache_store_close(store);
}
