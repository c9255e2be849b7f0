/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_sockets.h: the descriptors of libcurl's multi handle.
 *
 * libcurl keeps connections, and writes to them without asking, to end TLS for
 * one; and a pair of sockets of its own that cannot be reached from outside. If
 * the application has closed any of these their numbers may be of its files:
 * then the handle is never called again, not even to be freed, and another one
 * made.
 */
#ifndef DNNL_CACHE_STORES_HTTP_SOCKETS_H
#define DNNL_CACHE_STORES_HTTP_SOCKETS_H

#include "src/platform/kept_descriptor.h"

#include <curl/curl.h>
#include <stddef.h>

struct http_sockets {
    struct kept_descriptor *list; /* owned; of connections */
    size_t count, capacity;
    /* Opened before and after the multi handle's own pair: who closes all
     * descriptors closes these. */
    struct kept_descriptor guards[2];
};

/* Makes a multi handle and what is known of its descriptors. NULL: it failed.
 */
CURLM *http_sockets_make(struct http_sockets *sockets);
/* Once the multi handle is freed, or never again called. */
void http_sockets_fini(struct http_sockets *sockets);

/* Are all of them still libcurl's? */
bool http_sockets_are_ours(const struct http_sockets *sockets);
/* The same of its own pair alone, for any thread that keeps out
 * http_sockets_make() and http_sockets_fini(). */
bool http_sockets_can_wake(const struct http_sockets *sockets);

/* For CURLOPT_OPENSOCKETFUNCTION and CURLOPT_CLOSESOCKETFUNCTION; the user is
 * the struct. */
curl_socket_t http_sockets_open(
        void *user, curlsocktype purpose, struct curl_sockaddr *address);
int http_sockets_close(void *user, curl_socket_t fd);

#endif /* DNNL_CACHE_STORES_HTTP_SOCKETS_H */
