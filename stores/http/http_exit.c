/* SPDX-License-Identifier: Apache-2.0 */
#include "http_internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/*
 * exit() while a store is open: OpenSSL frees its tables in a handler of
 * exit(), and a transfer that goes on in a thread of ours crashes. A handler
 * that was registered later, and so is called earlier, keeps the threads out
 * of libcurl. It waits for those inside: they do not block there, and if one
 * does for once, only for so long.
 */
enum { longest_wait_ms = 200 };

static atomic_bool is_exiting;
static atomic_uint inside;

bool http_exit_enter(void)
{
    atomic_fetch_add(&inside, 1);
    if (!atomic_load(&is_exiting)) return true;
    atomic_fetch_sub(&inside, 1);
    return false;
}

void http_exit_leave(void)
{
    atomic_fetch_sub(&inside, 1);
}

static void keep_out(void)
{
    const struct timespec ms = {.tv_nsec = 1000000};
    atomic_store(&is_exiting, true);
    for (int i = 0; i < longest_wait_ms && atomic_load(&inside) > 0; i++)
        (void)nanosleep(&ms, NULL);
}

/* The threads inside are not in the child. */
static void forget_in_child(void)
{
    atomic_store(&inside, 0);
}

void http_exit_watch(void)
{
    (void)atexit(keep_out);
    (void)pthread_atfork(NULL, NULL, forget_in_child);
}
