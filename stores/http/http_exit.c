/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/http/http_internal.h"

#include "src/platform/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/*
 * exit() while a store with TLS is open: OpenSSL frees its tables in a handler
 * of exit(), and a connection that a thread of ours makes after that crashes. A
 * handler that was registered later, and so is called earlier, lets the puts
 * end that are on their way, as closing the store does, and then keeps the
 * threads out of libcurl. What would close the store may come after OpenSSL:
 * the handler of the OpenCL layer was registered before this module was loaded.
 *
 * Threads inside libcurl do not block there; if one does for once, it is waited
 * for only so long.
 */
enum { most_puts_ms = 1000, most_inside_ms = 200, quiet_ms = 3 };

static atomic_bool is_exiting;
static atomic_uint inside;
static atomic_uint puts_open;

bool http_exit_enter(const struct remote_transport *t)
{
    if (t->server.url->scheme != remote_scheme_https) return true;
    atomic_fetch_add(&inside, 1);
    if (!atomic_load(&is_exiting)) return true;
    atomic_fetch_sub(&inside, 1);
    return false;
}

void http_exit_leave(const struct remote_transport *t)
{
    if (t->server.url->scheme == remote_scheme_https)
        atomic_fetch_sub(&inside, 1);
}

static bool is_put(
        const struct remote_transport *t, const struct remote_request *request)
{
    return request->verb == remote_verb_put
           && t->server.url->scheme == remote_scheme_https;
}

void http_exit_begin(
        const struct remote_transport *t, const struct remote_request *request)
{
    if (is_put(t, request)) atomic_fetch_add(&puts_open, 1);
}

void http_exit_end(
        const struct remote_transport *t, const struct remote_request *request)
{
    if (is_put(t, request)) atomic_fetch_sub(&puts_open, 1);
}

static void keep_out(void)
{
    static const uint64_t ms_ns = 1000000;
    int quiet = 0;
    /* The core submits the next ones when some are done. */
    for (int i = 0; i < most_puts_ms && quiet < quiet_ms; i++) {
        quiet = atomic_load(&puts_open) == 0 ? quiet + 1 : 0;
        clock_sleep_ns(ms_ns);
    }
    atomic_store(&is_exiting, true);
    for (int i = 0; i < most_inside_ms && atomic_load(&inside) > 0; i++)
        clock_sleep_ns(ms_ns);
}

/* The threads are not in the child. */
static void forget_in_child(void)
{
    atomic_store(&inside, 0);
    atomic_store(&puts_open, 0);
}

void http_exit_watch(void)
{
    (void)atexit(keep_out);
    (void)pthread_atfork(NULL, NULL, forget_in_child);
}
