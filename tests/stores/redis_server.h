/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redis_server.h: a redis-server of a test's own, at a Unix socket in the
 * test's directory, with nothing on disk.
 */
#ifndef DNNL_CACHE_TESTS_REDIS_SERVER_H
#define DNNL_CACHE_TESTS_REDIS_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct redis_process {
    pid_t pid; /* 0: does not run */
    char socket[108];
};

/* True if redis-server is installed; else the running test is skipped. */
bool redis_is_there(void);

/* Starts it with more arguments (NULL: none, else ended by NULL), and waits
 * until it answers. The directory is the test's, or another one. A failure
 * fails the test. */
void redis_start(struct redis_process *server, const char *directory,
        const char *const *arguments);
/* Kills it and waits for its end. One that does not run is fine. */
void redis_kill(struct redis_process *server);

/* A command by hiredis, with a connection of its own: its reply as an integer,
 * -1 if it is something else. */
long long redis_number(
        const struct redis_process *server, const char *format, ...);
/* The same as text, in a buffer; "" if it is none. */
const char *redis_text(const struct redis_process *server, char *text,
        size_t capacity, const char *format, ...);
/* The same as bytes, which the caller frees; NULL: none. */
char *redis_bytes(const struct redis_process *server, size_t *size,
        const char *format, ...);
/* Calls of commands that the server has counted, its INFO's. */
long long redis_calls(const struct redis_process *server, const char *command);
/* Those that get entries, one or many (GET and MGET). */
long long redis_gets(const struct redis_process *server);
/* How often the server has read from a connection: each round trip of a client
 * is one, and this call is one or two. */
long long redis_reads(const struct redis_process *server);

/* A test with the file's `server`, and without one no test. */
#define TEST_REDIS(suite, name)                         \
    TEST_BETWEEN(                                       \
            suite, name, if (!redis_is_there()) return; \
            redis_start(&server, test_directory(), NULL), redis_kill(&server))

#endif /* DNNL_CACHE_TESTS_REDIS_SERVER_H */
