/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_session.h: what dnnl-cache-run and the layer in its command share: counts
 * of what is compiled and kept, in a file in memory that the variable names.
 *
 * All processes of a command add to the same counts. The file cannot be made
 * shorter (it is sealed), so a process that has mapped it is safe, whatever
 * others do. Numbers in it are shown to people, and used for nothing else.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_RUN_SESSION_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_RUN_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A path, set by dnnl-cache-run for its command. */
#define RUN_SESSION_VARIABLE "DNNL_CACHE_RUN_SESSION"
/* 1: dnnl-cache-run stays after the command, as with --wait. */
#define RUN_WAIT_VARIABLE "DNNL_CACHE_RUN_WAIT"

enum { run_session_slots = 64 };

/* One call of a compiler. Sizes and places are the same for all programs of a
 * machine, of 32 bits or 64. */
struct run_session_slot {
    atomic_uint_least64_t begun_ns;
    atomic_uint_least32_t pid; /* 0: free */
    uint32_t unused;
};

struct run_session {
    char magic[8];
    atomic_uint_least64_t created; /* programs with something to compile */
    atomic_uint_least64_t loaded;
    atomic_uint_least64_t begun; /* calls of a compiler */
    atomic_uint_least64_t ended;
    atomic_uint_least64_t compiled; /* of those that ended, without a failure */
    atomic_uint_least64_t compile_ns;
    atomic_uint_least64_t kept;
    atomic_uint_least64_t deferred; /* to a refresh */
    /* Words that others wait for (futex): */
    atomic_uint_least32_t bell;     /* changes when a call begins or ends */
    atomic_uint_least32_t is_shown; /* a line is on the terminal */
    struct run_session_slot slots[run_session_slots];
};

/* ---- dnnl-cache-run ------------------------------------------------------ */

/* A descriptor of a new file, which the caller closes; -1: there is none. */
int run_session_create(struct run_session **session);
/* Also of what run_session_open() returned. */
void run_session_close(struct run_session *session);

/* When the call began that has taken longest, of all that are under way; 0:
 * there is none. Calls of processes that are gone are forgotten. */
uint64_t run_session_oldest_ns(struct run_session *session);

/* Waits until the bell is not what it was, for timeout_ms at most; a negative
 * timeout is none. */
void run_session_await(
        struct run_session *session, uint32_t bell, int timeout_ms);
void run_session_ring(struct run_session *session);

/* Whether there is a line; who waits for its end goes on. */
void run_session_set_shown(struct run_session *session, bool is_shown);

/* ---- The layer ----------------------------------------------------------- */

/* NULL: the path does not name such a file of this user's. */
struct run_session *run_session_open(const char *path);

/* Around a call of a compiler. The end waits until there is no line on the
 * terminal, for a tenth of a second at most: what the application prints next
 * is not mixed with it. A slot is for run_session_end(). */
unsigned run_session_begin(struct run_session *session);
void run_session_end(struct run_session *session, unsigned slot, bool is_good);

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_RUN_SESSION_H */
