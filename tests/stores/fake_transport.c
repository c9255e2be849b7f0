/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_transport.h"

#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_objects = 64, most_verbs = 16 };

struct remote_transport {
    const struct remote_host *host;
    struct remote_request *held;
    bool is_woken;
    bool is_done;
};

static struct {
    pthread_mutex_t lock; /* guards all; never held when the core is called */
    pthread_cond_t changed;
    enum fake_mode mode;
    unsigned submitted[most_verbs];
    unsigned created, destroyed;
    bool may_lend;
    unsigned lent, given_back;
    pthread_t submitter, driver;
    size_t count;
    struct {
        char name[remote_request_name_size];
        uint8_t *data;
        size_t size;
    } objects[most_objects];
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void init(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&fake.changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* ---- Objects ------------------------------------------------------------- */

static size_t find_locked(const char *name)
{
    size_t i = 0;
    while (i < fake.count && strcmp(fake.objects[i].name, name) != 0)
        i++;
    return i;
}

static void remove_locked(size_t i)
{
    free(fake.objects[i].data);
    fake.objects[i] = fake.objects[--fake.count];
}

static enum remote_result put_locked(const struct remote_request *request)
{
    const size_t i = find_locked(request->name);
    if (i < fake.count) remove_locked(i);
    if (fake.count == most_objects) return remote_result_refused;
    uint8_t *copy = malloc(request->size);
    if (copy == NULL) return remote_result_out_of_memory;
    memcpy(copy, request->data, request->size);
    memcpy(fake.objects[fake.count].name, request->name, sizeof request->name);
    fake.objects[fake.count].data = copy;
    fake.objects[fake.count++].size = request->size;
    return remote_result_done;
}

/* None: it is held. */
static enum remote_result answer_locked(
        const struct remote_host *host, struct remote_request *request)
{
    enum remote_result result = remote_result_done;
    const size_t i = find_locked(request->name);
    const bool has = i < fake.count;
    if (fake.mode == fake_holds || fake.mode == fake_stuck
            || (fake.mode == fake_holds_absent && !has))
        return remote_result_none;
    if (fake.mode == fake_fails) return remote_result_failed;
    if (fake.mode == fake_refuses) return remote_result_refused;
    if (request->verb == remote_verb_put) return put_locked(request);
    if (!has)
        return request->verb == remote_verb_remove ? remote_result_done
                                                   : remote_result_absent;
    if (request->verb == remote_verb_remove) remove_locked(i);
    if (request->verb == remote_verb_get)
        (void)host->receive(
                request, fake.objects[i].data, fake.objects[i].size, &result);
    return result;
}

/* ---- The transport ------------------------------------------------------- */

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
    *transport = calloc(1, sizeof **transport);
    if (*transport == NULL) return ENOMEM;
    (*transport)->host = host;
    pthread_mutex_lock(&fake.lock);
    fake.created++;
    pthread_mutex_unlock(&fake.lock);
    return 0;
}

static void destroy(struct remote_transport *t)
{
    if (t == NULL) return;
    while (t->held != NULL) {
        struct remote_request *request = t->held;
        t->held = request->next;
        t->host->done(request, remote_result_failed);
    }
    free(t);
    pthread_mutex_lock(&fake.lock);
    fake.destroyed++;
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
}

static void submit(struct remote_transport *t, struct remote_request *request)
{
    pthread_mutex_lock(&fake.lock);
    fake.submitted[request->verb]++;
    fake.submitter = pthread_self();
    const enum remote_result result = answer_locked(t->host, request);
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
    if (result == remote_result_none) {
        request->next = t->held;
        t->held = request;
        return;
    }
    t->is_done = true;
    t->host->done(request, result);
}

/* Ends what is late, or not held any more. Returns the next deadline. */
static uint64_t work(struct remote_transport *t)
{
    uint64_t next = UINT64_MAX;
    struct remote_request **at = &t->held;
    while (*at != NULL) {
        struct remote_request *request = *at;
        const uint64_t deadline = t->host->deadline(request);
        pthread_mutex_lock(&fake.lock);
        enum remote_result result = answer_locked(t->host, request);
        pthread_mutex_unlock(&fake.lock);
        if (result == remote_result_none && deadline <= clock_ns())
            result = remote_result_timed_out;
        if (result == remote_result_none) {
            if (deadline < next) next = deadline;
            at = &request->next;
            continue;
        }
        *at = request->next;
        t->is_done = true;
        t->host->done(request, result);
    }
    return next;
}

static enum fake_mode present_mode(void)
{
    pthread_mutex_lock(&fake.lock);
    const enum fake_mode mode = fake.mode;
    pthread_mutex_unlock(&fake.lock);
    return mode;
}

static void drive(struct remote_transport *t, uint64_t until_ns)
{
    /* One that is set while this works is not waited for. */
    const enum fake_mode mode = present_mode();
    const uint64_t next = work(t);
    uint64_t until = next < until_ns ? next : until_ns;
    /* A year; not the end of what a timespec holds. */
    if (until == UINT64_MAX)
        until = clock_ns() + UINT64_C(31536000) * 1000000000u;
    const struct timespec time = {.tv_sec = (time_t)(until / 1000000000u),
            .tv_nsec = (long)(until % 1000000000u)};
    pthread_mutex_lock(&fake.lock);
    fake.driver = pthread_self();
    bool is_late = false;
    while (fake.mode == fake_stuck
            || (!t->is_woken && !t->is_done && !is_late && fake.mode == mode)) {
        if (fake.mode == fake_stuck)
            pthread_cond_wait(&fake.changed, &fake.lock);
        else
            is_late = pthread_cond_timedwait(&fake.changed, &fake.lock, &time)
                      == ETIMEDOUT;
    }
    t->is_woken = false;
    t->is_done = false;
    pthread_mutex_unlock(&fake.lock);
    (void)work(t);
    t->is_done = false;
}

static void wake(struct remote_transport *t)
{
    pthread_mutex_lock(&fake.lock);
    t->is_woken = true;
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
}

static bool can_be_lent(const struct remote_transport *t)
{
    (void)t;
    pthread_mutex_lock(&fake.lock);
    const bool can = fake.may_lend;
    pthread_mutex_unlock(&fake.lock);
    return can;
}

static void lend(struct remote_transport *t, bool is_lent)
{
    (void)t;
    pthread_mutex_lock(&fake.lock);
    if (is_lent)
        fake.lent++;
    else
        fake.given_back++;
    pthread_mutex_unlock(&fake.lock);
}

static const struct remote_transport_calls fake_store_calls = {
        .name = "fake",
        .check = check,
        .create = create,
        .destroy = destroy,
        .submit = submit,
        .drive = drive,
        .wake = wake,
        .can_be_lent = can_be_lent,
        .lend = lend,
};

/* ---- For tests ----------------------------------------------------------- */

void fake_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, init);
    pthread_mutex_lock(&fake.lock);
    while (fake.count > 0)
        remove_locked(0);
    fake.mode = fake_answers;
    memset(fake.submitted, 0, sizeof fake.submitted);
    fake.created = 0;
    fake.destroyed = 0;
    fake.may_lend = false;
    fake.lent = 0;
    fake.given_back = 0;
    pthread_mutex_unlock(&fake.lock);
}

void fake_lend(bool may)
{
    pthread_mutex_lock(&fake.lock);
    fake.may_lend = may;
    pthread_mutex_unlock(&fake.lock);
}

unsigned fake_lent(void)
{
    pthread_mutex_lock(&fake.lock);
    const unsigned count = fake.lent;
    pthread_mutex_unlock(&fake.lock);
    return count;
}

unsigned fake_given_back(void)
{
    pthread_mutex_lock(&fake.lock);
    const unsigned count = fake.given_back;
    pthread_mutex_unlock(&fake.lock);
    return count;
}

bool fake_is_submitter(pthread_t thread)
{
    pthread_mutex_lock(&fake.lock);
    const bool is_one = pthread_equal(fake.submitter, thread) != 0;
    pthread_mutex_unlock(&fake.lock);
    return is_one;
}

bool fake_is_driver(pthread_t thread)
{
    pthread_mutex_lock(&fake.lock);
    const bool is_one = pthread_equal(fake.driver, thread) != 0;
    pthread_mutex_unlock(&fake.lock);
    return is_one;
}

void fake_set(enum fake_mode mode)
{
    pthread_mutex_lock(&fake.lock);
    fake.mode = mode;
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
}

void fake_await(enum remote_verb verb, unsigned count)
{
    pthread_mutex_lock(&fake.lock);
    while (fake.submitted[verb] < count)
        pthread_cond_wait(&fake.changed, &fake.lock);
    pthread_mutex_unlock(&fake.lock);
}

unsigned fake_submitted(enum remote_verb verb)
{
    pthread_mutex_lock(&fake.lock);
    const unsigned count = fake.submitted[verb];
    pthread_mutex_unlock(&fake.lock);
    return count;
}

size_t fake_objects(void)
{
    pthread_mutex_lock(&fake.lock);
    const size_t count = fake.count;
    pthread_mutex_unlock(&fake.lock);
    return count;
}

unsigned fake_created(void)
{
    pthread_mutex_lock(&fake.lock);
    const unsigned count = fake.created;
    pthread_mutex_unlock(&fake.lock);
    return count;
}

void fake_await_end(void)
{
    pthread_mutex_lock(&fake.lock);
    while (fake.destroyed < fake.created)
        pthread_cond_wait(&fake.changed, &fake.lock);
    pthread_mutex_unlock(&fake.lock);
}

static uint64_t read_clock(void *user)
{
    return atomic_load((atomic_uint_fast64_t *)user);
}

dnnl_cache_store_handle_t *fake_open(
        const struct dnnl_cache_store_remote_options *options, const char *more,
        atomic_uint_fast64_t *now_ns)
{
    char text[512];
    char why[remote_why_size];
    struct remote_url url;
    dnnl_cache_store_handle_t *store = NULL;
    const struct dnnl_cache_store_remote_options defaults =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    snprintf(text, sizeof text, "http://fake?insecure=1%s", more);
    EXPECT_EQ(0, remote_url_parse(&url, text, why));
    EXPECT_OK(remote_store_open(&store, options != NULL ? options : &defaults,
            &url, &fake_store_calls));
    if (store != NULL && now_ns != NULL) {
        remote_store_of(store)->core.clock_user = now_ns;
        remote_store_of(store)->core.clock_ns = read_clock;
    }
    return store;
}
