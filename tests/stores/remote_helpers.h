/* SPDX-License-Identifier: Apache-2.0 */
/* remote_helpers.h: what the tests of stores on servers share. */
#ifndef DNNL_CACHE_TESTS_REMOTE_HELPERS_H
#define DNNL_CACHE_TESTS_REMOTE_HELPERS_H

#include "dnnl_cache/remote_store.h"
#include "store_helpers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* ---- Stores -------------------------------------------------------------- */

/* What the last store that was opened has logged. */
const char *remote_messages(void);

/* Opens a store; the messages begin anew. */
dnnl_status_t remote_try_open(
        dnnl_cache_store_handle_t **store, const char *url);
/* It must open. */
dnnl_cache_store_handle_t *remote_open(const char *format, ...)
        __attribute__((format(printf, 1, 2)));
/* Waits until all is sent. */
void remote_flush(dnnl_cache_store_handle_t *store);
struct dnnl_cache_store_remote_statistics remote_of(
        const dnnl_cache_store_handle_t *store);

/* Puts all but one of many entries, gets all of them at once, and closes the
 * store. */
enum { many_entries = 50 };
void expect_many(dnnl_cache_store_handle_t *store);

/* A file with a mode. */
void write_secret(const char *path, const char *text, mode_t mode);
/* A key file of the test's, made if it is not there, and the option that names
 * it. */
const char *key_option(char option[path_size], const char *name);

/* In an application that closes all descriptors and opens others, several
 * times: entry 1 is on the server, and 3000 bytes long; nothing of the
 * application's is written to, and the store goes on. */
void remote_expect_descriptors_alone(const char *url);

/* ---- Load ---------------------------------------------------------------- */

/* A thread that puts and gets until it is over. */
struct remote_load {
    dnnl_cache_store_handle_t *store;
    atomic_bool is_over;
    unsigned wrong;
    atomic_uint hits;
    uint64_t longest_ms;
};

void *remote_put_and_get(void *load);

/* Four such threads, while the server is killed and started again. */
void remote_load_over_restarts(dnnl_cache_store_handle_t *store,
        void (*kill_server)(void), void (*start_server)(void));

/* A server is stopped after it has answered, and goes on afterwards. Closes the
 * store, whose time-out is at most 100 ms. */
void remote_expect_no_wait_for_paused(
        dnnl_cache_store_handle_t *store, pid_t server);

/* ---- Servers that are none ----------------------------------------------- */

/* Says the same to each who says something. */
struct liar {
    const char *answer;
    size_t size;
    unsigned answer_after_ms;
    bool is_endless;  /* repeats the end of it: the last 64 bytes */
    bool keeps_open;  /* until the other side closes; else it shuts down */
    bool is_silent;   /* takes connections, and reads and says nothing */
    const char *path; /* of a Unix socket; NULL: a port of loopback */
    /* Set by liar_begin(). */
    unsigned port;
    int listener;
    atomic_bool is_over;
    atomic_uint asked;
    pthread_t thread;
};

void liar_begin(struct liar *liar);
void liar_end(struct liar *liar);

/* Nobody accepts, and the kernel's queue is full: connecting hangs. */
struct full_backlog {
    unsigned port;
    int listener;
    int fillers[8];
};

void full_backlog_begin(struct full_backlog *full);
void full_backlog_end(struct full_backlog *full);

#endif /* DNNL_CACHE_TESTS_REMOTE_HELPERS_H */
