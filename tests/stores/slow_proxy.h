/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slow_proxy.h: a server on loopback in front of another at a Unix socket. What
 * clients say is passed on at once, what the other server answers is passed on
 * later. It may also write down all that both say.
 */
#ifndef DNNL_CACHE_TESTS_SLOW_PROXY_H
#define DNNL_CACHE_TESTS_SLOW_PROXY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { proxy_most_connections = 64 };

struct slow_proxy {
    unsigned port;      /* on 127.0.0.1 */
    const char *socket; /* NULL: port_behind */
    unsigned port_behind;
    atomic_uint delay_ms;
    int listener;
    bool records;
    pthread_mutex_t lock; /* guards the record */
    char *record;         /* owned; all bytes of both directions */
    size_t record_size, record_capacity;
    pthread_t thread; /* accepts */
    /* Written by that thread, read when it has ended. */
    unsigned count;
    struct proxied {
        struct slow_proxy *proxy;
        int client, server;
        pthread_t up, down;
    } connections[proxy_most_connections];
};

/* The proxy must not move until it is stopped. Failures fail the test. */
void slow_proxy_start(
        struct slow_proxy *proxy, const char *socket, unsigned delay_ms);
void slow_proxy_stop(struct slow_proxy *proxy);

/* The same without a delay, in front of a socket, or if that is NULL, a port of
 * loopback. The record is there until slow_proxy_free(). */
void slow_proxy_record(
        struct slow_proxy *proxy, const char *socket, unsigned port_behind);
void slow_proxy_free(struct slow_proxy *proxy);

/* A port of loopback that nobody uses. */
unsigned free_port(void);

#endif /* DNNL_CACHE_TESTS_SLOW_PROXY_H */
