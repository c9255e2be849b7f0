/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ahead_session.h: what the layer in a command of dnnl-cache-run and the
 * refresh that compiles ahead of it tell one another, in a file in memory
 * (docs/how_to/record_and_replay.md, "Compiled ahead").
 *
 * The layer says which programs the application asks for, and reads which one
 * is compiled just now. Programs are told by hashes of their IDs: a wrong hash
 * costs a wait that has a limit, or a program that is made for nothing; entries
 * are found by their whole IDs, in the store.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_AHEAD_SESSION_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_AHEAD_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0: nothing is compiled ahead of commands. */
#define AHEAD_VARIABLE "DNNL_CACHE_AHEAD"
/* A path, set by dnnl-cache-run for its command and the refresh beside it. */
#define AHEAD_SESSION_VARIABLE "DNNL_CACHE_AHEAD_SESSION"

enum {
    ahead_most_asked = 4096,
    ahead_most_made = 1024, /* more are not made for one command */
    ahead_application_size = 256,
    ahead_record_size = 4096
};

/* Sizes and places are the same for programs of 32 bits and of 64. */
struct ahead_session {
    char magic[8];
    /* Of dnnl-cache-run, before it starts the two; strings end with a NUL. */
    atomic_uint_least64_t stopped; /* nothing is made of a record like this */
    char application[ahead_application_size];
    char record[ahead_record_size]; /* path */

    /* Of the refresh. */
    atomic_uint_least64_t work;     /* the program that it makes; 0: none */
    atomic_uint_least64_t limit_ns; /* how long that took when recorded */
    atomic_uint_least64_t owner;    /* its process; 0: none has begun */
    atomic_uint_least64_t contents; /* of the record: a hash; 0: not read */
    atomic_uint_least64_t made_count;
    atomic_uint_least64_t made[ahead_most_made]; /* programs */
    atomic_uint_least32_t bell;                  /* changes when work is done */
    atomic_uint_least32_t is_complete; /* nothing is left to be made */

    /* Of the layer. */
    atomic_uint_least64_t last; /* the program that was asked for last */
    atomic_uint_least64_t asked_count;
    atomic_uint_least64_t lost;  /* asked for, when the table was full */
    atomic_uint_least64_t waits; /* for a program that is made */
    atomic_uint_least64_t late;  /* of those, to the limit, and in vain */
    atomic_uint_least64_t wait_ns;
    atomic_uint_least64_t asked[ahead_most_asked]; /* 0: free */
};

/* Of an ID; never 0. */
uint64_t ahead_hash(size_t id_size, const uint8_t *id);

/* ---- dnnl-cache-run ------------------------------------------------------ */

/* A descriptor of a new file, which the caller closes; -1: there is none. */
int ahead_session_create(struct ahead_session **session);

/* What was made, and what of that nobody asked for. */
struct ahead_counts {
    uint64_t made;
    uint64_t unused;
};
struct ahead_counts ahead_session_count(struct ahead_session *session);

/* ---- The layer and the refresh ------------------------------------------- */

/* NULL: the path does not name such a file of this user's. */
struct ahead_session *ahead_session_open(const char *path);
/* Also of what ahead_session_create() made; NULL is fine. */
void ahead_session_close(struct ahead_session *session);

/* ---- The layer ----------------------------------------------------------- */

/* The application wants the program. */
void ahead_session_ask(struct ahead_session *session, uint64_t program);

enum ahead_wait {
    ahead_is_not_made, /* just now: there was nothing to wait for */
    ahead_is_over,     /* the program may be in the store now */
    ahead_is_late      /* it took as long as when it was recorded */
};
/* Waits if the program is made just now, until it is, or its maker is gone, but
 * no longer than the program took when it was recorded. */
enum ahead_wait ahead_session_await(
        struct ahead_session *session, uint64_t program);

/* ---- The refresh --------------------------------------------------------- */

/* False: another one is at work, or was. */
bool ahead_session_claim(struct ahead_session *session);

/* Around the making of a program: its entry is put before the end. */
void ahead_session_begin(
        struct ahead_session *session, uint64_t program, uint64_t limit_ns);
void ahead_session_end(struct ahead_session *session, bool is_made);

/* Nothing is left to be made. */
void ahead_session_complete(struct ahead_session *session);

bool ahead_session_is_asked(struct ahead_session *session, uint64_t program);

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_AHEAD_SESSION_H */
