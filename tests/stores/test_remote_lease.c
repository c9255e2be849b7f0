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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_open;    /* lock */
static unsigned stores; /* lock: that were opened */
static bool is_asked;   /* lock: the last one's request for a lease came here */
static unsigned leading; /* lock: leases that were given and not ended */
static unsigned ended;   /* lock */
static enum remote_verb last_end; /* lock */

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

static void submit(
        struct remote_transport *transport, struct remote_request *request)
{
    enum remote_result result = remote_result_done;
    pthread_mutex_lock(&lock);
    if (request->verb == remote_verb_lease) {
        if (transport->store == stores) is_asked = true;
        while (!is_open)
            pthread_cond_wait(&changed, &lock);
        result = remote_result_absent;
        if (transport->store == stores) {
            request->holds_lease = true;
            leading++;
        }
    } else if (request->verb == remote_verb_stop
               || request->verb == remote_verb_fail) {
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
    return s->acquire_lease(s->user, 2, (const uint8_t *)"id", &size, &blob);
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
