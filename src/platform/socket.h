/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket.h: connections to a server, of which no call waits but one.
 *
 * A socket is kept for as long as the server likes, and looked at before each
 * use: EBADF if the application has closed it, and may have its number. No call
 * sends a signal. Calls return 0 or an errno value, unless they say otherwise;
 * one thread at a time has a socket. Resolving a name has no deadline: for
 * threads of ours that no caller waits for beyond its own deadline.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_SOCKET_H
#define DNNL_CACHE_SRC_PLATFORM_SOCKET_H

#include "src/platform/file.h"
#include "src/platform/kept_descriptor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Connecting ---------------------------------------------------------- */

struct socket_addresses; /* of a host, and which of them comes next */

/* The caller frees them. ENOENT: the name does not resolve. */
int socket_resolve(
        struct socket_addresses **addresses, const char *host, unsigned port);
void socket_addresses_free(struct socket_addresses *addresses); /* NULL: fine */

/* Begins to connect to the next address that this can be begun with; ENOENT:
 * there is none, or none left. EINPROGRESS: it can be written to once it is
 * connected. The caller closes it after 0 and EINPROGRESS. */
int socket_connect(
        struct kept_descriptor *kept, struct socket_addresses *addresses);

/* The same to a socket that is a file. EAGAIN: the backlog is full;
 * ENAMETOOLONG: of socket_path_size bytes or more. */
enum { socket_path_size = 108 };
int socket_connect_file(struct kept_descriptor *kept, const char *path);

/* What came of it, once it can be written to. */
int socket_connected(const struct kept_descriptor *kept);

/* A socket, for who connects it himself, by the system's numbers. */
int socket_make(
        struct kept_descriptor *kept, int family, int type, int protocol);

/* ---- Bytes --------------------------------------------------------------- */

enum { socket_most_parts = 64 };

/* Sends what it can. EAGAIN: nothing now. */
int socket_send(size_t *sent, const struct kept_descriptor *kept,
        const struct file_part *parts, size_t count);

/* Room for what comes. */
struct socket_room {
    void *data;
    size_t size;
};

/* Receives what is there into one room after the other. EAGAIN: nothing now;
 * ECONNRESET: the server has closed the connection. */
int socket_receive(size_t *size, const struct kept_descriptor *kept,
        const struct socket_room *rooms, size_t count);

/* Is there something to read on a connection where nothing is expected? Mostly
 * its end. */
bool socket_is_stale(const struct kept_descriptor *kept);

/* ---- Waiting ------------------------------------------------------------- */

enum {
    socket_can_read = 1,
    socket_can_write = 2,
    socket_has_ended = 4 /* or failed: told without being asked for */
};

struct socket_wait {
    int fd;         /* file_none: not waited for */
    unsigned asked; /* what is waited for */
    unsigned found; /* what there is now */
};

/* Waits for any of at most socket_most_parts, until a time of clock_ns()'s (0:
 * not at all), or until a signal comes. False: there is nothing. */
bool socket_await(
        struct socket_wait *waits, size_t count, uint64_t deadline_ns);

/* What ends a wait that asks to read it. */
int socket_make_waker(struct kept_descriptor *waker);

/* Of any thread that keeps out who closes it. */
void socket_wake(const struct kept_descriptor *waker);

/* Was it woken since this was asked last? */
bool socket_was_woken(const struct kept_descriptor *waker);

/* A descriptor for no use, with the number that the next file would have got:
 * who closes all descriptors from somewhere on closes it. */
int socket_make_guard(struct kept_descriptor *guard);

#endif /* DNNL_CACHE_SRC_PLATFORM_SOCKET_H */
