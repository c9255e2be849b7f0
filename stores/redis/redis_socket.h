/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redis_socket.h: non-blocking sockets to a server.
 *
 * hiredis writes without MSG_NOSIGNAL, so that a server that goes away could
 * end the process, and waits for as long as a server likes: its sockets are not
 * used. Resolving a name has no time-out here either: all of this runs on a
 * thread of the store's own, which no caller waits for beyond its own deadline.
 *
 * A socket is kept for as long as the server likes, and looked at before each
 * use: EBADF if the application has closed it, and may have its number. Calls
 * return 0 or an errno value.
 */
#ifndef DNNL_CACHE_STORES_REDIS_SOCKET_H
#define DNNL_CACHE_STORES_REDIS_SOCKET_H

#include "src/platform/kept_descriptor.h"

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* The addresses of a host. ENOENT: the name does not resolve. The caller calls
 * freeaddrinfo(). */
int redis_socket_resolve(
        struct addrinfo **addresses, const char *host, unsigned port);

/* Begin to connect. EINPROGRESS: it can be written to once it is connected;
 * EAGAIN: the backlog is full. The caller closes it after 0 and EINPROGRESS.
 */
int redis_socket_begin(
        struct kept_descriptor *kept, const struct addrinfo *address);
int redis_socket_begin_unix(struct kept_descriptor *kept, const char *path);
/* What came of it, once it can be written to. */
int redis_socket_connected(const struct kept_descriptor *kept);

/* Sends what it can. EAGAIN: nothing now. */
int redis_socket_send(const struct kept_descriptor *kept,
        const struct iovec *parts, size_t count, size_t *sent);
/* Receives what is there into one part after the other. EAGAIN: nothing now;
 * ECONNRESET: the server has closed the connection. */
int redis_socket_receive(const struct kept_descriptor *kept,
        const struct iovec *parts, size_t count, size_t *size);

/* True if there is something to read on a connection where nothing is expected:
 * mostly its end. */
bool redis_socket_is_stale(const struct kept_descriptor *kept);

#endif /* DNNL_CACHE_STORES_REDIS_SOCKET_H */
