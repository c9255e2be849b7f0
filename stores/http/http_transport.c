/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/thread.h"
#include "stores/http/http_internal.h"

#include <errno.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    connections_most = 8, /* of each transport; HTTP/2 needs one */
    streams_most = 64,    /* of HTTP/2 */
    idle_most = 16
};

/* ---- Operations ---------------------------------------------------------- */

static void link_to(struct http_operation **list, struct http_operation *o)
{
    o->next = *list;
    o->at = list;
    if (o->next != NULL) o->next->at = &o->next;
    *list = o;
}

static void unlink_operation(struct http_operation *o)
{
    *o->at = o->next;
    if (o->next != NULL) o->next->at = o->at;
}

static struct http_operation *take_idle(struct remote_transport *t)
{
    struct http_operation *o = t->idle;
    if (o == NULL) return http_operation_make(t);
    unlink_operation(o);
    t->idle_count--;
    return o;
}

static void keep(struct remote_transport *t, struct http_operation *o)
{
    if (t->idle_count >= idle_most || !http_operation_may_be_reused()) {
        http_operation_destroy(o);
        return;
    }
    link_to(&t->idle, o);
    t->idle_count++;
}

/* The request goes back to the core. */
static void finish(struct http_operation *o, enum remote_result result)
{
    struct remote_transport *t = o->transport;
    struct remote_request *request = o->request;
    (void)curl_multi_remove_handle(t->multi, o->easy);
    http_exit_end(t, request);
    http_operation_end(o);
    unlink_operation(o);
    keep(t, o);
    t->is_done = true;
    t->host->done(request, result);
}

static void destroy_list(struct http_operation *o)
{
    while (o != NULL) {
        struct http_operation *next = o->next;
        http_operation_destroy(o);
        o = next;
    }
}

/* ---- Descriptors that the application has closed ------------------------- */

/* The same memory is not used again, only kept where leak checkers find it. */
static void leave_operations(struct http_operation *first)
{
    static _Atomic(struct http_operation *) left;
    for (struct http_operation *o = first, *next; o != NULL; o = next) {
        next = o->next;
        o->next = atomic_load(&left);
        while (!atomic_compare_exchange_weak(&left, &o->next, o))
            ;
    }
}

static void leave_multi(CURLM *multi)
{
    struct left_multi {
        struct left_multi *next;
        CURLM *multi;
    };
    static _Atomic(struct left_multi *) left;
    struct left_multi *entry = malloc(sizeof *entry);
    if (entry == NULL) return; /* a leak checker may tell */
    entry->multi = multi;
    entry->next = atomic_load(&left);
    while (!atomic_compare_exchange_weak(&left, &entry->next, entry))
        ;
}

static bool make_multi(struct remote_transport *t)
{
    pthread_mutex_lock(&t->wake_lock);
    t->multi = http_sockets_make(&t->sockets);
    pthread_mutex_unlock(&t->wake_lock);
    if (t->multi == NULL) return false;
    (void)curl_multi_setopt(
            t->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)connections_most);
    (void)curl_multi_setopt(
            t->multi, CURLMOPT_MAXCONNECTS, (long)connections_most);
    return true;
}

/* What was on its way has failed. libcurl would end its connections in good
 * order, in the application's files: what it has is left alone for good. */
static void lose(struct remote_transport *t)
{
    struct http_operation *lost = t->operations;
    leave_multi(t->multi);
    pthread_mutex_lock(&t->wake_lock);
    t->multi = NULL;
    http_sockets_fini(&t->sockets);
    pthread_mutex_unlock(&t->wake_lock);
    t->operations = NULL;
    for (struct http_operation *o = lost; o != NULL; o = o->next) {
        struct remote_request *request = o->request;
        o->request = NULL;
        snprintf(request->why, sizeof request->why,
                "the application closed the connection");
        http_exit_end(t, request);
        t->is_done = true;
        t->host->done(request, remote_result_failed);
    }
    leave_operations(lost);
}

/* False: there is no multi handle. */
static bool renew_if_lost(struct remote_transport *t)
{
    t->seen_ns = clock_ns();
    if (t->multi != NULL && http_sockets_are_ours(&t->sockets)) return true;
    if (t->multi != NULL) lose(t);
    return make_multi(t);
}

/* The same amid a request of the caller who drives: it was looked at a moment
 * ago, and that thread has done nothing since. Another thread's may have. */
static bool renew_after_a_moment(struct remote_transport *t)
{
    static const uint64_t moment_ns = 200000;
    if (t->is_lent && t->multi != NULL && t->operations != NULL
            && clock_ns() - t->seen_ns < moment_ns)
        return true;
    return renew_if_lost(t);
}

/* ---- Submitting ---------------------------------------------------------- */

/* Who we are is in files that somebody renews: tokens end. */
static void read_secrets_again(struct remote_transport *t)
{
    const struct remote_url *url = t->server.url;
    static const uint64_t pause_ns = 1000000000u;
    char why[remote_why_size];
    struct http_server server;
    const uint64_t now = clock_ns();
    if (url->token_file == NULL && url->password_file == NULL
            && url->aws_keys_file == NULL)
        return;
    if (now < t->secrets_read_ns + pause_ns) return;
    t->secrets_read_ns = now;
    if (http_server_init(&server, url, why) != 0) return;
    http_server_fini(&t->server);
    t->server = server;
    destroy_list(t->idle);
    t->idle = NULL;
    t->idle_count = 0;
}

/* A file may be where reading takes long: for the thread, before it submits. */
static void read_if_refused(struct remote_transport *t)
{
    if (!t->was_refused || t->is_lent) return;
    t->was_refused = false;
    read_secrets_again(t);
}

static enum remote_result begin(
        struct remote_transport *t, struct remote_request *request)
{
    if (request->verb == remote_verb_list && t->server.url->aws_region == NULL)
        return remote_result_unsupported;
    struct http_operation *o = take_idle(t);
    if (o == NULL) return remote_result_out_of_memory;
    enum remote_result result = http_operation_begin(o, request);
    if (result == remote_result_done
            && curl_multi_add_handle(t->multi, o->easy) != CURLM_OK)
        result = remote_result_out_of_memory;
    if (result == remote_result_done) {
        http_exit_begin(t, request);
        link_to(&t->operations, o);
        return result;
    }
    http_operation_end(o);
    keep(t, o);
    return result;
}

static void submit(struct remote_transport *t, struct remote_request *request)
{
    enum remote_result result = remote_result_failed;
    read_if_refused(t);
    if (http_exit_enter(t)) {
        result = renew_after_a_moment(t) ? begin(t, request)
                                         : remote_result_out_of_memory;
        http_exit_leave(t);
    }
    if (result == remote_result_done) return; /* begun */
    t->is_done = true;
    t->host->done(request, result);
}

/* ---- Working ------------------------------------------------------------- */

static void finish_ended(struct remote_transport *t)
{
    int left;
    CURLMsg *message;
    bool is_refused = false;
    while ((message = curl_multi_info_read(t->multi, &left)) != NULL) {
        char *private = NULL;
        long status = 0;
        if (message->msg != CURLMSG_DONE) continue;
        const CURLcode code = message->data.result;
        CURL *easy = message->easy_handle;
        (void)curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private);
        (void)curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        struct http_operation *o = (struct http_operation *)(void *)private;
        if (status != 0) t->was_late = false;
        if (status == 401 || status == 403) is_refused = true;
        finish(o, http_operation_judge(o, code));
    }
    if (is_refused) t->was_refused = true;
    read_if_refused(t);
}

/* Ends what is late. Returns when to look again. */
static uint64_t check_deadlines(struct remote_transport *t)
{
    const uint64_t now = clock_ns();
    uint64_t next = UINT64_MAX;
    for (struct http_operation *o = t->operations, *after; o != NULL;
            o = after) {
        const uint64_t deadline = t->host->deadline(o->request);
        after = o->next;
        if (deadline <= now) {
            snprintf(o->request->why, sizeof o->request->why,
                    "no answer in time");
            t->was_late = true;
            finish(o, remote_result_timed_out);
        } else if (deadline < next) {
            next = deadline;
        }
    }
    return next;
}

/* Does all that is due. Returns when the next is. */
static uint64_t work(struct remote_transport *t)
{
    int running;
    struct thread_signals signals;
    if (!renew_after_a_moment(t)) return UINT64_MAX;
    /* It may resolve a name again, in a thread of its own, which must not run
     * the application's handlers. Our threads have all blocked. */
    if (t->is_lent) thread_signals_block(&signals);
    (void)curl_multi_perform(t->multi, &running);
    if (t->is_lent) thread_signals_restore(&signals);
    finish_ended(t);
    return check_deadlines(t);
}

/* No longer than it may take to see that the application has closed what wakes
 * it. */
static int ms_until(uint64_t until_ns)
{
    enum { longest_ms = 100 };
    const uint64_t now = clock_ns();
    if (until_ns <= now) return 0;
    const uint64_t left = (until_ns - now + 999999) / 1000000;
    return left < longest_ms ? (int)left : longest_ms;
}

/* exit() has gone so far that libcurl must not be called: nothing of this ends
 * any more, and nobody is to wait for it. */
static void abandon(struct remote_transport *t)
{
    while (t->operations != NULL) {
        struct http_operation *o = t->operations;
        unlink_operation(o);
        link_to(&t->abandoned, o);
        t->host->done(o->request, remote_result_dropped);
    }
}

/* libcurl waits for nothing but in curl_multi_poll(); it resolves names in
 * threads of its own. TLS is left to a thread of ours: it may raise signals,
 * and the end of the process keeps that out. */
static bool can_be_lent(const struct remote_transport *t)
{
    return t->server.url->scheme == remote_scheme_http && t->multi != NULL
           && t->sockets.count > 0 && !t->was_late && !t->was_refused;
}

static void lend(struct remote_transport *t, bool is_lent)
{
    t->is_lent = is_lent;
}

static void drive(struct remote_transport *t, uint64_t until_ns)
{
    if (!http_exit_enter(t)) {
        abandon(t);
        return;
    }
    const uint64_t next = work(t);
    http_exit_leave(t);
    /* Nothing of TLS is used while it waits. */
    if (!t->is_done && renew_after_a_moment(t)) {
        (void)curl_multi_poll(t->multi, NULL, 0,
                ms_until(next < until_ns ? next : until_ns), NULL);
        if (http_exit_enter(t)) {
            (void)work(t);
            http_exit_leave(t);
        }
    }
    t->is_done = false;
}

static void wake(struct remote_transport *t)
{
    pthread_mutex_lock(&t->wake_lock);
    if (t->multi != NULL && http_sockets_can_wake(&t->sockets))
        (void)curl_multi_wakeup(t->multi);
    pthread_mutex_unlock(&t->wake_lock);
}

/* What waits for a connection has a handle with buffers of its own, and the
 * more of these take turns, the fewer are in the processor's caches: no more
 * than keep the connections busy. */
static unsigned max_in_flight(const struct remote_url *url)
{
    return url->scheme == remote_scheme_https ? streams_most
                                              : 2 * connections_most;
}

/* ---- The table ----------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_ready;

static void init_once(void)
{
    if (sodium_init() < 0 || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return;
    http_exit_watch();
    is_ready = true;
}

/* What the options here need; HTTP/2 is used if it is there. */
static const char *find_lack(const struct remote_url *url)
{
    const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
    const int needed = CURL_VERSION_THREADSAFE | CURL_VERSION_ASYNCHDNS;
    if (info->version_num < 0x075700) return "libcurl is older than 7.87";
    if ((info->features & needed) != needed)
        return "this libcurl cannot be used by threads";
    if (url->scheme == remote_scheme_https
            && (info->features & CURL_VERSION_SSL) == 0)
        return "this libcurl has no TLS";
    return NULL;
}

static int check(const struct remote_url *url, char why[remote_why_size])
{
    struct http_server server;
    (void)pthread_once(&once, init_once);
    const char *lack =
            is_ready ? find_lack(url) : "libcurl cannot be initialised";
    if (lack != NULL) {
        snprintf(why, remote_why_size, "%s", lack);
        return ENOTSUP;
    }
    const int error = http_server_init(&server, url, why);
    if (error == 0) http_server_fini(&server);
    return error;
}

/* The process ends, and its memory goes, too: it is not touched, only kept
 * where leak checkers find it. */
static void leave_alone(struct remote_transport *t)
{
    static _Atomic(struct remote_transport *) left_alone;
    t->next_left = atomic_load(&left_alone);
    while (!atomic_compare_exchange_weak(&left_alone, &t->next_left, t))
        ;
}

static void destroy(struct remote_transport *t)
{
    if (t == NULL) return;
    if (!http_exit_enter(t)) {
        leave_alone(t);
        return;
    }
    if (t->multi != NULL && !http_sockets_are_ours(&t->sockets)) lose(t);
    while (t->operations != NULL)
        finish(t->operations, remote_result_failed);
    destroy_list(t->idle);
    if (t->multi != NULL) (void)curl_multi_cleanup(t->multi);
    http_sockets_fini(&t->sockets);
    curl_slist_free_all(t->headers);
    http_exit_leave(t);
    http_server_fini(&t->server);
    pthread_mutex_destroy(&t->wake_lock);
    free(t);
}

/* The pair of sockets that curl_multi_wakeup() uses has no CLOEXEC before
 * libcurl 8.8, and cannot be reached from here; no connection is inherited. */
static int create(struct remote_transport **transport,
        const struct remote_url *url, const struct remote_host *host)
{
    char why[remote_why_size];
    struct remote_transport *t = calloc(1, sizeof *t);
    if (t == NULL) return ENOMEM;
    t->host = host;
    pthread_mutex_init(&t->wake_lock, NULL);
    t->secrets_read_ns = clock_ns();
    int error = http_server_init(&t->server, url, why);
    /* No "Expect": a put would wait a second for servers that do not know it.
     */
    t->headers = curl_slist_append(NULL, "Expect:");
    if (error == 0 && (t->headers == NULL || !make_multi(t))) error = ENOMEM;
    if (error != 0) {
        destroy(t);
        return error;
    }
    *transport = t;
    return 0;
}

static const struct remote_transport_calls http_transport = {
        .name = "http",
        .check = check,
        .create = create,
        .destroy = destroy,
        .submit = submit,
        .drive = drive,
        .wake = wake,
        .can_be_lent = can_be_lent,
        .lend = lend,
        .max_in_flight = max_in_flight,
};

__attribute__((visibility("default")))
const struct remote_module dnnl_cache_remote_module = {
        .version = remote_interface_version,
        .request_size = sizeof(struct remote_request),
        .url_size = sizeof(struct remote_url),
        .transport = &http_transport,
};
