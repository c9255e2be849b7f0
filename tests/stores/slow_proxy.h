/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slow_proxy.h: a server on loopback in front of another at a Unix socket. What
 * clients say is passed on at once, what the other server answers is passed on
 * later.
 */
#ifndef DNNL_CACHE_TESTS_SLOW_PROXY_H
#define DNNL_CACHE_TESTS_SLOW_PROXY_H

#include <pthread.h>
#include <stdatomic.h>

enum { proxy_most_connections = 64 };

struct slow_proxy {
    unsigned port; /* on 127.0.0.1 */
    const char *socket;
    atomic_uint delay_ms;
    int listener;
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

/* A port of loopback that nobody uses. */
unsigned free_port(void);

#endif /* DNNL_CACHE_TESTS_SLOW_PROXY_H */
