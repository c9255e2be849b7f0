/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nginx_server.h: an nginx of a test's own, on a port of the loopback device,
 * with all its files in the test's directory: objects in www.
 */
#ifndef DNNL_CACHE_TESTS_NGINX_SERVER_H
#define DNNL_CACHE_TESTS_NGINX_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct nginx_process {
    pid_t pid; /* 0: does not run */
    unsigned port;
    char socket[108];    /* where it only says that it runs */
    char directory[256]; /* the test's */
};

/* Lines of its configuration; NULL: none. */
struct nginx_lines {
    const char *http;         /* beside the server */
    const char *server;       /* in the server */
    const char *location;     /* in the location of the objects */
    bool is_tls;              /* server.crt and server.key of the directory */
    uint64_t most_file_bytes; /* larger files cannot be written; 0: they can */
};

/* True if nginx is installed; else the running test is skipped. */
bool nginx_is_there(void);

/* Starts it, on the port it has, if it has one, and waits until it answers.
 * Its directory is the test's. A failure fails the test. */
void nginx_start(struct nginx_process *server, const struct nginx_lines *lines);
/* Kills it and waits for its end. One that does not run is fine. */
void nginx_kill(struct nginx_process *server);

/* Requests in its log so far whose line contains the text. A line is
 * "CONNECTION METHOD PATH PROTOCOL STATUS expect=EXPECT bytes=BODY". */
size_t nginx_requests(const struct nginx_process *server, const char *text);
/* Connections that had any. */
size_t nginx_connections(const struct nginx_process *server);

/* A test with the file's `server`, and without one no test. */
#define TEST_NGINX(suite, name)                              \
    TEST_BETWEEN(suite, name, if (!nginx_is_there()) return; \
                 nginx_start(&server, NULL), nginx_kill(&server))

#endif /* DNNL_CACHE_TESTS_NGINX_SERVER_H */
