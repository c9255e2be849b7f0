/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/redis/redis_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

int redis_socket_resolve(
        struct addrinfo **addresses, const char *host, unsigned port)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
            .ai_socktype = SOCK_STREAM,
            .ai_flags = AI_NUMERICSERV};
    char service[16];
    snprintf(service, sizeof service, "%u", port);
    return getaddrinfo(host, service, &hints, addresses) == 0 ? 0 : ENOENT;
}

static int begin(struct kept_descriptor *out, int family,
        const struct sockaddr *address, socklen_t size)
{
    struct kept_descriptor made;
    const int fd =
            socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return errno;
    int error = kept_descriptor_keep(&made, fd);
    if (error != 0) return error;
    error = connect(made.fd, address, size) == 0 ? 0 : errno;
    if (error == EINTR) error = EINPROGRESS;
    if (error != 0 && error != EINPROGRESS)
        kept_descriptor_close(&made);
    else
        *out = made;
    return error;
}

int redis_socket_begin(
        struct kept_descriptor *kept, const struct addrinfo *address)
{
    const int on = 1;
    const int error = begin(
            kept, address->ai_family, address->ai_addr, address->ai_addrlen);
    if (error != 0 && error != EINPROGRESS) return error;
    (void)setsockopt(kept->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)setsockopt(kept->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    return error;
}

int redis_socket_begin_unix(struct kept_descriptor *kept, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t size = strlen(path);
    if (size >= sizeof address.sun_path) return ENAMETOOLONG;
    memcpy(address.sun_path, path, size + 1);
    return begin(
            kept, AF_UNIX, (const struct sockaddr *)&address, sizeof address);
}

int redis_socket_connected(const struct kept_descriptor *kept)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (!kept_descriptor_is_ours(kept)) return EBADF;
    return getsockopt(kept->fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0
                   ? error
                   : errno;
}

int redis_socket_send(const struct kept_descriptor *kept,
        const struct iovec *parts, size_t count, size_t *sent)
{
    struct msghdr message = {0};
    message.msg_iov = (struct iovec *)(uintptr_t)parts; /* only read */
    message.msg_iovlen = count;
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

int redis_socket_receive(const struct kept_descriptor *kept,
        const struct iovec *parts, size_t count, size_t *size)
{
    struct msghdr message = {0};
    message.msg_iov = (struct iovec *)(uintptr_t)parts; /* only read */
    message.msg_iovlen = count;
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

bool redis_socket_is_stale(const struct kept_descriptor *kept)
{
    char byte;
    return !kept_descriptor_is_ours(kept)
           || recv(kept->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0
           || errno != EAGAIN;
}
