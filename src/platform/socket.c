/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/socket.h"

#include "src/platform/clock.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

_Static_assert(socket_path_size == sizeof((struct sockaddr_un){0}).sun_path,
        "of the system's structure");

/* ---- Connecting ---------------------------------------------------------- */

struct socket_addresses {
    struct addrinfo *list;
    const struct addrinfo *next; /* NULL: none is left */
};

int socket_resolve(
        struct socket_addresses **addresses, const char *host, unsigned port)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
            .ai_socktype = SOCK_STREAM,
            .ai_flags = AI_NUMERICSERV};
    char service[16];
    struct socket_addresses *made = malloc(sizeof *made);
    if (made == NULL) return ENOMEM;
    (void)snprintf(service, sizeof service, "%u", port);
    if (getaddrinfo(host, service, &hints, &made->list) != 0) {
        free(made);
        return ENOENT;
    }
    made->next = made->list;
    *addresses = made;
    return 0;
}

void socket_addresses_free(struct socket_addresses *addresses)
{
    if (addresses == NULL) return;
    freeaddrinfo(addresses->list);
    free(addresses);
}

int socket_make(
        struct kept_descriptor *kept, int family, int type, int protocol)
{
    const int fd = socket(family, type | SOCK_CLOEXEC, protocol);
    return fd >= 0 ? kept_descriptor_keep(kept, fd) : errno;
}

static int begin(struct kept_descriptor *out, int family,
        const struct sockaddr *address, socklen_t size)
{
    struct kept_descriptor made;
    int error = socket_make(&made, family, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (error != 0) return error;
    error = connect(made.fd, address, size) == 0 ? 0 : errno;
    if (error == EINTR) error = EINPROGRESS;
    if (error != 0 && error != EINPROGRESS)
        (void)kept_descriptor_close(&made);
    else
        *out = made;
    return error;
}

int socket_connect(
        struct kept_descriptor *kept, struct socket_addresses *addresses)
{
    const int on = 1;
    int error = ENOENT;
    while (addresses != NULL && addresses->next != NULL) {
        const struct addrinfo *address = addresses->next;
        addresses->next = address->ai_next;
        error = begin(kept, address->ai_family, address->ai_addr,
                address->ai_addrlen);
        if (error != 0 && error != EINPROGRESS) continue;
        (void)setsockopt(kept->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        (void)setsockopt(kept->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
        break;
    }
    return error;
}

int socket_connect_file(struct kept_descriptor *kept, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t size = strlen(path);
    if (size >= sizeof address.sun_path) return ENAMETOOLONG;
    memcpy(address.sun_path, path, size + 1);
    return begin(
            kept, AF_UNIX, (const struct sockaddr *)&address, sizeof address);
}

int socket_connected(const struct kept_descriptor *kept)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (!kept_descriptor_is_ours(kept)) return EBADF;
    return getsockopt(kept->fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0
                   ? error
                   : errno;
}

/* ---- Bytes --------------------------------------------------------------- */

int socket_send(size_t *sent, const struct kept_descriptor *kept,
        const struct file_part *parts, size_t count)
{
    struct iovec list[socket_most_parts];
    struct msghdr message = {.msg_iov = list};
    if (count > socket_most_parts) count = socket_most_parts;
    for (size_t i = 0; i < count; i++)
        list[i] = (struct iovec){(void *)(uintptr_t)parts[i].data,
                parts[i].size};           /* only read */
    message.msg_iovlen = (uint16_t)count; /* of a type that libraries choose */
    for (;;) {
        if (!kept_descriptor_is_ours(kept)) return EBADF;
        const ssize_t n = sendmsg(kept->fd, &message, MSG_NOSIGNAL);
        if (n >= 0) {
            *sent = (size_t)n;
            return 0;
        }
        if (errno != EINTR) return errno;
    }
}

int socket_receive(size_t *size, const struct kept_descriptor *kept,
        const struct socket_room *rooms, size_t count)
{
    struct iovec list[socket_most_parts];
    struct msghdr message = {.msg_iov = list};
    if (count > socket_most_parts) count = socket_most_parts;
    for (size_t i = 0; i < count; i++)
        list[i] = (struct iovec){rooms[i].data, rooms[i].size};
    message.msg_iovlen = (uint16_t)count; /* of a type that libraries choose */
    for (;;) {
        if (!kept_descriptor_is_ours(kept)) return EBADF;
        const ssize_t n = recvmsg(kept->fd, &message, 0);
        if (n > 0) {
            *size = (size_t)n;
            return 0;
        }
        if (n == 0) return ECONNRESET;
        if (errno != EINTR) return errno;
    }
}

bool socket_is_stale(const struct kept_descriptor *kept)
{
    char byte;
    return !kept_descriptor_is_ours(kept)
           || recv(kept->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0
           || errno != EAGAIN;
}

/* ---- Waiting ------------------------------------------------------------- */

static struct timespec time_until(uint64_t deadline_ns)
{
    const uint64_t now = deadline_ns > 0 ? clock_ns() : 0;
    const uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
    return (struct timespec){
            (time_t)(left / 1000000000u), (long)(left % 1000000000u)};
}

bool socket_await(struct socket_wait *waits, size_t count, uint64_t deadline_ns)
{
    struct pollfd polls[socket_most_parts];
    const struct timespec wait = time_until(deadline_ns);
    for (size_t i = 0; i < count; i++) {
        const unsigned asked = waits[i].asked;
        const int events = ((asked & socket_can_read) != 0 ? POLLIN : 0)
                           | ((asked & socket_can_write) != 0 ? POLLOUT : 0);
        waits[i].found = 0;
        polls[i] = (struct pollfd){waits[i].fd, (short)events, 0};
    }
    if (ppoll(polls, count, &wait, NULL) <= 0) return false;
    for (size_t i = 0; i < count; i++) {
        const short events = polls[i].revents;
        waits[i].found =
                ((events & POLLIN) != 0 ? socket_can_read : 0u)
                | ((events & POLLOUT) != 0 ? socket_can_write : 0u)
                | ((events & ~(POLLIN | POLLOUT)) != 0 ? socket_has_ended : 0u);
    }
    return true;
}

int socket_make_waker(struct kept_descriptor *waker)
{
    const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    *waker = KEPT_DESCRIPTOR_NONE;
    return fd >= 0 ? kept_descriptor_keep(waker, fd) : errno;
}

void socket_wake(const struct kept_descriptor *waker)
{
    const uint64_t one = 1;
    if (kept_descriptor_is_ours(waker))
        (void)!write(waker->fd, &one, sizeof one);
}

bool socket_was_woken(const struct kept_descriptor *waker)
{
    uint64_t count;
    return kept_descriptor_is_ours(waker)
           && read(waker->fd, &count, sizeof count) > 0;
}

int socket_make_guard(struct kept_descriptor *guard)
{
    const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    *guard = KEPT_DESCRIPTOR_NONE;
    if (fd < 0) return errno;
    const int error = kept_descriptor_note(guard, fd);
    if (error != 0) (void)close(fd);
    return error;
}
